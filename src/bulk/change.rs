//! The result of a job's closure for a row.

use std::error::Error as StdError;

use crate::entity::{DynamoCollection, DynamoEntity, OneEntity};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::query::{OfCollection, OfEntity, RowOfEntity};
use crate::write::Update;

/// Rows that are whole entities.
#[diagnostic::on_unimplemented(
    message = "the rows of this query are `{Self}`, and no whole entities",
    label = "an item that is not read cannot be inspected",
    note = "rows of a collection are of several entities: run a job for each of them, such as `Order::in_partition(..).update_each(..)`",
    note = "if an index returns keys, or after `select()`, write `.hydrate()` before it",
    note = "`lenient()` is not for jobs: a row that does not decode is reported alone, and the others are changed"
)]
pub trait WholeRow: DynamoEntity {}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> WholeRow for E {}

/// A row that is deleted: an entity, its key or a part of it, or a variant of a collection.
pub trait RowToDelete<Kind> {
    /// The entities that it may be of.
    #[doc(hidden)]
    type Entities;
}

#[diagnostic::do_not_recommend]
impl<R: RowOfEntity> RowToDelete<OfEntity> for R {
    type Entities = OneEntity<R::Entity>;
}

#[diagnostic::do_not_recommend]
impl<C: DynamoCollection> RowToDelete<OfCollection> for C {
    type Entities = C;
}

#[diagnostic::do_not_recommend]
impl<C: DynamoCollection> RowToDelete<OfCollection> for Result<C> {
    type Entities = C;
}

/// The result of a closure of [`update_each`](crate::bulk::BulkExt::update_each): an [`Update`] of the row, an
/// `Option` of one, or a `Result` of either. `None` skips the row, and an error is reported with it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no change of a row",
    label = "the closure of `update_each` returns this",
    note = "return `row.update().apply(..)`, `Some` of it or `None` to leave the row alone, or a `Result` of these"
)]
pub trait RowChange<E: DynamoEntity> {
    /// The update, if there is one.
    #[doc(hidden)]
    fn into_update(self) -> Result<Option<Update<E, crate::write::ReturningNothing>>>;
}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity, R> RowChange<E> for Update<E, R> {
    fn into_update(self) -> Result<Option<Update<E, crate::write::ReturningNothing>>> {
        Ok(Some(self.returning_nothing()))
    }
}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity, C: RowChange<E>> RowChange<E> for Option<C> {
    fn into_update(self) -> Result<Option<Update<E, crate::write::ReturningNothing>>> {
        self.map_or(Ok(None), RowChange::into_update)
    }
}

#[diagnostic::do_not_recommend]
impl<E, C, X> RowChange<E> for Result<C, X>
where
    E: DynamoEntity,
    C: RowChange<E>,
    X: Into<Box<dyn StdError + Send + Sync>>,
{
    fn into_update(self) -> Result<Option<Update<E, crate::write::ReturningNothing>>> {
        self.map_err(|error| refused(error.into(), E::ENTITY.type_name))?
            .into_update()
    }
}

/// The caller's error may hold values, so it is the source and not part of the message.
pub(super) fn refused(error: Box<dyn StdError + Send + Sync>, row: &'static str) -> Error {
    match error.downcast::<Error>() {
        // An error of this library already names no values, so it is returned unchanged, with its
        // kind.
        Ok(own) => *own,
        Err(error) => Error::new(
            ErrorKind::CallbackError,
            Stage::Request,
            "the closure rejected this row; the source of this error is its reason",
        )
        .of(row)
        .with_source(error),
    }
}
