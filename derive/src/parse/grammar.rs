//! Tests that the documentation of the derives contains everything that the parser accepts, and nothing else.

use std::collections::BTreeSet;

use super::{option_place, rename};
use crate::model::{Form, NoneSide, StreamView, TextFormat};

const PAGES: [&str; 5] = [
    include_str!("../grammar/entity.md"),
    include_str!("../grammar/table.md"),
    include_str!("../grammar/value.md"),
    include_str!("../grammar/collection.md"),
    include_str!("../grammar/projection.md"),
];

/// The section about a place.
fn section(what: &str) -> &'static str {
    let head = format!("\n# Options of {what}\n");
    let found = PAGES.iter().find_map(|page| page.split_once(&head));
    let Some((_, behind)) = found else {
        unreachable!("no section about {what}")
    };
    behind.split("\n# ").next().unwrap_or_default()
}

/// The words that its rows begin with.
fn words(section: &'static str) -> BTreeSet<&'static str> {
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let word = |row: &'static str| row.split(|c: char| !c.is_alphanumeric() && c != '_').next();

    rows.filter_map(word).collect()
}

#[test]
fn every_option_has_a_row_at_each_of_its_places() {
    for place in option_place::ALL {
        let expected: BTreeSet<&str> = place.words.iter().map(|word| word.name).collect();
        assert_eq!(words(section(place.what)), expected, "{}", place.what);
    }
}

#[test]
fn every_row_says_what_its_option_means() {
    for page in PAGES {
        let rows = page.lines().filter(|line| line.starts_with("| `"));
        for row in rows {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
            assert_eq!(cells.len(), 2, "{row}");
            assert!(cells[1].trim().len() > 3, "{row}");
        }
    }
}

#[test]
fn every_word_of_a_value_is_named_where_it_is_given() {
    let [entity, table, value, ..] = PAGES;
    let named = |page: &str, word: &str| assert!(page.contains(word), "{word}");
    for format in TextFormat::WORDS.all().chain(NoneSide::WORDS.all()) {
        named(entity, &format!(":{format}}}`"));
    }
    for page in [entity, value] {
        for format in Form::FOREIGN.all() {
            named(page, &format!("`{format}`"));
        }
        for case in rename::CASES.all() {
            named(page, &format!("`{case}`"));
        }
    }
    for page in [entity, table] {
        for view in StreamView::WORDS.all() {
            named(page, &format!("`{view}`"));
        }
        for projection in ["all", "keys"] {
            named(page, &format!("`project = {projection}`"));
        }
    }
}
