//! One engine per file: two would corrupt its indexes, unnoticed.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result, Stage};

/// An engine whose last handle was just dropped needs a moment to close its file.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

/// An exclusive lock on `PATH.lock`, held until dropped. The operating system releases it when the
/// process dies; the empty file stays.
pub(super) struct Lock(File);

impl Lock {
    /// Blocks for [`PATIENCE`] at most.
    pub(super) fn acquire(path: &Path) -> Result<Lock> {
        let mut name: OsString = path.into();
        name.push(".lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&name)
            .map_err(|error| {
                let message = format!(
                    "the embedded database {} cannot be opened: its lock file cannot be written \
                     ({error})",
                    path.display()
                );
                Error::config(message).with_source(error)
            })?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(locked(path)),
                Err(TryLockError::Error(error)) => {
                    let message = format!(
                        "the embedded database {} cannot be locked, is it on a network drive? \
                         ({error})",
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

fn locked(path: &Path) -> Error {
    let message = format!(
        "the embedded database {} is in use by another process, or by another engine of this one: \
         stop that process, share one `Dynamo` by cloning it, or use another file",
        path.display()
    );
    Error::new(ErrorKind::Locked, Stage::Connect, message)
}
