//! What the compiler says about mistakes, with one transcript per rule.
//!
//! After a message has changed, `TRYBUILD=overwrite cargo test --test ui` writes the transcripts again. Read
//! each of them before you keep it.
//!
//! The words of the compiler change with its version. With another version than the one that wrote the transcripts, the test says
//! that it was skipped, unless `UI_ANY_RUST` is set, as it is in `.ci/run`: there, a new version is noticed.

use std::env;
use std::process::Command;

/// The version that wrote the transcripts.
const WRITTEN_WITH: &str = "1.95";

#[test]
fn mistakes_are_explained() {
    let is_wanted = |variable| env::var_os(variable).is_some();
    let version = version_of_rust();
    if !is_version(&version, WRITTEN_WITH) && !is_wanted("UI_ANY_RUST") && !is_wanted("TRYBUILD") {
        eprintln!(
            "SKIPPED mistakes_are_explained: the transcripts are of Rust {WRITTEN_WITH}, and this is {version}"
        );
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

/// Cargo and the compiler have one version. Only cargo knows which compiler it calls.
fn version_of_rust() -> String {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).arg("--version").output();
    let output = output.expect("cargo says its version");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn is_version(said: &str, wanted: &str) -> bool {
    let mut words = said.split(' ').skip(1);
    let number = words.next().and_then(|word| word.strip_prefix(wanted));
    number.is_some_and(|patch| patch.starts_with('.') && !patch.contains('-'))
}

#[test]
fn versions_are_told_apart() {
    for (said, is_it) in [
        ("cargo 1.95.0 (f2d3ce0bd 2026-03-21)", true),
        ("cargo 1.95.1", true),
        ("cargo 1.94.1 (29ea6fb6a 2026-03-24)", false),
        ("cargo 1.950.0 (29ea6fb6a 2026-03-24)", false),
        ("cargo 1.95.0-nightly (4d1f98451 2026-02-15)", false),
        ("cargo 1.95.0-beta.3 (4d1f98451 2026-02-15)", false),
        ("", false),
    ] {
        assert_eq!(is_version(said, WRITTEN_WITH), is_it, "{said}");
    }
}
