//! The writes that fit into a batch.

use super::plan::BatchInput;
use crate::dynamo::Dynamo;
use crate::entity::guard::Unconditional;
use crate::entity::{ChangeableEntity, DynamoEntity};
use crate::write::{Delete, Put, ReturningNothing};

/// A write that fits into a [`Batch`](crate::Batch): a put or a delete that takes effect whatever item is stored.
#[diagnostic::on_unimplemented(
    message = "this write does not fit into a batch",
    label = "a batch takes unconditional puts and deletes, and this is `{Self}`",
    note = "a batch checks no condition and no version, and returns no item",
    note = "put it into a `Transaction`, send it by itself or many of its kind by `put_each`, or write `.unchecked()` to leave a version out; a batch cannot write entities with unique values, lists or blobs: use `put_each` and `delete_each`, a `Transaction` takes loaded ones",
    note = "`TypeChecked` is the guard in a table with `identify_by = type`, whose writes check the type of the stored item: use `put_each`, `delete_each` or a `Transaction`"
)]
pub trait BatchWrite: Send {
    #[doc(hidden)]
    fn add_to(self, db: &Dynamo, input: &mut BatchInput);
}

/// An entity whose puts and deletes fit into a [`Batch`](crate::Batch) as they are: it has no version and no unique values, it is
/// not append-only, and its table has no `identify_by = type`. Use it as the bound of functions that are generic over such
/// entities. Every entity that fits implements it.
///
/// ```
/// use dynamo_entity::batch::{BatchEntity, BatchWrite};
/// use dynamo_entity::prelude::*;
///
/// /// Stores these and deletes those, of any entity.
/// async fn replace<E: BatchEntity>(db: &Dynamo, old: &[E], new: &[E]) -> Result<()> {
///     let deletes = old.iter().map(|row| row.delete());
///     let batch = Batch::new().with_all(deletes).with_all(new.iter().map(|row| row.put()));
///     batch.send(db).await?.complete()?;
///     Ok(())
/// }
///
/// /// Sends writes of any entity, made elsewhere. Entities with a version fit by `.unchecked()`.
/// async fn write_all<'e, W: BatchWrite + 'e>(db: &Dynamo, writes: Vec<W>) -> Result<()> {
///     Batch::new().with_all(writes).send(db).await?.complete()?;
///     Ok(())
/// }
///
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "counts", key(pk = name))]
/// # struct Count { name: String, count: u64 }
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "pages", key(pk = id))]
/// # struct Page { id: u32, #[dynamo(version)] version: Version }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Count::schema(), Page::schema()]).await?;
/// let count = |name: &str| Count { name: name.into(), count: 1 };
/// replace(&db, &[count("a")], &[count("b"), count("c")]).await?;
///
/// let pages = [Page { id: 1, version: Version::default() }];
/// write_all(&db, pages.iter().map(|page| page.put().unchecked()).collect()).await?;
/// # assert_eq!((Count::scan().count(&db).await?, Page::scan().count(&db).await?), (2, 1));
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "the writes of `{Self}` do not fit into a batch as they are",
    label = "an entity with a version, with unique values, that is append-only, or of a table with `identify_by = type`",
    note = "write `.unchecked()` to leave a version out, and take the writes as `W: BatchWrite`; a batch cannot write entities with unique values or of a table with `identify_by = type`: use `put_each` and `delete_each`"
)]
pub trait BatchEntity:
    ChangeableEntity + DynamoEntity<Guard = Unconditional, Unguarded = Unconditional>
{
}

#[diagnostic::do_not_recommend]
impl<E> BatchEntity for E where E: DynamoEntity<Guard = Unconditional, Unguarded = Unconditional> {}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> BatchWrite for Put<'_, E, Unconditional> {
    fn add_to(self, db: &Dynamo, input: &mut BatchInput) {
        input.add_put(&self, db);
    }
}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> BatchWrite for Delete<E, Unconditional, ReturningNothing> {
    fn add_to(self, db: &Dynamo, input: &mut BatchInput) {
        input.add_delete(&self.key, db);
    }
}
