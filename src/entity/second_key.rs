//! From the row of an item to its row under another primary key, and back.

use super::second_row::{SecondKey, SecondRow};
use super::{
    DynamoEntity, EntityDeclaration, HasDeclaration, Key, UntypedEntity, encode_as_is, read,
};
use crate::codec::Item;
use crate::entity::field::is_derived;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{Writer, object_members};
use crate::schema::{AttributeDef, EntityDef, JOB, TableDef};

/// An entity that stores the same items as another one, under another primary key.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made of `{E}`",
    label = "each write stores both rows of an item, and there is no way from one to the other",
    note = "write `impl From<&{E}> for {Self}` and `impl From<&{Self}> for {E}`, of references; both hold the same item"
)]
pub trait SameItemAs<E>: Sized {
    #[doc(hidden)]
    fn of_item(entity: &E) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E, Other: for<'e> From<&'e E>> SameItemAs<E> for Other {
    fn of_item(entity: &E) -> Self {
        Other::from(entity)
    }
}

/// The functions of an entity and of the other declaration of its items.
pub const fn second_key_of<E, Other>() -> SecondKey
where
    E: DynamoEntity + SameItemAs<Other>,
    Other: DynamoEntity + SameItemAs<E>,
{
    SecondKey {
        def: Other::DECLARATION.def,
        table: Other::DECLARATION.table,
        row: row::<E, Other>,
        key_of: key_of::<E, Other>,
    }
}

fn row<E, Other>(item: &[u8]) -> Result<SecondRow>
where
    E: DynamoEntity + SameItemAs<Other>,
    Other: DynamoEntity + SameItemAs<E>,
{
    let entity: E = read(item)?;
    let other = Other::of_item(&entity);
    check_same(&entity, &E::of_item(&other), &other)?;
    let second = encode_as_is(&other).map_err(|fault| Other::DECLARATION.unwritten(fault))?;
    Ok(SecondRow {
        key: key_json(&other)?,
        item: with_unknown(item, second, [E::DECLARATION, Other::DECLARATION])?,
    })
}

fn key_of<E, Other>(second: &[u8]) -> Result<Vec<u8>>
where
    E: DynamoEntity + SameItemAs<Other>,
    Other: DynamoEntity,
{
    let other: Other = read(second)?;
    key_json(&E::of_item(&other))
}

fn key_json<E: DynamoEntity>(entity: &E) -> Result<Vec<u8>> {
    let key = Key::of(entity).to_json();
    key.map_err(|fault| E::DECLARATION.unwritten(fault))
}

/// A `From` that forgets a value would lose it when the other row is read, and one that changes the key would write another
/// item.
fn check_same(
    entity: &dyn UntypedEntity,
    back: &dyn UntypedEntity,
    other: &dyn UntypedEntity,
) -> Result<()> {
    let declared = entity.declaration();
    let fail = |fault| declared.unwritten(fault);
    let content = |entity| Item::from_dynamo_json(&encode_as_is(entity)?);
    let is_same = content(entity).map_err(fail)? == content(back).map_err(fail)?;
    if is_same && entity.held_version() == other.held_version() {
        return Ok(());
    }
    let (name, other) = (declared.def.type_name, other.declaration().def.type_name);
    let message = format!(
        "the `From`s between `{name}` and `{other}` lose a value of the item: both rows of an item must hold all of it, with the same version"
    );
    Err(Error::new(ErrorKind::InvalidValue, Stage::Encode, message).of(name))
}

/// Adds the attributes that no declaration knows, because they belong to the item.
fn with_unknown(
    item: &[u8],
    second: Vec<u8>,
    declared: [&'static EntityDeclaration; 2],
) -> Result<Vec<u8>> {
    let fail = |fault| Error::decode(declared[0].def.type_name, fault);
    let mut unknown = object_members(item).map_err(fail)?;
    unknown.retain(|(name, _)| {
        !declared
            .iter()
            .any(|known| is_known(known.def, known.table, name))
    });
    if unknown.is_empty() {
        return Ok(second);
    }
    let held = object_members(&second).map_err(fail)?;
    let mut writer = Writer::with_capacity(second.len() + 256);
    writer.push_raw("{");
    for (name, json) in held.iter().chain(&unknown) {
        writer.dynamic_name(name);
        writer.raw_bytes(json);
    }
    writer.push_raw("}");
    Ok(writer.into_bytes())
}

/// Whether the declaration stores this attribute, or the library does for one row alone.
fn is_known(def: &EntityDef, table: &TableDef, name: &str) -> bool {
    let mut fields = def.attributes.iter();
    fields.any(|field: &AttributeDef| field.names().any(|known| known == name))
        || is_derived(def, table, name)
        || name.starts_with(JOB)
}
