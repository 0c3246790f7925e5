//! The storages of the crate `object_store`.

use std::fmt;
use std::sync::Arc;

use object_store::path::Path;
use object_store::{
    Error as StoreError, GetOptions, ObjectStore, ObjectStoreExt as _, PutOptions, PutPayload,
};

use super::object_storage::{ObjectStorage, StorageError};

/// A storage of the crate `object_store`: S3, Google Cloud Storage, Azure, a local folder or memory.
///
/// To use a part of a bucket, wrap it in `object_store::prefix::PrefixStore`. Retries and time limits are set on the store itself.
///
/// ```
/// use dynamo_entity::prelude::*;
/// use dynamo_entity::storage::ObjectStoreAdapter;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let store = object_store::memory::InMemory::new();
/// let db = Dynamo::connect("embedded:memory").await?.with_object_storage(ObjectStoreAdapter::new(store));
/// # let _ = db; Ok(()) }
/// ```
#[derive(Clone)]
pub struct ObjectStoreAdapter(Arc<dyn ObjectStore>);

impl ObjectStoreAdapter {
    /// Uses this store, which can also be an `Arc<dyn ObjectStore>`.
    pub fn new(store: impl ObjectStore) -> Self {
        ObjectStoreAdapter(Arc::new(store))
    }
}

impl ObjectStorage for ObjectStoreAdapter {
    async fn put(&self, name: &str, content: Vec<u8>) -> Result<(), StorageError> {
        let (path, content) = (Path::parse(name)?, PutPayload::from(content));
        // The default mode overwrites. An earlier attempt of this upload may have stored the same content.
        self.0
            .put_opts(&path, content, PutOptions::default())
            .await?;
        Ok(())
    }

    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StorageError> {
        let path = Path::parse(name)?;
        match self.0.get_opts(&path, GetOptions::default()).await {
            Ok(object) => Ok(Some(object.bytes().await?.into())),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn delete(&self, name: &str) -> Result<(), StorageError> {
        match self.0.delete(&Path::parse(name)?).await {
            // Some stores report a missing object, and S3 does not.
            Ok(()) | Err(StoreError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl fmt::Debug for ObjectStoreAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectStoreAdapter({})", self.0)
    }
}
