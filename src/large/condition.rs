//! The conditions on the head of a list or a blob.

use super::head::{GENERATION, LENGTH, LargeHead, most_parts, text_json};
use crate::expr::{Comparison, Node, Term};
use crate::json::Writer;
use crate::path::Place;
use crate::plan::check;
use crate::write::large::{LargeRows, PARTS};
use crate::write::part_name::PartName;

/// Holds if the head is unchanged: an append adds parts, and all other writes draw another generation.
pub(super) fn is_head(head: &LargeHead) -> Node {
    let count = Term::Size(Place::of(PARTS));
    Node::all([
        has_generation(Some(head)),
        Node::Compare(
            count,
            Comparison::Eq,
            Term::Value(number_json(head.parts.len() as u64)),
        ),
    ])
}

/// Holds if the value was not replaced since this head was read: appends keep the generation.
pub(super) fn has_generation(head: Option<&LargeHead>) -> Node {
    match head {
        Some(head) => check::value_condition(GENERATION, &text_json(&head.generation)),
        None => Node::Missing(Place::of(PARTS)),
    }
}

/// Holds if a list or a blob has this length.
pub(super) fn has_length(length: u64) -> Node {
    let is_it = check::value_condition(LENGTH, &number_json(length));
    match length {
        0 => Node::any([Node::Missing(Place::of(PARTS)), is_it]),
        _ => is_it,
    }
}

/// A number, as DynamoDB JSON.
pub(super) fn number_json(number: u64) -> Vec<u8> {
    let mut json = Writer::with_capacity(32);
    json.write_integer(number);
    json.into_bytes()
}

/// Holds if a head does not name these parts, so that a second attempt of the same write changes nothing, and has room for them.
pub(super) fn takes_parts(rows: &LargeRows, names: &[PartName]) -> Node {
    let parts = || Place::of(PARTS);
    // All names are added together, so one of them tells for all.
    let last = names.last().map_or("", |last| last.0.as_str());
    let room = most_parts(rows).saturating_sub(names.len());
    let has_room = Node::Compare(
        Term::Size(parts()),
        Comparison::Le,
        Term::Value(number_json(room as u64)),
    );
    let lacks = Node::Contains(parts(), Term::Value(text_json(last))).not();
    Node::any([Node::Missing(parts()), Node::all([lacks, has_room])])
}
