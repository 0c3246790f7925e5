//! Which items may be changed, replaced and deleted: those of an append-only entity may not.

use super::DynamoEntity;
use crate::entity::guard::Changing;

/// An entity whose items may be changed, replaced and deleted: every one that is not `append_only`.
///
/// A function that puts, updates or deletes any entity asks for it. One that reads or creates asks for a [`DynamoEntity`].
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
    note = "a function that changes items of any entity asks for `E: ChangeableEntity`"
)]
pub trait ChangeableEntity: DynamoEntity {}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity<Guard: Changing>> ChangeableEntity for E {}

/// The same, as a derive asks it of the entities that it names: with a lifetime, the compiler looks at it only where rows
/// are deleted.
pub trait ChangeableIn<'x> {}

impl<E: ChangeableEntity> ChangeableIn<'_> for E {}

/// A table or a collection without an append-only entity. The derives implement it under that condition.
pub trait AllChangeable {}

impl AllChangeable for () {}

/// The same of a table, as the derive of a collection asks it.
pub trait AllChangeableIn<'x> {}

impl<T: AllChangeable> AllChangeableIn<'_> for T {}

/// One entity in the place of several.
#[derive(Debug)]
pub struct OneEntity<E>(std::marker::PhantomData<fn() -> E>);

impl<E: ChangeableEntity> AllChangeable for OneEntity<E> {}
