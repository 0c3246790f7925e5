//! How far a job has come, kept outside of the job.

pub(crate) mod file;
pub(crate) mod state;

use std::error::Error as StdError;
use std::future::Future;
use std::pin::Pin;

/// The reason why a checkpoint could not be loaded or saved.
pub type CheckpointError = Box<dyn StdError + Send + Sync>;

/// A load or a save in progress.
pub type Saving<'s, T> = Pin<Box<dyn Future<Output = Result<T, CheckpointError>> + Send + 's>>;

/// A store for the checkpoint of one job: [`FileCheckpoint`](file::FileCheckpoint) uses a file.
///
/// The saved data contains the keys of rows, and no other values of them. When a save returns, it must be durable,
/// and it must replace the previous one completely or not at all. A job loads once, at its start, and then makes one
/// save after the other. `load` separates two jobs that use one checkpoint: it may return an error until
/// [`release`](Self::release).
///
/// ```
/// use dynamo_entity::bulk::{Checkpoint, Saving};
/// use std::sync::Mutex;
///
/// #[derive(Default)]
/// struct InMemory(Mutex<Option<Vec<u8>>>);
///
/// impl Checkpoint for InMemory {
///     fn load(&self) -> Saving<'_, Option<Vec<u8>>> {
///         Box::pin(async { Ok(self.0.lock().map_err(|_| "poisoned")?.clone()) })
///     }
///
///     fn save(&self, state: Vec<u8>) -> Saving<'_, ()> {
///         Box::pin(async { *self.0.lock().map_err(|_| "poisoned")? = Some(state); Ok(()) })
///     }
/// }
/// ```
pub trait Checkpoint: Send + Sync {
    /// Returns the last saved data; `None` at the first start.
    fn load(&self) -> Saving<'_, Option<Vec<u8>>>;

    /// Replaces what was saved last.
    fn save(&self, state: Vec<u8>) -> Saving<'_, ()>;

    /// Called when the job that loaded the checkpoint is over, whether it was completed or not: other jobs may load it
    /// now. Does nothing by default.
    fn release(&self) {}
}

impl<C: Checkpoint + ?Sized> Checkpoint for &C {
    fn load(&self) -> Saving<'_, Option<Vec<u8>>> {
        (**self).load()
    }

    fn save(&self, state: Vec<u8>) -> Saving<'_, ()> {
        (**self).save(state)
    }

    fn release(&self) {
        (**self).release();
    }
}
