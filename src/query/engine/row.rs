//! The type of a row.

use crate::entity::{self, DynamoEntity, Key};
use crate::error::Result;
use crate::read::{ReadValues, entities_ahead, keys_ahead};
use crate::schema::{IndexDef, Projection};

/// Whether the rows contain all attributes: then they are entities, otherwise keys.
#[derive(Debug)]
pub struct RowsHold<const WHOLE: bool>(());

/// The type that the rows are decoded into, depending on that.
#[doc(hidden)]
pub trait RowsOf<E: DynamoEntity>: 'static {
    /// The entity if the row contains all of it, otherwise its key.
    type Row: Send + 'static;

    /// Whether only keys are read.
    const KEYS_ONLY: bool;

    /// Decodes one row.
    fn read_row(json: &[u8]) -> Result<Self::Row>;

    /// Decodes the rows of a response as they arrive.
    fn rows_ahead() -> Box<dyn ReadValues>;
}

impl<E: DynamoEntity> RowsOf<E> for RowsHold<true> {
    type Row = E;
    const KEYS_ONLY: bool = false;

    fn read_row(json: &[u8]) -> Result<E> {
        entity::read(json)
    }

    fn rows_ahead() -> Box<dyn ReadValues> {
        entities_ahead::<E>()
    }
}

impl<E: DynamoEntity> RowsOf<E> for RowsHold<false> {
    type Row = Key<E>;
    const KEYS_ONLY: bool = true;

    fn read_row(json: &[u8]) -> Result<Key<E>> {
        entity::read_key(json)
    }

    fn rows_ahead() -> Box<dyn ReadValues> {
        keys_ahead::<E>()
    }
}

/// A row whose entity is known, so that its attributes have paths.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no row of an entity",
    label = "its attributes are not known",
    note = "rows of a collection are of several entities: filter those of one, by a query of that entity"
)]
pub trait RowOfEntity {
    /// The entity.
    type Entity: DynamoEntity;
}

impl<E: DynamoEntity> RowOfEntity for E {
    type Entity = E;
}

impl<E: DynamoEntity> RowOfEntity for Key<E> {
    type Entity = E;
}

impl<R: RowOfEntity> RowOfEntity for Result<R> {
    type Entity = R::Entity;
}

/// Whether the rows of an index contain all attributes.
pub const fn holds_all(index: &IndexDef) -> bool {
    matches!(index.project, Projection::All)
}

/// A row that holds only a part of its item: a key, or a projection.
#[diagnostic::on_unimplemented(
    message = "`hydrate()` fetches the items behind keys or a projection",
    label = "the rows of this query are `{Self}`",
    note = "an entity is whole already: remove `hydrate()`",
    note = "beside `lenient()`, call `hydrate()` first"
)]
pub trait PartOfItem: RowOfEntity {}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> PartOfItem for Key<E> {}
