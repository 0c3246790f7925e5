//! The comparison of the data files of an export with their checksums, a part at a time.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek};
use std::time::SystemTime;

use md5::{Digest, Md5};

use super::summary::DataFile;
use super::{FILES, folder_error, unreadable_file};
use crate::error::Result;

/// The bytes that are read at once, so that the caller can do other work between them.
const PART: u64 = 4 << 20;
const BUFFER: usize = 64 << 10;

/// A comparison of all data files, which reads a part of a file with each step.
#[derive(Debug, Default)]
pub(in super::super) struct FolderCheck {
    /// The file that is being read.
    current: Option<HashedRead>,
    /// The files that are undamaged, in the order of the manifest.
    checked: Vec<CheckedFile>,
}

#[derive(Debug)]
struct HashedRead {
    file: File,
    hash: Md5,
    state: CheckedFile,
}

/// The size and the time of a data file when it was compared with its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CheckedFile {
    length: u64,
    changed_at: Option<SystemTime>,
}

impl CheckedFile {
    fn of_metadata(metadata: &Metadata) -> Self {
        CheckedFile {
            length: metadata.len(),
            changed_at: metadata.modified().ok(),
        }
    }
}

impl FolderCheck {
    /// Reads the next part. Returns its bytes, or None if all files were compared.
    pub(in super::super) fn step(&mut self, files: &[DataFile]) -> Result<Option<u64>> {
        let Some(file) = files.get(self.checked.len()) else {
            return Ok(None);
        };
        let unreadable = |error| unreadable_file(&file.path, error);
        let mut current = match self.current.take() {
            Some(current) => current,
            None => HashedRead::open(file).map_err(unreadable)?,
        };
        let bytes = current.read_part().map_err(unreadable)?;
        match bytes < PART {
            true => self.checked.push(current.compare_with(file)?),
            false => self.current = Some(current),
        }
        Ok(Some(bytes))
    }

    /// Opens a data file. It is read again for its checksum only if it was not compared, or changed since.
    pub(super) fn open_file(&self, at: usize, file: &DataFile) -> Result<File> {
        let unreadable = |error| unreadable_file(&file.path, error);
        if let Some(checked) = self.checked.get(at) {
            let opened = File::open(&file.path).map_err(unreadable)?;
            let found = opened.metadata().map_err(unreadable)?;
            if checked.changed_at.is_some() && CheckedFile::of_metadata(&found) == *checked {
                return Ok(opened);
            }
        }
        open_checked(file)
    }
}

impl HashedRead {
    fn open(file: &DataFile) -> io::Result<Self> {
        let file = File::open(&file.path)?;
        Ok(HashedRead {
            // Before it is read: a later change must differ.
            state: CheckedFile::of_metadata(&file.metadata()?),
            hash: Md5::new(),
            file,
        })
    }

    /// Reads a part; fewer bytes at the end of the file.
    fn read_part(&mut self) -> io::Result<u64> {
        let (mut buffer, mut sum) = (vec![0; BUFFER], 0);
        while sum < PART {
            match self.file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    self.hash.update(buffer.get(..count).unwrap_or_default());
                    sum += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(sum)
    }

    fn compare_with(self, file: &DataFile) -> Result<CheckedFile> {
        let found = base64_simd::STANDARD.encode_to_string(self.hash.finalize());
        if found != file.checksum {
            let reason = format!(
                "the file is damaged: its MD5 is {found}, and {} in {FILES}.json",
                file.checksum
            );
            return Err(folder_error(&file.path, reason));
        }
        Ok(self.state)
    }
}

/// Opens a data file after its bytes were compared with its checksum.
fn open_checked(file: &DataFile) -> Result<File> {
    let unreadable = |error| unreadable_file(&file.path, error);
    let mut read = HashedRead::open(file).map_err(unreadable)?;
    while read.read_part().map_err(unreadable)? >= PART {}
    let mut opened = read.file.try_clone().map_err(unreadable)?;
    read.compare_with(file)?;
    opened.rewind().map_err(unreadable)?;
    Ok(opened)
}
