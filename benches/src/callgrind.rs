//! Runs a program under callgrind and reads what it wrote down.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Instructions between two marks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    pub all: u64,
    /// Of these in the compression of SHA-256, which processors have instructions for and valgrind has
    /// not.
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

/// The lines that the program printed and the counts between its marks, in their order.
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
    // Before the first mark of a pair there is the warming up.
    let phases = (1..=lines.len()).map(|phase| out.with_extension(format!("{}", 2 * phase)));
    let counts = phases.map(|file| count(&fs::read_to_string(file).expect("a dump")));
    (lines, counts.collect())
}

/// What stands in a dump. A function is named once and has a number from then on; a line of costs is a
/// position and a number; the one behind `calls=` counts what was called, which stands elsewhere too.
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
