//! A checkpoint in a file, which no crash leaves half written.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Checkpoint, CheckpointError, Saving};
use crate::error::{Error, ErrorKind, Stage};
use crate::file_lock::{self, FileLock};
use crate::runtime;

/// A checkpoint in a file of its own.
///
/// Each save is written to a file beside it, which then replaces it, and is on the disk when the save returns. While a
/// job runs, `PATH.lock` excludes other jobs of this process and of others; the operating system releases it when the
/// process dies. If the file is removed, the job starts again and changes rows that it has already changed.
#[derive(Debug, Clone)]
pub struct FileCheckpoint {
    path: PathBuf,
    lock: Arc<Mutex<Option<Arc<FileLock>>>>,
}

impl FileCheckpoint {
    /// A checkpoint in this file, which need not exist yet. Nothing is opened before a job starts.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        FileCheckpoint {
            path: path.into(),
            lock: Arc::default(),
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Option<Arc<FileLock>>> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Checkpoint for FileCheckpoint {
    fn load(&self) -> Saving<'_, Option<Vec<u8>>> {
        Box::pin(async move {
            let path = self.path.clone();
            let (lock, state) = blocking(move || {
                // The lock must be beside the real file: two links to one checkpoint would
                // otherwise have two locks.
                let path = file_lock::resolve_path(&path)?;
                let lock = FileLock::acquire_lock(&path, "the checkpoint", "wait for its job")?;
                match fs::read(&path) {
                    Ok(state) => Ok((lock, Some(state))),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((lock, None)),
                    Err(error) => Err(error.into()),
                }
            })
            .await?;
            *self.held() = Some(Arc::new(lock));
            Ok(state)
        })
    }

    fn save(&self, state: Vec<u8>) -> Saving<'_, ()> {
        Box::pin(async move {
            let path = self.path.clone();
            // A save runs on a thread and continues if the job is dropped. The lock must live as long, or another job
            // could load in between.
            let lock = self.held().clone();
            blocking(move || {
                // If the lock file was deleted, another job may have acquired a new one and saved
                // since. This save would undo that.
                if lock.as_ref().is_some_and(|lock| !lock.is_held()) {
                    return Err(deleted(&path).into());
                }
                let saved = replace(&file_lock::resolve_path(&path)?, &state);
                drop(lock);
                Ok(saved?)
            })
            .await
        })
    }

    /// The next job may use this value, or a clone of it.
    fn release(&self) {
        drop(self.held().take());
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CheckpointError> + Send + 'static,
) -> Result<T, CheckpointError> {
    let done = runtime::run_blocking(work).await;
    done.unwrap_or_else(|| Err("a thread for the file could not be started".into()))
}

/// Another job may have begun since, and a save of this one would replace what that one has saved.
fn deleted(path: &Path) -> Error {
    let message = format!(
        "the lock of the checkpoint {} was deleted, so another job may use it: wait for that one, and run \
         this one again, which resumes from there",
        path.display()
    );
    Error::new(ErrorKind::Locked, Stage::Connect, message)
}

/// Replaces the file. If the power fails, it holds the old state or the new one.
fn replace(path: &Path, state: &[u8]) -> io::Result<()> {
    let mut name: OsString = path.into();
    name.push(".new");
    let new = PathBuf::from(name);
    let mut file = File::create(&new)?;
    file.write_all(state)?;
    // The content must be on the disk before the rename: otherwise a crash could leave the new name
    // with an empty file.
    file.sync_all()?;
    drop(file);
    fs::rename(&new, path)?;
    sync_folder(path)
}

/// Writes the folder to the disk too, because the new name is in it.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// On other systems a folder cannot be opened as a file; the system writes names on its own.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
