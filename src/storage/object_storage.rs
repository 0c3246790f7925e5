//! The contract of a storage for objects.

use std::error::Error as StdError;
use std::future::Future;
use std::sync::Arc;

/// The reason why a storage failed.
pub type StorageError = Box<dyn StdError + Send + Sync>;

/// A storage for large values outside of DynamoDB, such as a bucket of S3.
///
/// The library chooses the names, and never uses a name for two contents. A name consists of digits, the letters from `a` to `f`,
/// `-` and one `/`, and has at most 120 characters. An object never changes after it was stored.
///
/// The library calls a function once for each object. If you want retries and time limits, they are part of the implementation. A
/// failed or dropped `put` may have stored the object, and may still do so within 12 hours: a [`Sweep`](crate::large::Sweep)
/// deletes it.
///
/// You can implement the functions by `async fn`, as long as their futures are `Send`:
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
/// use dynamo_entity::storage::{ObjectStorage, StorageError};
///
/// #[derive(Default)]
/// struct InMemory(Mutex<HashMap<String, Vec<u8>>>);
///
/// impl ObjectStorage for InMemory {
///     async fn put(&self, name: &str, content: Vec<u8>) -> Result<(), StorageError> {
///         self.0.lock().map_err(|_| "poisoned")?.insert(name.to_owned(), content);
///         Ok(())
///     }
///
///     async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StorageError> {
///         Ok(self.0.lock().map_err(|_| "poisoned")?.get(name).cloned())
///     }
///
///     async fn delete(&self, name: &str) -> Result<(), StorageError> {
///         self.0.lock().map_err(|_| "poisoned")?.remove(name);
///         Ok(())
///     }
/// }
/// ```
pub trait ObjectStorage: Send + Sync + 'static {
    /// Stores an object. When it has returned, the object is durable, and every later `get` returns it.
    fn put(
        &self,
        name: &str,
        content: Vec<u8>,
    ) -> impl Future<Output = Result<(), StorageError>> + Send;

    /// Returns the content of an object; `None` if it does not exist.
    fn get(&self, name: &str)
    -> impl Future<Output = Result<Option<Vec<u8>>, StorageError>> + Send;

    /// Deletes an object. If it does not exist, this is not an error.
    fn delete(&self, name: &str) -> impl Future<Output = Result<(), StorageError>> + Send;
}

/// A storage that the program uses too.
impl<S: ObjectStorage> ObjectStorage for Arc<S> {
    fn put(
        &self,
        name: &str,
        content: Vec<u8>,
    ) -> impl Future<Output = Result<(), StorageError>> + Send {
        (**self).put(name, content)
    }

    fn get(
        &self,
        name: &str,
    ) -> impl Future<Output = Result<Option<Vec<u8>>, StorageError>> + Send {
        (**self).get(name)
    }

    fn delete(&self, name: &str) -> impl Future<Output = Result<(), StorageError>> + Send {
        (**self).delete(name)
    }
}
