//! The objects of parts outside of DynamoDB.

use bytes::Bytes;

use super::large::LargeRows;
use super::part_name::PartObject;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::storage::{SharedStorage, StorageError};

impl LargeRows {
    /// The storage of the objects.
    pub(crate) fn object_storage<'d>(&self, db: &'d Dynamo) -> Result<&'d SharedStorage> {
        db.object_storage().ok_or_else(|| {
            let message = format!(
                "`{}` is stored outside of DynamoDB, and this connection has no storage for it: give it one by \
                 `with_object_storage`",
                self.value.name
            );
            Error::new(ErrorKind::Config, Stage::Request, message).of(self.entity.type_name)
        })
    }

    /// Fails if the value is declared outside of DynamoDB, and the connection has no storage.
    pub(crate) fn check_storage(&self, db: &Dynamo) -> Result<()> {
        match self.value.outside {
            true => self.object_storage(db).map(drop),
            false => Ok(()),
        }
    }

    /// Stores an object. Its marker must exist already, because only this tells a sweep that the object exists.
    pub(crate) async fn store_object(
        &self,
        object: &PartObject<'_>,
        content: Vec<u8>,
        db: &Dynamo,
    ) -> Result<()> {
        let storage = self.object_storage(db)?;
        let stored = storage.put_object(&object.to_string(), content).await;
        stored.map_err(|error| self.storage_error("store", error))
    }

    /// The content of an object, if it exists.
    pub(crate) async fn read_object(
        &self,
        object: &PartObject<'_>,
        db: &Dynamo,
    ) -> Result<Option<Bytes>> {
        let storage = self.object_storage(db)?;
        let found = storage.get_object(&object.to_string()).await;
        let found = found.map_err(|error| self.storage_error("return", error))?;
        match found {
            Some(content) if !object.has_content(&content) => {
                let message = format!(
                    "an object of `{}` has another content than the one that was stored",
                    self.value.name
                );
                let error = Error::new(ErrorKind::Decode, Stage::Decode, message);
                Err(error.of(self.entity.type_name).at(self.value.name))
            }
            found => Ok(found.map(Bytes::from)),
        }
    }

    /// Deletes an object that this table has written. Those of the original of a copied table stay.
    pub(crate) async fn delete_object(&self, object: &PartObject<'_>, db: &Dynamo) -> Result<()> {
        if !object.is_of_table(&self.table_name(db)) {
            return Ok(());
        }
        let storage = self.object_storage(db)?;
        let deleted = storage.delete_object(&object.to_string()).await;
        deleted.map_err(|error| self.storage_error("delete", error))
    }

    fn storage_error(&self, action: &str, source: StorageError) -> Error {
        let message = format!(
            "the storage of `{}` did not {action} an object",
            self.value.name
        );
        let error = Error::new(ErrorKind::Storage, Stage::Service, message).with_source(source);
        error.of(self.entity.type_name).at(self.value.name)
    }
}
