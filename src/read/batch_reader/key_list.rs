//! Primary keys, one behind the other, so that a million of them take little more than their bytes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use super::frame::{BATCH, Numbered, TableFrame};
use crate::entity::{DynamoEntity, Key};
use crate::error::Result;
use crate::json::Writer;
use crate::key::json::KeyJson;

/// The maximum number of bytes of a body. Only keys of kilobytes reach it.
const MAX_BODY: usize = 1024 * 1024;

/// Keys by their numbers, which are those of the order in which they came.
pub(crate) struct KeyList {
    /// Each key as an object.
    bytes: Writer,
    ends: Vec<usize>,
    /// The frames of the keys: each with the number of its first key. Keys before the first are of frame 0.
    frames: Vec<(usize, usize)>,
}

/// A key that comes again: the number of the first one, and its own.
pub(super) type Twin = (usize, usize);

/// The keys of one request.
pub(super) struct KeyChunk {
    bytes: Vec<u8>,
    keys: Vec<ChunkKey>,
    /// Each frame once.
    frames: Vec<usize>,
}

struct ChunkKey {
    number: usize,
    frame: usize,
    /// The end of its entries, which begin at the end of the key before.
    end: usize,
}

impl KeyList {
    pub(crate) fn new() -> Self {
        KeyList {
            bytes: Writer::for_request(0),
            ends: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// Makes the next keys belong to this frame.
    pub(crate) fn begin_frame(&mut self, frame: usize) {
        self.frames.push((self.len(), frame));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds a key. One that cannot be written changes nothing.
    pub(crate) fn push_key<E: DynamoEntity>(&mut self, key: &Key<E>) -> Result<()> {
        let start = self.bytes.len();
        self.bytes.push_raw("{");
        if let Err(error) = key.write(&mut self.bytes) {
            // A part of the key may have been written before the error.
            self.bytes.rewind_to(start);
            return Err(error);
        }
        self.bytes.push_raw("}");
        self.ends.push(self.bytes.len());
        Ok(())
    }

    /// Adds a key that is written already.
    pub(crate) fn push_json(&mut self, key: &KeyJson) {
        self.bytes.push_raw("{");
        self.bytes.raw_bytes(key.as_bytes());
        self.bytes.push_raw("}");
        self.ends.push(self.bytes.len());
    }

    fn frame_number(&self, number: usize) -> usize {
        let mut begun = self.frames.iter().rev();
        let begun = begun.find(|(first, _)| *first <= number);
        begun.map_or(0, |(_, frame)| *frame)
    }

    /// The entries of a key, without the braces.
    fn key_bytes(&self, number: usize) -> &[u8] {
        let before = number
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        let start = before.copied().unwrap_or_default() + 1;
        let end = self.ends.get(number).copied().unwrap_or_default();
        let entries = self.bytes.as_bytes().get(start..end.saturating_sub(1));
        entries.unwrap_or_default()
    }

    /// The keys that come again, in the order of the first ones.
    pub(super) fn find_twins(&self) -> Vec<Twin> {
        let mut first = HashMap::with_capacity(self.len());
        let mut twins = Vec::new();
        for number in 0..self.len() {
            match first.entry((self.frame_number(number), self.key_bytes(number))) {
                Entry::Occupied(first) => twins.push((*first.get(), number)),
                Entry::Vacant(free) => {
                    free.insert(number);
                }
            }
        }
        twins.sort_unstable();
        twins
    }

    /// The keys of each request, without the twins. A request names a table once, so two forms of reading one table
    /// are two requests.
    pub(super) fn into_chunks(self, twins: &[Twin], frames: &[TableFrame]) -> Vec<KeyChunk> {
        let mut skipped: Vec<usize> = twins.iter().map(|(_, again)| *again).collect();
        skipped.sort_unstable();
        let mut skipped = skipped.into_iter().peekable();
        let mut full: Vec<KeyChunk> = Vec::with_capacity(self.len().div_ceil(BATCH));
        let mut filling: Vec<KeyChunk> = Vec::new();
        for number in 0..self.len() {
            if skipped.next_if_eq(&number).is_some() {
                continue;
            }
            let (frame, key) = (self.frame_number(number), self.key_bytes(number));
            let fitting = filling
                .iter_mut()
                .find(|open| open.takes_key(frames, frame));
            let room = || KeyChunk::for_keys(self.len() - number, key.len());
            match fitting {
                Some(open) => {
                    if !open.has_room(key) {
                        full.push(std::mem::replace(open, room()));
                    }
                    open.push_key(number, frame, key);
                }
                None => {
                    let mut open = room();
                    open.push_key(number, frame, key);
                    filling.push(open);
                }
            }
        }
        full.extend(filling);
        full
    }
}

impl KeyChunk {
    /// Room for so many keys, each about as long as this one.
    fn for_keys(keys: usize, bytes: usize) -> Self {
        let keys = keys.min(BATCH);
        KeyChunk {
            bytes: Vec::with_capacity(bytes * keys),
            keys: Vec::with_capacity(keys),
            frames: Vec::new(),
        }
    }

    /// Whether the chunk has no other frame of the same table, which would read the table in another form.
    fn takes_key(&self, frames: &[TableFrame], number: usize) -> bool {
        let table = |number: usize| frames.get(number).map(|frame| &frame.table);
        let mut others = self.frames.iter().filter(|other| **other != number);
        others.all(|other| table(*other) != table(number))
    }

    fn has_room(&self, key: &[u8]) -> bool {
        // Each key has two braces and a comma in the request.
        let bytes = self.bytes.len() + key.len() + 3 * (self.keys.len() + 1);
        self.keys.len() < BATCH && bytes <= MAX_BODY
    }

    fn push_key(&mut self, number: usize, frame: usize, key: &[u8]) {
        if !self.frames.contains(&frame) {
            self.frames.push(frame);
        }
        self.bytes.extend_from_slice(key);
        let end = self.bytes.len();
        self.keys.push(ChunkKey { number, frame, end });
    }

    pub(super) fn numbered_keys(&self) -> Vec<Numbered<'_>> {
        let mut start = 0;
        let keys = self.keys.iter().map(|key| {
            let entries = self.bytes.get(start..key.end);
            start = key.end;
            Numbered {
                number: key.number,
                frame: key.frame,
                key: entries.unwrap_or_default(),
            }
        });
        keys.collect()
    }
}

/// Never shows the values.
impl fmt::Debug for KeyList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyList({} keys)", self.len())
    }
}
