//! The thread that owns the database, and the queue to it.

use std::borrow::Cow;
use std::fmt;
use std::fs::OpenOptions;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use dynoxide::DynoxideError;
use tokio::sync::oneshot;

use super::answer::{EngineAnswer, internal_error};
use super::brief::is_brief;
use super::database::SharedDatabase;
use super::store::EngineStore;
use super::stream_operations::trim_streams;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::file_lock::claim::Claim;
use crate::file_lock::{self, FileLock};

/// The stack is large, because deeply nested values and expressions are read by recursion.
const STACK: usize = 8 * 1024 * 1024;

/// The number of times that a small request checks whether the database is free, before it is queued.
const PATIENCE: usize = 16;

/// The cause of an error, and the remedy.
const WHAT: &str = "the embedded database";
const INSTEAD: &str = "share one `Dynamo` by cloning it";

/// DynamoDB in this process. Clones share one database.
#[derive(Clone)]
pub struct EmbeddedEngine {
    /// A database in memory, which callers may use on their own threads.
    near: Option<Arc<SharedDatabase>>,
    thread: Arc<EngineThread>,
    requests: Arc<AtomicU64>,
}

/// The thread of the database, which ends when the queue to it is dropped.
struct EngineThread {
    /// None only while this is dropped.
    jobs: Option<mpsc::Sender<EngineJob>>,
    /// None for a database in memory, which has no file to close.
    handle: Option<JoinHandle<()>>,
}

/// Waits until a file is closed. Only then does it contain every write, because SQLite moves the newest writes from its log into
/// the file when it closes the file. A process that ends earlier leaves them in the log.
impl Drop for EngineThread {
    fn drop(&mut self) {
        drop(self.jobs.take());
        // The thread itself drops the last clone if a task has it that a response of the thread woke. It cannot wait for itself.
        let handle = self.handle.take();
        let handle = handle.filter(|handle| handle.thread().id() != thread::current().id());
        if let Some(handle) = handle {
            drop(handle.join());
        }
    }
}

struct EngineJob {
    operation: Cow<'static, str>,
    body: Bytes,
    answer: oneshot::Sender<EngineAnswer>,
}

/// Fields drop in order, so others get the file only after the database is closed.
struct Opened {
    database: Arc<SharedDatabase>,
    /// None for a database in memory.
    alone: Option<(Claim, FileLock)>,
}

impl EmbeddedEngine {
    /// A database in memory, which is gone with the last clone.
    pub async fn memory() -> Result<Self> {
        Self::start_engine(|| {
            let database =
                EngineStore::in_memory().map_err(|error| cannot_open("memory", &error))?;
            Ok(Opened {
                database: Arc::new(SharedDatabase::new(database)),
                alone: None,
            })
        })
        .await
    }

    /// A database in a file. The file is created if it does not exist; its folder has to exist.
    ///
    /// When the last clone of the engine and of its connections is dropped, the file is closed. The drop waits for this, usually
    /// a few milliseconds. Afterwards the file contains every write, and `PATH-wal` no longer exists. If the process is killed
    /// before, the newest writes are in `PATH-wal`, and the next engine that opens the file reads them there.
    ///
    /// Fails with [`ErrorKind::Locked`] while another engine has the file open, in this process or in another one, by
    /// whatever name: beside `PATH.lock`, the file itself is locked. (If only that second lock is held,
    /// because the first was deleted or the file has several names, the answer takes half a minute.) Other programs
    /// cannot read the file meanwhile. A process that opens the file by other means, for example to copy it, gives that
    /// lock up.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_owned();
        Self::start_engine(move || open_file(&path)).await
    }

    async fn start_engine(open: impl FnOnce() -> Result<Opened> + Send + 'static) -> Result<Self> {
        let (jobs, queue) = mpsc::channel();
        let (ready, opened) = oneshot::channel();
        let owner = move || match open() {
            Ok(Opened { database, alone }) => {
                // A file must be closed by its thread, and before its locks are released. Therefore callers get no
                // share of a file's database.
                let near = alone.is_none().then(|| database.clone());
                if ready.send(Ok(near)).is_ok() {
                    serve(&database, &queue);
                }
                drop(database);
                drop(alone);
            }
            Err(error) => drop(ready.send(Err(error))),
        };
        let handle = thread::Builder::new()
            .name("dynamo-embedded".into())
            .stack_size(STACK)
            .spawn(owner)
            .map_err(|error| cannot_open("a thread", &error).with_source(error))?;
        let near = opened
            .await
            .map_err(|_| cannot_open("the database", &"its thread ended"))??;
        Ok(EmbeddedEngine {
            thread: Arc::new(EngineThread {
                jobs: Some(jobs),
                handle: near.is_none().then_some(handle),
            }),
            near,
            requests: Arc::default(),
        })
    }

    /// Executes one request: takes the operation and a body of DynamoDB JSON, and returns a status and a body.
    pub(crate) async fn call_operation(
        &self,
        operation: Cow<'static, str>,
        body: Bytes,
    ) -> EngineAnswer {
        if let Some(database) = self.near.as_ref().filter(|_| is_brief(&operation, &body)) {
            for _ in 0..PATIENCE {
                // Without this pause, a task would run to its end before any other begins, because no request ever
                // waits. Timers would not fire, and no test would see a race.
                tokio::task::yield_now().await;
                if let Some(answer) = database.answer_if_free(&operation, &body) {
                    return answer;
                }
            }
        }
        let (answer, answered) = oneshot::channel();
        // The guard is taken before the request is queued, so that no small request overtakes it,
        // and it is dropped with this future.
        let _queued = self.near.as_ref().map(|database| database.queued());
        let job = EngineJob {
            operation,
            body,
            answer,
        };
        let jobs = self.thread.jobs.as_ref();
        match jobs.and_then(|jobs| jobs.send(job).ok()) {
            Some(()) => answered.await.unwrap_or_else(|_| internal_error()),
            None => internal_error(),
        }
    }

    /// Deletes the expired items of all tables, and returns their number. DynamoDB does so in the background; the embedded
    /// engine only if you call this, for example once an hour, or in a test of a consumer of removals by TTL.
    pub async fn sweep_expired(&self) -> Result<u64> {
        let (status, body) = self
            .call_operation("SweepExpiredItems".into(), Bytes::from_static(b"{}"))
            .await;
        let swept = serde_json::from_slice(&body).ok().filter(|_| status == 200);
        swept.ok_or_else(|| {
            let message = format!(
                "the expired items were not deleted: {}",
                body.escape_ascii()
            );
            Error::new(ErrorKind::Service, Stage::Service, message)
        })
    }

    /// Keeps a database in memory from answering.
    #[cfg(test)]
    pub(super) fn hold(&self) -> Option<impl Sized + '_> {
        self.near.as_ref().map(|database| database.hold())
    }

    #[cfg(test)]
    pub(crate) async fn execute(&self, operation: &str, body: &[u8]) -> (u16, Vec<u8>) {
        self.call_operation(operation.to_owned().into(), Bytes::copy_from_slice(body))
            .await
    }

    /// The id of the next answer.
    pub(crate) fn next_request_id(&self) -> String {
        let id = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        format!("embedded-{id:012}")
    }
}

