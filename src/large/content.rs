//! The division of a value into parts.

use crate::codec::{DynamoValue, Value};
use crate::error::{Error, Result};
use crate::json::{CodecError, Reader, Writer, array_elements};
use crate::key::KeyHash;

/// The bytes of a part, as DynamoDB counts them. The limit of an item is 400 KB, and the keys are part of it.
pub(super) const PART_BYTES: usize = 350_000;

/// The usual bytes of a part outside of DynamoDB.
pub(super) const OBJECT_BYTES: usize = 8 << 20;

/// The most bytes of a part outside of DynamoDB. Several are in memory at the same time.
pub(super) const MOST_OBJECT_BYTES: usize = 64 << 20;

/// The content of a part.
#[derive(Debug, Clone)]
pub(super) struct PartContent {
    /// The value of its attribute, as DynamoDB JSON. An object with bytes contains the bytes themselves.
    pub(super) content: Vec<u8>,
    /// Its bytes, as DynamoDB counts them.
    pub(super) size: usize,
    /// The number of elements, or of bytes.
    pub(super) count: u64,
    /// The checksum of bytes in an item. The elements of a list have none, because DynamoDB may return their numbers in another format.
    pub(super) checksum: Option<u64>,
}

/// Divides elements into parts of about this many bytes, in their order.
pub(super) fn parts_of_list<'t, T: DynamoValue + 't>(
    entity: &'static str,
    elements: impl IntoIterator<Item = &'t T>,
    part_bytes: usize,
) -> Result<Vec<PartContent>> {
    let mut division = Division::new(part_bytes);
    // An element is within the list of its part, which is one of the levels that DynamoDB allows.
    let mut writer = Writer::for_request(256);
    for element in elements {
        writer.rewind_to(0);
        let opened = writer.open_list();
        opened.map_err(|fault: CodecError| Error::encode(entity, fault))?;
        let begin = writer.len();
        writer.restart_size();
        let encoded = element.encode(&mut writer);
        encoded.map_err(|fault: CodecError| Error::encode(entity, fault))?;
        let json = writer.as_bytes().get(begin..).unwrap_or_default();
        division.add_element(json, writer.stored_size());
    }
    Ok(division.finish())
}

/// Divides the elements of former parts again, each a list in DynamoDB JSON, without a change of any element.
pub(super) fn joined_parts(
    entity: &'static str,
    parts: &[Vec<u8>],
    part_bytes: usize,
) -> Result<Vec<PartContent>> {
    let fail = |fault| Error::encode(entity, fault);
    let mut division = Division::new(part_bytes);
    for part in parts {
        for element in array_elements(part).map_err(fail)? {
            let value = Value::decode(&mut Reader::new(element)).map_err(fail)?;
            division.add_element(element, value.size());
        }
    }
    Ok(division.finish())
}

/// The XXH64 of the bytes of a part. It is stored, so it never changes.
pub(super) fn checksum_of(bytes: &[u8]) -> u64 {
    KeyHash::of(bytes, None).number()
}

/// Divides bytes in the same way.
pub(super) fn parts_of_bytes(bytes: &[u8], part_bytes: usize, outside: bool) -> Vec<PartContent> {
    // No bytes are no parts: a head without parts is an empty blob.
    let parts = bytes.chunks(part_bytes.max(1)).map(|part| PartContent {
        content: match outside {
            true => part.to_vec(),
            false => binary_json(part),
        },
        size: part.len(),
        count: part.len() as u64,
        // The name of an object contains its SHA-256.
        checksum: (!outside).then(|| checksum_of(part)),
    });
    parts.collect()
}

fn binary_json(bytes: &[u8]) -> Vec<u8> {
    let mut writer = Writer::with_capacity(bytes.len() / 2 * 3);
    writer.binary(bytes);
    writer.into_bytes()
}

struct Division {
    part_bytes: usize,
    parts: Vec<PartContent>,
}

impl Division {
    fn new(part_bytes: usize) -> Self {
        Division {
            part_bytes,
            parts: Vec::new(),
        }
    }

    /// Adds an element to the last part if it fits there. A larger element has a part of its own.
    fn add_element(&mut self, json: &[u8], size: usize) {
        // DynamoDB counts one byte for each element of a list.
        let size = size + 1;
        match self.parts.last_mut() {
            Some(part) if part.size + size <= self.part_bytes => {
                part.content.push(b',');
                part.content.extend_from_slice(json);
                part.size += size;
                part.count += 1;
            }
            _ => self.parts.push(PartContent {
                content: [b"{\"L\":[", json].concat(),
                // The list itself has three bytes.
                size: size + 3,
                count: 1,
                checksum: None,
            }),
        }
    }

    fn finish(mut self) -> Vec<PartContent> {
        for part in &mut self.parts {
            part.content.extend_from_slice(b"]}");
        }
        self.parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::find_member;

    #[test]
    fn all_elements_are_in_parts_that_fit() {
        let elements: Vec<String> = (0..500).map(|at| "x".repeat(at % 40)).collect();
        for part_bytes in [1, 10, 100, 1000, 1_000_000] {
            let parts = parts_of_list("Hall", &elements, part_bytes).expect("texts are values");
            let mut found = Vec::new();
            for part in &parts {
                let read = Vec::<String>::decode(&mut Reader::new(&part.content)).expect("a list");
                assert_eq!(read.len() as u64, part.count);
                assert!(part.count == 1 || part.size <= part_bytes, "{part_bytes}");
                let size: usize = read.iter().map(|text| text.len() + 1).sum();
                assert_eq!(part.size, size + 3);
                found.extend(read);
            }
            assert_eq!(found, elements, "{part_bytes}");
            // Joined parts are those that would have been written at once.
            let list = |part: &PartContent| {
                find_member(&part.content, "L").map(|list| list.map(<[u8]>::to_vec))
            };
            let lists: Vec<Vec<u8>> = parts
                .iter()
                .map(|part| list(part).expect("JSON").expect("a list"))
                .collect();
            let joined = joined_parts("Hall", &lists, 1000).expect("lists");
            let at_once = parts_of_list("Hall", &elements, 1000).expect("texts are values");
            let facts = |parts: &[PartContent]| {
                parts
                    .iter()
                    .map(|part| (part.content.clone(), part.size, part.count))
                    .collect::<Vec<_>>()
            };
            assert_eq!(facts(&joined), facts(&at_once));
        }
        let none: [String; 0] = [];
        assert!(
            parts_of_list("Hall", &none, 10)
                .expect("nothing")
                .is_empty()
        );
    }
}
