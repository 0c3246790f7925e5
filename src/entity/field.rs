//! The steps of a generated codec: one call for each field.

use std::borrow::Cow;
use std::fmt::Display;

use crate::codec::{DynamoValue, Item, Value};
use crate::json::{CodecError, Reader, Writer};
use crate::schema::{EntityDef, SHAPE, TableDef, is_of_fill, is_reserved};

/// Names the field that a result belongs to.
#[inline]
pub fn within<T>(name: &str, result: Result<T, CodecError>) -> Result<T, CodecError> {
    result.map_err(|fault| fault.at(name))
}

/// Reads a field with a default, which a NULL represents too.
pub fn or_null<'r, T>(
    reader: &mut Reader<'r>,
    decode: impl FnOnce(&mut Reader<'r>) -> Result<T, CodecError>,
) -> Result<Option<T>, CodecError> {
    if reader.take_null()? {
        return Ok(None);
    }
    decode(reader).map(Some)
}

/// The type of a field with `default = ".."`.
#[diagnostic::on_unimplemented(
    message = "the default of `{Self}` cannot be a text",
    label = "not made of a text",
    note = "`default = \"..\"` is for `String` and for types that are `From<&str>`; for others write an expression of the type, such as `default = 3` or `default = Channel::Web`"
)]
pub trait DefaultText: Sized {
    /// The default.
    #[doc(hidden)]
    fn from_text(text: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> DefaultText for T {
    fn from_text(text: &'static str) -> Self {
        T::from(text)
    }
}

/// A field with a default as it is read back, or `None` if its value is not always written.
pub fn unless_absent<T>(copy: T, absent: fn() -> Option<T>) -> Option<T> {
    absent().is_none().then_some(copy)
}

/// Whether the absence of a field means something.
pub fn may_be_absent<T>(absent: fn() -> Option<T>) -> bool {
    absent().is_some()
}

/// A field that is never absent.
pub fn never_absent<T>() -> Option<T> {
    None
}

/// The type of a `rest` field: [`Item`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot collect unknown attributes",
    label = "expected `Item`",
    note = "a `rest` field is an `Item`: attributes of any type, under their stored names"
)]
pub trait RestField {
    /// The attributes.
    fn as_item(&self) -> &Item;
    /// The field.
    fn from_item(item: Item) -> Self;
}

#[diagnostic::do_not_recommend]
impl RestField for Item {
    fn as_item(&self) -> &Item {
        self
    }

    fn from_item(item: Item) -> Self {
        item
    }
}

/// Stores what was read of a field with a default.
#[inline]
pub fn keep<T>(
    holder: &mut Option<T>,
    name: &str,
    read: Result<Option<T>, CodecError>,
) -> Result<(), CodecError> {
    *holder = within(name, read)?;
    Ok(())
}

/// Stores what was read of a field.
#[inline]
pub fn keep_value<T>(
    holder: &mut Option<T>,
    name: &str,
    read: Result<T, CodecError>,
) -> Result<(), CodecError> {
    *holder = Some(within(name, read)?);
    Ok(())
}

/// Stores what was read of a field under its former name.
pub fn keep_former<T>(
    holder: &mut Option<Option<T>>,
    name: &str,
    read: Result<Option<T>, CodecError>,
) -> Result<(), CodecError> {
    *holder = Some(within(name, read)?);
    Ok(())
}

/// Replaces what was read of a field by the value under its former name, if the item has that one: older programs write
/// no other, and newer ones keep both equal or remove it.
pub fn prefer_former<T>(holder: &mut Option<T>, former: Option<Option<T>>) {
    if let Some(value) = former {
        *holder = value;
    }
}

/// Passes over an attribute that no field of the entity has. The attribute of a shape rejects the item.
#[inline]
pub fn skip_unknown(name: &str, reader: &mut Reader<'_>) -> Result<(), CodecError> {
    if name == SHAPE {
        return Err(CodecError::newer_shape(name));
    }
    reader.skip()
}

/// Stores an attribute that no field of the entity has. The library's own attributes are kept hidden, so that a put
/// leaves the mark of a job in place and users cannot make one by hand. Those of fills are left out: they speak of the
/// item as it was filled, and a program that does not know the fill would say it of another one.
pub fn keep_unknown(
    rest: &mut Item,
    name: &str,
    reader: &mut Reader<'_>,
) -> Result<(), CodecError> {
    if !is_reserved(name) {
        return keep_rest(rest, name, reader);
    }
    if name == SHAPE || is_of_fill(name) {
        return skip_unknown(name, reader);
    }
    rest.keep_value(name.to_owned(), within(name, Value::decode(reader))?);
    Ok(())
}

/// Stores an attribute that no field of a nested struct has.
pub fn keep_rest(rest: &mut Item, name: &str, reader: &mut Reader<'_>) -> Result<(), CodecError> {
    rest.insert(name, within(name, Value::decode(reader))?);
    Ok(())
}

/// The hash of a name by which the derives tell many fields apart, FNV-1a. The derives have the same function.
#[inline]
pub fn name_hash(name: &str) -> u32 {
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, hash)
}

/// Gives a field that was not read the value that absence means; notes the first one that is required.
#[inline]
pub fn fill<T>(
    holder: &mut Option<T>,
    absent: fn() -> Option<T>,
    name: &str,
    lacking: &mut Option<CodecError>,
) {
    if holder.is_none() {
        *holder = absent();
        if holder.is_none() && lacking.is_none() {
            *lacking = Some(missing(name));
        }
    }
}

/// The error for required fields that are missing.
#[cold]
pub fn incomplete(lacking: Option<CodecError>) -> CodecError {
    lacking.unwrap_or_else(|| CodecError::new("an attribute is missing"))
}

