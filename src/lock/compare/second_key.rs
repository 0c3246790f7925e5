//! Items that move to another primary key. Each step runs only beside the one before and the one after: the old key, both
//! rows of which the old one is read, both rows of which the new one is read, the new row while the old ones are deleted, and
//! the new key.

use std::collections::BTreeSet;

use super::pair::{DEPLOY_EVERYWHERE, TablePair};
use crate::lock::change::{ChangeClass, StoredChange};
use crate::lock::stored;
use crate::schema::{SecondKeyUse, TableSchema};

/// The types of the old rows and of the new ones.
type Move = (String, String);

/// The step at which the items of a table are, in the order of the deployments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MoveStep {
    OldAlone,
    OldRead,
    NewRead,
    Deleting,
    NewAlone,
}

use MoveStep::{Deleting, NewAlone, NewRead, OldAlone, OldRead};

/// The changes of steps.
pub(super) fn changes(tables: TablePair<'_>) -> Vec<StoredChange> {
    let moves: BTreeSet<Move> = moves_of(tables.old).chain(moves_of(tables.new)).collect();
    let moves = moves.into_iter();
    moves
        .filter_map(|of| {
            let (old, new) = steps_of(tables, &of);
            (old != new).then(|| change(tables, &of, old, new))
        })
        .collect()
}

/// Whether the items of an entity that is gone have another key by now, and no row under this one.
pub(super) fn has_moved_away(tables: TablePair<'_>, name: &str) -> bool {
    let mut moves = moves_of(tables.old);
    moves.any(|of| of.0 == name && steps_of(tables, &of) == (Deleting, NewAlone))
}

fn moves_of(table: &TableSchema) -> impl Iterator<Item = Move> + '_ {
    table.entities.iter().filter_map(|entity| {
        let second = entity.second_key.as_ref()?;
        let (name, other) = (entity.stored_name.clone(), second.other.clone());
        Some(match second.usage {
            SecondKeyUse::Next => (name, other),
            SecondKeyUse::Was | SecondKeyUse::Dropped => (other, name),
        })
    })
}

fn steps_of(tables: TablePair<'_>, of: &Move) -> (MoveStep, MoveStep) {
    let (old, new) = (step_of(tables.old, of), step_of(tables.new, of));
    // Without a word, both declarations say nothing of the step, so it is the nearest one.
    let nearest = |beside: Option<MoveStep>| match beside {
        Some(NewRead | Deleting | NewAlone) => NewAlone,
        Some(OldAlone | OldRead) | None => OldAlone,
    };
    (
        old.unwrap_or_else(|| nearest(new.filter(|new| *new == Deleting))),
        new.unwrap_or_else(|| nearest(old)),
    )
}

/// None if both are declared without a word.
fn step_of(table: &TableSchema, (before, after): &Move) -> Option<MoveStep> {
    let usage = |name: &String, other: &String| {
        let second = stored::entity(table, name)?.second_key.as_ref()?;
        (second.other == *other).then_some(second.usage)
    };
    if usage(before, after) == Some(SecondKeyUse::Next) {
        return Some(OldRead);
    }
    match usage(after, before) {
        Some(SecondKeyUse::Was) => return Some(NewRead),
        Some(SecondKeyUse::Dropped) => return Some(Deleting),
        Some(SecondKeyUse::Next) | None => {}
    }
    let has = |name: &String| stored::entity(table, name).is_some();
    match (has(before), has(after)) {
        (true, false) => Some(OldAlone),
        (false, true) => Some(NewAlone),
        _ => None,
    }
}

fn change(tables: TablePair<'_>, of: &Move, old: MoveStep, new: MoveStep) -> StoredChange {
    let (before, after) = of;
    let (class, what) = match (old, new) {
        (OldAlone, OldRead) => (
            ChangeClass::Free,
            format!(
                "each write of `{before}` also writes a row of `{after}`, which no program reads yet"
            ),
        ),
        (OldRead, NewRead) => (
            ChangeClass::FillFirst,
            format!("rows of `{after}` are read, and items that were written before have none"),
        ),
        (NewRead, Deleting) => (
            ChangeClass::Free,
            format!(
                "writes leave rows of `{before}` as they are; programs that read rows of `{after}` see all writes, and those \
                 that read `{before}` do not"
            ),
        ),
        (Deleting, NewAlone) => (
            ChangeClass::FillFirst,
            format!("rows of `{before}` that are left belong to no declaration any more"),
        ),
        (OldRead, OldAlone) => (
            ChangeClass::Free,
            format!(
                "rows of `{after}` are no longer written, and those that exist become outdated"
            ),
        ),
        (NewRead, OldRead) => (
            ChangeClass::FillFirst,
            format!(
                "rows of `{before}` are read again; if a program with `drop` has run, they are outdated or missing, and a fill of \
                 `{before}` would delete the rows of `{after}` that have none"
            ),
        ),
        (Deleting, NewRead) | (NewAlone, Deleting) => (
            ChangeClass::Free,
            format!("rows of `{after}` are read as before"),
        ),
        _ => (
            ChangeClass::BreaksRunning,
            format!(
                "a step of the move from `{before}` to `{after}` is skipped: programs that run neither see what new ones write, \
                 nor write what new ones read"
            ),
        ),
    };
    let steps = match class {
        // From the step that is deployed, all of them in order.
        ChangeClass::BreaksRunning => ways(of, old.min(new)),
        _ => match (old, new) {
            (OldRead, NewRead) => ways(of, OldRead),
            (Deleting, NewAlone) => ways(of, Deleting),
            (OldAlone, OldRead) => ways(of, OldAlone),
            (NewRead, Deleting) => ways(of, NewRead),
            (NewRead, OldRead) => vec![
                format!(
                    "when no program with `drop` runs, write the rows of `{before}` with a program that has `was_key`: `db fill {after}`, until `db check --filled {after}` finds nothing left"
                ),
                DEPLOY_EVERYWHERE.to_owned(),
            ],
            (OldRead, OldAlone) => vec![
                DEPLOY_EVERYWHERE.to_owned(),
                format!(
                    "delete the rows of `{after}`: `delete_each`, when no program writes them any more"
                ),
            ],
            _ => vec![DEPLOY_EVERYWHERE.to_owned()],
        },
    };
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let place = (tables.name(), Some(after.clone()));
    StoredChange::new(class, place, what, &steps)
}

/// The deployments after a step, each with its commands.
fn ways((before, after): &Move, step: MoveStep) -> Vec<String> {
    let mut ways = Vec::new();
    if step <= OldAlone {
        ways.push(format!(
            "declare `next_key(..)` on `{before}`, with the declaration of `{after}`, and deploy that everywhere"
        ));
    }
    if step <= OldRead {
        ways.push(format!(
            "when no program runs that does not know `{after}`, fill its rows with a program that has `next_key`: `db fill {before}`, until `db check --filled {before}` finds nothing left"
        ));
        ways.push(format!(
            "declare `was_key(..)` on `{after}` instead, read by its key, and deploy that everywhere"
        ));
    }
    if step <= NewRead {
        ways.push(format!(
            "when no program runs that reads `{before}`, declare `was_key(.., drop)` on `{after}`, and deploy that everywhere: no program that reads `{before}` can be gone back to after this"
        ));
    }
    ways.push(format!(
        "when no program runs that writes `{before}`, delete its rows with a program that has `drop`: `db fill {after}`, until `db check --filled {after}` finds nothing left"
    ));
    ways.push(format!(
        "then remove `was_key`, with the declaration of `{before}`, and deploy"
    ));
    ways
}
