//! One user of a file within this process, by whatever name it came.
//!
//! SQLite keeps other processes away from the file itself, but not this one: the operating system takes a lock
//! of the same process for granted. Nor may the file be opened to find that out: closing it would release
//! SQLite's locks. So what is in use is remembered here, by what the file system tells of it.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The device, and the number of the file there.
type FileIdentity = (u64, u64);

/// As far as the process goes: the files are the operating system's, so this belongs to no connection.
static CLAIMED: Mutex<Vec<FileIdentity>> = Mutex::new(Vec::new());

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct Claim(Option<FileIdentity>);

impl Claim {
    /// Of a file that is there; `None` while somebody else has it.
    pub(crate) fn of(path: &Path) -> io::Result<Option<Claim>> {
        let Some(identity) = identity(&path.metadata()?) else {
            return Ok(Some(Claim(None)));
        };
        let mut claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
        if claimed.contains(&identity) {
            return Ok(None);
        }
        claimed.push(identity);
        Ok(Some(Claim(Some(identity))))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
        claimed.retain(|identity| self.0 != Some(*identity));
    }
}

#[cfg(unix)]
pub(super) fn identity(of: &Metadata) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    Some((of.dev(), of.ino()))
}

/// A lock file that cannot be deleted has to do.
#[cfg(not(unix))]
pub(super) fn identity(_: &Metadata) -> Option<FileIdentity> {
    None
}
