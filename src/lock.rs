//! The lock file: what is stored, written down beside the code, so that no change of it goes unnoticed.
//!
//! ```
//! # use dynamo_entity::prelude::*;
//! # #[derive(DynamoEntity)]
//! # #[dynamo(table = "notes", key(pk = id))]
//! # struct Note { id: String }
//! #[test]
//! fn stored_form() {
//!     dynamo_entity::lock::check("dynamo.lock", [Note::schema()]); // `DYNAMO_LOCK=write` writes the file
//! }
//! # fn main() {}
//! ```
//!
//! The check needs no connection. It fails whenever the declarations store something else than the file says, tells of
//! each change what comes of it for programs that run and items that exist ([`ChangeClass`]), and what to do in which
//! order. When that is done or planned, the file is written anew and committed with the code. What to think of and how
//! merges go is [a chapter of the guide](crate::guide::lock_file).

#![allow(
    clippy::test_attr_in_doctest,
    reason = "the check is called in a test, as in this program"
)]

mod blocks;
mod change;
mod compare;
mod declared;
pub(crate) mod digest;
mod facts;
mod file;
mod form;
mod rust_type;
mod stored;
#[cfg(test)]
mod tests;
mod text;
mod value_names;
mod words;

use std::env;
use std::io::Write as _;
use std::path::Path;

pub use change::{ChangeClass, LockComparison, StoredChange};
use declared::stored_form;

use crate::error::{Error, Result};
use crate::schema::TableSchema;

/// The value of the variable, for [`check`].
const VARIABLE: &str = "DYNAMO_LOCK";

/// Checks in a test that the file matches the declarations. With `DYNAMO_LOCK=write` in the environment, it writes the
/// file if the file differs or does not exist, and reports the changes on standard error.
///
/// A relative path begins in the folder of the package, wherever the tests run. Pass all tables of the program.
///
/// # Panics
///
/// Like an assertion, if the file differs, does not exist or cannot be read. The message contains all changes.
#[track_caller]
pub fn check(path: impl AsRef<Path>, schemas: impl IntoIterator<Item = TableSchema>) {
    let write = env::var_os(VARIABLE);
    let write = write.filter(|value| !value.is_empty());
    let is_known = write.as_ref().is_none_or(|value| value == "write");
    assert!(
        is_known,
        "{VARIABLE} is {write:?}, and the only value is `write`"
    );
    let outcome = stored_form(schemas).and_then(|model| {
        let path = file::place(path.as_ref());
        match write {
            Some(_) => written(&path, &model),
            None => checked(&path, &model),
        }
    });
    // What an assertion says is for a person, who needs no quotes around it.
    let message = outcome.err().map(|error| error.to_string());
    assert!(message.is_none(), "{}", message.unwrap_or_default());
}

/// Compares the file with the declarations, like [`check`], and returns the result.
///
/// ```
/// use dynamo_entity::lock::{self, ChangeClass};
/// use dynamo_entity::prelude::*;
///
/// mod before {
///     use dynamo_entity::prelude::*;
///
///     #[derive(DynamoEntity)]
///     #[dynamo(table = "orders", key(pk = id))]
///     pub struct Order { pub id: u32, pub total: u32 }
/// }
///
/// #[derive(DynamoEntity)]
/// #[dynamo(table = "orders", key(pk = id))]
/// struct Order { id: u32, total: u32, currency: String }
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("dynamo.lock");
/// lock::write(&path, [before::Order::schema()])?;
/// let comparison = lock::compare(&path, [Order::schema()])?;
/// assert_eq!(comparison.class(), Some(ChangeClass::BreaksRunning));
/// let change = &comparison.changes()[0];
/// assert_eq!(change.place(), Some("Order.currency"));
/// assert!(change.steps()[0].contains("as an `Option` or with a `default`"));
/// # Ok::<(), dynamo_entity::Error>(())
/// ```
///
/// # Errors
///
/// Errors of kind [`Config`](crate::error::ErrorKind::Config): the file does not exist, was written by a newer version
/// of this library, or differs from the text that was written, for example after a merge; or two schemas describe one
/// table.
pub fn compare(
    path: impl AsRef<Path>,
    schemas: impl IntoIterator<Item = TableSchema>,
) -> Result<LockComparison> {
    compared(&file::place(path.as_ref()), &stored_form(schemas)?)
}

/// Writes the file, and returns whether that changed it. A file that cannot be read is replaced, but not one that a
/// newer version of this library wrote.
pub fn write(
    path: impl AsRef<Path>,
    schemas: impl IntoIterator<Item = TableSchema>,
) -> Result<bool> {
    let model = stored_form(schemas)?;
    replace(&file::place(path.as_ref()), &model)
}

/// The text that [`write`](write()) writes.
pub fn text(schemas: impl IntoIterator<Item = TableSchema>) -> Result<String> {
    Ok(text::text(&stored_form(schemas)?))
}

fn compared(path: &Path, model: &[TableSchema]) -> Result<LockComparison> {
    let text = file::load(path)?.ok_or_else(|| file::missing(path))?;
    let old = text::read(&text).map_err(|error| file::of_file(path, error))?;
    Ok(LockComparison::new(compare::changes(&old, model)))
}

fn replace(path: &Path, model: &[TableSchema]) -> Result<bool> {
    let new = text::text(model);
    if let Ok(Some(old)) = file::load(path) {
        if let Some(newer) = blocks::is_newer(&old) {
            return Err(file::of_file(path, newer));
        }
        // A checkout of Windows may have other ends of lines.
        if old.lines().eq(new.lines()) {
            return Ok(false);
        }
    }
    file::save(path, &new)?;
    Ok(true)
}

fn checked(path: &Path, model: &[TableSchema]) -> Result<()> {
    let comparison = compared(path, model)?;
    if comparison.is_same() {
        return Ok(());
    }
    let count = match comparison.changes().len() {
        1 => "1 change".to_owned(),
        count => format!("{count} changes"),
    };
    Err(Error::config(format!(
        "what is stored is not what the lock file {} says: {count}\n\n{comparison}\n\n\
         The lock file orders commits, not deployments: deploy each step everywhere before you commit the next one.\n\
         When this is done or planned, `DYNAMO_LOCK=write cargo test` writes the file; commit it with the code.\n",
        path.display()
    )))
}

fn written(path: &Path, model: &[TableSchema]) -> Result<()> {
    let is_new = !path.exists();
    let compared = compared(path, model);
    if !replace(path, model)? {
        return Ok(());
    }
    let changes = match compared {
        Ok(comparison) => comparison.to_string(),
        Err(_) if is_new => "it is new: commit it".to_owned(),
        Err(error) => format!("what changed is not known: {error}"),
    };
    // Not by `eprintln`, which a test that succeeds does not show. Nobody may be there to read it.
    let told = format!("wrote the lock file {}:\n\n{changes}\n\n", path.display());
    drop(std::io::stderr().write_all(told.as_bytes()));
    Ok(())
}
