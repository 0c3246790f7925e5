//! The head of a value: the names of its parts in their order. And the items of parts.

use crate::clock::Timestamp;
use crate::entropy;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, Writer, find_member};
use crate::plan::{Owner, size};
use crate::write::large::{LargeRows, PARTS, part_names};

use super::content::PartContent;

/// The attribute of a head that every replacement changes.
pub(super) const GENERATION: &str = "$large.generation";
/// The attribute of a head with the number of elements or bytes.
pub(super) const LENGTH: &str = "$large.length";
/// The attribute of a part with its name in the head.
pub(super) const NAME: &str = "$large.part";
/// The attribute with the time when a part or a head was written, in epoch seconds. An append changes that of the head.
pub(super) const WRITTEN: &str = "$large.written";
/// The attribute of a part with the elements of a list.
pub(super) const ITEMS: &str = "$large.items";
/// The attribute of a part with the bytes of a blob.
pub(super) const BYTES: &str = "$large.bytes";

/// The maximum number of parts of a list. The name of a part has at most 39 bytes, and one more as an element, so these names have
/// at most 400,000 of the 409,600 bytes of an item. The others are left to the keys.
pub(super) const MOST_PARTS: usize = 10_000;

/// A head, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LargeHead {
    pub(super) generation: String,
    pub(super) parts: Vec<PartName>,
    pub(super) length: u64,
}

/// The name of a part: its id, the number of its elements or bytes, and the checksum of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartName(pub(super) String);

impl PartName {
    /// A new name for this content.
    pub(super) fn draw_for(content: &PartContent) -> Result<Self> {
        let id = format!("{:032x}", entropy::random_bits()?);
        Ok(PartName(match content.checksum {
            Some(checksum) => format!("{id} {} {checksum:016x}", content.count),
            None => format!("{id} {}", content.count),
        }))
    }

    pub(super) fn id(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
    }

    pub(super) fn count(&self) -> u64 {
        let count = self.0.split(' ').nth(1);
        count.and_then(|count| count.parse().ok()).unwrap_or(0)
    }

    pub(super) fn checksum(&self) -> Option<u64> {
        let checksum = self.0.split(' ').nth(2)?;
        u64::from_str_radix(checksum, 16).ok()
    }
}

impl LargeHead {
    pub(super) fn read(item: &[u8]) -> Result<Self, CodecError> {
        let text = |name: &str| match find_member(item, name)? {
            Some(json) => Ok(Reader::new(json).text()?.into_owned()),
            None => {
                Err(CodecError::new("the head of a list has no such attribute").at(name.to_owned()))
            }
        };
        let length = match find_member(item, LENGTH)? {
            Some(json) => {
                let digits = Reader::new(json).digits()?;
                let length = digits.parse();
                length.map_err(|_| CodecError::new("not a number of elements").at(LENGTH))?
            }
            None => 0,
        };
        let parts = part_names(item)?.into_iter().map(PartName);
        Ok(LargeHead {
            generation: text(GENERATION)?,
            parts: parts.collect(),
            length,
        })
    }

    pub(super) fn ids(&self) -> Vec<String> {
        let ids = self.parts.iter().map(PartName::id);
        ids.map(str::to_owned).collect()
    }
}

/// A random generation of a head.
pub(super) fn draw_generation() -> Result<String> {
    Ok(format!("{:016x}", entropy::random_half()?))
}

/// The item of a part.
pub(super) fn part_item(
    rows: &LargeRows,
    name: &PartName,
    content: &PartContent,
    now: Timestamp,
) -> Result<Vec<u8>> {
    let mut item = begin_item(rows, &rows.part_key(name.id()), content.json.len(), now);
    item.dynamic_name(NAME);
    item.text(&name.0);
    item.dynamic_name(WRITTEN);
    item.write_integer(now.seconds());
    item.dynamic_name(if rows.value.is_blob { BYTES } else { ITEMS });
    item.raw_bytes(&content.json);
    item.add_size(content.size);
    item.push_raw("}");
    if let Err(error) = size::check_item(rows.entity.type_name, item.stored_size()) {
        // Only an element that is larger than a part makes a part too large.
        let message = format!(
            "an element of `{}` does not fit into an item: {}",
            rows.value.name,
            error.reason()
        );
        return Err(
            Error::new(ErrorKind::TooLarge, Stage::Encode, message).of(rows.entity.type_name)
        );
    }
    Ok(item.into_bytes())
}

