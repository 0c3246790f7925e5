//! The steps of a generated codec: one call a field.

use std::borrow::Cow;

use ::serde::de::DeserializeOwned;

use crate::codec::{
    DynamoField, DynamoValue, Fault, Form, FormField, Item, Name, Reader, Value, Writer,
    decode_serde,
};
use crate::entity::{DynamoEntity, Stamp};
use crate::schema::{EntityDef, TableDef};

/// Writes a field.
#[inline]
pub fn encode_field<T: DynamoField>(
    value: &T,
    name: &Name,
    writer: &mut Writer,
) -> Result<(), Fault> {
    value
        .encode_field(name, writer)
        .map_err(|fault| fault.at(name.text))
}

/// The size of an entity as its writer counts it, for the tests.
pub fn written_size<E: DynamoEntity>(entity: &E) -> Result<usize, Fault> {
    let mut writer = Writer::default();
    writer.raw("{");
    entity.encode(&Stamp::as_is(), &mut writer)?;
    Ok(writer.size())
}

/// Reads a field.
#[inline]
pub fn decode_field<T: DynamoField>(reader: &mut Reader<'_>, name: &str) -> Result<T, Fault> {
    T::decode_field(reader).map_err(|fault| fault.at(name))
}

/// Reads a field with a default: NULL means it too.
pub fn decode_or_null<T: DynamoField>(
    reader: &mut Reader<'_>,
    name: &str,
) -> Result<Option<T>, Fault> {
    if reader.take_null()? {
        Ok(None)
    } else {
        decode_field(reader, name).map(Some)
    }
}

/// Reads a field with a foreign form.
pub fn decode_form<T: FormField>(
    reader: &mut Reader<'_>,
    form: Form,
    name: &str,
) -> Result<T, Fault> {
    T::decode_as(reader, form).map_err(|fault| fault.at(name))
}

/// Reads a field with a foreign form and a default.
pub fn decode_form_or_null<T: FormField>(
    reader: &mut Reader<'_>,
    form: Form,
    name: &str,
) -> Result<Option<T>, Fault> {
    if reader.take_null()? {
        Ok(None)
    } else {
        decode_form(reader, form, name).map(Some)
    }
}

/// Reads a serde field with a default.
pub fn decode_serde_or_null<T: DeserializeOwned>(
    reader: &mut Reader<'_>,
    name: &str,
) -> Result<Option<T>, Fault> {
    if reader.take_null()? {
        return Ok(None);
    }
    decode_serde(reader)
        .map(Some)
        .map_err(|fault| fault.at(name))
}

/// What was read, or what absence means.
#[inline]
pub fn or_absent<T>(read: Option<T>, absent: fn() -> Option<T>, name: &str) -> Result<T, Fault> {
    match read {
        Some(value) => Ok(value),
        None => absent().ok_or_else(|| missing(name)),
    }
}

/// A field that has to be there is not.
#[cold]
pub fn missing(name: &str) -> Fault {
    Fault::new("the attribute is missing").at(name)
}

/// The type attribute of an item of a shared table.
pub fn check_type(reader: &mut Reader<'_>, name: &str, expected: &str) -> Result<(), Fault> {
    let found = reader.text().map_err(|fault| fault.at(name))?;
    if found == expected {
        return Ok(());
    }
    Err(Fault::mismatch(
        format!("an item of the type `{expected}`"),
        format!("one of the type `{found}`"),
    )
    .at(name))
}

/// Whether the library made this attribute: a derived key, or the type.
pub fn is_derived(entity: &EntityDef, table: &TableDef, name: &str) -> bool {
    let indexes = entity
        .indexes
        .iter()
        .flat_map(|index| index.pk.iter().chain(index.sk));
    let mut keys = [&entity.pk].into_iter().chain(&entity.sk).chain(indexes);
    table.type_attribute == Some(name) || keys.any(|key| key.attribute == name)
}

/// Writes the attributes that no field knows.
pub fn encode_rest(
    rest: &Item,
    entity: &EntityDef,
    table: &TableDef,
    writer: &mut Writer,
) -> Result<(), Fault> {
    for (name, value) in rest {
        let is_field = entity.attributes.iter().any(|known| known.stored == name);
        if is_field || is_derived(entity, table, name) {
            let fault = Fault::new("`rest` holds an attribute that the entity writes itself");
            return Err(fault.at(name.as_str()));
        }
        encode_dynamic(name, value, writer)?;
    }
    Ok(())
}

/// Writes an attribute by a name known only now; an empty set is none.
fn encode_dynamic(name: &str, value: &Value, writer: &mut Writer) -> Result<(), Fault> {
    if value.is_empty_set() {
        return Ok(());
    }
    writer.dynamic_name(name);
    value.encode(writer).map_err(|fault| fault.at(name))
}

/// Writes the entries of a nested map that no field knows.
pub fn encode_nested_rest(rest: &Item, known: &[&str], writer: &mut Writer) -> Result<(), Fault> {
    for (name, value) in rest {
        if known.contains(&name.as_str()) {
            let fault = Fault::new("`rest` holds an attribute that the struct writes itself");
            return Err(fault.at(name.as_str()));
        }
        encode_dynamic(name, value, writer)?;
    }
    Ok(())
}

/// The tag of a map that stands for an enum; it may stand anywhere in the map.
pub fn find_tag<'a>(reader: &Reader<'a>, tag: &str) -> Result<Cow<'a, str>, Fault> {
    let mut ahead = reader.clone();
    ahead.open_map()?;
    let mut first = true;
    while let Some(name) = ahead.next_name(&mut first)? {
        if name == tag {
            return ahead.text().map_err(|fault| fault.at(tag));
        }
        ahead.skip()?;
    }
    Err(missing(tag))
}

/// A text that no variant has.
#[cold]
pub fn unknown_variant(known: &[&str]) -> Fault {
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    Fault::mismatch(format!("one of {}", known.join(", ")), "other text")
}
