//! Golden tests: the request of every condition and change, and what the engine makes of it.
//!
//! The cases are closures in `golden/`, and their results are kept in `tests/golden/*.txt`.
//! `GOLDEN=overwrite cargo test --test integration -- golden` writes these files anew.
//! Read each line of the difference before you keep it.

#![allow(
    clippy::needless_borrows_for_generic_args,
    clippy::nonminimal_bool,
    clippy::reversed_empty_ranges,
    reason = "every spelling is a case"
)]

mod changes;
mod conditions;
pub mod thing;

use std::fmt::Write;
use std::path::Path;

use serde_json::Value as Json;

use crate::support::suite::Outcome;
use crate::tests;
use changes::every_change_is_as_it_was;
use conditions::every_condition_is_as_it_was;

tests![every_condition_is_as_it_was, every_change_is_as_it_was];

/// Compares the result with the file, or overwrites the file.
fn compare(file: &str, found: &str) -> Outcome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(file);
    if std::env::var_os("GOLDEN").is_some_and(|what| what == "overwrite") {
        std::fs::write(path, found)?;
        return Ok(());
    }
    let kept = std::fs::read_to_string(path)?;
    let cases = |text: &str| text.split("\n\n").map(str::to_owned).collect::<Vec<_>>();
    for (kept, found) in cases(&kept).into_iter().zip(cases(found)) {
        if kept != found {
            return Err(format!("{file} says\n{kept}\n\nbut found was\n{found}").into());
        }
    }
    if kept != found {
        return Err(
            format!("{file} has other cases: write it anew and read the difference").into(),
        );
    }
    Ok(())
}

/// Writes the expressions, names and values of a request, one line each.
fn show(request: &Json, out: &mut String) {
    let parts = [
        ("update", "UpdateExpression"),
        ("condition", "ConditionExpression"),
        ("names", "ExpressionAttributeNames"),
        ("values", "ExpressionAttributeValues"),
    ];
    for (title, part) in parts {
        match &request[part] {
            Json::Null => {}
            Json::String(text) => line(out, title, text),
            other => line(out, title, &other.to_string()),
        }
    }
}

fn line(out: &mut String, title: &str, text: &str) {
    writeln!(out, "  {title:<10}{text}").expect("a string takes it");
}
