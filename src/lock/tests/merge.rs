//! A three-way merge of lines, as `git merge` does it, and what it should come to.

use std::collections::BTreeSet;

use crate::lock::stored;
use crate::schema::{EntitySchema, TableSchema};

/// For each line of the base, which line of the other text it still is: a longest common subsequence.
fn matches(base: &[&str], other: &[&str]) -> Vec<Option<usize>> {
    let mut longest = vec![vec![0_u32; other.len() + 1]; base.len() + 1];
    for left in (0..base.len()).rev() {
        for right in (0..other.len()).rev() {
            longest[left][right] = match base[left] == other[right] {
                true => longest[left + 1][right + 1] + 1,
                false => longest[left + 1][right].max(longest[left][right + 1]),
            };
        }
    }
    let (mut left, mut right, mut found) = (0, 0, vec![None; base.len()]);
    while left < base.len() && right < other.len() {
        if base[left] == other[right] {
            found[left] = Some(right);
            (left, right) = (left + 1, right + 1);
        } else if longest[left + 1][right] >= longest[left][right + 1] {
            left += 1;
        } else {
            right += 1;
        }
    }
    found
}

/// The merged text; None where both sides changed the same place.
pub(super) fn merged(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let [base, ours, theirs] = [base, ours, theirs].map(|text| text.lines().collect::<Vec<&str>>());
    let (in_ours, in_theirs) = (matches(&base, &ours), matches(&base, &theirs));
    let (mut from, mut left, mut right) = (0, 0, 0);
    let mut merged: Vec<&str> = Vec::new();
    for at in 0..=base.len() {
        let stable = match at == base.len() {
            true => Some((ours.len(), theirs.len())),
            false => in_ours[at].zip(in_theirs[at]),
        };
        let Some((to_left, to_right)) = stable else {
            continue;
        };
        let (was, mine, yours) = (
            &base[from..at],
            &ours[left..to_left],
            &theirs[right..to_right],
        );
        merged.extend_from_slice(match (mine == was, yours == was) {
            (true, _) => yours,
            (_, true) => mine,
            _ if mine == yours => mine,
            _ => return None,
        });
        merged.extend(base.get(at).copied());
        (from, left, right) = (at + 1, to_left + 1, to_right + 1);
    }
    Some(merged.join("\n") + "\n")
}

/// The expected merge: each block as one side changed it; None if both changed it in different ways.
pub(super) fn of_models(
    base: &[TableSchema],
    ours: &[TableSchema],
    theirs: &[TableSchema],
) -> Option<Vec<TableSchema>> {
    let mut tables = Vec::new();
    for name in names([base, ours, theirs], |table| &table.name) {
        let [base, ours, theirs] = [base, ours, theirs].map(|model| stored::table(model, name));
        let head = |table: Option<&TableSchema>| {
            table.map(|table| TableSchema {
                entities: Vec::new(),
                ..table.clone()
            })
        };
        let head = one(head(base), head(ours), head(theirs))?;
        let entities = |table: Option<&TableSchema>| {
            table.map_or_else(Vec::new, |table| table.entities.clone())
        };
        let sides = [base, ours, theirs].map(entities);
        let mut merged = Vec::new();
        for name in names(sides.each_ref().map(Vec::as_slice), |entity| {
            &entity.stored_name
        }) {
            let found = |entities: &[EntitySchema]| {
                let mut entities = entities.iter();
                entities.find(|entity| entity.stored_name == *name).cloned()
            };
            let [base, ours, theirs] = sides.each_ref().map(|entities| found(entities));
            merged.extend(one(base, ours, theirs)?);
        }
        tables.extend(head.map(|head| TableSchema {
            entities: merged,
            ..head
        }));
    }
    Some(tables)
}

/// The names on any side, sorted.
fn names<T>(sides: [&[T]; 3], name: fn(&T) -> &String) -> BTreeSet<&String> {
    sides.into_iter().flatten().map(name).collect()
}

fn one<T: PartialEq>(base: T, ours: T, theirs: T) -> Option<T> {
    match (ours == base, theirs == base) {
        (true, _) => Some(theirs),
        (_, true) => Some(ours),
        _ => (ours == theirs).then_some(ours),
    }
}
