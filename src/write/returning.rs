//! The return value of an update, an upsert or a delete, as a type.

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::entity::guard::{Conditional, Guard};
use crate::entity::{self, DynamoEntity, UntypedKey};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::plan::{Returned, read_raw};
use crate::schema::{EntityDef, Pattern};

/// The return value of a write.
pub trait Returning<E: DynamoEntity> {
    /// The return value of an update, which needs an item.
    type Out: Send + 'static;
    /// The return value of an upsert or a delete, which need no existing item.
    type IfAny: Send + 'static;
    /// The guard of a delete with this guard and return value. A second delete would return nothing. Therefore, a
    /// delete that returns the item is not retried, like a conditional one.
    #[doc(hidden)]
    type Guard<G: Guard>: Guard;

    #[doc(hidden)]
    const RETURNED: Returned;

    /// Reads the value from the response.
    #[doc(hidden)]
    fn read(item: Option<&[u8]>, now: Timestamp) -> Result<Self::Out>;

    #[doc(hidden)]
    fn read_if_any(item: Option<&[u8]>, now: Timestamp) -> Result<Self::IfAny>;
}

/// The item after the write.
#[derive(Debug)]
pub struct ReturningNew(());

/// The item before the write: for a delete, the deleted item.
#[derive(Debug)]
pub struct ReturningOld(());

/// The attributes that an update changed, with their new values.
#[derive(Debug)]
pub struct ReturningChanged(());

/// Nothing.
#[derive(Debug)]
pub struct ReturningNothing(());

impl<E: DynamoEntity> Returning<E> for ReturningNew {
    type Out = E;
    type IfAny = E;
    type Guard<G: Guard> = Conditional;

    const RETURNED: Returned = Returned::New;

    fn read(item: Option<&[u8]>, now: Timestamp) -> Result<E> {
        read_entity(item, now)
    }

    fn read_if_any(item: Option<&[u8]>, now: Timestamp) -> Result<E> {
        read_entity(item, now)
    }
}

impl<E: DynamoEntity> Returning<E> for ReturningOld {
    type Out = E;
    type IfAny = Option<E>;
    type Guard<G: Guard> = Conditional;

    const RETURNED: Returned = Returned::Old;

    fn read(item: Option<&[u8]>, now: Timestamp) -> Result<E> {
        read_entity(item, now)
    }

    fn read_if_any(item: Option<&[u8]>, now: Timestamp) -> Result<Option<E>> {
        item.map(|item| read_entity(Some(item), now)).transpose()
    }
}

/// Returns no attributes if nothing changed.
impl<E: DynamoEntity> Returning<E> for ReturningChanged {
    type Out = Item;
    type IfAny = Item;
    type Guard<G: Guard> = Conditional;

    const RETURNED: Returned = Returned::Changed;

    fn read(item: Option<&[u8]>, _: Timestamp) -> Result<Item> {
        let json = item.unwrap_or(b"{}");
        Item::from_dynamo_json(json).map_err(|fault| Error::decode("Item", fault))
    }

    fn read_if_any(item: Option<&[u8]>, now: Timestamp) -> Result<Item> {
        <Self as Returning<E>>::read(item, now)
    }
}

impl<E: DynamoEntity> Returning<E> for ReturningNothing {
    type Out = ();
    type IfAny = ();
    type Guard<G: Guard> = G;

    const RETURNED: Returned = Returned::Nothing;

    fn read(_: Option<&[u8]>, _: Timestamp) -> Result<()> {
        Ok(())
    }

    fn read_if_any(_: Option<&[u8]>, _: Timestamp) -> Result<()> {
        Ok(())
    }
}

/// A return value that transactions and jobs may omit, because it is not the state before the write.
pub trait Omissible {}

impl Omissible for ReturningNew {}

impl Omissible for ReturningNothing {}

/// Reads the entity. If that fails, the write has taken effect nevertheless, so the error contains the item.
pub(crate) fn read_entity<E: DynamoEntity>(item: Option<&[u8]>, now: Timestamp) -> Result<E> {
    let Some(item) = item else {
        return Err(missing(&E::ENTITY));
    };
    match entity::read(item) {
        Ok(entity) => Ok(entity),
        Err(error) => Err(unread(error, item, now, &E::ENTITY)),
    }
}

#[cold]
fn missing(def: &EntityDef) -> Error {
    let message = "the response to an update holds no item";
    Error::new(ErrorKind::Service, Stage::Service, message).of(def.type_name)
}

#[cold]
fn unread(error: Error, item: &[u8], now: Timestamp, def: &EntityDef) -> Error {
    let error = error.with_current(Bytes::copy_from_slice(item), now);
    let error = error.with_note("the write took effect, and `current_item()` is its item");
    error.declared_as(Some(def.id))
}

/// Reads the item after a transaction. If that fails, the write has taken effect nevertheless, and the error says so.
pub(crate) async fn read_back(
    db: &Dynamo,
    pattern: &'static Pattern,
    key: &UntypedKey,
) -> Result<Bytes> {
    let def = key.declared.def;
    let took_effect = |message| {
        let error = Error::new(ErrorKind::AppliedButUnread, Stage::Service, message);
        error.of(def.type_name).declared_as(Some(def.id))
    };
    let read = read_raw(db, pattern, key).await.map_err(|error| {
        let message = "the write took effect, and the item could not be read back: read it again";
        took_effect(message).with_source(error)
    })?;
    read.ok_or_else(|| took_effect("the write took effect, and the item was deleted since"))
}
