//! Scans of an entity that is known by its name, and of a whole table, with rows as items.

use super::entity::DynamicEntity;
use super::query::item_rows;
use crate::codec::Item;
use crate::error::{Error, Result};
use crate::query::chain::{Query, WholeTable};
use crate::query::keys::{KeyDraft, QuerySource};
use crate::query::request::Selection;
use crate::schema::{DeclaredEntity, Pattern, TableSchema};

/// The entity that errors name, because the entity of a row is not known here.
const NAME: &str = "Table";

static EVERY_ITEM: Pattern = Pattern::alone(NAME, "scan_items");

impl TableSchema {
    /// Reads every item of the table as it is stored, by a scan: items of all entities and of none, expired ones, and
    /// the items that store unique values. For copies and tools; the rows have no order.
    ///
    /// A schema that was read from JSON or described by DynamoDB is an error of kind
    /// [`Config`](crate::error::ErrorKind::Config).
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "users", key(pk = "USER#{id}"), unique(by_email, email))]
    /// # struct User { id: u32, email: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([User::schema()]).await?;
    /// User { id: 1, email: "ann@example.com".into() }.create().send(&db).await?;
    /// let items = User::schema().scan_items()?.read_units_per_second(100).all(&db).await?;
    /// assert_eq!(items.len(), 2); // the user, and the item that keeps the address unique
    /// # Ok(()) }
    /// ```
    pub fn scan_items(&self) -> Result<Query<Item, WholeTable>> {
        let source =
            QuerySource::of_declared(&self.declared_entity()?, None).scanned_as(&EVERY_ITEM);
        let mut selection = Selection::new(KeyDraft::whole_table(source));
        selection.options.every_item = true;
        selection.options.include_expired = true;
        Ok(item_rows(selection, NAME))
    }

    /// The constants of one of its entities.
    pub(crate) fn declared_entity(&self) -> Result<DeclaredEntity> {
        let mut entities = self.entities.iter();
        entities
            .find_map(|entity| entity.origin.0)
            .ok_or_else(|| {
                Error::config(format!(
                    "the schema of the table `{}` was read from JSON or described by DynamoDB: take `schema()` of the \
                     table or of an entity",
                    self.name
                ))
            })
    }
}

impl DynamicEntity {
    /// Reads all items of the entity, by a scan of the table. Rows have no order.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: u32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # Note { id: 1 }.put().send(&db).await?;
    /// let page = Note::schema().dynamic("Note")?.scan().limit(20).page(&db).await?;
    /// assert_eq!(page.rows.len(), 1);
    /// # Ok(()) }
    /// ```
    pub fn scan(&self) -> Query<Item, WholeTable> {
        let source = QuerySource::of_declared(&self.declared, None);
        let scanned = source.pattern.with(|joint| &joint.scan);
        let selection = Selection::new(KeyDraft::whole_table(source.scanned_as(scanned)));
        item_rows(selection, self.name())
    }
}
