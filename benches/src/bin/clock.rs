//! Measures calls by the clock, over loopback: how many calls a core of the client does per second, and how
//! long a call takes.
//!
//! `--tls` encrypts the connections. The server is a process of its own, and the client has one thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dynamo_entity_benches::caller::{CALLS, Caller, requests_are_equal, runtime};
use dynamo_entity_benches::server_process::{ServerProcess, beside_this};
use dynamo_entity_benches::work::Work;
use futures_util::future::join_all;
use tokio::runtime::Runtime;

const IN_FLIGHT: [usize; 5] = [1, 16, 64, 256, IN_ONE_TASK];
/// So many calls are in flight in one task, as by `join_all`: tokio makes a task rest that polls more than 128 times.
const IN_ONE_TASK: usize = 500;
/// How many turns each caller has. Callers take turns, so that a disturbance of the machine affects all of them.
const TURNS: usize = 5;
const TURN: Duration = Duration::from_secs(1);
/// How long a caller runs before its first turn, to open its connections.
const WARM: Duration = Duration::from_millis(300);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has_tls = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--tls"] => true,
        _ => panic!("clock [--tls]"),
    };
    requests_are_equal(has_tls);
    let arguments: &[&str] = if has_tls { &["--tls"] } else { &[] };
    let server = ServerProcess::start(&beside_this("server"), arguments);
    let callers = Caller::all(&server.address, server.certificate.as_deref()).map(Arc::new);
    let runtime = runtime();
    for caller in &callers {
        runtime.block_on(caller.warm());
    }
    let with = if has_tls { "with" } else { "without" };
    println!("{with} TLS: requests a second of a core's time; median and 99th percentile of their");
    println!(
        "microseconds; each with its ratio to the raw SDK, and the range of the turns' ratios\n"
    );
    let names = callers.each_ref().map(|caller| caller.name);
    println!(
        "| | in flight | {} |\n|---|---|---|---|---|",
        names.join(" | ")
    );
    for work in CALLS {
        for in_flight in IN_FLIGHT {
            print_row(
                &measure(&runtime, &callers, work, in_flight),
                work,
                in_flight,
            );
        }
    }
}

/// What each turn of one caller showed.
type Turns = Vec<Turn>;

fn measure<const CALLERS: usize>(
    runtime: &Runtime,
    callers: &[Arc<Caller>; CALLERS],
    work: Work,
    in_flight: usize,
) -> [Turns; CALLERS] {
    for caller in callers {
        turn(runtime, caller, work, in_flight, WARM);
    }
    let mut measured = [const { Turns::new() }; CALLERS];
    for first in 0..TURNS {
        // Each caller comes first now and then.
        for next in 0..CALLERS {
            let next = (first + next) % CALLERS;
            let seen = turn(runtime, &callers[next], work, in_flight, TURN);
            measured[next].push(seen);
        }
    }
    // No caller may have left the way that is measured, because of a failure or for any other reason.
    for caller in callers {
        runtime.block_on(caller.check_way());
    }
    measured
}

struct Turn {
    /// Requests per second of CPU time.
    rate: f64,
    /// The median time of a call, in microseconds.
    median: f64,
    percentile_99: f64,
}

fn turn(
    runtime: &Runtime,
    caller: &Arc<Caller>,
    work: Work,
    in_flight: usize,
    time: Duration,
) -> Turn {
    let before = cpu_time_of_process();
    let end = Instant::now() + time;
    let calls = (0..in_flight).map(|_| call_until(end, caller.clone(), work));
    let mut times = Vec::new();
    if in_flight == IN_ONE_TASK {
        times.extend(runtime.block_on(join_all(calls)).into_iter().flatten());
    } else {
        let tasks: Vec<_> = calls.map(|call| runtime.spawn(call)).collect();
        for task in tasks {
            times.extend(runtime.block_on(task).expect("no panic"));
        }
    }
    let cpu = cpu_time_of_process() - before;
    let rate = times.len() as f64 / cpu.as_secs_f64();
    times.sort_unstable();
    let at = |part: f64| {
        let place = (times.len() as f64 * part) as usize;
        times[place.min(times.len() - 1)].as_secs_f64() * 1e6
    };
    Turn {
        rate,
        median: at(0.5),
        percentile_99: at(0.99),
    }
}

/// Makes one call after the other until `end`, and returns how long each of them took.
async fn call_until(end: Instant, caller: Arc<Caller>, work: Work) -> Vec<Duration> {
    let mut times = Vec::new();
    let mut began = Instant::now();
    while began < end {
        caller.call(work).await;
        let ended = Instant::now();
        times.push(ended - began);
        began = ended;
    }
    times
}

/// The CPU time of all threads of this process, as Linux counts it in nanoseconds. It includes time in the
/// kernel.
fn cpu_time_of_process() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").expect("Linux");
    let times = threads.flatten().map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        let time = text.split_whitespace().next();
        time.and_then(|time| time.parse::<u64>().ok())
            .unwrap_or_default()
    });
    Duration::from_nanos(times.sum::<u64>())
}

fn print_row(measured: &[Turns], work: Work, in_flight: usize) {
    let cells: Vec<String> = measured
        .iter()
        .map(|turns| cell(turns, &measured[0]))
        .collect();
    println!("| {} | {in_flight} | {} |", work.what(), cells.join(" | "));
}

fn cell(turns: &[Turn], base: &[Turn]) -> String {
    let rate = |turn: &Turn| turn.rate;
    let median_time = |turn: &Turn| turn.median;
    let percentile_99 = |turn: &Turn| turn.percentile_99;
    let middle = |of: fn(&Turn) -> f64| median(turns.iter().map(of).collect());
    let (rates, medians, percentiles) = (middle(rate), middle(median_time), middle(percentile_99));
    if std::ptr::eq(turns, base) {
        return format!("{rates:.0}; {medians:.0}; {percentiles:.0}");
    }
    // Each ratio compares two turns that were made side by side.
    let ratios = |of: fn(&Turn) -> f64| -> Vec<f64> {
        let pairs = turns.iter().zip(base);
        pairs.map(|(turn, base)| of(turn) / of(base)).collect()
    };
    let rates_beside = ratios(rate);
    let least = rates_beside.iter().copied().fold(f64::MAX, f64::min);
    let most = rates_beside.iter().copied().fold(0.0, f64::max);
    format!(
        "{rates:.0} **{:.2}** ({least:.2} to {most:.2}); {medians:.0} **{:.2}**; {percentiles:.0} **{:.2}**",
        median(rates_beside),
        median(ratios(median_time)),
        median(ratios(percentile_99)),
    )
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
