//! Checks that what works of the library cost grows no faster than their input. `benches/run --growth` prints all
//! figures, and `benches/run --check` what is wrong.
//!
//! With an address it does the works, for callgrind to count.

use std::process::ExitCode;

use dynamo_entity_benches::callgrind;
use dynamo_entity_benches::growth::{Cost, Ending, SERIES, excess, run};
use dynamo_entity_benches::server_process::{ServerProcess, beside_this};

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_default();
    if argument.starts_with("http") {
        run(&argument);
        return ExitCode::SUCCESS;
    }
    let server = ServerProcess::start(&beside_this("server"), &[]);
    let dumps = beside_this("callgrind").join("growth");
    let (lines, counts) = callgrind::run(&beside_this("growth"), &[&server.address], &dumps);
    let mut measured = lines.iter().zip(counts).map(|(line, count)| {
        let is_refused = line.ends_with("Refused");
        (
            count.adjusted(),
            if is_refused {
                Ending::Refused
            } else {
                Ending::Done
            },
        )
    });
    let mut faults = Vec::new();
    if argument != "--check" {
        println!("\nthousand instructions; r: refused before anything was sent\n");
    }
    for series in SERIES {
        let costs = series.sizes.iter().zip(&mut measured);
        let costs: Vec<Cost> = costs
            .map(|(&size, (instructions, ending))| Cost {
                size,
                instructions,
                ending,
            })
            .collect();
        if argument != "--check" {
            println!("{}", row(series.name, &costs));
        }
        faults.extend(excess(series.name, &costs));
    }
    for fault in &faults {
        println!("{fault}");
    }
    if !faults.is_empty() {
        return ExitCode::FAILURE;
    }
    println!(
        "growth: {} series, none grows faster than n·log n",
        SERIES.len()
    );
    ExitCode::SUCCESS
}

fn row(name: &str, costs: &[Cost]) -> String {
    let cell = |cost: &Cost| {
        let mark = if cost.ending == Ending::Refused {
            " r"
        } else {
            ""
        };
        format!("{}: {}{mark}", cost.size, cost.instructions / 1000)
    };
    let cells: Vec<String> = costs.iter().map(cell).collect();
    format!("| {name} | {} |", cells.join(" | "))
}
