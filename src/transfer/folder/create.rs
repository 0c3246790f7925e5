//! The folder of an export, as it is written: data files one after the other, and the manifests last.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::{Compression, GzBuilder, write::GzEncoder};
use md5::{Digest, Md5};

use super::super::sink::{ExportSink, ExportTask, SavedExport};
use super::disk::{Disk, part_of, sync};
use super::progress::{FolderProgress, FolderTask, PROGRESS};
use super::summary::{export_id, file_line, summary_text};
use super::{FILES, SUMMARY, folder_error, unreadable_file};
use crate::error::Result;
use crate::file_lock::FileLock;

/// The bytes of lines in a data file.
const FILE_SIZE: u64 = 32 << 20;

/// The folder for an export to write; see [`ExportFolder::create`](super::ExportFolder::create).
#[derive(Debug)]
#[must_use = "nothing is written until an export is sent"]
pub struct NewExport {
    /// The folder with the manifests.
    path: PathBuf,
    file_size: u64,
}

impl NewExport {
    /// A new export in the folder of a prefix.
    pub(super) fn below(prefix: &Path) -> Result<NewExport> {
        Ok(NewExport {
            path: prefix
                .join("AWSDynamoDB")
                .join(export_id(SystemTime::now().into())?),
            file_size: FILE_SIZE,
        })
    }

    /// The incomplete export in the folder of a prefix, or a new one.
    pub(super) fn unfinished_below(prefix: &Path) -> Result<NewExport> {
        let exports = prefix.join("AWSDynamoDB");
        let entries = match fs::read_dir(&exports) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return NewExport::below(prefix);
            }
            Err(error) => return Err(unreadable_file(&exports, error)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry
                .map_err(|error| unreadable_file(&exports, error))?
                .path();
            // The lock is created first and removed last, so no crash leaves a folder that is not found again.
            if path.join(LOCK).is_file() {
                match is_complete(&path) {
                    true => clean_up(&path)?,
                    false => found.push(path),
                }
            }
        }
        match found.len() {
            0 => NewExport::below(prefix),
            1 => Ok(NewExport {
                path: found.remove(0),
                file_size: FILE_SIZE,
            }),
            _ => Err(folder_error(
                &exports,
                "several exports are not complete: remove the folders of those that you do not need",
            )),
        }
    }

    /// The folder of the export, with its manifests: `PREFIX/AWSDynamoDB/ID`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets the size of the lines in a data file, in bytes before compression. The default is 32 MB. An export that
    /// is resumed after a crash repeats at most one file.
    pub fn file_size(mut self, bytes: u64) -> Self {
        self.file_size = bytes;
        self
    }

    pub(in super::super) fn into_sink(self) -> FolderSink {
        FolderSink {
            file_size: self.file_size,
            progress: FolderProgress::begin(),
            task: None,
            current: None,
            lock: None,
            is_at_place: true,
            disk: Disk::default(),
            path: self.path,
        }
    }
}

/// The empty file that is written before any other, and stays.
const STARTED: &str = "_started";
const LOCK: &str = "_started.lock";
/// The lines of the second manifest so far.
const LIST: &str = "_files";

/// The summary is written last, with a rename.
fn is_complete(path: &Path) -> bool {
    path.join(format!("{SUMMARY}.json")).is_file()
}

/// Removes the files of a run that was killed after the summary. Nothing else of the export is changed, because another
/// program may already read it.
fn clean_up(path: &Path) -> Result<()> {
    // A run that has the lock removes them itself.
    let Ok(lock) = FileLock::acquire_lock(&path.join(STARTED), "the export", "wait for its end")
    else {
        return Ok(());
    };
    let mut disk = Disk::default();
    disk.remove(&path.join(PROGRESS))?;
    disk.remove(&path.join(LIST))?;
    drop(lock);
    disk.remove(&path.join(LOCK))
}

