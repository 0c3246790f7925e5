//! Programs that do the works of one side. They take any set of sides.

use crate::phases::{bench_mark, cpu_time, repeat, warm};
use crate::side::Side;
use crate::work::Work;

/// Clocks are coarser than instruction counts, so each work is done this many times more often.
const LONGER: u32 = 25;

/// Makes a side by its name.
type Named = fn(name: &str, address: &str) -> Option<Box<dyn Side>>;

/// `PROGRAM ADDRESS SIDE once|count|time`: does all works, and prints the name of each and how long it took.
pub fn client(named: Named) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, name, how] = &arguments[..] else {
        panic!("client ADDRESS SIDE once|count|time");
    };
    let mut side = named(name, address).expect("a side");
    match how.as_str() {
        "once" => once(&mut *side),
        "count" => many(&mut *side, 1),
        "time" => many(&mut *side, LONGER),
        other => panic!("no `{other}`"),
    }
}

/// Sends each request once, so that the server can record it.
fn once(side: &mut dyn Side) {
    for &work in Work::ALL {
        let is_shared = !work.is_conversion() && !work.is_of_library();
        if is_shared && side.run(work).is_some() {
            println!("{}", work.name());
        }
    }
}

fn many(side: &mut dyn Side, longer: u32) {
    for &work in Work::ALL {
        if !warm(side, work) {
            continue;
        }
        let times = work.times() * longer;
        side.prepare(work, times);
        bench_mark(0);
        let before = cpu_time();
        repeat(side, work, times);
        let after = cpu_time();
        bench_mark(1);
        println!("{} {}", work.name(), (after - before) / u64::from(times));
    }
}

/// Counts the allocations of a piece of work.
type Allocations = fn(&mut dyn FnMut()) -> u64;

/// `PROGRAM ADDRESS SIDE`: does all works and prints how many allocations each of them makes.
pub fn allocations(named: Named, count: Allocations) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, name] = &arguments[..] else {
        panic!("allocations ADDRESS SIDE");
    };
    let mut side = named(name, address).expect("a side");
    for &work in Work::ALL {
        if !warm(&mut *side, work) {
            continue;
        }
        side.prepare(work, work.times());
        let times = u64::from(work.times());
        let seen = count(&mut || repeat(&mut *side, work, work.times()));
        // The connection allocates a little now and then, so the average is rounded to the nearest number.
        println!("{} {}", work.name(), (seen + times / 2) / times);
    }
}
