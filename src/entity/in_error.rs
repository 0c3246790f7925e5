//! What an error knows of an entity: the item it met, whose it is, and its key.

use super::sentinel::owner_of;
use super::{DynamoEntity, Key, KeyParts, is_item_of, read_live};
use crate::codec::Item;
use crate::error::{Error, Failed, Result};
use crate::json::Reader;

impl Error {
    /// The item that made a condition fail. It came with the error, so it is the item the condition
    /// saw; there was no second read, but from a server that sends no item with a condition that failed. `None` where no item came, where the one that came has
    /// expired, and where the error is one of another entity than `E`: [`current_item`](Self::current_item) has it then.
    pub fn current<E: DynamoEntity>(&self) -> Option<Result<E>> {
        let (item, at) = self.current_seen()?;
        let is_own = match self.declared() {
            Some(_) => may_be_of::<E>(self),
            // A job over a collection does not know its rows.
            None => is_item_of::<E>(item),
        };
        if !is_own {
            return None;
        }
        read_live::<E>(item, at).transpose()
    }

    /// The same item as it is stored, for one that does not decode. Also what a
    /// `delete().returning_old()` took away and could not decode.
    pub fn current_item(&self) -> Option<Result<Item>> {
        let (item, _at) = self.current_seen()?;
        let item = Item::from_dynamo_json(item);
        Some(item.map_err(Error::undecodable))
    }

    /// The key of the item that has a unique value, where a write of another one was refused for it. It came with the
    /// error; there was no second read. `None` too where it is not `E` whose values are kept.
    pub fn holder<E: DynamoEntity>(&self) -> Option<Result<Key<E>>> {
        let holder = self.holder_item().filter(|_| may_be_of::<E>(self));
        holder.map(|sentinel| owner_of(sentinel))
    }

    /// The key of the item that does not decode, whatever read it: a query, a scan, `get_many`, a `snapshot`, as a whole
    /// or in part. So the item can be looked at, mended or deleted. A row of a collection has the key of its variant.
    ///
    /// Of a transaction it is the key of the operation that the error tells of, which is one of its
    /// [`failures`](Self::failures); each of these has the [key of its own](Failed::key_of).
    ///
    /// `None` if the key itself does not read ([`item_key`](Self::item_key) has it then), of an entity other than the one
    /// that was read or written, and of other errors: who sends a single write has its key, and a report names those of
    /// its rows. Neither the message nor `Debug` shows the key.
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
    /// assert_eq!(error.key_of::<Invoice>(), Some(Invoice::key("ann", 7)));
    /// # Ok(()) }
    /// ```
    pub fn key_of<E: DynamoEntity>(&self) -> Option<Key<E>> {
        let key = self.item_key_json();
        let key = key.filter(|_| may_be_of::<E>(self))?;
        let parts = E::KeyParts::read(&mut Reader::new(key));
        parts.ok().map(Key::from_parts)
    }

    /// The key of that item as it is stored, whatever it is: attributes by their names.
    pub fn item_key(&self) -> Option<Item> {
        let key = self.item_key_json()?;
        Item::from_dynamo_json(key).ok()
    }
}

impl Failed {
    /// The key of the item that the operation was for. `None` if it could not be made, or is not one of `E`.
    pub fn key_of<E: DynamoEntity>(&self) -> Option<Key<E>> {
        let key = self.key_json().filter(|_| may_be_of::<E>(self.error()));
        let parts = E::KeyParts::read(&mut Reader::new(key?));
        parts.ok().map(Key::from_parts)
    }
}

/// Whether it can be one of this entity.
fn may_be_of<E: DynamoEntity>(error: &Error) -> bool {
    error.declared().is_none_or(|id| id == E::ENTITY.id)
}
