//! Changes of the disk. Tests fail each of them in turn: before it, after it, and after half of the bytes that it writes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::folder_error;
use crate::error::Result;

#[derive(Debug, Default)]
pub(super) struct Disk {
    /// The number of changes before the one that fails.
    #[cfg(test)]
    pub(super) left: Option<usize>,
    #[cfg(test)]
    pub(super) failure: DiskFailure,
}

/// The state of the disk after the change that fails.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum DiskFailure {
    #[default]
    Unchanged,
    /// Half of the bytes are written. A change without bytes has not happened.
    Half,
    Changed,
}

impl Disk {
    /// Makes a change, whose error names the path.
    pub(super) fn change<T>(
        &mut self,
        path: &Path,
        change: impl FnOnce() -> io::Result<T>,
    ) -> Result<T> {
        #[cfg(test)]
        if self.is_failing() {
            if self.failure == DiskFailure::Changed {
                change().map_err(|error| folder_error(path, error))?;
            }
            return Err(folder_error(path, "the power failed"));
        }
        change().map_err(|error| {
            folder_error(path, format!("the file cannot be written: {error}")).with_source(error)
        })
    }

    /// Writes bytes, whose error names the path. After a crash, a part of them may be written.
    pub(super) fn write_all(
        &mut self,
        path: &Path,
        file: &mut impl Write,
        bytes: &[u8],
    ) -> Result<()> {
        #[cfg(test)]
        if self.left == Some(0) && self.failure == DiskFailure::Half {
            let half = bytes.get(..bytes.len() / 2).unwrap_or_default();
            file.write_all(half)
                .map_err(|error| folder_error(path, error))?;
        }
        self.change(path, || file.write_all(bytes))
    }

    /// Whether the next change fails.
    #[cfg(test)]
    fn is_failing(&mut self) -> bool {
        match &mut self.left {
            Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
            None => false,
        }
    }

    pub(super) fn create_folder(&mut self, path: &Path) -> Result<()> {
        self.change(path, || fs::create_dir_all(path))
    }

    /// Removes a file, if it exists.
    pub(super) fn remove(&mut self, path: &Path) -> Result<()> {
        self.change(path, || match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        })
    }

    /// Gives a file its final name, with all of its bytes on the disk.
    pub(super) fn publish(&mut self, file: &File, from: &Path, to: &Path) -> Result<()> {
        // Without this order, a crash could leave the name with an empty file.
        self.change(from, || sync(file))?;
        self.change(to, || {
            fs::rename(from, to).and_then(|()| sync_folder_of(to))
        })
    }

    /// Replaces a file. After a crash, it has the old bytes or the new ones.
    pub(super) fn replace(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let part = part_of(path);
        let mut file = self.change(&part, || File::create(&part))?;
        self.write_all(&part, &mut file, bytes)?;
        self.publish(&file, &part, path)
    }
}

/// Tests fail the change, and no power fails in them.
pub(super) fn sync(file: &File) -> io::Result<()> {
    match cfg!(test) {
        true => Ok(()),
        false => file.sync_all(),
    }
}

/// Writes the names in the folder of a file to the disk. Windows has no such call.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => sync(&File::open(folder)?),
        _ => Ok(()),
    }
}

/// The name of a file that is being written.
pub(super) fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}
