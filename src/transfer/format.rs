//! The formats of lines.

use super::plain_json;
use crate::codec::{Item, Value};
use crate::error::{Error, ErrorKind, Remedy, Stage};
use crate::json::{CodecError, Reader, Tag};

/// The only member of a line of DynamoDB JSON.
const ITEM: &str = "Item";

/// The format of the lines of a file.
///
/// ```text
/// Json         {"id":7,"name":"Ann","tags":{"$SS":["a","b"]}}
/// DynamoJson   {"Item":{"id":{"N":"7"},"name":{"S":"Ann"},"tags":{"SS":["a","b"]}}}
/// ```
///
/// `Json` is plain JSON with every digit of its numbers. JSON has no bytes and no sets, so these are objects with one
/// member that names the type: `{"$B":"aGk="}`, `{"$SS":["a"]}`, `{"$NS":[1,2]}`, `{"$BS":["aGk="]}`. A map with one
/// member whose name begins with `$` is written as `{"$M":{"$..":..}}`, so nothing is ambiguous. An import
/// for an entity also reads sets as lists, and bytes and numbers as text, if the field has that type.
///
/// `DynamoJson` is the format of the data files of DynamoDB's full exports to S3.
///
/// In both formats, attributes are sorted by name and sets by value, so the same item is always the same line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RowFormat {
    /// Plain JSON.
    #[default]
    Json,
    /// `{"Item":{..}}` with the types of DynamoDB.
    DynamoJson,
}

impl RowFormat {
    /// Writes the line of an item, which is DynamoDB JSON.
    pub(super) fn write_line(self, item: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
        // DynamoDB returns attributes and sets in no order, and an item sorts them.
        let item = Item::from_dynamo_json(item)?;
        match self {
            RowFormat::Json => plain_json::write_item(&item, out),
            RowFormat::DynamoJson => {
                out.extend_from_slice(b"{\"Item\":");
                out.extend_from_slice(&item.to_dynamo_json()?);
                out.push(b'}');
            }
        }
        out.push(b'\n');
        Ok(())
    }

    /// Reads the item of a line.
    pub(super) fn read_line(self, line: &[u8]) -> Result<Item, CodecError> {
        let Ok(text) = std::str::from_utf8(line) else {
            return Err(CodecError::new("not JSON: the line is not UTF-8"));
        };
        match self {
            RowFormat::Json => plain_json::read_item(text),
            RowFormat::DynamoJson => dynamo_item(text),
        }
    }

    /// The error of a line that cannot be read, with the reason if it has the other format.
    pub(super) fn explain_line(self, line: &[u8], error: Error) -> Error {
        let is_plain = self == RowFormat::DynamoJson
            && RowFormat::Json
                .read_line(line)
                .is_ok_and(|item| !item.is_empty() && !item.contains(ITEM) && !has_types(&item));
        match is_plain {
            true => other_format(
                "the line is plain JSON, and no DynamoDB JSON",
                Remedy::PlainJson,
            ),
            false => error,
        }
    }

    /// The error of an item that cannot be stored, with the reason if its line has the other format.
    pub(super) fn explain_item(self, item: &Item, error: Error) -> Error {
        let is_typed = wrapped_attributes(item).is_some_and(has_types);
        match self == RowFormat::Json && is_typed {
            true => other_format(
                "the line is DynamoDB JSON, and no plain JSON",
                Remedy::DynamoJson,
            ),
            false => error,
        }
    }

    pub(super) fn format_name(self) -> &'static str {
        match self {
            RowFormat::Json => "json",
            RowFormat::DynamoJson => "dynamodb",
        }
    }
}

/// The attributes of a line `{"Item":{..}}` that was read as plain JSON.
fn wrapped_attributes(item: &Item) -> Option<&Item> {
    let mut members = item.iter();
    match (members.next(), members.next()) {
        (Some((name, Value::M(attributes))), None) if name == ITEM => Some(attributes),
        _ => None,
    }
}

/// Whether each attribute is an object with the name of a type, as in DynamoDB JSON.
fn has_types(attributes: &Item) -> bool {
    let is_typed = |value: &Value| match value {
        Value::M(map) => {
            map.len() == 1 && map.iter().all(|(name, _)| Tag::from_name(name).is_some())
        }
        _ => false,
    };
    !attributes.is_empty() && attributes.iter().all(|(_, value)| is_typed(value))
}

fn other_format(message: &str, remedy: Remedy) -> Error {
    Error::new(ErrorKind::Decode, Stage::Decode, message).with_remedies([remedy])
}

fn dynamo_item(line: &str) -> Result<Item, CodecError> {
    let other =
        || CodecError::new("a line of DynamoDB JSON has one member, `Item`: `{\"Item\":{..}}`");
    let mut reader = Reader::starting_at(line, 0);
    let mut first = true;
    reader.open_object()?;
    match reader.next_name(&mut first)? {
        Some(name) if name == ITEM => {}
        _ => return Err(other()),
    }
    let item = Item::read_item(&mut reader)?;
    match reader.next_name(&mut first)? {
        None => {}
        Some(_) => return Err(other()),
    }
    reader.finish_text()?;
    Ok(item)
}
