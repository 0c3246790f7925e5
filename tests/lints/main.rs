//! What the lints find in models, and what they leave alone.
//!
//! `GOLDEN=overwrite cargo test --test lints` writes `tests/golden/lints.txt` anew.
#![allow(dead_code)]
#![allow(
    clippy::duplicated_attributes,
    reason = "two unique values or indexes may name one field"
)]

mod allowed;
mod attributes;
mod case;
#[path = "../support/declared.rs"]
mod declared;
mod documented;
mod indexes;
mod partitions;
mod replicas;
mod safeguards;
mod sort_keys;
mod uniques;
mod vectors;

use std::collections::BTreeSet;
use std::path::Path;

use case::Case;
use dynamo_entity::lint::{self, Lint, LintRule};
use dynamo_entity::schema::TableSchema;

pub fn cases() -> Vec<Case> {
    let all = [
        partitions::cases(),
        sort_keys::cases(),
        indexes::cases(),
        vectors::cases(),
        attributes::cases(),
        uniques::cases(),
        replicas::cases(),
        safeguards::cases(),
        allowed::cases(),
    ];
    all.into_iter().flatten().collect()
}

fn in_short(lints: &[Lint]) -> Vec<String> {
    let short = |lint: &Lint| format!("{}: {}", lint.place, lint.rule.name());
    lints.iter().map(short).collect()
}

/// The model with the lint has it where it is expected, and no other; its neighbour has none.
#[test]
fn each_rule_finds_its_model_and_leaves_its_neighbour_alone() {
    let mut wrong = Vec::new();
    for case in cases() {
        let expected = format!("{}: {}", case.place, case.rule.name());
        let (found, clean) = (in_short(&case.found.lints()), in_short(&case.clean.lints()));
        if found != [expected.as_str()] || !clean.is_empty() {
            wrong.push(format!("{expected}: {found:?}, beside it {clean:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case() {
    let seen: BTreeSet<LintRule> = cases().iter().map(|case| case.rule).collect();
    let all: BTreeSet<LintRule> = LintRule::ALL.iter().copied().collect();
    assert_eq!(seen, all);
    assert!(all.len() >= 25);
}

#[test]
fn names_are_those_of_the_rules() {
    let names: BTreeSet<&str> = LintRule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(names.len(), LintRule::ALL.len());
    for rule in LintRule::ALL {
        assert_eq!(LintRule::from_name(rule.name()), Some(*rule));
        assert!(!rule.summary().ends_with('.'), "{rule:?}");
        let camel: String = rule.name().split('_').map(capitalised).collect();
        assert_eq!(format!("{rule:?}"), camel);
    }
    assert_eq!(LintRule::from_name("nothing"), None);
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// What was read from JSON has the lints of what was declared.
#[test]
fn lints_are_those_of_the_data_alone() {
    for case in cases() {
        let read = TableSchema::from_json(&case.found.to_json()).unwrap();
        assert_eq!(read.lints(), case.found.lints());
    }
}

#[test]
fn messages_are_as_they_were() {
    let lints = cases().into_iter().flat_map(|case| case.found.lints());
    let messages: Vec<String> = lints.map(|lint| lint.to_string()).collect();
    let messages = messages.join("\n\n") + "\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/lints.txt");
    if std::env::var_os("GOLDEN").is_some_and(|what| what == "overwrite") {
        std::fs::write(&file, &messages).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        messages,
        "{file:?}"
    );
}

/// A test of a user's fails with all lints of all models, and passes without any.
#[test]
fn the_check_says_all_of_it() {
    let mut cases = cases().into_iter();
    let (first, second) = (cases.next().unwrap(), cases.next().unwrap());
    lint::check([&first.clean, &second.clean]);
    lint::check([first.clean, second.clean]);
    let expected: Vec<Lint> = [&first.found, &second.found]
        .iter()
        .flat_map(|schema| schema.lints())
        .collect();
    let failed = std::panic::catch_unwind(|| lint::check([first.found, second.found]));
    let failed = failed.unwrap_err();
    let text = failed.downcast_ref::<String>().unwrap();
    assert!(text.starts_with("the model has 2 lints;"), "{text}");
    for lint in expected {
        assert!(text.contains(&lint.to_string()), "{text}");
    }
}
