//! A table and its entities.

use super::DynamoCollection;
use super::collection::Variant;
use crate::error::{Error, Result};
use crate::schema::{CollectionSchema, EntityDef, Layout, TableDef, TableModel, TableSchema};

/// A table: a `#[derive(DynamoTable)]`, or an entity that has a table of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a table",
    label = "not a table",
    note = "write `#[derive(DynamoTable)]` and `#[dynamo(name = \"..\", pk = \"..\", entities(..))]` on a unit struct, or give the entity its own table: `#[dynamo(table = \"name\")]`"
)]
pub trait DynamoTable: 'static {
    /// The table itself: code that names the type this way needs no other trait than this one.
    #[doc(hidden)]
    type This: DynamoTable;

    /// Names and indexes.
    #[doc(hidden)]
    const TABLE: TableDef;

    /// All its entities. They are apart from the names because the constants of the entities use those.
    #[doc(hidden)]
    const ENTITIES: &'static [&'static EntityDef];

    /// The remaining declarations of the table and of its entities.
    #[doc(hidden)]
    const MODEL: TableModel = TableModel::EMPTY;

    /// The table, its entities and all that was declared of them, as plain data:
    /// [`Dynamo::create_tables`](crate::dynamo::Dynamo::create_tables) makes tables of it.
    fn schema() -> TableSchema {
        Layout {
            table: &Self::TABLE,
            entities: Self::ENTITIES,
            model: &Self::MODEL,
        }
        .schema()
    }
}

impl TableSchema {
    /// The same with a collection of the table, for those who read the schema: no requests and no checks depend on it.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    ///
    /// #[derive(DynamoTable)]
    /// #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
    /// struct Shop;
    ///
    /// #[derive(DynamoEntity)]
    /// #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "PROFILE"))]
    /// struct User { user: String }
    ///
    /// #[derive(DynamoEntity)]
    /// #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number}"))]
    /// struct Order { user: String, number: u32 }
    ///
    /// /// All about one user.
    /// #[derive(DynamoCollection)]
    /// #[dynamo(table = Shop, partition(user))]
    /// enum Account { User(User), Order(Order) }
    ///
    /// let schema = Shop::schema().with_collection::<Account>()?;
    /// assert_eq!(schema.collections[0].doc, "All about one user.");
    /// assert_eq!(schema.collections[0].entities, ["User", "Order"]);
    /// # Ok::<(), dynamo_entity::Error>(())
    /// ```
    pub fn with_collection<C: DynamoCollection>(mut self) -> Result<Self> {
        let (mine, theirs) = (&self.name, <C::Table as DynamoTable>::TABLE);
        let table = theirs.name;
        let is_mine = match self.origin.0 {
            Some(declaration) => declaration.id == theirs.id,
            None => mine == table,
        };
        if !is_mine {
            let collection = C::NAME;
            return Err(Error::config(format!(
                "`{collection}` is a collection of the table `{table}`, and this is `{mine}`: give it to the schema of that one"
            )));
        }
        let entities = C::VARIANTS.iter().map(Variant::name).map(str::to_owned);
        let partition = C::MODEL.partition.map(|parts| {
            let parts = parts.iter().map(|part| (*part).to_owned());
            parts.collect()
        });
        self.collections.push(CollectionSchema {
            name: C::NAME.to_owned(),
            doc: C::MODEL.doc.to_owned(),
            index: C::INDEX.map(|index| index.index.to_owned()),
            partition,
            entities: entities.collect(),
        });
        Ok(self)
    }
}
