//! Entities whose items may be changed, replaced and deleted: all except append-only ones.

use super::DynamoEntity;
use crate::entity::guard::Changing;

/// An entity whose items may be changed, replaced and deleted: every entity that is not `append_only`.
///
/// A function that puts, updates or deletes any entity requires it. A function that only reads or creates requires a
/// [`DynamoEntity`].
///
/// ```
/// use dynamo_entity::prelude::*;
///
/// async fn replace_all<E: ChangeableEntity>(db: &Dynamo, entities: &[E]) -> Result<()> {
///     let report = put_each(entities.iter().map(|entity| entity.put())).send(db).await?;
///     report.complete().map(drop)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "items of `{Self}` are not replaced, changed or deleted",
    label = "`{Self}` is `append_only`, or it is any entity",
    note = "of an append-only entity store new items: by `create()`, `into_create()` or `tx.create(..)`, many by `put_each(..)` of those",
    note = "if its items may change after all, remove `append_only` from its declaration",
    note = "a function that changes items of any entity needs the bound `E: ChangeableEntity`"
)]
pub trait ChangeableEntity: DynamoEntity {}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity<Guard: Changing>> ChangeableEntity for E {}

/// The same, for the bounds of derives: because of the lifetime, the compiler checks it only where rows are deleted.
pub trait ChangeableIn<'x> {}

impl<E: ChangeableEntity> ChangeableIn<'_> for E {}

/// A table or a collection without an append-only entity. The derives implement it under that condition.
pub trait AllChangeable {}

impl AllChangeable for () {}

/// The same for a table, for the derive of a collection.
pub trait AllChangeableIn<'x> {}

impl<T: AllChangeable> AllChangeableIn<'_> for T {}

/// One entity in place of several.
#[derive(Debug)]
pub struct OneEntity<E>(std::marker::PhantomData<fn() -> E>);

impl<E: ChangeableEntity> AllChangeable for OneEntity<E> {}
