//! Collections by texts: all that is in a partition, whatever entity it is of.

use std::fmt;

use super::entity::DynamicEntity;
use super::query::DynamicQuery;
use crate::entity::DynamoCollection;
use crate::error::{Error, Result};
use crate::query::keys::QuerySource;
use crate::schema::TableSchema;

/// A collection for programs that learn only at run time which partition is read: the rows are items of all its
/// entities.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// use dynamo_entity::query::DynamicCollection;
/// # #[derive(DynamoTable)]
/// # #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
/// # struct Shop;
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "INFO"))]
/// # struct User { user: String }
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number:06}"))]
/// # struct Order { user: String, number: u32 }
/// # #[derive(Debug, Clone, PartialEq, DynamoCollection)]
/// # #[dynamo(table = Shop, partition(user))]
/// # enum Account { User(User), Order(Order) }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Shop::schema()]).await?;
/// # User { user: "ann".into() }.put().send(&db).await?;
/// # Order { user: "ann".into(), number: 7 }.put().send(&db).await?;
/// let account = DynamicCollection::of::<Account>();
/// let rows = account.in_partition(&Shop::schema(), ["ann"])?.all(&db).await?;
/// assert_eq!(rows.len(), 2);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct DynamicCollection {
    source: fn() -> QuerySource,
    is_of_partition: bool,
}

impl DynamicCollection {
    /// Returns the collection of an enum.
    pub fn of<C: DynamoCollection>() -> Self {
        DynamicCollection {
            source: QuerySource::of_collection::<C>,
            is_of_partition: C::MODEL.partition.is_some(),
        }
    }

    /// The name of the enum.
    pub fn name(&self) -> &'static str {
        (self.source)().index_or_table()
    }

    /// Whether it reads one partition, and not the whole table.
    pub fn is_of_partition(&self) -> bool {
        self.is_of_partition
    }

    /// The first of its entities, whose key parts identify a partition, and the access pattern of this entity whose
    /// partitions are read; None if they are those of the table.
    pub fn named_by(&self) -> (&'static str, Option<&'static str>) {
        let source = (self.source)();
        (
            source.entity.type_name,
            source.index.map(|index| index.name),
        )
    }

    /// The items in a partition, from the texts of the parts of its key: see [`TableSchema::dynamic`] for how they are
    /// written. The schema must be the one that `schema()` of its table returns.
    pub fn in_partition<'t>(
        &self,
        table: &TableSchema,
        parts: impl IntoIterator<Item = &'t str>,
    ) -> Result<DynamicQuery> {
        let source = (self.source)();
        if !self.is_of_partition {
            return Err(Error::config(format!(
                "`{}` is a collection of a whole table, which has no partition to name",
                source.index_or_table()
            )));
        }
        let declared = table.entities.iter().filter_map(|entity| entity.origin.0);
        let mut declared = declared.filter(|declared| declared.entity.id == source.entity.id);
        match declared.next() {
            Some(declared) => DynamicEntity { declared }.collected(source, parts),
            None => Err(Error::config(format!(
                "the schema of `{}` is not the declared one of the table of `{}`: take `schema()` of that table",
                table.name,
                source.index_or_table()
            ))),
        }
    }
}

impl fmt::Debug for DynamicCollection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynamicCollection({})", self.name())
    }
}
