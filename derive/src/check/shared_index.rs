//! Rules between access patterns that fill the same index.

use crate::diag::Diag;
use crate::marks::EntityMarks;
use crate::model::{Entity, Index, IndexProjection, KeySource};

pub(super) fn check(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    shared_indexes_agree(entity, marks, diag);
    stored_index_names_differ(entity, marks, diag);
}

/// Several access patterns may fill one index only in the same way, because an item has one key in it. They share kind,
/// keys and condition, and in a table of its own also name and projection.
fn shared_indexes_agree(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    for (at, (index, marks)) in entity.indexes.iter().zip(&marks.indexes).enumerate() {
        let Some(first) = entity
            .indexes
            .iter()
            .take(at)
            .find(|other| other.on == index.on)
        else {
            continue;
        };
        let (on, other) = (&index.on, &first.name);
        if !same_keys(first, index) {
            let message = format!(
                "`{other}` fills the index `{on}` with other keys; give this pattern an index of \
                    its own by `on = ..`"
            );
            diag.at(index.name.span(), message);
            continue;
        }
        if let Some(span) = marks.project.filter(|_| !same_projection(first, index)) {
            diag.at(
                span,
                format!("`{other}` projects the index `{on}` differently; write `project` once"),
            );
        }
        if let Some(span) = marks.rename.filter(|_| first.stored != index.stored) {
            diag.at(
                span,
                format!(
                    "`{other}` stores the index `{on}` under another name; write `rename` once"
                ),
            );
        }
    }
}

fn same_keys(a: &Index, b: &Index) -> bool {
    let same = |a: &[KeySource], b: &[KeySource]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_source(a, b))
    };
    a.kind == b.kind && same(&a.pk, &b.pk) && same(&a.sk, &b.sk) && same_condition(a, b)
}

fn same_source(a: &KeySource, b: &KeySource) -> bool {
    match (a, b) {
        (KeySource::Field { field: a, .. }, KeySource::Field { field: b, .. })
        | (KeySource::Number { field: a, .. }, KeySource::Number { field: b, .. }) => a == b,
        (KeySource::Template(a), KeySource::Template(b)) => {
            a.shards == b.shards && a.pieces == b.pieces
        }
        _ => false,
    }
}

fn same_condition(a: &Index, b: &Index) -> bool {
    let text = |index: &'_ Index| index.when.as_ref().map(|when| when.text.clone());
    text(a) == text(b)
}

fn same_projection(a: &Index, b: &Index) -> bool {
    match (&a.project, &b.project) {
        (IndexProjection::All, IndexProjection::All) => true,
        (IndexProjection::Keys, IndexProjection::Keys) => true,
        (IndexProjection::Only(a), IndexProjection::Only(b)) => {
            a.iter().all(|field| b.contains(field)) && b.iter().all(|field| a.contains(field))
        }
        _ => false,
    }
}

/// No two indexes have the same stored name. Indexes of a shared table are declared and checked there.
fn stored_index_names_differ(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    if entity.own_table().is_none() {
        return;
    }
    for (at, (index, marks)) in entity.indexes.iter().zip(&marks.indexes).enumerate() {
        let clash = |other: &&Index| other.on != index.on && other.stored == index.stored;
        if let Some(other) = entity.indexes.iter().take(at).find(clash) {
            let message = format!(
                "`{}` is the stored name of the index `{}` already; choose another",
                index.stored, other.on
            );
            diag.at(marks.rename.unwrap_or(index.on.span()), message);
        }
    }
}
