//! Writes of one row of an item that is stored under two primary keys, which are rejected.

use crate::entity::EntityDeclaration;
use crate::error::{Error, ErrorKind, Result, Stage};

/// Returns an error for a write of one row alone, for a caller that cannot read first.
pub(crate) fn refuse_alone(declared: &EntityDeclaration, is_delete: bool) -> Result<()> {
    refuse_other_row(declared, is_delete)?;
    match declared.def.writes_second_row(is_delete) {
        true => Err(alone(declared.def.type_name)),
        false => Ok(()),
    }
}

/// Returns an error for a write of the rows under another key by their own declaration. The row of the item would stay as it
/// is, and a refill would take the written row for one that no item has. A delete is accepted: the next write or refill of the
/// item stores the row again.
pub(crate) fn refuse_other_row(declared: &EntityDeclaration, is_delete: bool) -> Result<()> {
    match declared.written_with.filter(|_| !is_delete) {
        Some(entity) => Err(other_row(declared.def.type_name, entity.type_name)),
        None => Ok(()),
    }
}

#[cold]
fn other_row(type_name: &'static str, written: &'static str) -> Error {
    let message = format!(
        "its rows are those of `{written}` under another key, and are written together with them: write `{written}`"
    );
    Error::new(ErrorKind::InvalidKey, Stage::Request, message).of(type_name)
}

/// The error for such a write.
#[cold]
pub(crate) fn alone(type_name: &'static str) -> Error {
    let message = "its items are stored under two keys, so each write reads the item first and writes both rows, and \
                   cannot be part of a batch, of a transaction or of a job: send `create`, `put`, `update`, `modify` or \
                   `delete` by itself, until `next_key` or `was_key` is removed";
    Error::new(ErrorKind::InvalidKey, Stage::Request, message).of(type_name)
}
