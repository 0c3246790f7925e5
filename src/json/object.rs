//! Takes JSON apart without decoding it: members and elements as the bytes they are.

use std::borrow::Cow;

use crate::json::{CodecError, Reader};

const NULL: &[u8] = b"null";

/// A name and a value of JSON.
pub(super) type JsonMember<'r> = (Cow<'r, str>, &'r [u8]);

/// The members of an object, in their order.
pub(crate) fn object_members(object: &[u8]) -> Result<Vec<JsonMember<'_>>, CodecError> {
    let mut reader = Reader::new(object);
    let mut members = Vec::new();
    let mut first = true;
    reader.open_object()?;
    while let Some(name) = reader.next_name(&mut first)? {
        members.push((name, reader.raw_value()?));
    }
    Ok(members)
}

/// The first member of this name. The members after it are not checked.
pub(crate) fn find_member<'r>(
    object: &'r [u8],
    wanted: &str,
) -> Result<Option<&'r [u8]>, CodecError> {
    let mut reader = Reader::new(object);
    let mut first = true;
    reader.open_object()?;
    while let Some(name) = reader.next_name(&mut first)? {
        let value = reader.raw_value()?;
        if name == wanted {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

/// The members of an answer. A null means a missing member, as in the SDK.
pub(crate) fn answer_members(object: &[u8]) -> Result<Vec<JsonMember<'_>>, CodecError> {
    let mut members = object_members(object)?;
    // Some servers write null for a member that others omit.
    members.retain(|(_, value)| *value != NULL);
    Ok(members)
}

/// The first member of this name in an answer, if it is not null.
pub(crate) fn find_answer<'r>(
    object: &'r [u8],
    wanted: &str,
) -> Result<Option<&'r [u8]>, CodecError> {
    Ok(find_member(object, wanted)?.filter(|value| *value != NULL))
}

/// The elements of an array.
pub(crate) fn array_elements(array: &[u8]) -> Result<Vec<&[u8]>, CodecError> {
    let mut reader = Reader::new(array);
    let mut elements = Vec::new();
    let mut first = true;
    reader.open_array()?;
    while reader.next_element(&mut first)? {
        elements.push(reader.raw_value()?);
    }
    Ok(elements)
}

/// Whether the value of an attribute is NULL, which means that the attribute is absent.
pub(crate) fn is_null(json: &[u8]) -> bool {
    let kind = object_members(json)
        .ok()
        .and_then(|mut members| members.pop());
    kind.is_some_and(|(kind, _)| kind == "NULL")
}
