//! Errors as an engine would return them, for fakes without an engine (feature `testing`).

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::entity::sentinel::MARK;
use crate::entity::{DynamoEntity, Key, encode_as_is};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::Writer;
use crate::plan::{ConditionFailure, Precondition, check};
use crate::wire::{ConditionFailed, Failure};

/// The error of a `create` if this entity exists: [`ErrorKind::AlreadyExists`], with
/// [`current`](Error::current).
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::testing;
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "users", key(pk = "USER#{id}"), unique(by_email, email))]
/// # struct User { id: u32, email: String }
/// # fn main() -> Result<()> {
/// let ann = User { id: 1, email: "ann@example.org".into() };
///
/// let error = testing::already_exists(&ann);
/// assert!(error.is_already_exists());
/// assert_eq!(error.current::<User>()?, Some(ann));
///
/// let error = testing::not_unique("by_email", &User::key(1));
/// assert_eq!((error.is_unique_violation(), error.attribute()), (true, Some("email")));
/// assert_eq!(error.holder::<User>()?, Some(User::key(1)));
/// # Ok(()) }
/// ```
pub fn already_exists<E: DynamoEntity>(current: &E) -> Error {
    failed_condition(ConditionFailure::of_create(&E::ENTITY), Some(current))
}

/// The error of a write that needs an item if there is none: [`ErrorKind::NotFound`].
pub fn not_found<E: DynamoEntity>() -> Error {
    failed_condition::<E>(needing_row::<E>(), None)
}

/// The error of a write if the stored item does not fit its condition or its version:
/// [`ErrorKind::Conflict`], with [`current`](Error::current).
pub fn conflict<E: DynamoEntity>(current: &E) -> Error {
    failed_condition(needing_row::<E>().or_condition(), Some(current))
}

/// The error of a write if the item of this key has its unique value: [`ErrorKind::UniqueViolation`], with
/// [`holder`](Error::holder). The look-up is named as it is declared, such as `by_email`.
pub fn not_unique<E: DynamoEntity>(look_up: &str, holder: &Key<E>) -> Error {
    taken_value(look_up, holder).unwrap_or_else(|error| error)
}

fn taken_value<E: DynamoEntity>(look_up: &str, holder: &Key<E>) -> Result<Error> {
    let entity = E::ENTITY;
    let mut uniques = entity.uniques.iter();
    let Some(unique) = uniques.find(|unique| unique.name == look_up) else {
        let message = format!("no unique value is declared with the look-up `{look_up}`");
        return Err(Error::config(message).of(entity.type_name));
    };
    if unique.row.is_some() {
        let failure = refused_condition(None);
        return Ok(crate::plan::taken_value(unique, failure).of(entity.type_name));
    }
    let mut sentinel = Writer::for_request(128);
    sentinel.push_raw("{");
    sentinel.dynamic_name(MARK);
    sentinel.push_raw("{\"M\":{");
    holder.write(&mut sentinel)?;
    sentinel.push_raw("}}}");
    let failure = refused_condition(Some(Bytes::from(sentinel.into_bytes())));
    let error = crate::plan::taken_value(unique, failure).of(entity.type_name);
    Ok(error.declared_as(Some(entity.id)))
}

/// An error of the service of any other kind, such as [`ErrorKind::Throttled`] or [`ErrorKind::OutcomeUnknown`].
pub fn failure(kind: ErrorKind) -> Error {
    Error::new(kind, Stage::Service, format!("made by a test: {kind:?}"))
}

fn needing_row<E: DynamoEntity>() -> ConditionFailure {
    check::build_condition(&E::ENTITY, Precondition::Exists, None, Timestamp::EPOCH).1
}

/// The error of a write whose condition failed on this entity, whatever its TTL.
fn failed_condition<E: DynamoEntity>(meaning: ConditionFailure, current: Option<&E>) -> Error {
    let encoded = current.map(|current| encode_as_is(current)).transpose();
    match encoded {
        Ok(item) => {
            let failure = refused_condition(item.map(Bytes::from));
            meaning.explain_failure(failure, E::ENTITY.type_name, Timestamp::EPOCH)
        }
        Err(fault) => Error::encode(E::ENTITY.type_name, fault),
    }
}

/// A failed condition with the item that it saw.
fn refused_condition(item: Option<Bytes>) -> Failure {
    Failure {
        condition: Some(ConditionFailed { item }),
        ..Failure::from(failure(ErrorKind::Conflict))
    }
}
