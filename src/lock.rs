//! A file that one process uses at a time: two embedded engines would corrupt its indexes, unnoticed, and two
//! jobs would overtake each other.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result, Stage};

/// Whoever was just dropped needs a moment to close the file.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

/// An exclusive lock on `PATH.lock`, held until dropped. The operating system releases it when the
/// process dies; the empty file stays.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Of `the embedded database`, say, in this file, and what else a second user could do. Blocks for
    /// [`PATIENCE`] at most.
    pub(crate) fn acquire(path: &Path, what: &str, instead: &str) -> Result<Lock> {
        let mut name: OsString = path.into();
        name.push(".lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&name)
            .map_err(|error| {
                let message = format!(
                    "{what} {} cannot be opened: its lock file cannot be written ({error})",
                    path.display()
                );
                Error::config(message).with_source(error)
            })?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(locked(path, what, instead)),
                Err(TryLockError::Error(error)) => {
                    let message = format!(
                        "{what} {} cannot be locked, is it on a network drive? ({error})",
                        path.display()
                    );
                    return Err(Error::config(message).with_source(error));
                }
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing would do, unless a child process has inherited the file.
        drop(self.0.unlock());
    }
}

fn locked(path: &Path, what: &str, instead: &str) -> Error {
    let message = format!(
        "{what} {} is in use by another process, or twice in this one: stop that process, {instead}, \
         or use another file",
        path.display()
    );
    Error::new(ErrorKind::Locked, Stage::Connect, message)
}
