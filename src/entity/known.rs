//! What a partial update knows of the item it will leave.

use std::any::Any;

use crate::json::{CodecError, Reader};
use crate::key::{KeyHash, Shard};

/// Fields by name: their values after the update, as far as anybody knows.
#[derive(Default)]
pub struct Known {
    fields: Vec<(&'static str, Knowledge)>,
    /// Of the primary key, where shards of indexes are taken from it.
    hash: Option<KeyHash>,
}

/// A value that is known.
#[derive(Debug)]
pub enum KnownValue<'k, T> {
    /// It is kept here.
    Kept(&'k T),
    /// It was read from what is stored.
    Read(T),
}

impl<T> std::ops::Deref for KnownValue<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            KnownValue::Kept(value) => value,
            KnownValue::Read(value) => value,
        }
    }
}

enum Knowledge {
    /// A part of the primary key.
    Typed(Box<dyn Any + Send + Sync>),
    /// DynamoDB JSON.
    Json(Vec<u8>),
    /// No attribute.
    Absent,
    /// The update computes it, and nobody knows what comes out.
    Computed,
}

impl Known {
    /// The hash of the primary key.
    pub(crate) fn tell_hash(&mut self, hash: KeyHash) {
        self.hash = Some(hash);
    }

    /// The shard of the item in its indexes.
    pub fn shard(&self) -> Result<Shard, CodecError> {
        let hash = self
            .hash
            .ok_or_else(|| CodecError::new("the primary key is not known"))?;
        Ok(Shard::Of(hash))
    }

    /// A field has this value.
    pub fn tell<T: Send + Sync + 'static>(&mut self, field: &'static str, value: T) {
        self.put(field, Knowledge::Typed(Box::new(value)));
    }

    /// A field is stored as this.
    pub(crate) fn tell_json(&mut self, field: &'static str, json: Vec<u8>) {
        self.put(field, Knowledge::Json(json));
    }

    pub(crate) fn tell_absent(&mut self, field: &'static str) {
        self.put(field, Knowledge::Absent);
    }

    pub(crate) fn tell_computed(&mut self, field: &'static str) {
        self.put(field, Knowledge::Computed);
    }

    /// What is said last counts.
    fn put(&mut self, field: &'static str, knowledge: Knowledge) {
        self.fields.retain(|(known, _)| *known != field);
        self.fields.push((field, knowledge));
    }

    fn get(&self, field: &str) -> Option<&Knowledge> {
        let found = self.fields.iter().find(|(known, _)| *known == field);
        found.map(|(_, knowledge)| knowledge)
    }

    /// Whether anything is known of it.
    pub(crate) fn knows(&self, field: &str) -> bool {
        !matches!(self.get(field), None | Some(Knowledge::Computed))
    }

    /// How a field is stored: `Some(None)` for no attribute, `None` if nobody knows.
    pub(crate) fn json(&self, field: &str) -> Option<Option<&[u8]>> {
        match self.get(field) {
            Some(Knowledge::Json(json)) => Some(Some(json)),
            Some(Knowledge::Absent) => Some(None),
            Some(Knowledge::Typed(_) | Knowledge::Computed) | None => None,
        }
    }

    /// The value of a field that a new key needs.
    pub fn part<T: 'static>(
        &self,
        field: &'static str,
        stored: &str,
        decode: fn(&mut Reader<'_>) -> Result<T, CodecError>,
        absent: fn() -> Option<T>,
    ) -> Result<KnownValue<'_, T>, CodecError> {
        self.read(field, stored, decode, absent)?
            .ok_or_else(|| crate::entity::field::unknown_part(field))
    }

    /// Whether that holds of the value of a field, or `None` if nobody knows it.
    pub fn holds<T: 'static>(
        &self,
        field: &'static str,
        stored: &str,
        decode: fn(&mut Reader<'_>) -> Result<T, CodecError>,
        absent: fn() -> Option<T>,
        holds: fn(&T) -> bool,
    ) -> Result<Option<bool>, CodecError> {
        let value = self.read(field, stored, decode, absent)?;
        Ok(value.map(|value| holds(&value)))
    }

    /// The value of a field, or `None` if nobody knows it.
    fn read<T: 'static>(
        &self,
        field: &'static str,
        stored: &str,
        decode: fn(&mut Reader<'_>) -> Result<T, CodecError>,
        absent: fn() -> Option<T>,
    ) -> Result<Option<KnownValue<'_, T>>, CodecError> {
        let missing = || crate::entity::field::lacking(stored);
        match self.get(field) {
            None | Some(Knowledge::Computed) => Ok(None),
            Some(Knowledge::Typed(value)) => Ok(value.downcast_ref().map(KnownValue::Kept)),
            Some(Knowledge::Absent) => absent().ok_or_else(missing).map(KnownValue::Read).map(Some),
            Some(Knowledge::Json(json)) => {
                let mut reader = Reader::new(json);
                if reader.take_null()? {
                    return absent().ok_or_else(missing).map(KnownValue::Read).map(Some);
                }
                let read = decode(&mut reader);
                read.map(KnownValue::Read)
                    .map(Some)
                    .map_err(|fault| fault.at(stored))
            }
        }
    }
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.fields.iter().map(|(field, _)| field))
            .finish()
    }
}