/// The error for a required field that is missing.
#[cold]
pub fn missing(name: &str) -> CodecError {
    CodecError::new("the attribute is missing").at(name)
}

/// The error for a stored item without a field that its keys or unique values need.
#[cold]
pub(crate) fn lacking(name: &str) -> CodecError {
    let message = "the stored item has no such attribute, and its unique values or keys need it: if the attribute \
                   has another name there, use `rename` on the field, or make it an `Option` until all items have it";
    CodecError::new(message).at(name)
}

/// The error for a part of an index key that is not known; the planning of an update checks that before.
#[cold]
pub fn unknown_part(name: &str) -> CodecError {
    CodecError::new("the new key of an index needs this part").at(name)
}

/// Checks the type attribute of an item of a shared table.
///
/// An error shows the text found there only if it is the name of an entity: any other text is a user's value.
pub fn check_type(
    reader: &mut Reader<'_>,
    name: &str,
    expected: &str,
    entities: &[&EntityDef],
) -> Result<(), CodecError> {
    let found = reader.text().map_err(|fault| fault.at(name))?;
    if found == expected {
        return Ok(());
    }
    let known = entities.iter().find(|entity| entity.stored_name == found);
    let found = known.map_or("one of another type".to_owned(), |entity| {
        format!("one of the type `{}`", entity.stored_name)
    });
    let fault = CodecError::mismatch(format!("an item of the type `{expected}`"), found);
    Err(fault.at(name))
}

/// Whether the library makes this attribute: a derived key, the type, or a constant.
pub fn is_derived(entity: &EntityDef, table: &TableDef, name: &str) -> bool {
    let own = [&entity.pk].into_iter().chain(&entity.sk);
    let mut keys = own.chain(entity.index_keys());
    entity.type_attribute_in(table) == Some(name)
        || keys.any(|key| key.attribute == name)
        || entity.constant_names().any(|constant| constant == name)
}

/// Writes the attributes that have no field.
pub fn encode_rest(
    rest: &Item,
    entity: &EntityDef,
    table: &TableDef,
    writer: &mut Writer,
) -> Result<(), CodecError> {
    for (name, value) in rest {
        let mut known = entity.attributes.iter();
        let is_field = known.any(|known| known.names().any(|known| known == name));
        if is_field || is_derived(entity, table, name) {
            let fault = CodecError::new("`rest` holds an attribute that the entity writes itself");
            return Err(fault.at(name.as_str()));
        }
        if is_reserved(name) {
            let fault = CodecError::new(
                "`rest` holds an attribute of a name that the library keeps for itself (`$unique`, `_shape`, \
                 `_job.*`, `_fill.*`): store it under another name",
            );
            return Err(fault.at(name.as_str()));
        }
        encode_dynamic(name, value, writer)?;
    }
    for (name, value) in rest.kept_values() {
        encode_dynamic(name, value, writer)?;
    }
    Ok(())
}

/// Writes an attribute whose name is known only at run time; an empty set is left out.
fn encode_dynamic(name: &str, value: &Value, writer: &mut Writer) -> Result<(), CodecError> {
    if value.is_empty_set() {
        return Ok(());
    }
    writer.dynamic_name(name);
    value.encode(writer).map_err(|fault| fault.at(name))
}

/// Writes the entries of a nested map that have no field.
pub fn encode_nested_rest(
    rest: &Item,
    known: &[&str],
    writer: &mut Writer,
) -> Result<(), CodecError> {
    for (name, value) in rest {
        if known.contains(&name.as_str()) {
            let fault = CodecError::new("`rest` holds an attribute that the struct writes itself");
            return Err(fault.at(name.as_str()));
        }
        encode_dynamic(name, value, writer)?;
    }
    Ok(())
}

/// Finds the tag of a map that represents an enum; it may be anywhere in the map.
pub fn find_tag<'a>(reader: &Reader<'a>, tag: &str) -> Result<Cow<'a, str>, CodecError> {
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

/// Reads one of the values of a tuple, which is stored as a list.
pub fn next_of_tuple<'r, T>(
    reader: &mut Reader<'r>,
    first: &mut bool,
    at: usize,
    count: usize,
    decode: impl FnOnce(&mut Reader<'r>) -> Result<T, CodecError>,
) -> Result<T, CodecError> {
    if !reader.next_element(first)? {
        return Err(CodecError::mismatch(
            format!("{count} elements"),
            format!("{at} elements"),
        ));
    }
    decode(reader).map_err(|fault| fault.at_index(at))
}

/// Reads the end of the list that stores a tuple.
pub fn end_of_tuple(
    reader: &mut Reader<'_>,
    first: &mut bool,
    count: usize,
) -> Result<(), CodecError> {
    if reader.next_element(first)? {
        return Err(CodecError::mismatch(
            format!("{count} elements"),
            "more of them",
        ));
    }
    reader.close_list()
}

/// The error for text that names no variant.
#[cold]
pub fn unknown_variant(known: &[&str]) -> CodecError {
    none_of(known, "other text")
}

/// The error for a number that is no variant's.
#[cold]
pub fn unknown_rank(known: &[u16]) -> CodecError {
    none_of(known, "another number")
}

fn none_of(known: &[impl Display], found: &str) -> CodecError {
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    CodecError::mismatch(format!("one of {}", known.join(", ")), found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_of_another_type_is_told() {
        let mut reader = Reader::new(br#"{"S":"private"}"#);
        let fault = check_type(&mut reader, "_type", "Order", &[]).unwrap_err();
        let message = fault.to_string();
        assert!(
            message.contains("an item of the type `Order`, found one of another type"),
            "{message}"
        );
    }
}
