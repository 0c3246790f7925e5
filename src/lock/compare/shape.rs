//! The shape of the items of an entity. Each step runs only beside the one before: programs that know no shape, programs
//! that read the next one and still write the one before, programs that write it.

use super::pair::{DEPLOY_EVERYWHERE, EntityPair};
use crate::lock::change::{ChangeClass, StoredChange};
use crate::schema::EntitySchema;

/// The number, whether the one before is read, and the one that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ShapeStep {
    number: u16,
    reads_older: bool,
    writes: u16,
    /// Whether programs reject newer shapes in every write.
    is_declared: bool,
}

impl ShapeStep {
    fn of(entity: &EntitySchema) -> Self {
        let shape = entity.shape.as_ref();
        ShapeStep {
            // Items of programs that declare no shape count as shape 1, both to readers and to the
            // condition of writes.
            number: shape.map_or(1, |shape| shape.number),
            reads_older: shape.is_some_and(|shape| shape.was.is_some()),
            writes: shape.map_or(1, |shape| shape.writes),
            is_declared: shape.is_some(),
        }
    }
}

fn reading_first(step: ShapeStep) -> [String; 3] {
    let (number, before) = (step.number, step.number.saturating_sub(1));
    [
        format!(
            "declare `shape = {number}, writes = {before}` with `was(..)` and `into(..)` of shape {before}, and deploy that everywhere"
        ),
        format!("then remove `writes`, and deploy everywhere: programs write shape {number}"),
        upgrade(),
    ]
}

fn upgrade() -> String {
    "upgrade the other items: `scan().refill()`, until `scan().unfilled(..)` is 0".to_owned()
}

impl EntityPair<'_> {
    /// Whether the declarations are of two shapes, which have attributes of their own.
    pub(super) fn is_of_another_shape(&self) -> bool {
        !self.is_value && ShapeStep::of(self.old).number != ShapeStep::of(self.new).number
    }

    pub(super) fn shape(&self) -> Option<StoredChange> {
        let (old, new) = (ShapeStep::of(self.old), ShapeStep::of(self.new));
        if old == new || self.is_value {
            return None;
        }
        let (class, what, steps) = step(old, new);
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        Some(self.whole(class, what, &steps))
    }
}

type StepText = (ChangeClass, String, Vec<String>);

fn step(old: ShapeStep, new: ShapeStep) -> StepText {
    // The steps inside one number are checked before those between numbers: only there `writes` may
    // go up without a new number.
    if old.number == new.number {
        return same_number(old, new);
    }
    if new.number < old.number {
        return taken_back(old, new);
    }
    let (is_next, reads_it) = (new.number == old.number + 1, new.reads_older);
    // The one safe step to a new number: all programs write what all programs read, and only then
    // the writers change.
    if is_next && reads_it && new.writes == old.number && old.writes == old.number {
        let what = format!(
            "it reads shape {} and still writes shape {}, so programs that run read all of its items",
            new.number, new.writes
        );
        let [_, next, refill] = reading_first(new);
        return (
            ChangeClass::Free,
            what,
            vec![DEPLOY_EVERYWHERE.to_owned(), next, refill],
        );
    }
    let what = match (is_next, old.is_declared, reads_it) {
        (true, false, _) => format!(
            "the first `shape` and the next one in one step: programs that run know no shape, so they reject items of shape {} and change attributes of it by key",
            new.number
        ),
        (true, true, true) if new.writes == new.number => format!(
            "a step is skipped: it writes shape {}, which programs that run reject",
            new.number
        ),
        (true, true, false) => format!(
            "it reads no items of shape {}, which are stored",
            old.number
        ),
        _ => format!(
            "a step is skipped: shape {} is written by no program yet, or is not complete",
            new.number.saturating_sub(1)
        ),
    };
    (
        ChangeClass::BreaksRunning,
        what,
        reading_first(new).to_vec(),
    )
}

fn same_number(old: ShapeStep, new: ShapeStep) -> StepText {
    let number = new.number;
    if old.reads_older && !new.reads_older {
        let what = format!(
            "items of shape {} are rejected now; they may still be stored",
            number.saturating_sub(1)
        );
        let steps = vec![upgrade(), "then remove `was`, and deploy".to_owned()];
        // Two steps in one would also begin to write a shape that running programs do not know yet.
        let class = match new.writes == old.writes {
            true => ChangeClass::FillFirst,
            false => ChangeClass::BreaksRunning,
        };
        return (class, what, steps);
    }
    if old.writes < new.writes {
        let what = format!(
            "it writes shape {number}, which programs that run read; programs of the shape before must have ended"
        );
        return (
            ChangeClass::Free,
            what,
            vec![DEPLOY_EVERYWHERE.to_owned(), upgrade()],
        );
    }
    if new.writes < old.writes && !old.reads_older {
        let what = format!(
            "it writes shape {} again, which programs that run reject",
            new.writes
        );
        let steps = vec![
            "declare `was(..)` without `writes` first, and deploy that everywhere".to_owned(),
            format!("then declare `writes = {}`", new.writes),
        ];
        return (ChangeClass::BreaksRunning, what, steps);
    }
    if new.writes < old.writes {
        let what = format!(
            "it writes shape {} again, and reads both shapes, as programs that run do",
            new.writes
        );
        return (ChangeClass::Free, what, vec![DEPLOY_EVERYWHERE.to_owned()]);
    }
    let what = match (old.is_declared, new.is_declared) {
        (false, true) => format!(
            "it declares shape {number}: each change of a single attribute requires that no newer program has upgraded the item"
        ),
        (true, false) => String::from(
            "it declares no shape any more: its changes of single attributes no longer notice that a newer program has upgraded the item",
        ),
        _ => "it reads items of the shape before again".to_owned(),
    };
    (ChangeClass::Free, what, vec![DEPLOY_EVERYWHERE.to_owned()])
}

/// Back to a shape before.
fn taken_back(old: ShapeStep, new: ShapeStep) -> StepText {
    // As long as nothing was written in the newer shape, nothing is lost by going back.
    if new.number + 1 == old.number && old.writes == new.number && new.writes == new.number {
        let what = format!(
            "shape {} is taken back; programs that run write shape {}, and no item may have been written by a later step",
            old.number, new.number
        );
        return (ChangeClass::Free, what, vec![DEPLOY_EVERYWHERE.to_owned()]);
    }
    let what = format!(
        "programs that run write shape {}, and it rejects such items",
        old.writes
    );
    let steps = vec![
        format!(
            "declare `writes = {}` first, and deploy that everywhere",
            old.number.saturating_sub(1)
        ),
        "write the items of the newer shape again, by `modify`".to_owned(),
        "then go back".to_owned(),
    ];
    (ChangeClass::BreaksRunning, what, steps)
}
