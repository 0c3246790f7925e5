//! Items as plain JSON without a loss: a file is read by any program, and every value comes back with its type.
//!
//! Text, numbers, booleans, NULL, lists and maps are what they are in JSON, numbers with every digit. JSON lacks the
//! other types, so a value of these is an object with one member that names the type: `{"$B":"aGk="}`,
//! `{"$SS":["a"]}`, `{"$NS":[1,2]}`, `{"$BS":["aGk="]}`. A map that looks like one of these is `{"$M":{..}}`.

use crate::codec::{Item, Value};
use crate::json::{CodecError, MAX_DEPTH, Reader, Tag, escape_into};

/// The beginning of a name that marks a type.
const MARK: char = '$';

/// Writes an item as one object.
pub(super) fn write_item(item: &Item, out: &mut Vec<u8>) {
    out.push(b'{');
    for (at, (name, value)) in item.iter().enumerate() {
        write_separator(at, out);
        write_quoted(name, out);
        out.push(b':');
        write_value(value, out);
    }
    out.push(b'}');
}

/// Writes one value.
pub(super) fn write_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::S(text) => write_quoted(text, out),
        // The digits as they are stored: a float would lose some of the 38.
        Value::N(number) => out.extend_from_slice(number.as_str().as_bytes()),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Null => out.extend_from_slice(b"null"),
        Value::L(list) => write_list(list, out, write_value),
        // A map of the data that looks like a mark gets one itself, so that reading never confuses
        // the two.
        Value::M(map) if is_like_a_mark(map) => {
            write_marked(Tag::M, out, |out| write_item(map, out))
        }
        Value::M(map) => write_item(map, out),
        Value::B(bytes) => write_marked(Tag::B, out, |out| write_bytes(bytes, out)),
        Value::Ss(set) => write_marked(Tag::Ss, out, |out| {
            write_list(set, out, |text, out| write_quoted(text, out));
        }),
        Value::Ns(set) => write_marked(Tag::Ns, out, |out| {
            write_list(set, out, |number, out| {
                out.extend_from_slice(number.as_str().as_bytes());
            });
        }),
        Value::Bs(set) => write_marked(Tag::Bs, out, |out| {
            write_list(set, out, |bytes, out| write_bytes(bytes, out));
        }),
    }
}

/// Whether a map would be read as a value of another type.
fn is_like_a_mark(map: &Item) -> bool {
    map.len() == 1 && map.iter().all(|(name, _)| name.starts_with(MARK))
}

fn write_marked(tag: Tag, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(b"{\"$");
    out.extend_from_slice(tag.name().as_bytes());
    out.extend_from_slice(b"\":");
    write(out);
    out.push(b'}');
}

fn write_list<'v, T: 'v>(
    values: impl IntoIterator<Item = &'v T>,
    out: &mut Vec<u8>,
    write: impl Fn(&'v T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (at, value) in values.into_iter().enumerate() {
        write_separator(at, out);
        write(value, out);
    }
    out.push(b']');
}

fn write_separator(at: usize, out: &mut Vec<u8>) {
    if at > 0 {
        out.push(b',');
    }
}

fn write_quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    escape_into(out, text);
    out.push(b'"');
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    base64_simd::STANDARD.encode_append(bytes, out);
    out.push(b'"');
}

/// Reads an item that [`write_item`] has written, or any other object.
pub(super) fn read_item(line: &str) -> Result<Item, CodecError> {
    // A marked map takes two levels of JSON for one of DynamoDB, and a set within it two more.
    let item = Reader::starting_at(line, 0).plain_item_within(2 * MAX_DEPTH + 2)?;
    unmarked_members(item)
}

/// Reads a value that [`write_value`] has written, or any other.
pub(super) fn read_value(text: &str) -> Result<Value, CodecError> {
    let value = Reader::starting_at(text, 0).plain_value_within(2 * MAX_DEPTH + 2)?;
    unmark_value(value)
}

fn unmarked_members(item: Item) -> Result<Item, CodecError> {
    let values = item.into_iter().map(|(name, value)| {
        let value = unmark_value(value).map_err(|fault| fault.at(name.as_str()))?;
        Ok((name, value))
    });
    values.collect::<Result<Item, CodecError>>()
}

/// The value that a value of plain JSON means.
fn unmark_value(value: Value) -> Result<Value, CodecError> {
    Ok(match value {
        Value::L(list) => Value::L(
            list.into_iter()
                .map(unmark_value)
                .collect::<Result<_, _>>()?,
        ),
        Value::M(map) if is_like_a_mark(&map) => {
            let only = map.into_iter().next();
            let (name, value) = only.unwrap_or((String::new(), Value::Null));
            of_type(name.trim_start_matches(MARK), value)
                .map_err(|fault| fault.at(name.as_str()))?
        }
        Value::M(map) => Value::M(unmarked_members(map)?),
        other => other,
    })
}

fn of_type(name: &str, value: Value) -> Result<Value, CodecError> {
    let found = Tag::from_name(name);
    Ok(match (found, value) {
        (Some(Tag::M), Value::M(map)) => Value::M(unmarked_members(map)?),
        (Some(tag @ (Tag::B | Tag::Ss | Tag::Ns | Tag::Bs)), value) => value
            .into_type(tag)
            .ok_or_else(|| CodecError::mismatch(expected_form(tag), "something else"))?,
        _ => {
            return Err(CodecError::new(
                "no type has this name: a map with one member that begins with `$` is written `{\"$M\":{..}}`",
            ));
        }
    })
}

fn expected_form(tag: Tag) -> &'static str {
    match tag {
        Tag::B => "text in Base64",
        Tag::Ss => "a list of texts without repetition",
        Tag::Ns => "a list of numbers without repetition",
        _ => "a list of texts in Base64 without repetition",
    }
}
