//! Changes of the disk. After a crash, each has happened completely or not at all. Tests fail each of them in turn.

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
}

impl Disk {
    /// Makes a change, whose error names the path.
    pub(super) fn change<T>(
        &mut self,
        path: &Path,
        change: impl FnOnce() -> io::Result<T>,
    ) -> Result<T> {
        #[cfg(test)]
        if let Some(left) = &mut self.left {
            if *left == 0 {
                return Err(folder_error(path, "the power failed"));
            }
            *left -= 1;
        }
        change().map_err(|error| {
            folder_error(path, format!("the file cannot be written: {error}")).with_source(error)
        })
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
        self.change(to, || fs::rename(from, to))
    }

    /// Replaces a file. After a crash, it has the old bytes or the new ones.
    pub(super) fn replace(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let part = part_of(path);
        let file = self.change(&part, || {
            let mut file = File::create(&part)?;
            file.write_all(bytes).map(|()| file)
        })?;
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

/// The name of a file that is being written.
pub(super) fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}
