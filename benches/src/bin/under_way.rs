//! Measures the memory that a call holds while it waits for its answer: it makes many calls to a server that
//! holds its answers back, and counts the bytes that are allocated.
//!
//! `--tls` encrypts the connections. `--check` compares with `under_way.txt`, and `--record` writes it. This is a separate
//! program from `clock`, because its allocator counts.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use dynamo_entity_benches::caller::{CALLS, Caller, requests_are_equal, runtime};
use dynamo_entity_benches::recorded::versions;
use dynamo_entity_benches::server_process::{ServerProcess, beside_this};
use dynamo_entity_benches::work::Work;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/under_way.txt");
const UNDER_WAY: usize = 1000;
/// How many calls begin at once, because a listener does not take a thousand connections at the same moment.
const AT_ONCE: usize = 100;
/// How many percent more are let pass: the bytes are the same in each run, and only other versions of the compiler or of the
/// SDK hold others.
const NOISE: f64 = 1.0;
const DRIFT: f64 = 10.0;

fn main() -> ExitCode {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let held = measure_all(mode == "--tls");
    match mode.as_str() {
        "" => print("without", &held),
        "--tls" => print("with", &held),
        "--record" => std::fs::write(RECORDED, recorded(&held)).expect("the file"),
        "--check" => return check(&held),
        other => panic!("--tls, --check or --record, not `{other}`"),
    }
    ExitCode::SUCCESS
}

fn measure_all(has_tls: bool) -> Vec<Held> {
    requests_are_equal(has_tls);
    let arguments: &[&str] = match has_tls {
        true => &["--gated", "--tls"],
        false => &["--gated"],
    };
    let mut server = ServerProcess::start(&beside_this("server"), arguments);
    let callers = Caller::all(&server.address, server.certificate.as_deref());
    let measured = callers
        .into_iter()
        .map(|caller| measure(caller, &mut server));
    measured.collect()
}

fn print(with: &str, held: &[Held]) {
    println!(
        "{with} TLS: bytes on the heap for each of {UNDER_WAY} calls under way, ratio to the raw SDK\n"
    );
    let names = CALLS.map(Work::what);
    println!(
        "| | {} | a connection |\n|---|---|---|---|",
        names.join(" | ")
    );
    for of in held {
        let calls = of.calls.iter().zip(&held[0].calls);
        let calls: Vec<String> = calls
            .map(|(bytes, base)| format!("{bytes:.0} **{:.2}**", bytes / *base))
            .collect();
        let (name, connection) = (of.name, of.connection);
        println!("| {name} | {} | {connection:.0} |", calls.join(" | "));
    }
}

/// The versions, and a line for each call of each caller.
fn recorded(held: &[Held]) -> String {
    let mut text = format!("{}\n", versions());
    for of in held {
        for (work, bytes) in CALLS.iter().zip(&of.calls) {
            text += &format!("{bytes:.0} {} {}\n", work.name(), of.name);
        }
    }
    text
}

fn check(held: &[Held]) -> ExitCode {
    let now = recorded(held);
    let before = std::fs::read_to_string(RECORDED).unwrap_or_default();
    let patience = match now.lines().next() == before.lines().next() {
        true => NOISE,
        false => DRIFT,
    };
    let calls = || now.lines().skip(1);
    let limit = |call: &str| {
        let was = before.lines().find_map(|line| {
            let (bytes, of) = line.split_once(' ')?;
            (of == call).then(|| bytes.parse::<f64>().ok())?
        });
        was.map(|was| was * (1.0 + patience / 100.0))
    };
    let mut is_worse = false;
    for line in calls() {
        let (bytes, call) = line.split_once(' ').expect("two words");
        let bytes: f64 = bytes.parse().expect("a number");
        // What the SDK alone holds is not ours to keep.
        if call.ends_with("raw SDK") {
            continue;
        }
        match limit(call) {
            Some(limit) if bytes <= limit => {}
            Some(limit) => {
                is_worse = true;
                println!("{call}: {bytes} bytes under way, at most {limit:.0}");
            }
            None => {
                is_worse = true;
                println!("{call}: measured, and not recorded; `benches/run --record`");
            }
        }
    }
    if is_worse {
        return ExitCode::FAILURE;
    }
    println!("memory of calls under way: within {patience} %");
    ExitCode::SUCCESS
}

/// How many bytes a call holds, and how many its connection holds, which stays open.
struct Held {
    name: &'static str,
    calls: Vec<f64>,
    connection: f64,
}

fn measure(caller: Caller, server: &mut ServerProcess) -> Held {
    let caller = Arc::new(caller);
    let runtime = runtime();
    runtime.block_on(caller.warm());
    let connections = bytes_held(|| {
        for work in CALLS {
            let calls = begin(&runtime, &caller, work, server);
            end(&runtime, calls, server);
        }
    });
    let calls = CALLS.map(|work| {
        let mut calls = Vec::new();
        let bytes = bytes_held(|| calls = begin(&runtime, &caller, work, server));
        end(&runtime, calls, server);
        bytes
    });
    runtime.block_on(caller.check_way());
    Held {
        name: caller.name,
        calls: calls.into(),
        connection: connections,
    }
}

/// The bytes per call that are allocated afterwards and were not before. The runtime has no other thread that
/// could add to them.
fn bytes_held(work: impl FnOnce()) -> f64 {
    let seen = allocation_counter::measure(work);
    seen.bytes_current as f64 / UNDER_WAY as f64
}

/// Begins all calls and returns when the server has received all of their requests.
fn begin(
    runtime: &Runtime,
    caller: &Arc<Caller>,
    work: Work,
    server: &mut ServerProcess,
) -> Vec<JoinHandle<()>> {
    server.close_gate();
    let mut calls = Vec::with_capacity(UNDER_WAY);
    while calls.len() < UNDER_WAY {
        for _ in 0..AT_ONCE {
            let caller = caller.clone();
            calls.push(runtime.spawn(async move { caller.call(work).await }));
        }
        while server.waiting() < calls.len() {
            pause(runtime, 5);
        }
    }
    calls
}

fn end(runtime: &Runtime, calls: Vec<JoinHandle<()>>, server: &mut ServerProcess) {
    server.open_gate();
    for call in calls {
        runtime.block_on(call).expect("no panic");
    }
    // This gives the connections time to go back to their pool.
    pause(runtime, 50);
}

/// Gives everything that is under way time to go on.
fn pause(runtime: &Runtime, milliseconds: u64) {
    let time = Duration::from_millis(milliseconds);
    runtime.block_on(async { tokio::time::sleep(time).await });
}
