//! Storages for lists and blobs outside of DynamoDB, for `blob(plan, outside)` and `chunked(seats: Seat, outside)`.
//!
//! Give one to the connection by [`with_object_storage`](crate::Dynamo::with_object_storage). See
//! [the guide](crate::guide::large_values#storage-outside-of-dynamodb).

#[cfg(feature = "testing")]
mod memory_storage;
mod object_storage;
#[cfg(feature = "object_store")]
mod object_store_adapter;
mod shared_storage;

#[cfg(feature = "testing")]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub use memory_storage::MemoryStorage;
pub use object_storage::{ObjectStorage, StorageError};
#[cfg(feature = "object_store")]
#[cfg_attr(docsrs, doc(cfg(feature = "object_store")))]
pub use object_store_adapter::ObjectStoreAdapter;
pub(crate) use shared_storage::SharedStorage;
