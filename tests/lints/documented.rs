//! What is written about the rules elsewhere.

use std::fs;
use std::path::Path;

use dynamo_entity::lint::LintRule;

fn text(file: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file:?}: {error}"))
}

fn names() -> Vec<&'static str> {
    LintRule::ALL.iter().map(|rule| rule.name()).collect()
}

/// The guide has a section for each rule, in the order of the rules.
#[test]
fn the_guide_has_a_section_for_each_rule() {
    let guide = text("docs/lints.md");
    let sections = guide.lines().filter_map(|line| line.strip_prefix("### `"));
    let sections: Vec<&str> = sections.map(|line| line.trim_end_matches('`')).collect();
    assert_eq!(sections, names());
}

/// The derive refuses other names, so it has the same list.
#[test]
fn the_derive_knows_the_same_rules() {
    let source = text("derive/src/parse/allow.rs");
    let list = source.split_once("const LINTS:").expect("the list").1;
    let list = list.split_once("];").expect("its end").0;
    let list: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    assert_eq!(list, names());
}
