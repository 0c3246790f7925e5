//! Primary keys of one table, one behind the other, so that a million of them take little more than their bytes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use super::chunk::MAX_BODY;
use super::{BATCH, Numbered};
use crate::entity::{DynamoEntity, Key};
use crate::error::Result;
use crate::json::Writer;

/// Keys by their numbers, which are those of the order in which they came.
pub(crate) struct KeyList {
    /// Each key as an object.
    bytes: Writer,
    ends: Vec<usize>,
}

/// A key that comes again: the number of the first one, and its own.
pub(super) type Twin = (usize, usize);

/// The keys of one request.
pub(super) struct KeyChunk {
    bytes: Vec<u8>,
    keys: Vec<(usize, Range<usize>)>,
}

impl KeyList {
    pub(crate) fn new() -> Self {
        KeyList {
            bytes: Writer::for_request(0),
            ends: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds a key. One that cannot be written changes nothing.
    pub(crate) fn push<E: DynamoEntity>(&mut self, key: &Key<E>) -> Result<()> {
        let start = self.bytes.len();
        self.bytes.raw("{");
        if let Err(error) = key.write(&mut self.bytes) {
            self.bytes.rewind(start);
            return Err(error);
        }
        self.bytes.raw("}");
        self.ends.push(self.bytes.len());
        Ok(())
    }

    /// The entries of a key, without the braces.
    fn get(&self, number: usize) -> &[u8] {
        let before = number
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        let start = before.copied().unwrap_or_default() + 1;
        let end = self.ends.get(number).copied().unwrap_or_default();
        let entries = self.bytes.as_bytes().get(start..end.saturating_sub(1));
        entries.unwrap_or_default()
    }

    /// The keys that come again, in the order of the first ones.
    pub(super) fn twins(&self) -> Vec<Twin> {
        let mut first = HashMap::with_capacity(self.len());
        let mut twins = Vec::new();
        for number in 0..self.len() {
            match first.entry(self.get(number)) {
                Entry::Occupied(first) => twins.push((*first.get(), number)),
                Entry::Vacant(free) => {
                    free.insert(number);
                }
            }
        }
        twins.sort_unstable();
        twins
    }

    /// The keys of each request, without the twins.
    pub(super) fn into_chunks(self, twins: &[Twin]) -> Vec<KeyChunk> {
        let mut skipped: Vec<usize> = twins.iter().map(|(_, again)| *again).collect();
        skipped.sort_unstable();
        let mut skipped = skipped.into_iter().peekable();
        let mut chunks: Vec<KeyChunk> = Vec::with_capacity(self.len().div_ceil(BATCH));
        for number in 0..self.len() {
            if skipped.next_if_eq(&number).is_some() {
                continue;
            }
            let key = self.get(number);
            match chunks.last_mut().filter(|chunk| chunk.has_room(key)) {
                Some(chunk) => chunk.push(number, key),
                None => {
                    let mut chunk = KeyChunk {
                        bytes: Vec::with_capacity(key.len() * BATCH.min(self.len() - number)),
                        keys: Vec::with_capacity(BATCH.min(self.len() - number)),
                    };
                    chunk.push(number, key);
                    chunks.push(chunk);
                }
            }
        }
        chunks
    }
}

impl KeyChunk {
    fn has_room(&self, key: &[u8]) -> bool {
        // One byte for the comma and two for the braces of each key.
        let bytes = self.bytes.len() + key.len() + 3 * (self.keys.len() + 1);
        self.keys.len() < BATCH && bytes <= MAX_BODY
    }

    fn push(&mut self, number: usize, key: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.keys.push((number, start..self.bytes.len()));
    }

    /// The keys, of the only frame.
    pub(super) fn numbered(&self) -> Vec<Numbered<'_>> {
        let keys = self.keys.iter().map(|(number, place)| Numbered {
            number: *number,
            frame: 0,
            key: self.bytes.get(place.clone()).unwrap_or_default(),
        });
        keys.collect()
    }
}
