//! Runs a program under callgrind and reads its dumps.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The instructions between two marks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    pub all: u64,
    /// How many of them are in the compression function of SHA-256. Processors have instructions for it, but
    /// valgrind does not offer them.
    pub sha256: u64,
}

impl Count {
    pub fn adjusted(self) -> u64 {
        self.all - self.sha256
    }
}

pub fn is_there() -> bool {
    let version = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    version.is_ok_and(|status| status.success())
}

/// Runs the program. Returns the lines that it printed and the counts between its marks, in their order.
pub fn run(program: &Path, arguments: &[&str], folder: &Path) -> (Vec<String>, Vec<Count>) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).expect("a folder");
    let out = folder.join("out");
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg("--dump-before=bench_mark")
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(program)
        .args(arguments)
        .output()
        .expect("valgrind");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let lines = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    // The dump before the first mark of each pair covers the warm-up.
    let phases = (1..=lines.len()).map(|phase| out.with_extension(format!("{}", 2 * phase)));
    let counts = phases.map(|file| count(&fs::read_to_string(file).expect("a dump")));
    (lines, counts.collect())
}

/// Adds up a dump. A function is named once and has a number from then on. A line of costs has a position and
/// a number. The line after `calls=` holds the cost of the called function, which is counted there, so it is
/// left out.
fn count(dump: &str) -> Count {
    let mut count = Count::default();
    let mut is_sha256: HashMap<&str, bool> = HashMap::new();
    let mut here = false;
    let mut is_call = false;
    for line in dump.lines() {
        if let Some(function) = line.strip_prefix("fn=").or(line.strip_prefix("cfn=")) {
            let (number, name) = function.split_once(' ').unwrap_or((function, ""));
            if !name.is_empty() {
                is_sha256.insert(number, name.contains("sha2") && name.contains("compress"));
            }
            if line.starts_with("fn=") {
                here = is_sha256.get(number).copied().unwrap_or_default();
            }
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            let cost = line.split_once(' ').map(|(_, cost)| cost.trim());
            let cost: u64 = cost.and_then(|cost| cost.parse().ok()).unwrap_or_default();
            if !std::mem::take(&mut is_call) {
                count.all += cost;
                count.sha256 += if here { cost } else { 0 };
            }
        }
    }
    count
}
