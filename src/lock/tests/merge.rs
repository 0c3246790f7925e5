//! A three-way merge of lines, as `git merge` does it, and what it should come to.

use std::collections::{BTreeMap, BTreeSet};

use crate::lock::stored::{StoredModel, StoredTable};

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
    base: &StoredModel,
    ours: &StoredModel,
    theirs: &StoredModel,
) -> Option<StoredModel> {
    let mut tables = BTreeMap::new();
    let names: BTreeSet<&String> = [base, ours, theirs]
        .iter()
        .flat_map(|model| model.tables.keys())
        .collect();
    for name in names {
        let [base, ours, theirs] = [base, ours, theirs].map(|model| model.tables.get(name));
        let head = |table: Option<&StoredTable>| table.map(|table| table.head.clone());
        let head = one(head(base), head(ours), head(theirs))?;
        let entities = |table: Option<&StoredTable>| {
            table
                .map(|table| table.entities.clone())
                .unwrap_or_default()
        };
        let [base, ours, theirs] = [base, ours, theirs].map(entities);
        let mut merged = BTreeMap::new();
        let names: BTreeSet<&String> = [&base, &ours, &theirs]
            .iter()
            .flat_map(|map| map.keys())
            .collect();
        for name in names {
            let entity = one(base.get(name), ours.get(name), theirs.get(name))?;
            merged.extend(entity.map(|entity| (name.clone(), entity.clone())));
        }
        tables.extend(head.map(|head| {
            (
                name.clone(),
                StoredTable {
                    head,
                    entities: merged,
                },
            )
        }));
    }
    Some(StoredModel { tables })
}

fn one<T: PartialEq>(base: T, ours: T, theirs: T) -> Option<T> {
    match (ours == base, theirs == base) {
        (true, _) => Some(theirs),
        (_, true) => Some(ours),
        _ => (ours == theirs).then_some(ours),
    }
}
