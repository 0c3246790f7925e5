//! Bytes of any length beside an item.

use std::fmt;

use super::content::parts_of_bytes;
use super::delete::DeleteLarge;
use super::place::LargePlace;
use super::read::{LargeReads, bytes_of};
use super::write::{HeadChange, LargeWrite};
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Key, Patterns};
use crate::error::Result;
use crate::plan::Steps;

/// Bytes of any length beside an item, which `blob(plan)` declares. `Hall::plan(..)` returns them, with the arguments of
/// `Hall::key(..)`.
///
/// The bytes are stored in parts beside the item. A `put`, an `update` or an import of the item does not change them, and a delete
/// of the item deletes them.
///
/// ```
/// use dynamo_entity::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "halls", key(pk = "HALL#{id}"), blob(plan))]
/// struct Hall { id: u32, name: String }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Hall::schema()]).await?;
/// Hall { id: 1, name: "Large".into() }.create().send(&db).await?;
/// let plan = vec![7; 600_000];
/// Hall::plan(1).write(&plan).send(&db).await?;
/// assert_eq!(Hall::plan(1).read(&db).await?, Some(plan));
/// Hall::key(1).delete().send(&db).await?; // deletes both
/// assert_eq!(Hall::plan(1).read(&db).await?, None);
/// # Ok(()) }
/// ```
#[must_use = "nothing happens until an operation is called"]
pub struct Blob<E: DynamoEntity> {
    place: LargePlace<E>,
    part_bytes: Option<usize>,
}

impl<E: DynamoEntity> Blob<E> {
    #[doc(hidden)]
    pub fn of_key(key: Key<E>, number: usize) -> Self {
        Blob {
            place: LargePlace { key, number },
            part_bytes: None,
        }
    }

    /// Sets the size of the parts that this handle writes, which is 350,000 bytes by default and at most. Outside of DynamoDB, it is
    /// 8 MiB by default, and at most 64 MiB.
    pub fn part_bytes(mut self, bytes: usize) -> Self {
        self.part_bytes = Some(bytes);
        self
    }

    /// Stores these bytes in the place of all former ones. The item must exist. A reader sees the former bytes or the new ones.
    pub fn write(&self, bytes: impl AsRef<[u8]>) -> LargeWrite<E> {
        let part_bytes = self.place.part_bytes(self.part_bytes);
        let contents = parts_of_bytes(bytes.as_ref(), part_bytes, self.place.is_outside());
        self.place.write(HeadChange::Replace, Ok(contents))
    }

    /// Deletes the bytes, and not the item.
    pub fn delete(&self) -> DeleteLarge<E> {
        DeleteLarge {
            place: self.place.clone(),
        }
    }

    /// Reads all bytes by strong reads, and checks their checksums; `None` if nothing was written.
    pub fn read<'d>(&self, db: &'d Dynamo) -> Steps<'d, Result<Option<Vec<u8>>>> {
        let reads = self.reads();
        Steps(Box::pin(async move {
            let parts = reads?.all(bytes_of, db).await?;
            Ok(parts.map(|parts| parts.concat()))
        }))
    }

    /// Returns the number of bytes, by one strong read; `None` if nothing was written.
    pub fn len<'d>(&self, db: &'d Dynamo) -> Steps<'d, Result<Option<u64>>> {
        let reads = self.reads();
        Steps(Box::pin(async move {
            let head = reads?.head(db).await?;
            Ok(head.map(|head| head.length))
        }))
    }

    fn reads(&self) -> Result<LargeReads> {
        Ok(LargeReads {
            rows: self.place.rows()?,
            pattern: Patterns::<E>::GET,
        })
    }
}

impl<E: DynamoEntity> fmt::Debug for Blob<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({:?})", self.place)
    }
}
