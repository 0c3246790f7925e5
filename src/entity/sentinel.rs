//! Sentinels: the items that keep unique values, lists and blobs, and how they are told from entities.

use crate::json::{Reader, Writer, find_member};
use crate::schema::{EntityDef, KeyType};

/// The attribute that only sentinels have: the primary key of the owner. It is also the value of their type attribute.
pub(crate) const MARK: &str = crate::schema::UNIQUE;

/// Whether an item of DynamoDB JSON is a sentinel.
pub(crate) fn is_sentinel(item: &[u8]) -> bool {
    find_member(item, MARK).is_ok_and(|mark| mark.is_some())
}

/// Whether an item has the partition key of a sentinel, which no template writes.
pub(crate) fn has_sentinel_key(item: &[u8], pk: &str) -> bool {
    let key = find_member(item, pk).ok().flatten();
    let text = key.and_then(|key| Reader::new(key).text().ok());
    text.is_some_and(|text| is_sentinel_text(&text))
}

/// Whether a partition key begins as those of sentinels.
pub(crate) fn is_sentinel_text(pk: &str) -> bool {
    pk.starts_with("$UNIQUE#") || pk.starts_with("$LARGE#")
}

/// Writes the sort key of every sentinel: a value that no template makes.
pub(crate) fn write_sort_key(def: &EntityDef, writer: &mut Writer) {
    let Some(sk) = def.sk else { return };
    writer.dynamic_name(sk.attribute);
    match sk.ty {
        // The partition key alone identifies the value, so any constant sort key is right. It must
        // never change, because it is stored.
        KeyType::S => writer.text("$"),
        KeyType::N => writer.write_integer(0_u8),
        KeyType::B => writer.binary(b"$"),
    }
}
