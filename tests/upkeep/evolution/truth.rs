//! The rows that the programs together have written, without a declaration and without a database.

use std::collections::BTreeMap;

use super::program::{Op, Row};

/// The state of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    pub deleted: u64,
    pub written: u64,
    /// How often a job may have raised its version.
    pub upgraded: u64,
}

/// A row in the memory of a program.
#[derive(Debug, Clone)]
pub struct Memory {
    pub id: u32,
    pub row: Row,
    pub mark: Mark,
}

#[derive(Debug, Clone, Default)]
pub struct Truth {
    pub rows: BTreeMap<u32, Row>,
    pub marks: BTreeMap<u32, Mark>,
    pub has_version: bool,
    /// Whether no two rows have the same name.
    pub is_unique: bool,
}

/// Whether an operation takes effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prediction {
    Row(Option<Row>),
    Fails(&'static str),
    /// It may fail. If it does not, this is the row after it.
    Either(Option<Row>),
}

impl Truth {
    pub fn memory(&self, id: u32) -> Option<Memory> {
        let row = self.rows.get(&id)?.clone();
        let mark = self.mark(id);
        Some(Memory { id, row, mark })
    }

    fn mark(&self, id: u32) -> Mark {
        self.marks.get(&id).copied().unwrap_or_default()
    }

    /// The effect of an operation that is executed now.
    pub fn predict(&self, id: u32, op: &Op, memory: Option<&Memory>) -> Prediction {
        let predicted = self.of_row(id, op, memory);
        let (Prediction::Row(Some(row)) | Prediction::Either(Some(row))) = &predicted else {
            return predicted;
        };
        let mut others = self.rows.iter().filter(|(other, _)| **other != id);
        if self.is_unique && others.any(|(_, other)| other.name == row.name) {
            return Prediction::Fails("another row has this name");
        }
        predicted
    }

    fn of_row(&self, id: u32, op: &Op, memory: Option<&Memory>) -> Prediction {
        let stored = self.rows.get(&id);
        match op {
            Op::Load | Op::Fill(_) => return Prediction::Row(stored.cloned()),
            Op::Create(_) if stored.is_some() => return Prediction::Fails("the row exists"),
            Op::Put(_) | Op::TransactPut(_) if self.has_version && stored.is_some() => {
                return Prediction::Fails("the row exists");
            }
            Op::Create(row) | Op::Put(row) | Op::TransactPut(row) => {
                return Prediction::Row(Some(row.clone()));
            }
            Op::Delete => return Prediction::Row(None),
            // The total of a missing row counts as another one, and nothing is deleted.
            Op::DeleteUnless(_) if stored.is_none() => return Prediction::Either(None),
            Op::PutLoaded(..) | Op::UpdateLoaded(..) | Op::DeleteLoaded => {
                let Some(memory) = memory else {
                    return Prediction::Row(stored.cloned());
                };
                return self.of_loaded(id, op, memory);
            }
            _ => {}
        }
        let Some(mut row) = stored.cloned() else {
            return Prediction::Fails("there is no row");
        };
        match op {
            Op::SetCount(count) => row.count = *count,
            Op::AddCount(by) => row.count = Some(row.count.unwrap_or(0) + by),
            Op::SetName(name) | Op::ModifyName(name) => row.name.clone_from(name),
            Op::SetTotal(total) | Op::TransactTotal(total) => row.total = *total,
            Op::NameIfCount(count, name) if *count == row.count => row.name.clone_from(name),
            Op::DeleteUnless(total) if *total == row.total => {
                return Prediction::Fails("the total is this one");
            }
            Op::DeleteUnless(_) => return Prediction::Row(None),
            Op::NameIfCount(..) => return Prediction::Fails("the count is another"),
            Op::Modify(total, by) => {
                row.total = *total;
                row.count = Some(row.count.unwrap_or(0) + by);
            }
            _ => {}
        }
        Prediction::Row(Some(row))
    }

    fn of_loaded(&self, id: u32, op: &Op, memory: &Memory) -> Prediction {
        let (stored, now) = (self.rows.get(&id), self.mark(id));
        let is_same = memory.mark.written == now.written;
        let is_upgraded = memory.mark.upgraded != now.upgraded;
        // A row that was deleted and created again may have the version of the row in memory.
        let is_other = memory.mark.deleted != now.deleted;
        if self.has_version && !is_same && (!is_other || stored.is_none()) {
            return Prediction::Fails("the row in memory is not the stored one");
        }
        let row = match (op, stored) {
            (Op::DeleteLoaded, _) => None,
            (Op::PutLoaded(total, count), _) => Some(Row {
                total: *total,
                count: *count,
                ..memory.row.clone()
            }),
            (_, None) => return Prediction::Fails("there is no row"),
            (Op::UpdateLoaded(total, name), Some(stored)) => Some(Row {
                total: *total,
                name: name.clone(),
                ..stored.clone()
            }),
            (_, Some(stored)) => Some(stored.clone()),
        };
        // The state that an update relies on may have changed since.
        let relies = matches!(op, Op::UpdateLoaded(..)) && !is_same;
        match relies || (self.has_version && (is_other || is_upgraded)) {
            true => Prediction::Either(row),
            false => Prediction::Row(row),
        }
    }

    /// Records that a job has written a row. This does not change the content, but may raise the version.
    pub fn upgrade(&mut self) {
        for id in self.rows.keys() {
            self.marks.entry(*id).or_default().upgraded += 1;
        }
    }

    /// Records an operation that has taken effect.
    pub fn apply(&mut self, id: u32, op: &Op, memory: Option<&Memory>) -> Result<(), String> {
        let row = match self.predict(id, op, memory) {
            Prediction::Row(row) | Prediction::Either(row) => row,
            Prediction::Fails(why) => {
                return Err(format!("{op:?} of {id} took effect, although {why}"));
            }
        };
        let mark = self.marks.entry(id).or_default();
        mark.written += 1;
        match row {
            Some(row) => drop(self.rows.insert(id, row)),
            None => {
                mark.deleted += 1;
                self.rows.remove(&id);
            }
        }
        Ok(())
    }

    /// A row that has the same name as another one, and a free name.
    pub fn twin<'n>(&self, names: &[&'n str]) -> Option<(u32, &'n str)> {
        let taken: Vec<&str> = self.rows.values().map(|row| &*row.name).collect();
        let twin = self
            .rows
            .iter()
            .find(|(_, row)| taken.iter().filter(|name| **name == row.name).count() > 1);
        let free = names.iter().find(|name| !taken.contains(name));
        Some((*twin?.0, free?))
    }
}