/// The item of a head with these parts.
pub(super) fn head_item(rows: &LargeRows, parts: &[PartName], now: Timestamp) -> Result<Vec<u8>> {
    let mut item = begin_item(rows, &rows.head_key(), 64 * parts.len(), now);
    if !rows.value.is_blob {
        check_parts(rows, parts.len())?;
    }
    item.dynamic_name(WRITTEN);
    item.write_integer(now.seconds());
    item.dynamic_name(GENERATION);
    item.text(&draw_generation()?);
    item.dynamic_name(LENGTH);
    item.write_integer(parts.iter().map(PartName::count).sum::<u64>());
    item.dynamic_name(PARTS);
    item.raw_bytes(&names_json(parts));
    item.add_size(3 + parts.iter().map(|part| part.0.len() + 1).sum::<usize>());
    item.push_raw("}");
    match size::check_item(rows.entity.type_name, item.stored_size()) {
        Ok(()) => Ok(item.into_bytes()),
        Err(_) => Err(too_many_parts(rows)),
    }
}

/// Fails if a list would have more parts than a head has room for, also after an append, which does not know the size of the head.
pub(super) fn check_parts(rows: &LargeRows, parts: usize) -> Result<()> {
    match parts <= MOST_PARTS {
        true => Ok(()),
        false => Err(too_many_parts(rows)),
    }
}

/// The error of a head that cannot name all parts.
fn too_many_parts(rows: &LargeRows) -> Error {
    let remedy = match rows.value.is_blob {
        true => "store it in S3",
        false => "append more elements at a time, or join the parts by `compact`",
    };
    let message = format!(
        "`{}` has too many parts: its head cannot name more of them in 400 KB; {remedy}",
        rows.value.name
    );
    Error::new(ErrorKind::TooLarge, Stage::Encode, message).of(rows.entity.type_name)
}

/// The names of parts, as a list in DynamoDB JSON.
pub(super) fn names_json(parts: &[PartName]) -> Vec<u8> {
    let mut json = Writer::with_capacity(64 * parts.len() + 16);
    json.push_raw("{\"L\":[");
    for (at, part) in parts.iter().enumerate() {
        json.push_raw(if at == 0 { "" } else { "," });
        json.text(&part.0);
    }
    json.push_raw("]}");
    json.into_bytes()
}

/// The name of a part, as DynamoDB JSON.
pub(super) fn text_json(text: &str) -> Vec<u8> {
    let mut json = Writer::with_capacity(64);
    json.text(text);
    json.into_bytes()
}

/// The owner of the rows, as their attributes name it.
pub(super) fn owner_of(rows: &LargeRows, now: Timestamp) -> Owner {
    Owner::of_item(&rows.owner, rows.entity, rows.table, now)
}

/// An item with its key, its type and its owner, still open.
fn begin_item(rows: &LargeRows, key: &[u8], room: usize, now: Timestamp) -> Writer {
    let mut item = Writer::for_request(512 + room);
    item.restart_size();
    item.raw_bytes(key.strip_suffix(b"}").unwrap_or_default());
    item.add_size(key.len() + rows.owner.len());
    owner_of(rows, now).write_content(&mut item);
    item
}

/// The error of a row that cannot be read.
pub(super) fn unreadable(rows: &LargeRows, fault: CodecError) -> Error {
    Error::decode(rows.entity.type_name, fault.at(rows.value.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_part_tells_its_length_and_checksum() {
        let content = |checksum| PartContent {
            json: Vec::new(),
            size: 0,
            count: 12,
            checksum,
        };
        for checksum in [None, Some(0), Some(u64::MAX)] {
            let name = PartName::draw_for(&content(checksum)).expect("random bits");
            assert_eq!(name.id().len(), crate::write::large::ID_LENGTH);
            assert_eq!((name.count(), name.checksum()), (12, checksum));
        }
    }
}
