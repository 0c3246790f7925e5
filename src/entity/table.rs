//! A table and its entities.

use crate::entity::guard::{Changing, Guard, Open};
use crate::schema::{EntityDef, Layout, TableDef, TableModel, TableSchema};

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

    /// The guard of writes that check no version and maintain no unique value.
    #[doc(hidden)]
    type Unguarded: Guard + Open + Changing;

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
