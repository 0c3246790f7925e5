//! A table by its name.

use super::get::GetItem;
use super::write::WriteItem;
use crate::codec::Item;

impl Item {
    /// A table by its name, for scripts, tools and tests that read and write its items as they are stored. The prefix
    /// of the connection is added to the name, as for declared tables.
    ///
    /// **The library maintains nothing here that it maintains for entities.** No version is checked or incremented,
    /// no unique value is taken or released, no key of an index is written except those in the item, no timestamp is
    /// set, expired items are returned, and [jobs](crate::Bulk) are not considered. A `put` replaces the whole item.
    /// If an item has an entity, write it through the entity.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    ///
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = user, sk = number))]
    /// # struct Order { user: String, number: u32, paid: bool }
    /// # #[tokio::main]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Order::schema()]).await?;
    /// # Order { user: "ann".into(), number: 7, paid: false }.put().send(&db).await?;
    /// let orders = Item::in_table("orders");
    /// let key: Item = serde_json::from_str(r#"{"user": "ann", "number": 7}"#).unwrap();
    /// let mut order = orders.get(key.clone()).consistent().send(&db).await?.expect("an order");
    /// order.insert("paid", true);
    /// orders.put(order).when_equals("paid", false).send(&db).await?;
    /// # let paid = orders.get(key.clone()).send(&db).await?.and_then(|order| order.get("paid").cloned());
    /// # assert_eq!(paid, Some(true.into()));
    /// orders.delete(key).send(&db).await?;
    /// # assert_eq!(orders.get(Order::key("ann", 7).to_item()?).send(&db).await?, None);
    /// # Ok(()) }
    /// ```
    pub fn in_table(name: impl Into<String>) -> ItemTable {
        ItemTable { name: name.into() }
    }
}

/// A table by its name; see [`Item::in_table`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ItemTable {
    /// Without the prefix of a connection.
    name: String,
}

impl ItemTable {
    /// Reads the item with this key: the attributes of the primary key and no others.
    /// [`Key::to_item`](crate::Key::to_item) creates it from a typed key.
    pub fn get(&self, key: impl Into<Item>) -> GetItem {
        GetItem::new(self.name.clone(), key.into())
    }

    /// Stores this item, whatever item is stored under its key, and replaces it completely: attributes that this item
    /// does not have are removed.
    ///
    /// After a lost response it is sent again, unless it has a condition.
    pub fn put(&self, item: impl Into<Item>) -> WriteItem {
        WriteItem::put(self.name.clone(), item.into())
    }

    /// Deletes the item with this key, if it exists. The unique values of an entity stay taken: delete such an item
    /// through its entity.
    ///
    /// After a lost response it is sent again, unless it has a condition.
    pub fn delete(&self, key: impl Into<Item>) -> WriteItem {
        WriteItem::delete(self.name.clone(), key.into())
    }
}
