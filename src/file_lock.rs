//! A lock on a file that only one process may use at a time: two embedded engines would corrupt its indexes,
//! unnoticed, and two jobs would overtake each other.
//!
//! The lock is on `PATH.lock`, because the file itself may be replaced (a checkpoint) or have its own locks (a
//! database). A lock file can be deleted, so code that needs to know calls [`FileLock::is_held`]. A file can have
//! several names, which [`Claim`] detects within this process.

// Only the embedded engine claims files; checkpoints need their identity.
#[cfg_attr(not(feature = "embedded"), allow(dead_code))]
pub(crate) mod claim;

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result, Stage};

/// How long to wait for a lock: a user that was just dropped needs a moment to close the file.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);
/// How many links to follow, about as many as operating systems do.
const MOST_LINKS: usize = 40;

/// An exclusive lock on `PATH.lock`, held until dropped. The operating system releases it when the
/// process dies; the empty file stays.
#[derive(Debug)]
pub(crate) struct FileLock {
    file: File,
    name: PathBuf,
}

impl FileLock {
    /// Locks this file. `what` names it in the error, such as `the embedded database`, and `instead` is the advice
    /// for a second user. Blocks for [`PATIENCE`] at most.
    pub(crate) fn acquire_lock(path: &Path, what: &str, instead: &str) -> Result<FileLock> {
        let mut name: OsString = path.into();
        name.push(".lock");
        let name = PathBuf::from(name);
        let lock = try_patiently(|| {
            let file = open_lock(&name).map_err(|error| {
                let message = format!(
                    "{what} {} cannot be opened: its lock file cannot be written ({error})",
                    path.display()
                );
                Error::config(message).with_source(error)
            })?;
            match file.try_lock() {
                Ok(()) => {
                    let name = name.clone();
                    // A file that was deleted since it was opened protects nothing: the next user would lock another
                    // one.
                    Ok(Some(FileLock { file, name }).filter(FileLock::is_held))
                }
                Err(TryLockError::WouldBlock) => Ok(None),
                Err(TryLockError::Error(error)) => {
                    let message = format!(
                        "{what} {} cannot be locked, is it on a network drive? ({error})",
                        path.display()
                    );
                    Err(Error::config(message).with_source(error))
                }
            }
        })?;
        lock.ok_or_else(|| locked_error(path, what, instead))
    }

    /// Whether the name still refers to the locked file, so that no other process can have a lock with that name.
    pub(crate) fn is_held(&self) -> bool {
        is_same(&self.file, &self.name).unwrap_or(false)
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing the file would be enough, unless a child process has inherited it.
        drop(self.file.unlock());
    }
}

/// Tries again until the attempt returns something, or [`PATIENCE`] is over.
pub(crate) fn try_patiently<T>(
    mut attempt: impl FnMut() -> Result<Option<T>>,
) -> Result<Option<T>> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match attempt()? {
            None if Instant::now() < deadline => thread::sleep(PAUSE),
            done => return Ok(done),
        }
    }
}

pub(crate) fn locked_error(path: &Path, what: &str, instead: &str) -> Error {
    let message = format!(
        "{what} {} is in use by another process, or twice in this one: stop that process, {instead}, \
         or use another file",
        path.display()
    );
    Error::new(ErrorKind::Locked, Stage::Connect, message)
}

/// One path for each file, even if it does not exist yet, whatever links lead to it, so that its lock has one name.
pub(crate) fn resolve_path(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if path.exists() {
            return path.canonicalize();
        }
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let folder = path.parent().filter(|path| !path.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize()?;
        match fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => return Ok(folder.join(name)),
        }
    }
    Err(io::Error::other(
        "the target of its links cannot be determined",
    ))
}

fn open_lock(name: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(windows)]
    {
        // Other processes may open the file, to see that it is locked, but not delete it.
        use std::os::windows::fs::OpenOptionsExt;
        const SHARE_READ_AND_WRITE: u32 = 1 | 2;
        options.share_mode(SHARE_READ_AND_WRITE);
    }
    options.open(name)
}

#[cfg(unix)]
fn is_same(file: &File, name: &Path) -> io::Result<bool> {
    Ok(claim::file_identity(&file.metadata()?) == claim::file_identity(&fs::metadata(name)?))
}

/// On this system an open file cannot be deleted, so a name that exists leads to it.
#[cfg(not(unix))]
fn is_same(_: &File, name: &Path) -> io::Result<bool> {
    fs::exists(name)
}
