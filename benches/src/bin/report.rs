//! Measures all sides and prints one table. `benches/run` builds this program and starts it.
//!
//! `--check` compares the library's counts with the recorded ones, and `--record` writes them. `BENCH_PEERS`
//! can name a program with other sides, made with [`measure`](dynamo_entity_benches::measure), followed by
//! the names of the sides.

use std::collections::HashMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex};

use dynamo_entity_benches::callgrind;
use dynamo_entity_benches::recorded::{Counts, Recorded, versions};
use dynamo_entity_benches::server::{Seen, Service, comparable};
use dynamo_entity_benches::server_process::ServerProcess;
use dynamo_entity_benches::side::NAMES;
use dynamo_entity_benches::work::Work;

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recorded.txt");

fn main() -> ExitCode {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let here = std::env::current_exe().expect("a path");
    let here = here.parent().expect("a folder");
    requests_are_equal(&here.join("client"));
    let counts_instructions = callgrind::is_there();
    if !counts_instructions {
        println!(
            "NOTICE: valgrind is not there, so this is CPU time, which varies from run to run."
        );
        if mode == "--check" {
            println!("NOTICE: nothing is checked without it.");
            return ExitCode::SUCCESS;
        }
    }
    let server = ServerProcess::start(&here.join("server"), &[]);
    let mut measured = Vec::new();
    for name in NAMES {
        if mode == "--check" && name == "serde_dynamo" {
            continue;
        }
        let client = here.join("client");
        let mut side = measure(&client, name, &server.address, counts_instructions);
        if mode != "--check" {
            side.allocations = pairs(&output(&here.join("allocations"), &[&server.address, name]));
        }
        measured.push(side);
    }
    let peers = std::env::var("BENCH_PEERS").unwrap_or_default();
    let mut peers = peers.split_whitespace();
    if let Some(client) = peers.next() {
        let side = |name| {
            measure(
                Path::new(client),
                name,
                &server.address,
                counts_instructions,
            )
        };
        measured.extend(peers.map(side));
    }
    let table = Table {
        measured,
        counts_instructions,
    };
    match mode.as_str() {
        "" => table.print(),
        "--record" => {
            std::fs::write(RECORDED, table.recorded().write()).expect("the file");
            table.print();
        }
        "--check" => return check(&table.recorded()),
        other => panic!("--check or --record, not `{other}`"),
    }
    ExitCode::SUCCESS
}

fn check(now: &Recorded) -> ExitCode {
    let before = std::fs::read_to_string(RECORDED).ok();
    let Some(before) = before.and_then(|text| Recorded::read(&text)) else {
        println!("{RECORDED} holds no recorded values; `benches/run --record` writes it.");
        return ExitCode::FAILURE;
    };
    if now.differs(&before) {
        println!(
            "NOTICE: recorded with other versions, so there is more patience; `benches/run --record`."
        );
    }
    let worse = now.against(&before);
    for line in &worse {
        println!("{line}");
    }
    if !worse.is_empty() {
        return ExitCode::FAILURE;
    }
    let (works, patience) = (now.works(), now.patience(&before));
    println!("instruction counts: {works} checked, all within {patience} %");
    ExitCode::SUCCESS
}

/// What one side costs for each work.
struct Measured {
    name: String,
    cost: HashMap<&'static str, u64>,
    sha256: HashMap<&'static str, u64>,
    allocations: HashMap<&'static str, u64>,
}

fn measure(client: &Path, name: &str, address: &str, counts_instructions: bool) -> Measured {
    eprintln!("measuring {name}");
    let mut measured = Measured {
        name: name.to_owned(),
        cost: HashMap::new(),
        sha256: HashMap::new(),
        allocations: HashMap::new(),
    };
    if !counts_instructions {
        measured.cost = pairs(&output(client, &[address, name, "time"]));
        return measured;
    }
    let dumps: PathBuf = client.with_file_name("callgrind").join(name);
    let (lines, counts) = callgrind::run(client, &[address, name, "count"], &dumps);
    for (line, count) in lines.iter().zip(counts) {
        let work = line
            .split(' ')
            .next()
            .and_then(Work::named)
            .expect("a work");
        let times = u64::from(work.times());
        measured.cost.insert(work.name(), count.adjusted() / times);
        measured.sha256.insert(work.name(), count.sha256 / times);
    }
    measured
}

fn output(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .expect("the program");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// Reads lines of the form `WORK NUMBER`.
fn pairs(text: &str) -> HashMap<&'static str, u64> {
    let pairs = text.lines().map(|line| {
        let (work, number) = line.split_once(' ').expect("two words");
        let work = Work::named(work).expect("a work");
        (work.name(), number.parse().expect("a number"))
    });
    pairs.collect()
}

struct Table {
    measured: Vec<Measured>,
    counts_instructions: bool,
}

impl Table {
    fn print(&self) {
        let unit = match self.counts_instructions {
            true => "thousand instructions, SHA-256 left out",
            false => "microseconds of CPU",
        };
        println!(
            "\n{unit}; allocations; ratio to hand-written code ({})\n",
            versions()
        );
        let names: Vec<&str> = self.measured.iter().map(|of| of.name.as_str()).collect();
        println!("| | {} |", names.join(" | "));
        println!("|---|{}", "---|".repeat(names.len()));
        for work in Work::ALL {
            let cells: Vec<String> = self
                .measured
                .iter()
                .map(|of| self.cell(*work, of))
                .collect();
            println!("| {} | {} |", work.what(), cells.join(" | "));
        }
    }

    fn cell(&self, work: Work, of: &Measured) -> String {
        let Some(&cost) = of.cost.get(work.name()) else {
            return "–".into();
        };
        let allocations = of.allocations.get(work.name());
        let allocations = allocations.map_or(String::new(), |count| format!("; {count}"));
        let ratio = self.base(work, of).map_or(String::new(), |base| {
            format!("; **{:.2}**", cost as f64 / base as f64)
        });
        format!("{:.1}{allocations}{ratio}", cost as f64 / 1000.0)
    }

    /// The cost with which the work of a side is compared.
    fn base(&self, work: Work, of: &Measured) -> Option<u64> {
        let base = match work.base() {
            Some(base) => of.cost.get(base.name()),
            None => self.measured.first()?.cost.get(work.name()),
        };
        base.copied()
    }

    fn recorded(&self) -> Recorded {
        let library = self.measured.iter().find(|of| of.name == "library");
        let library = library.expect("a side");
        let counts: Counts = Work::ALL
            .iter()
            .filter_map(|work| {
                let cost = *library.cost.get(work.name())?;
                Some((*work, cost, self.base(*work, library)?))
            })
            .collect();
        Recorded::new(versions(), counts)
    }
}

/// Checks that every side sends the same requests. Only the order of attributes and the tokens may differ.
fn requests_are_equal(client: &Path) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
    let service = Service {
        seen: Some(seen.clone()),
        ..Service::default()
    };
    std::thread::spawn(move || service.serve(listener));
    let mut first: HashMap<String, serde_json::Value> = HashMap::new();
    for name in NAMES {
        let works = output(client, &[&address, name, "once"]);
        let seen = std::mem::take(&mut *seen.lock().expect("no panic"));
        assert_eq!(
            works.lines().count(),
            seen.len(),
            "{name}: one request a work"
        );
        for (work, request) in works.lines().zip(seen) {
            let request = comparable(request);
            let expected = first
                .entry(work.to_owned())
                .or_insert_with(|| request.clone());
            assert_eq!(
                *expected, request,
                "{name} sends another request for {work}"
            );
        }
    }
}
