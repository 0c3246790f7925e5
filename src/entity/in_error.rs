//! What an error knows about an entity: the item it met, the item that holds a unique value, and the key.

use super::sentinel::owner_of;
use super::{DynamoEntity, Key, is_item_of, read_key, read_live};
use crate::codec::Item;
use crate::error::{Error, Failed, Result};

impl Error {
    /// The item that made a condition fail. It came with the error, so it is the item that the condition saw. It is
    /// read a second time only if the server sends no item with a condition that failed. `None` if no item came, if the
    /// item has expired, or if the error is one of another entity than `E`: then [`current_item`](Self::current_item)
    /// has it. `Err` if it does not decode.
    pub fn current<E: DynamoEntity>(&self) -> Result<Option<E>> {
        let Some((item, at)) = self.current_seen() else {
            return Ok(None);
        };
        let is_own = match self.declared() {
            Some(_) => may_be_of::<E>(self),
            // A job over a collection does not know its rows.
            None => is_item_of::<E>(item),
        };
        if !is_own {
            return Ok(None);
        }
        read_live::<E>(item, at)
    }

    /// The same item as it is stored, even if it does not decode. Also the item that a
    /// `delete().returning_old()` took away and could not decode.
    pub fn current_item(&self) -> Result<Option<Item>> {
        let item = self.current_seen().map(|(item, _at)| item);
        let item = item.map(|item| Item::from_dynamo_json(item)).transpose();
        item.map_err(Error::undecodable)
    }

    /// The key of the item that already has the unique value for which the write of another item was refused. It came
    /// with the error; there was no second read. `None` also if the values are not those of `E`; `Err` if another
    /// program has written something else in the place of the key.
    pub fn holder<E: DynamoEntity>(&self) -> Result<Option<Key<E>>> {
        let holder = self.holder_item().filter(|_| may_be_of::<E>(self));
        holder.map(|sentinel| owner_of(sentinel)).transpose()
    }

    /// The key of the item that does not decode, whatever read it: a query, a scan, `get_many`, a `snapshot`, as a
    /// whole or in part. With it the item can be looked at, repaired or deleted. A row of a collection has the key of
    /// its variant.
    ///
    /// For a transaction it is the key of the operation that the error is about, which is one of its
    /// [`failures`](Self::failures); each of these has a [key of its own](Failed::key_of).
    ///
    /// `None` if `E` is not the entity that was read or written, and for other errors: whoever sends a single write has
    /// its key, and a report names the keys of its rows. `Err` if the key itself cannot be read:
    /// [`item_key`](Self::item_key) has it then. Neither the message nor `Debug` shows the key.
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

    /// The same key as it is stored, of whatever item it is: attributes by their names.
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

    /// The key of the item that the operation was for. `None` if it could not be made, or if the operation was on an
    /// item of another entity than `E`.
    pub fn key_of<E: DynamoEntity>(&self) -> Result<Option<Key<E>>> {
        key_of(self.key_json(), self.error())
    }
}

/// A key that came with an error, as one of this entity. Where nobody knows what the row is, as of a collection, a key that
/// does not read is taken for that of another entity.
pub(crate) fn key_of<E: DynamoEntity>(key: Option<&[u8]>, error: &Error) -> Result<Option<Key<E>>> {
    let key = key.filter(|_| may_be_of::<E>(error)).map(read_key);
    match key.transpose() {
        Err(_) if error.declared().is_none() => Ok(None),
        read => read,
    }
}

/// Whether the error can be one of this entity.
fn may_be_of<E: DynamoEntity>(error: &Error) -> bool {
    error.declared().is_none_or(|id| id == E::ENTITY.id)
}
