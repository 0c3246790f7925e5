//! The head of a value: the names of its parts in their order. And the items of parts.

use crate::clock::Timestamp;
use crate::entropy;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, Writer, find_member};
use crate::plan::{Owner, size};
use crate::write::large::{BYTES, ITEMS, LargeRows, NAME, PARTS, WRITTEN, is_settled, part_names};
use crate::write::part_name::PartName;

use super::content::PartContent;

/// The attribute of a head that every replacement changes.
pub(super) const GENERATION: &str = "$large.generation";
/// The attribute of a head with the number of elements or bytes.
pub(super) const LENGTH: &str = "$large.length";

/// The maximum number of parts of a list. The name of a part has at most 39 bytes, and one more as an element, so these names have
/// at most 400,000 of the 409,600 bytes of an item. The others are left to the keys.
pub(super) const MOST_PARTS: usize = 10_000;

/// The same outside of DynamoDB, where a name has at most 123 bytes.
pub(super) const MOST_OBJECTS: usize = 3200;

/// A head, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LargeHead {
    pub(super) generation: String,
    pub(super) parts: Vec<PartName>,
    pub(super) length: u64,
    /// The time at which its last write was sent; `None` if another program has removed it.
    pub(super) written: Option<i64>,
}

/// The name for a part with this content.
pub(super) fn draw_name(rows: &LargeRows, content: &PartContent, table: &str) -> Result<PartName> {
    match rows.value.outside {
        true => PartName::draw_outside(content.count, &content.content, table),
        false => PartName::draw_stored(content.count, content.checksum),
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
        // A damaged time keeps no one from reading the list. It only counts as young.
        let written = find_member(item, WRITTEN)?.map(|json| Reader::new(json).digits());
        let written = written.and_then(|digits| digits.ok()?.parse().ok());
        Ok(LargeHead {
            generation: text(GENERATION)?,
            parts: part_names(item)?,
            length,
            written,
        })
    }

    /// The parts that can be deleted after this head was replaced or deleted: none if a late request may still name them.
    pub(super) fn into_settled_parts(self, now: Timestamp) -> Vec<PartName> {
        let is_settled = self.written.is_some_and(|written| is_settled(written, now));
        if is_settled { self.parts } else { Vec::new() }
    }
}

/// A random generation of a head.
pub(super) fn draw_generation() -> Result<String> {
    Ok(format!("{:016x}", entropy::random_half()?))
}

/// The item of a part. Outside of DynamoDB, it is the marker of an object, without content.
pub(super) fn part_item(
    rows: &LargeRows,
    name: &PartName,
    content: &PartContent,
    now: Timestamp,
) -> Result<Vec<u8>> {
    let is_marker = name.object().is_some();
    let room = if is_marker { 0 } else { content.content.len() };
    let mut item = begin_item(rows, &rows.part_key(name.id()), room, now);
    item.dynamic_name(NAME);
    item.text(&name.0);
    item.dynamic_name(WRITTEN);
    item.write_integer(now.seconds());
    if !is_marker {
        item.dynamic_name(if rows.value.is_blob { BYTES } else { ITEMS });
        item.raw_bytes(&content.content);
        item.add_size(content.size);
    }
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
    match parts <= most_parts(rows) {
        true => Ok(()),
        false => Err(too_many_parts(rows)),
    }
}

/// The maximum number of parts of a list.
pub(super) fn most_parts(rows: &LargeRows) -> usize {
    match rows.value.outside {
        true => MOST_OBJECTS,
        false => MOST_PARTS,
    }
}

/// The error of a head that cannot name all parts.
fn too_many_parts(rows: &LargeRows) -> Error {
    let remedy = match rows.value.is_blob {
        true => "store larger parts outside of DynamoDB, by `outside` and `part_bytes`",
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
