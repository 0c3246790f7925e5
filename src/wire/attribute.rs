//! The SDK's attribute values from and to DynamoDB JSON.
//!
//! Only for the edges: items that a user hands over as the SDK's maps, and the typed path. No
//! operation's own data passes through here.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;

use crate::codec::{Fault, Reader, Tag, Writer};

/// An item as the SDK has it.
pub(crate) type Attributes = HashMap<String, AttributeValue>;

/// Reads `{"name":{"S":"..."},...}`. Nesting is limited as DynamoDB limits it.
pub(crate) fn attributes_from_json(json: &[u8]) -> Result<Attributes, Fault> {
    let mut reader = Reader::new(json);
    let attributes = read_attributes(&mut reader)?;
    reader.finish()?;
    Ok(attributes)
}

/// Writes `{"name":{"S":"..."},...}`, sorted by name. A type this SDK does not know becomes an empty
/// value, which every reader refuses.
pub(crate) fn attributes_to_json(attributes: &Attributes) -> Vec<u8> {
    let mut writer = Writer::default();
    write_attributes(&mut writer, attributes);
    writer.into_bytes()
}

pub(super) fn read_attributes(reader: &mut Reader<'_>) -> Result<Attributes, Fault> {
    reader.open_object()?;
    read_members(reader)
}

fn read_members(reader: &mut Reader<'_>) -> Result<Attributes, Fault> {
    let mut attributes = Attributes::new();
    let mut first = true;
    while let Some(name) = reader.next_name(&mut first)? {
        let value = read_value(reader).map_err(|fault| fault.at(name.clone()))?;
        attributes.insert(name.into_owned(), value);
    }
    Ok(attributes)
}

fn read_value(reader: &mut Reader<'_>) -> Result<AttributeValue, Fault> {
    Ok(match reader.tag()? {
        Tag::S => AttributeValue::S(reader.text()?.into_owned()),
        Tag::N => AttributeValue::N(reader.digits()?.into_owned()),
        Tag::B => AttributeValue::B(Blob::new(reader.binary()?)),
        Tag::Bool => AttributeValue::Bool(reader.boolean()?),
        Tag::Null => {
            reader.take_null()?;
            AttributeValue::Null(true)
        }
        Tag::L => AttributeValue::L(read_list(reader)?),
        Tag::M => {
            reader.open_map()?;
            let members = read_members(reader)?;
            reader.close_map()?;
            AttributeValue::M(members)
        }
        Tag::Ss => AttributeValue::Ss(read_set(reader, Tag::Ss, read_text)?),
        Tag::Ns => AttributeValue::Ns(read_set(reader, Tag::Ns, read_text)?),
        Tag::Bs => AttributeValue::Bs(read_set(reader, Tag::Bs, |reader| {
            reader.base64().map(Blob::new)
        })?),
    })
}

fn read_list(reader: &mut Reader<'_>) -> Result<Vec<AttributeValue>, Fault> {
    reader.open_list()?;
    let mut values = Vec::new();
    let mut first = true;
    while reader.next_element(&mut first)? {
        let at = values.len();
        values.push(read_value(reader).map_err(|fault| fault.at_index(at))?);
    }
    reader.close_list()?;
    Ok(values)
}

fn read_set<T>(
    reader: &mut Reader<'_>,
    tag: Tag,
    element: impl Fn(&mut Reader<'_>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    reader.open(tag)?;
    reader.open_array()?;
    let mut elements = Vec::new();
    let mut first = true;
    while reader.next_element(&mut first)? {
        elements.push(element(reader)?);
    }
    reader.close()?;
    Ok(elements)
}

fn read_text(reader: &mut Reader<'_>) -> Result<String, Fault> {
    reader.string().map(|text| text.into_owned())
}

pub(super) fn write_attributes(writer: &mut Writer, attributes: &Attributes) {
    let mut names: Vec<&String> = attributes.keys().collect();
    names.sort_unstable();
    writer.raw("{");
    for name in names {
        writer.dynamic_name(name);
        write_value(writer, &attributes[name]);
    }
    writer.raw("}");
}

fn write_value(writer: &mut Writer, value: &AttributeValue) {
    match value {
        AttributeValue::S(text) => writer.text(text),
        AttributeValue::N(digits) => {
            writer.raw("{\"N\":");
            writer.quoted(digits);
            writer.raw("}");
        }
        AttributeValue::B(blob) => writer.binary(blob.as_ref()),
        AttributeValue::Bool(value) => writer.boolean(*value),
        AttributeValue::Null(_) => writer.null(),
        AttributeValue::L(values) => {
            writer.raw("{\"L\":[");
            for value in values {
                writer.element();
                write_value(writer, value);
            }
            writer.raw("]}");
        }
        AttributeValue::M(members) => {
            writer.raw("{\"M\":");
            write_attributes(writer, members);
            writer.raw("}");
        }
        AttributeValue::Ss(texts) => write_texts(writer, Tag::Ss, texts),
        AttributeValue::Ns(numbers) => write_texts(writer, Tag::Ns, numbers),
        AttributeValue::Bs(blobs) => {
            writer.open_set(Tag::Bs.name());
            for blob in blobs {
                writer.set_binary(blob.as_ref());
            }
            writer.close_set();
        }
        _ => writer.raw("{}"),
    }
}

fn write_texts(writer: &mut Writer, tag: Tag, texts: &[String]) {
    writer.open_set(tag.name());
    for text in texts {
        writer.set_text(text);
    }
    writer.close_set();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_comes_back() {
        let json = br#"{"b":{"B":"AAH/"},"bs":{"BS":["AA==","/w=="]},"f":{"BOOL":false},"l":{"L":[{"S":"a\"b"},{"L":[]},{"M":{}}]},"m":{"M":{"x":{"N":"-1.5E+3"},"y":{"NULL":true}}},"ns":{"NS":["1","2"]},"ss":{"SS":["\u0001"]}}"#;
        let attributes = attributes_from_json(json).unwrap();
        assert_eq!(attributes["b"], AttributeValue::B(Blob::new([0, 1, 255])));
        assert_eq!(attributes_to_json(&attributes), json);
    }

    #[test]
    fn arbitrary_bytes_are_a_fault() {
        let whole = br#"{"a":{"L":[{"S":"x\u00e9"},{"NS":["1"]},{"M":{"b":{"BS":["AA=="]}}}]}}"#;
        for end in 0..whole.len() {
            assert!(attributes_from_json(&whole[..end]).is_err(), "{end}");
        }
        for at in 0..whole.len() {
            for byte in [0, b'"', b'{', b'}', b'[', b'\\', 0xff] {
                let mut bytes = whole.to_vec();
                bytes[at] = byte;
                let _ = attributes_from_json(&bytes);
            }
        }
    }

    #[test]
    fn deep_nesting_is_a_fault() {
        let depth = 100_000;
        let json = format!("{{\"a\":{}", "{\"L\":[".repeat(depth));
        let fault = attributes_from_json(json.as_bytes()).unwrap_err();
        assert!(fault.to_string().contains("nest"), "{fault}");
    }
}
