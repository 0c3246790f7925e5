//! The file: where it is, how it is read and written.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A path, from the folder of the package if it is relative: tests of a workspace run in several folders.
pub(super) fn place(path: &Path) -> PathBuf {
    // Cargo runs tests in the folder of their package, other runners anywhere. A binary outside of
    // Cargo has no such folder.
    match env::var_os("CARGO_MANIFEST_DIR") {
        Some(folder) => Path::new(&folder).join(path),
        None => path.to_owned(),
    }
}

/// The text of the file; `None` if there is none.
pub(super) fn load(path: &Path) -> Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(of_file(path, Error::config("it is not UTF-8 text"))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(path, "read", error)),
    }
}

/// Replaces the file: a concurrent reader sees the old text or the new one.
pub(super) fn save(path: &Path, text: &str) -> Result<()> {
    let mut new: OsString = path.into();
    new.push(".new");
    // By a rename, so that a test that is ended in the middle leaves the old file and not a part of
    // the new one.
    let saved = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    saved.map_err(|error| unusable(path, "written", error))
}

pub(super) fn missing(path: &Path) -> Error {
    Error::config(format!(
        "the lock file {} does not exist: `DYNAMO_LOCK=write cargo test` writes it, then commit it",
        path.display()
    ))
}

/// Says which file it is that is wrong.
pub(super) fn of_file(path: &Path, error: Error) -> Error {
    Error::config(format!(
        "the lock file {} cannot be used: {error}",
        path.display()
    ))
}

fn unusable(path: &Path, what: &str, error: io::Error) -> Error {
    let message = format!(
        "the lock file {} cannot be {what} ({error})",
        path.display()
    );
    Error::config(message).with_source(error)
}
