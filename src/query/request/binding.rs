//! The binding of a cursor, and the proof that this library created it.

use std::borrow::Cow;

use super::selection::Selection;
use crate::dynamo::Dynamo;
use crate::expr::Expression;
use crate::json::Writer;

/// A hash of everything that determines the rows and their order, except for the bounds of a range. It distinguishes
/// queries and proves nothing; the tag proves the origin. It uses stored names, so that cursors and checkpoints
/// outlive a release that renames in Rust.
pub(crate) fn bind_query(selection: &Selection, db: &Dynamo) -> u64 {
    let (draft, options) = (&selection.draft, &selection.options);
    let source = selection.query_source();
    let index = source.index;
    let mut hash = Hash::default();
    hash.hash_field(db.table_name(source.table.name).as_bytes());
    hash.hash_field(index.map_or("", |index| index.index).as_bytes());
    // An empty name means a collection, or the only entity of its table: in a shared table no entity has an empty name.
    let is_named = source.members.is_none() && source.table.type_attribute.is_some();
    let name = match is_named {
        true => source.entity.identity(source.table),
        false => Cow::Borrowed(""),
    };
    hash.hash_field(name.as_bytes());
    for entity in source.left_out(draft.is_scan) {
        hash.hash_field(entity.identity(source.table).as_bytes());
    }
    for partition in &draft.partitions {
        hash.hash_field(partition);
    }
    for front in &draft.fronts {
        hash.hash_field(&front.equals);
        hash.hash_field(&front.head);
    }
    hash.hash_field(&[
        draft.asked.kind_byte(),
        options.descending.into(),
        options.include_expired.into(),
        options.by_partition.into(),
    ]);
    hash.hash_field(&[draft.is_scan.into()]);
    // Settings that were added later change the hash only if they are used, so that older cursors
    // stay valid.
    if options.every_item {
        hash.hash_field(b"every item");
    }
    if draft.together > 1 {
        hash.hash_field(&draft.together.to_le_bytes());
    }
    if let Some(segments) = options.segments {
        hash.hash_field(&segments.to_le_bytes());
    }
    if let Some(filter) = &options.filter {
        let mut expression = Expression::default();
        let mut text = Writer::default();
        // A filter that cannot be encoded is reported when the request is planned.
        let _ = filter.write_condition(expression.begin_parameter(""));
        expression.write_members(&mut text);
        hash.hash_field(text.as_bytes());
    }
    hash.0
}

/// FNV-1a, because it is short and stays the same forever.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn hash_field(&mut self, bytes: &[u8]) {
        // The length separates the fields: without it, `ab` and `c` would give the same hash as `a`
        // and `bc`.
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
