//! A storage in memory, for tests.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::object_storage::{ObjectStorage, StorageError};

/// A storage in memory, for tests of programs. Clones share the objects.
///
/// ```
/// use dynamo_entity::prelude::*;
/// use dynamo_entity::storage::MemoryStorage;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "halls", key(pk = "HALL#{id}"), blob(plan, outside))]
/// struct Hall { id: u32 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let storage = MemoryStorage::default();
/// let db = Dynamo::connect("embedded:memory").await?.with_object_storage(storage.clone());
/// db.create_tables([Hall::schema()]).await?;
/// Hall { id: 1 }.create().send(&db).await?;
/// Hall::plan(1).write(b"a plan").send(&db).await?;
/// assert_eq!(storage.names().len(), 1);
/// Hall::plan(1).delete().send(&db).await?; // leaves the young object to a sweep
/// assert_eq!(Hall::plan(1).read(&db).await?, None);
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct MemoryStorage(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl MemoryStorage {
    /// Returns the names of all objects.
    pub fn names(&self) -> Vec<String> {
        self.objects().keys().cloned().collect()
    }

    /// Replaces the content of an object or deletes it, to test how a program reacts to damage.
    pub fn damage(&self, name: &str, content: Option<Vec<u8>>) {
        let mut objects = self.objects();
        match content {
            Some(content) => objects.insert(name.to_owned(), content),
            None => objects.remove(name),
        };
    }

    fn objects(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        // Each change is one call of the map, so a panic elsewhere leaves it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ObjectStorage for MemoryStorage {
    async fn put(&self, name: &str, content: Vec<u8>) -> Result<(), StorageError> {
        self.objects().insert(name.to_owned(), content);
        Ok(())
    }

    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StorageError> {
        Ok(self.objects().get(name).cloned())
    }

    async fn delete(&self, name: &str) -> Result<(), StorageError> {
        self.objects().remove(name);
        Ok(())
    }
}

impl fmt::Debug for MemoryStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryStorage({} objects)", self.objects().len())
    }
}