impl fmt::Debug for EmbeddedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedEngine").finish_non_exhaustive()
    }
}

/// Answers requests until the last handle is gone.
fn serve(database: &SharedDatabase, queue: &mpsc::Receiver<EngineJob>) {
    for job in queue {
        // The caller has dropped its future before its turn came, so nothing may be executed for it any more.
        if job.answer.is_closed() {
            continue;
        }
        let answer = database.answer(&job.operation, &job.body);
        // Sending the response runs the waker of the caller's executor, and a panic there must not end the thread.
        drop(catch_unwind(AssertUnwindSafe(|| job.answer.send(answer))));
    }
}

fn open_file(path: &Path) -> Result<Opened> {
    if path.is_dir() {
        let message = format!("{} is a folder, not a file", path.display());
        return Err(Error::config(message));
    }
    let path = file_lock::resolve_path(path).map_err(|error| {
        let message = format!(
            "the path {} of the database file cannot be used ({error}): if its folder is not there, \
             create it first",
            path.display()
        );
        Error::config(message).with_source(error)
    })?;
    // The lock file comes first, because it reports a second opener at once. With SQLite's own lock
    // alone, that takes half a minute.
    let url = url(&path)?;
    let lock = FileLock::acquire_lock(&path, WHAT, INSTEAD)?;
    let claim = claim(&path)?;
    let database = EngineStore::open_file(&url).map_err(|error| {
        if is_busy(&error) {
            file_lock::locked_error(&path, WHAT, INSTEAD)
        } else {
            cannot_open(path.display(), &error)
        }
    })?;
    // A failure is ignored, because old records of streams only take room.
    drop(trim_streams(&database.storage));
    Ok(Opened {
        database: Arc::new(SharedDatabase::new(database)),
        alone: Some((claim, lock)),
    })
}

/// A URL with which SQLite locks the file itself as long as it is open, and not only for each transaction. Therefore no
/// other process can open it by another name, or after the lock file was deleted. Only URLs of SQLite can request this.
/// On other systems than Unix, an open lock file cannot be deleted.
fn url(path: &Path) -> Result<String> {
    let text = path
        .to_str()
        .ok_or_else(|| Error::config(format!("the path {} is not UTF-8", path.display())))?;
    if !cfg!(unix) {
        return Ok(text.to_owned());
    }
    // The percent sign comes first, because the other replacements write new ones.
    let text = text.replace('%', "%25");
    let text = text.replace('?', "%3f").replace('#', "%23");
    Ok(format!("file:{text}?vfs=unix-excl"))
}

/// Creates the file if it does not exist, and claims it, so that this process does not open it again by another name.
fn claim(path: &Path) -> Result<Claim> {
    let unusable = |error| cannot_open(path.display(), &error);
    if !path.exists() {
        let mut options = OpenOptions::new();
        let made = options.create(true).append(true).open(path);
        drop(made.map_err(unusable)?);
    }
    let claim = file_lock::try_patiently(|| Claim::claim_of(path).map_err(unusable))?;
    claim.ok_or_else(|| file_lock::locked_error(path, WHAT, INSTEAD))
}

/// `SQLITE_BUSY`: another process has locked the file.
fn is_busy(error: &DynoxideError) -> bool {
    let DynoxideError::SqliteError(error) = error else {
        return false;
    };
    error
        .sqlite_error()
        // The lower byte is the primary code, and the upper ones say why SQLite is busy.
        .is_some_and(|error| error.extended_code & 0xff == 5)
}

fn cannot_open(what: impl fmt::Display, why: &dyn fmt::Display) -> Error {
    let message = format!("the embedded engine cannot open {what}: {why}");
    Error::new(ErrorKind::Config, Stage::Connect, message)
}
