//! Measures the memory that a call holds while it waits for its answer: it makes many calls to a server that
//! holds its answers back, and counts the bytes that are allocated.
//!
//! `--tls` encrypts the connections. This is a separate program from `clock`, because its allocator counts.

use std::sync::Arc;
use std::time::Duration;

use dynamo_entity_benches::caller::{CALLS, Caller, requests_are_equal, runtime};
use dynamo_entity_benches::server_process::{ServerProcess, beside_this};
use dynamo_entity_benches::work::Work;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

const UNDER_WAY: usize = 1000;
/// How many calls begin at once, because a listener does not take a thousand connections at the same moment.
const AT_ONCE: usize = 100;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has_tls = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--tls"] => true,
        _ => panic!("under_way [--tls]"),
    };
    requests_are_equal(has_tls);
    let (with, arguments): (_, &[&str]) = match has_tls {
        true => ("with", &["--gated", "--tls"]),
        false => ("without", &["--gated"]),
    };
    let mut server = ServerProcess::start(&beside_this("server"), arguments);
    println!(
        "{with} TLS: bytes on the heap for each of {UNDER_WAY} calls under way, ratio to the raw SDK\n"
    );
    let names = CALLS.map(Work::what);
    println!(
        "| | {} | a connection |\n|---|---|---|---|",
        names.join(" | ")
    );
    let mut base = None;
    for caller in Caller::all(&server.address, server.certificate.as_deref()) {
        let measured = measure(caller, &mut server);
        let base = base.get_or_insert_with(|| measured.calls.clone());
        let calls = measured.calls.iter().zip(base);
        let calls: Vec<String> = calls
            .map(|(bytes, base)| format!("{bytes:.0} **{:.2}**", bytes / *base))
            .collect();
        let (name, connection) = (measured.name, measured.connection);
        println!("| {name} | {} | {connection:.0} |", calls.join(" | "));
    }
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
