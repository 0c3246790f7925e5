//! The form in which an item is read: whole or partial.

use std::marker::PhantomData;

use crate::clock::Timestamp;
use crate::entity::{self, DynamoEntity, DynamoProjection};
use crate::error::Result;
use crate::plan::is_expired;

/// The form in which a [`get`](crate::entity::Key::get) reads the item.
pub trait GetForm<E: DynamoEntity>: 'static {
    /// The type of the result.
    type Row: Send + 'static;

    #[doc(hidden)]
    const IS_WHOLE: bool;

    /// The attributes that are read; `None` for all.
    #[doc(hidden)]
    fn wanted_attributes() -> Option<Vec<&'static str>>;

    #[doc(hidden)]
    fn read_row(item: &[u8]) -> Result<Self::Row>;

    /// Reads an item; `None` if it has expired.
    #[doc(hidden)]
    fn read_live(item: &[u8], now: Timestamp) -> Result<Option<Self::Row>>;
}

/// The whole entity.
#[derive(Debug)]
pub struct Whole(());

/// Some fields of the entity.
#[derive(Debug)]
pub struct Selected<P>(PhantomData<fn() -> P>);

impl<E: DynamoEntity> GetForm<E> for Whole {
    type Row = E;

    const IS_WHOLE: bool = true;

    fn wanted_attributes() -> Option<Vec<&'static str>> {
        None
    }

    fn read_row(item: &[u8]) -> Result<E> {
        entity::read(item)
    }

    fn read_live(item: &[u8], now: Timestamp) -> Result<Option<E>> {
        entity::read_live(item, now)
    }
}

impl<E: DynamoEntity, P: DynamoProjection<Entity = E>> GetForm<E> for Selected<P> {
    type Row = P;

    const IS_WHOLE: bool = false;

    fn wanted_attributes() -> Option<Vec<&'static str>> {
        let attributes = entity::projected::<P>().into_iter();
        Some(attributes.map(|attribute| attribute.name).collect())
    }

    fn read_row(item: &[u8]) -> Result<P> {
        entity::read_projection(item)
    }

    fn read_live(item: &[u8], now: Timestamp) -> Result<Option<P>> {
        match is_expired(item, E::ENTITY.ttl, now) {
            true => Ok(None),
            false => Self::read_row(item).map(Some),
        }
    }
}