/// Writes the rows of an export into a folder.
pub(in super::super) struct FolderSink {
    path: PathBuf,
    file_size: u64,
    progress: FolderProgress,
    task: Option<FolderTask>,
    current: Option<GrowingFile>,
    lock: Option<FileLock>,
    /// Whether the data file contains exactly the rows before the last position. It does not after a failed change.
    is_at_place: bool,
    pub(super) disk: Disk,
}

/// A data file that is being written.
struct GrowingFile {
    lines: GzEncoder<HashedFile>,
    path: PathBuf,
    items: u64,
    bytes: u64,
}

/// A file, and the hash of its bytes.
struct HashedFile {
    file: File,
    hash: Md5,
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hash.update(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The name of the folder, which is the id of the export.
fn export_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

impl FolderSink {
    fn data_path(&self, number: u64) -> PathBuf {
        self.path.join("data").join(format!("{number:06}.json.gz"))
    }

    /// Resumes after the last file in the saved progress. All later files are from a run that was killed.
    fn resume(&mut self) -> Result<()> {
        let data = self.path.join("data");
        let known: BTreeSet<PathBuf> = (1..=self.progress.files)
            .map(|number| self.data_path(number))
            .collect();
        let entries = fs::read_dir(&data).map_err(|error| unreadable_file(&data, error))?;
        for entry in entries {
            let path = entry.map_err(|error| unreadable_file(&data, error))?.path();
            if !known.contains(&path) {
                self.disk.remove(&path)?;
            }
        }
        if let Some(missing) = known.iter().find(|path| !path.is_file()) {
            let reason = "the file is missing, which an earlier run of the export has written: remove the folder of the \
                          export, and begin anew";
            return Err(folder_error(missing, reason));
        }
        let (list, length) = (self.list_path(), self.progress.list_bytes);
        self.disk.change(&list, || {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&list)?;
            // A file cannot become longer by this, unless it was changed by others.
            match file.metadata()?.len() < length {
                true => Err(io::Error::other("lines of it are missing")),
                false => file.set_len(length).and_then(|()| sync(&file)),
            }
        })
    }

    /// The growing list of the data files.
    fn list_path(&self) -> PathBuf {
        self.path.join(LIST)
    }

    fn open_file(&mut self) -> Result<&mut GrowingFile> {
        let path = self.data_path(self.progress.files + 1);
        let part = part_of(&path);
        let file = self.disk.change(&part, || File::create(&part))?;
        let hashed = HashedFile {
            file,
            hash: Md5::new(),
        };
        // Without a time, the same rows give the same file.
        let lines = GzBuilder::new().mtime(0).write(hashed, Compression::fast());
        Ok(self.current.insert(GrowingFile {
            lines,
            path,
            items: 0,
            bytes: 0,
        }))
    }

    /// Completes the data file, and lists it.
    fn close_file(&mut self) -> Result<()> {
        let Some(GrowingFile {
            lines, path, items, ..
        }) = self.current.take()
        else {
            return Ok(());
        };
        let part = part_of(&path);
        let HashedFile { file, hash } = self.disk.change(&part, || lines.finish())?;
        self.disk.publish(&file, &part, &path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let line = file_line(&export_name(&self.path), &name, items, &hash.finalize());
        let list = self.list_path();
        let mut file = self.disk.change(&list, || {
            OpenOptions::new().append(true).create(true).open(&list)
        })?;
        self.disk.write_all(&list, &mut file, line.as_bytes())?;
        self.disk.change(&list, || sync(&file))?;
        self.progress.files += 1;
        self.progress.list_bytes += line.len() as u64;
        Ok(())
    }

    /// Completes the data file and saves the position after it.
    fn save_place(&mut self, progress: &SavedExport) -> Result<()> {
        self.close_file()?;
        self.progress.saved = progress.clone();
        self.save_progress()
    }

    fn save_progress(&mut self) -> Result<()> {
        let Some(task) = &self.task else {
            return Ok(());
        };
        let state = self.progress.to_bytes(task)?;
        self.disk.replace(&self.path.join(PROGRESS), &state)
    }

    fn write_manifest(&mut self, name: &str, text: &[u8]) -> Result<()> {
        let checksum = super::checksum_of(text);
        // The checksum is written first, so an existing manifest can always be checked.
        self.disk.replace(
            &self.path.join(format!("{name}.checksum")),
            checksum.as_bytes(),
        )?;
        self.disk
            .replace(&self.path.join(format!("{name}.json")), text)
    }
}

impl ExportSink for FolderSink {
    fn begin(&mut self, task: &ExportTask) -> Result<SavedExport> {
        self.disk.create_folder(&self.path.join("data"))?;
        let started = self.path.join(STARTED);
        let lock = FileLock::acquire_lock(&started, "the export", "wait for its end")?;
        self.lock = Some(lock);
        self.disk
            .change(&started, || File::create(&started).map(drop))?;
        if is_complete(&self.path) {
            let reason = "the export is complete: create another one";
            return Err(folder_error(&self.path, reason));
        }
        let state = self.path.join(PROGRESS);
        let task = self.task.insert(FolderTask {
            id: export_name(&self.path),
            rows: task.rows.to_owned(),
            table: task.table.clone(),
            query: task.query,
            is_one_entity: task.is_one_entity,
        });
        let found = match fs::read(&state) {
            Ok(bytes) => Some(
                FolderProgress::from_bytes(&bytes, task)
                    .map_err(|reason| folder_error(&state, reason))?,
            ),
            // Nothing was listed yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(unreadable_file(&state, error)),
        };
        let is_new = found.is_none();
        self.progress = found.unwrap_or_else(FolderProgress::begin);
        self.resume()?;
        if is_new {
            // Before the first data file, so that no other query resumes this export.
            self.save_progress()?;
        }
        Ok(self.progress.saved.clone())
    }

    fn write_lines(&mut self, lines: &[u8], rows: u64) -> Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        if self.current.is_none() {
            self.open_file()?;
        }
        let Some(current) = &mut self.current else {
            return Ok(());
        };
        self.is_at_place = false;
        let part = part_of(&current.path);
        let written = self.disk.write_all(&part, &mut current.lines, lines);
        current.items += rows;
        current.bytes += lines.len() as u64;
        written
    }

    fn keep_place(&mut self, progress: &SavedExport) -> Result<()> {
        if self
            .current
            .as_ref()
            .is_some_and(|current| current.bytes >= self.file_size)
        {
            self.save_place(progress)?;
        }
        self.is_at_place = true;
        Ok(())
    }

    fn finish(&mut self, progress: &SavedExport) -> Result<()> {
        // DynamoDB writes an empty file for an empty partition, and some readers need one file.
        if self.current.is_none() && self.progress.files == 0 {
            self.open_file()?;
        }
        self.close_file()?;
        let list = self.list_path();
        let mut text = Vec::new();
        let read = File::open(&list).and_then(|mut file| file.read_to_end(&mut text));
        read.map_err(|error| unreadable_file(&list, error))?;
        self.write_manifest(FILES, &text)?;
        let items =
            super::summary::listed_items(&text).map_err(|reason| folder_error(&list, reason))?;
        let times = (self.progress.started, SystemTime::now().into());
        let Some(task) = &self.task else {
            return Ok(());
        };
        let summary = summary_text(task, (items, progress.failed), times)?;
        self.write_manifest(SUMMARY, summary.as_bytes())?;
        self.disk.remove(&self.path.join(PROGRESS))?;
        self.disk.remove(&list)?;
        drop(self.lock.take());
        self.disk.remove(&self.path.join(LOCK))
    }

    fn suspend(&mut self, progress: &SavedExport) -> Result<()> {
        // Otherwise the next run begins after the file before this one.
        match progress.position {
            Some(_) if self.is_at_place => self.save_place(progress),
            _ => Ok(()),
        }
    }
}
