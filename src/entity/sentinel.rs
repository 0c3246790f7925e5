//! Sentinels: the items that keep unique values, and how they are told from entities.

use crate::json::{Reader, find_member};

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
    text.is_some_and(|text| text.starts_with("$UNIQUE#"))
}
