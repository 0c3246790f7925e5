//! Which item it is that does not decode.

use super::Error;
use crate::codec::{Item, Reader};
use crate::entity::{DynamoEntity, Key, KeyParts};
use crate::key::json::KeyJson;

impl Error {
    pub(crate) fn with_item_key(mut self, key: Option<KeyJson>) -> Self {
        self.0.item_key = key.map(|key| [b"{", key.as_bytes(), b"}"].concat());
        self
    }

    /// The key of the item that does not decode, whatever read it: a query, a scan, `get_many`, a `snapshot`, as a whole
    /// or in part. So the item can be looked at, mended or deleted. A row of a collection has the key of its variant.
    ///
    /// `None` if the key itself does not read ([`item_key`](Self::item_key) has it then), of an entity other than the one that was read, and of other errors: a
    /// transaction names the keys of its [`failures`](Self::failures), a report those of its rows. Neither the message
    /// nor `Debug` shows the key.
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
        let key = self.0.item_key.as_deref();
        let key = key.filter(|_| self.may_be_of::<E>())?;
        let parts = E::KeyParts::read(&mut Reader::new(key));
        parts.ok().map(Key::from_parts)
    }

    /// The key of that item as it is stored, whatever it is: attributes by their names.
    pub fn item_key(&self) -> Option<Item> {
        let key = self.0.item_key.as_deref()?;
        Item::from_dynamo_json(key).ok()
    }
}
