//! What a cursor is bound to, and what proves that we made it.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::super::selection::Selection;
use crate::codec::Writer;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::expr::Expression;

/// The first bytes of an HMAC.
pub(crate) type Tag = [u8; TAG_SIZE];

pub(super) const TAG_SIZE: usize = 16;

/// A secret has so many bytes.
const LEAST_SECRET: usize = 16;

/// What signs cursors.
#[derive(Clone)]
pub(crate) struct Secret(Hmac<Sha256>);

impl Secret {
    /// Whoever can guess it can make up cursors.
    pub(crate) fn new(secret: &[u8]) -> Result<Self> {
        if secret.len() < LEAST_SECRET {
            return Err(Error::config(format!(
                "a secret that signs cursors has {LEAST_SECRET} random bytes or more, and this one {}",
                secret.len()
            )));
        }
        let hmac = Hmac::new_from_slice(secret);
        hmac.map(Secret)
            .map_err(|_| Error::config("this secret cannot sign cursors"))
    }

    pub(super) fn sign(&self, bytes: &[u8]) -> Tag {
        let full = self.0.clone().chain_update(bytes).finalize().into_bytes();
        let mut tag = [0; TAG_SIZE];
        for (byte, full) in tag.iter_mut().zip(full) {
            *byte = full;
        }
        tag
    }

    /// In constant time.
    pub(super) fn verify(&self, bytes: &[u8], tag: &Tag) -> bool {
        let mac = self.0.clone().chain_update(bytes);
        mac.verify_truncated_left(tag).is_ok()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Everything that decides which rows come in which order, but the bounds of a range. It tells queries
/// apart and proves nothing: that is for the tag.
pub(super) fn of(selection: &Selection, db: &Dynamo) -> u64 {
    let (draft, options) = (&selection.draft, &selection.options);
    let source = selection.source();
    let index = source.index;
    let mut hash = Hash::default();
    hash.field(db.table_name(source.table.name).as_bytes());
    hash.field(index.map_or("", |index| index.index).as_bytes());
    hash.field(index.map_or("", |index| index.name).as_bytes());
    // No entity has an empty name: a collection.
    let own = source.members.map_or(source.entity.stored_name, |_| "");
    hash.field(own.as_bytes());
    for entity in source.left_out(draft.is_scan) {
        hash.field(entity.stored_name.as_bytes());
    }
    for partition in &draft.partitions {
        hash.field(partition);
    }
    for front in &draft.fronts {
        hash.field(&front.equals);
        hash.field(&front.head);
    }
    hash.field(&[
        draft.asked.word(),
        options.descending.into(),
        options.include_expired.into(),
        options.by_partition.into(),
    ]);
    hash.field(&[draft.is_scan.into()]);
    if let Some(segments) = options.segments {
        hash.field(&segments.to_le_bytes());
    }
    if let Some(filter) = &options.filter {
        let mut expression = Expression::default();
        let mut text = Writer::default();
        // A filter that cannot be written is refused before.
        let _ = filter.write(expression.begin(""));
        expression.write(&mut text);
        hash.field(text.as_bytes());
    }
    hash.0
}

/// FNV-1a: short, and the same for ever.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn field(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
