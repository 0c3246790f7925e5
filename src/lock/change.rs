//! A change of the stored form: its subject, its class, and the steps to take in order.

use std::fmt;

/// The class of a change, the least severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ChangeClass {
    /// Nothing is needed: old and new programs can run at the same time, and you can roll back.
    Free,
    /// Existing items must be filled or written again before programs may rely on the change.
    FillFirst,
    /// Running programs or the new ones cannot read items that the others write, or remove parts of them. More than one
    /// deployment is needed.
    BreaksRunning,
    /// Items must be moved to other keys, or into another table.
    NeedsMove,
}

impl fmt::Display for ChangeClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ChangeClass::Free => "free",
            ChangeClass::FillFirst => "fill first",
            ChangeClass::BreaksRunning => "breaks programs that are running",
            ChangeClass::NeedsMove => "needs a move or a new table",
        })
    }
}

/// A change of the stored form, between the lock file and the declarations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChange {
    class: ChangeClass,
    table: String,
    place: Option<String>,
    what: String,
    steps: Vec<String>,
}

impl StoredChange {
    pub(super) fn new(
        class: ChangeClass,
        (table, place): (&str, Option<String>),
        what: String,
        steps: &[&str],
    ) -> Self {
        StoredChange {
            class,
            table: table.to_owned(),
            place,
            what,
            steps: steps.iter().map(|step| (*step).to_owned()).collect(),
        }
    }

    /// Its class.
    pub fn class(&self) -> ChangeClass {
        self.class
    }

    /// The table.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The part of the table that it concerns, such as `Order.total`; `None` if it is the table itself. Entities and
    /// attributes have the names that are stored.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// The difference, and its consequence.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// The steps to take, in this order.
    pub fn steps(&self) -> &[String] {
        &self.steps
    }
}

/// Its subject on a line, the difference on the next, and each step on one.
impl fmt::Display for StoredChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place} (table {}): ", self.table)?,
            None => write!(f, "table {}: ", self.table)?,
        }
        write!(f, "{}\n  {}", self.class, self.what)?;
        for (at, step) in self.steps.iter().enumerate() {
            write!(f, "\n  {}. {step}", at + 1)?;
        }
        Ok(())
    }
}

/// The result of [`compare`](super::compare).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockComparison {
    changes: Vec<StoredChange>,
}

impl LockComparison {
    pub(super) fn new(mut changes: Vec<StoredChange>) -> Self {
        // The worst class first, because `class` reads it there. The sort is stable, so changes of
        // one class keep the order of tables and entities.
        changes.sort_by_key(|change| std::cmp::Reverse(change.class));
        LockComparison { changes }
    }

    /// All changes, the most severe first.
    pub fn changes(&self) -> &[StoredChange] {
        &self.changes
    }

    /// Whether the file matches the declarations.
    pub fn is_same(&self) -> bool {
        self.changes.is_empty()
    }

    /// The class of the most severe change; `None` if there is no change.
    pub fn class(&self) -> Option<ChangeClass> {
        self.changes.first().map(StoredChange::class)
    }
}

/// All changes, with an empty line between them.
impl fmt::Display for LockComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_same() {
            return f.write_str("the stored form has not changed");
        }
        for (at, change) in self.changes.iter().enumerate() {
            let between = if at == 0 { "" } else { "\n\n" };
            write!(f, "{between}{change}")?;
        }
        Ok(())
    }
}
