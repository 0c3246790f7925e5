//! The data about an entity in an error: the current item, the owner of a unique value, and the key.

use super::read::owner_of;
use super::{DynamoEntity, DynamoTable, Key, is_item_of, read_key, read_live};
use crate::codec::Item;
use crate::error::{Error, Failed, Result};
use crate::schema::{is_identified_by_type, lists};

impl Error {
    /// The item that made a condition fail. The server returned it with the failure, so it is the item that the
    /// condition saw. It is read separately only if the server returns no item with a failed condition. `None` if no
    /// item was returned, if the item has expired, or if the error belongs to another entity than `E`: then
    /// [`current_item`](Self::current_item) has it. In a table with `identify_by = type`, the item may belong to another
    /// entity than the one that was written, and `E` can be that entity. `Err` if it cannot be decoded.
    pub fn current<E: DynamoEntity>(&self) -> Result<Option<E>> {
        let Some((item, at)) = self.current_seen() else {
            return Ok(None);
        };
        let is_own = match self.declared() {
            // An item of any entity of the table may have the key that was written.
            Some(id) if const { is_identified_by_type(&<E::Table as DynamoTable>::TABLE) } => {
                let table = &<E::Table as DynamoTable>::TABLE;
                lists(table, <E::Table as DynamoTable>::ENTITIES, id) && is_item_of::<E>(item)
            }
            Some(_) => may_be_of::<E>(self),
            // A job over a collection does not know its rows.
            None => is_item_of::<E>(item),
        };
        if !is_own {
            return Ok(None);
        }
        read_live::<E>(item, at)
    }

    /// The same item as stored, even if it cannot be decoded. Also the item that a `delete().returning_old()` deleted
    /// and could not decode.
    pub fn current_item(&self) -> Result<Option<Item>> {
        let item = self.current_seen().map(|(item, _at)| item);
        let item = item.map(|item| Item::from_dynamo_json(item)).transpose();
        item.map_err(Error::undecodable)
    }

    /// The key of the item that already has the unique value of the rejected write. It was returned with the error,
    /// without a second read. `None` also if the values are not those of `E`; `Err` if another program has stored
    /// something else in place of the key.
    pub fn holder<E: DynamoEntity>(&self) -> Result<Option<Key<E>>> {
        let holder = self.holder_item().filter(|_| may_be_of::<E>(self));
        holder.map(|sentinel| owner_of(sentinel)).transpose()
    }

    /// The key of the item that cannot be decoded, for any read: a query, a scan, `get_many`, a `transact_get`, whole or
    /// partial. With it you can inspect, repair or delete the item. A row of a collection has the key of its variant.
    ///
    /// For a transaction, it is the key of the operation that the error is about, which is one of its
    /// [`failures`](Self::failures); each of these has a [key of its own](Failed::key_of).
    ///
    /// `None` if `E` is not the entity that was read or written, and for other errors: the sender of a single write
    /// has its key, and a report names the keys of its rows. `Err` if the key itself cannot be read: then
    /// [`item_key`](Self::item_key) has it. Neither the message nor `Debug` shows the key.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # use dynamo_entity::ErrorKind;
    /// # #[derive(Debug, DynamoEntity)]
    /// # #[dynamo(table = "invoices", key(pk = user, sk = number))]
    /// # struct Old { user: String, number: u32, cents: String }
    /// #[derive(Debug, DynamoEntity)]
    /// #[dynamo(table = "invoices", key(pk = user, sk = number))]
    /// struct Invoice { user: String, number: u32, cents: u64 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Invoice::schema()]).await?;
    /// # Old { user: "ann".into(), number: 7, cents: "12.50".into() }.put().send(&db).await?;
    /// let error = Invoice::in_partition("ann").all(&db).await.unwrap_err();
    ///
    /// assert_eq!(error.kind(), ErrorKind::Decode);
    /// assert_eq!(error.to_string(), "Invoice.cents: expected N, found S");
    /// assert_eq!(error.key_of::<Invoice>()?, Some(Invoice::key("ann", 7)));
    /// # Ok(()) }
    /// ```
    pub fn key_of<E: DynamoEntity>(&self) -> Result<Option<Key<E>>> {
        key_of(self.item_key_json(), self)
    }

    /// The same key as stored, for any item: attributes by their names.
    pub fn item_key(&self) -> Option<Item> {
        let key = self.item_key_json()?;
        Item::from_dynamo_json(key).ok()
    }
}

impl Failed {
    /// Whether it was an operation on an item of `E`.
    pub fn is<E: DynamoEntity>(&self) -> bool {
        self.error().declared() == Some(E::ENTITY.id)
    }

    /// The key of the item of the operation. `None` if it could not be built, or if the operation was on an item of
    /// another entity than `E`.
    pub fn key_of<E: DynamoEntity>(&self) -> Result<Option<Key<E>>> {
        key_of(self.key_json(), self.error())
    }
}

/// A key in an error, as one of this entity. If the entity of the row is not known, as in a collection, a key that
/// cannot be parsed counts as that of another entity.
pub(crate) fn key_of<E: DynamoEntity>(key: Option<&[u8]>, error: &Error) -> Result<Option<Key<E>>> {
    let key = key.filter(|_| may_be_of::<E>(error)).map(read_key);
    match key.transpose() {
        Err(_) if error.declared().is_none() => Ok(None),
        read => read,
    }
}

/// Whether the error can belong to this entity.
fn may_be_of<E: DynamoEntity>(error: &Error) -> bool {
    error.declared().is_none_or(|id| id == E::ENTITY.id)
}
