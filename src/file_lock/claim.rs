//! Lets only one user in this process have a file, whatever name the file was opened by.
//!
//! SQLite excludes other processes from the file, but not this one, because operating-system locks do not apply to
//! the process that owns them. The file must not be opened to find that out either, because closing it would release
//! SQLite's locks. Therefore the files in use are remembered here, by their identity in the file system.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The device, and the number of the file on it.
type FileIdentity = (u64, u64);

/// The files in use by this process. They are the operating system's, so this list belongs to no connection.
static CLAIMED: Mutex<Vec<FileIdentity>> = Mutex::new(Vec::new());

/// The use of a file, until dropped.
#[derive(Debug)]
pub(crate) struct Claim(Option<FileIdentity>);

impl Claim {
    /// Claims a file that exists; `None` while it is claimed already.
    pub(crate) fn claim_of(path: &Path) -> io::Result<Option<Claim>> {
        let Some(identity) = file_identity(&path.metadata()?) else {
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
pub(super) fn file_identity(of: &Metadata) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    Some((of.dev(), of.ino()))
}

/// Files have no identity here; a lock file that cannot be deleted has to be enough.
#[cfg(not(unix))]
pub(super) fn file_identity(_: &Metadata) -> Option<FileIdentity> {
    None
}
