//! The order in which global indexes come and go, so that the service accepts each step.

use super::change::TableChange;
use super::compare;
use super::index_room::IndexRoom;
use crate::schema::{IndexSchema, TableSchema};

/// The changes of global indexes. An index is added before others are removed, unless it needs their place.
#[derive(Debug, Default)]
pub(super) struct IndexChanges {
    /// The changes that no order makes possible.
    pub(super) impossible: Vec<TableChange>,
    /// Additions that need no removal.
    pub(super) first: Vec<TableChange>,
    /// Additions, each behind the removals that it needs.
    pub(super) exchanged: Vec<TableChange>,
    /// The other removals.
    pub(super) last: Vec<TableChange>,
}

/// The changes from the indexes that exist to those that are declared.
pub(super) fn index_changes(declared: &TableSchema, there: &TableSchema) -> IndexChanges {
    let is_lacking =
        |in_schema: &TableSchema, index: &&IndexSchema| !compare::has_index(in_schema, &index.name);
    let added = declared.global_indexes.iter();
    let removed = there.global_indexes.iter();
    let mut removed: Vec<&IndexSchema> = removed
        .filter(|index| is_lacking(declared, index))
        .collect();
    let mut end = IndexRoom::of_table(there);
    // An index that is impossible even after all removals is impossible in every order.
    removed
        .iter()
        .for_each(|index| end.remove_index(&index.name));
    let mut now = IndexRoom::of_table(there);
    let mut changes = IndexChanges::default();
    let mut waiting: Vec<&IndexSchema> = Vec::new();
    for index in added.filter(|index| is_lacking(there, index)) {
        if let Some(obstacle) = end.find_obstacle(index) {
            let told = obstacle.obstacle_text(&index.name);
            changes.impossible.push(TableChange::Replace(told));
            continue;
        }
        end.add_index(index);
        match now.find_obstacle(index) {
            // An index that fits at once comes first, so that its programs need not wait for
            // removals.
            Some(_) => waiting.push(index),
            None => {
                now.add_index(index);
                changes
                    .first
                    .push(TableChange::AddIndex(index.name.clone()));
            }
        }
    }
    for index in waiting {
        while let Some(obstacle) = now.find_obstacle(index) {
            // Only the removals that this index needs come before it; all others come last.
            let place = removed.iter().position(|old| obstacle.is_lessened_by(old));
            let Some(place) = place else { break };
            let old = removed.remove(place);
            now.remove_index(&old.name);
            let change = TableChange::RemoveIndex(old.name.clone());
            changes.exchanged.push(change);
        }
        now.add_index(index);
        let change = TableChange::AddIndex(index.name.clone());
        changes.exchanged.push(change);
    }
    let last = removed.into_iter();
    changes.last = last
        .map(|index| TableChange::RemoveIndex(index.name.clone()))
        .collect();
    changes
}
