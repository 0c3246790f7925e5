//! A file that one process uses at a time: two embedded engines would corrupt its indexes, unnoticed, and two
//! jobs would overtake each other.
//!
//! What is locked is `PATH.lock`, for the file itself may be replaced (a checkpoint) or have locks of its own
//! (a database). A lock file can be deleted, so whoever needs to know asks [`Lock::is_held`]; and a file can have
//! several names, which [`Claim`] sees within this process.

// Only the embedded engine claims files; checkpoints ask for their identity.
#[cfg_attr(not(feature = "embedded"), allow(dead_code))]
mod claim;

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result, Stage};
#[cfg(feature = "embedded")]
pub(crate) use claim::Claim;

/// Whoever was just dropped needs a moment to close the file.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);
/// A system follows about as many.
const MOST_LINKS: usize = 40;

/// An exclusive lock on `PATH.lock`, held until dropped. The operating system releases it when the
/// process dies; the empty file stays.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    name: PathBuf,
}

impl Lock {
    /// Of `the embedded database`, say, in this file, and what else a second user could do. Blocks for
    /// [`PATIENCE`] at most.
    pub(crate) fn acquire(path: &Path, what: &str, instead: &str) -> Result<Lock> {
        let mut name: OsString = path.into();
        name.push(".lock");
        let name = PathBuf::from(name);
        let lock = patiently(|| {
            let file = open(&name).map_err(|error| {
                let message = format!(
                    "{what} {} cannot be opened: its lock file cannot be written ({error})",
                    path.display()
                );
                Error::config(message).with_source(error)
            })?;
            match file.try_lock() {
                Ok(()) => {
                    let name = name.clone();
                    // Deleted since it was opened: the next one who comes would lock another file.
                    Ok(Some(Lock { file, name }).filter(Lock::is_held))
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
        lock.ok_or_else(|| locked(path, what, instead))
    }

    /// Whether its name still leads to the file that is locked, so that nobody else can have a lock of it.
    pub(crate) fn is_held(&self) -> bool {
        is_same(&self.file, &self.name).unwrap_or(false)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing would do, unless a child process has inherited the file.
        drop(self.file.unlock());
    }
}

/// Until it is there, or [`PATIENCE`] is over.
pub(crate) fn patiently<T>(mut attempt: impl FnMut() -> Result<Option<T>>) -> Result<Option<T>> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match attempt()? {
            None if Instant::now() < deadline => thread::sleep(PAUSE),
            done => return Ok(done),
        }
    }
}

pub(crate) fn locked(path: &Path, what: &str, instead: &str) -> Error {
    let message = format!(
        "{what} {} is in use by another process, or twice in this one: stop that process, {instead}, \
         or use another file",
        path.display()
    );
    Error::new(ErrorKind::Locked, Stage::Connect, message)
}

/// One path for one file, there or not yet, whatever links lead to it: so its lock has one name.
pub(crate) fn resolved(path: &Path) -> io::Result<PathBuf> {
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
    Err(io::Error::other("its links lead nowhere"))
}

fn open(name: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(windows)]
    {
        // Others may open it, to see that it is locked, but not delete it.
        use std::os::windows::fs::OpenOptionsExt;
        const SHARE_READ_AND_WRITE: u32 = 1 | 2;
        options.share_mode(SHARE_READ_AND_WRITE);
    }
    options.open(name)
}

#[cfg(unix)]
fn is_same(file: &File, name: &Path) -> io::Result<bool> {
    Ok(claim::identity(&file.metadata()?) == claim::identity(&fs::metadata(name)?))
}

/// What is open cannot be deleted there.
#[cfg(not(unix))]
fn is_same(_: &File, name: &Path) -> io::Result<bool> {
    fs::exists(name)
}
