//! A storage of any type, which clones of a connection share.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::object_storage::{ObjectStorage, StorageError};

type StorageFuture<'s, T> = Pin<Box<dyn Future<Output = Result<T, StorageError>> + Send + 's>>;

#[derive(Clone)]
pub(crate) struct SharedStorage(Arc<dyn AnyStorage>);

impl SharedStorage {
    pub(crate) fn new(storage: impl ObjectStorage) -> Self {
        SharedStorage(Arc::new(storage))
    }

    pub(crate) async fn put_object(
        &self,
        name: &str,
        content: Vec<u8>,
    ) -> Result<(), StorageError> {
        self.0.put_boxed(name, content).await
    }

    pub(crate) async fn get_object(&self, name: &str) -> Result<Option<Vec<u8>>, StorageError> {
        self.0.get_boxed(name).await
    }

    pub(crate) async fn delete_object(&self, name: &str) -> Result<(), StorageError> {
        self.0.delete_boxed(name).await
    }
}

/// The contract with boxed futures: functions that return `impl Future` cannot be called through `dyn`.
trait AnyStorage: Send + Sync {
    fn put_boxed<'s>(&'s self, name: &'s str, content: Vec<u8>) -> StorageFuture<'s, ()>;
    fn get_boxed<'s>(&'s self, name: &'s str) -> StorageFuture<'s, Option<Vec<u8>>>;
    fn delete_boxed<'s>(&'s self, name: &'s str) -> StorageFuture<'s, ()>;
}

impl<S: ObjectStorage> AnyStorage for S {
    fn put_boxed<'s>(&'s self, name: &'s str, content: Vec<u8>) -> StorageFuture<'s, ()> {
        Box::pin(self.put(name, content))
    }

    fn get_boxed<'s>(&'s self, name: &'s str) -> StorageFuture<'s, Option<Vec<u8>>> {
        Box::pin(self.get(name))
    }

    fn delete_boxed<'s>(&'s self, name: &'s str) -> StorageFuture<'s, ()> {
        Box::pin(self.delete(name))
    }
}
