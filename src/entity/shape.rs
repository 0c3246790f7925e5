//! Items of several shapes: the number that an item stores, and the way from one shape to the next.
//!
//! An item without the attribute has shape 1. A program reads its own shape and those before it, each by the declaration
//! of that shape and then by `From`. It rejects newer ones.

use super::{DynamoEntity, ManagedValues, UntypedEntity};
use crate::codec::DynamoValue as _;
use crate::expr::{Comparison, Node, Term};
use crate::json::{CodecError, Reader, Writer, find_member};
use crate::path::Place;
use crate::schema::{EntityDef, SHAPE};

/// The shape of an item, an object of DynamoDB JSON.
pub(crate) fn stored_shape(json: &[u8]) -> Result<u16, CodecError> {
    match find_member(json, SHAPE)? {
        Some(number) => read_number(&mut Reader::new(number)),
        None => Ok(1),
    }
}

/// No program writes another number, so such an item is from a newer one.
fn read_number(reader: &mut Reader<'_>) -> Result<u16, CodecError> {
    u16::decode(reader).map_err(|_| CodecError::newer_shape(SHAPE))
}

/// The shape of the next item, which is still to be read.
fn shape_ahead(reader: &Reader<'_>) -> Result<u16, CodecError> {
    let mut ahead = reader.clone();
    let mut first = true;
    ahead.open_object()?;
    while let Some(name) = ahead.next_name(&mut first)? {
        if name == SHAPE {
            return read_number(&mut ahead);
        }
        ahead.skip()?;
    }
    Ok(1)
}

/// An entity that is made of its older shape.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made of its older shape `{Old}`",
    label = "items of this shape are read, and there is no way to `{Self}`",
    note = "write `impl From<{Old}> for {Self}`; the key and the version stay the same"
)]
pub trait FromOlder<Old>: Sized {
    #[doc(hidden)]
    fn from_older(older: Old) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<Old>, Old> FromOlder<Old> for E {
    fn from_older(older: Old) -> Self {
        E::from(older)
    }
}

/// An older shape that an entity is written in.
#[diagnostic::on_unimplemented(
    message = "the older shape `{Self}` cannot be made of `{E}`",
    label = "`writes` stores items of this shape, and there is no way to it",
    note = "write `impl From<&{E}> for {Self}`, of a reference; the key and the version stay the same"
)]
pub trait IntoOlder<E>: Sized {
    #[doc(hidden)]
    fn into_older(entity: &E) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E, Old: for<'e> From<&'e E>> IntoOlder<E> for Old {
    fn into_older(entity: &E) -> Self {
        Old::from(entity)
    }
}

/// Reads the next item if it has an older shape: by the declaration of that, and then by `From`.
pub fn read_older<E, Old>(reader: &mut Reader<'_>, number: u16) -> Result<Option<E>, CodecError>
where
    E: DynamoEntity + FromOlder<Old>,
    Old: DynamoEntity,
{
    let found = shape_ahead(reader)?;
    if found == number {
        return Ok(None);
    }
    if found > number {
        return Err(CodecError::newer_shape(SHAPE));
    }
    let older = Old::decode(reader)?;
    let before = identity(&older)?;
    let entity = E::from_older(older);
    check_identity(&before, &entity)?;
    Ok(Some(entity))
}

/// Rejects the next item if it has another shape.
pub fn refuse_older(reader: &Reader<'_>, number: u16) -> Result<(), CodecError> {
    match shape_ahead(reader)? {
        found if found == number => Ok(()),
        found if found > number => Err(CodecError::newer_shape(SHAPE)),
        found => Err(CodecError::older_shape(SHAPE, found, number)),
    }
}

/// Writes the number of a shape.
pub fn write_shape(number: u16, writer: &mut Writer) {
    writer.dynamic_name(SHAPE);
    writer.number(&number.into());
}

/// Writes the item in the shape before.
pub fn write_older<E, Old>(
    entity: &E,
    stamp: &ManagedValues,
    writer: &mut Writer,
) -> Result<(), CodecError>
where
    E: DynamoEntity,
    Old: DynamoEntity + IntoOlder<E>,
{
    let older = Old::into_older(entity);
    check_identity(&identity(entity)?, &older)?;
    older.encode(stamp, writer)
}

/// The key and the version of an item, which are the same in every shape.
type Identity = (Vec<u8>, Option<super::Version>);

fn identity<E: DynamoEntity>(entity: &E) -> Result<Identity, CodecError> {
    let key = super::Key::<E>::of(entity).to_json()?;
    Ok((key, UntypedEntity::held_version(entity)))
}

/// A `From` that changes the key would write another item, and one that loses the version would overwrite changes.
fn check_identity<E: DynamoEntity>(before: &Identity, entity: &E) -> Result<(), CodecError> {
    let (key, version) = identity(entity)?;
    let what = if key != before.0 {
        "the key"
    } else if version != before.1 {
        "the version"
    } else {
        return Ok(());
    };
    Err(CodecError::new(format!(
        "the `From` between two shapes of `{}` changes {what}, which must be the same in every shape",
        E::ENTITY.type_name
    )))
}

/// The condition that the stored item has the shape that this entity is written in, if one is declared. It holds if there
/// is no item.
pub(crate) fn has_written_shape(def: &EntityDef) -> Option<Node> {
    let number = def.written_shape()?;
    Some(match number {
        1 => Node::Missing(Place::of(SHAPE)),
        _ => Node::any([
            Node::Missing(Place::of(def.pk.attribute)),
            has_shape(number),
        ]),
    })
}

/// The condition that the stored item has this shape.
pub(crate) fn has_shape(number: u16) -> Node {
    if number == 1 {
        return Node::Missing(Place::of(SHAPE));
    }
    let json = format!("{{\"N\":\"{number}\"}}").into_bytes();
    Node::Compare(
        Term::Place(Place::of(SHAPE)),
        Comparison::Eq,
        Term::Value(json),
    )
}
