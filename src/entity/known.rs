//! The values that a partial update knows about the resulting item.

use std::any::Any;
use std::sync::Arc;

use crate::json::{CodecError, Reader};
use crate::key::{KeyHash, Shard};

/// The known values of fields after the update, by field.
#[derive(Default, Clone)]
pub struct Known {
    /// Sorted by field. Most updates know only a few fields, and then a list is cheaper than a map.
    fields: Vec<(&'static str, Knowledge)>,
    /// The hash of the primary key, if it determines the shards of indexes.
    hash: Option<KeyHash>,
}

/// A known value.
#[derive(Debug)]
pub enum KnownValue<'k, T> {
    /// The value is kept in `Known`.
    Kept(&'k T),
    /// The value was read from the stored JSON.
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

#[derive(Clone)]
enum Knowledge {
    /// A part of the primary key.
    Typed(Arc<dyn Any + Send + Sync>),
    /// DynamoDB JSON.
    Json(Vec<u8>),
    /// The attribute is missing.
    Absent,
    /// The update computes the value, so it is not known.
    Computed,
}

impl Known {
    /// Records the hash of the primary key.
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

    /// Records the value of a field.
    pub fn tell<T: Send + Sync + 'static>(&mut self, field: &'static str, value: T) {
        self.put(field, Knowledge::Typed(Arc::new(value)));
    }

    /// Records the stored form of a field.
    pub(crate) fn tell_json(&mut self, field: &'static str, json: Vec<u8>) {
        self.put(field, Knowledge::Json(json));
    }

    pub(crate) fn tell_absent(&mut self, field: &'static str) {
        self.put(field, Knowledge::Absent);
    }

    pub(crate) fn tell_computed(&mut self, field: &'static str) {
        self.put(field, Knowledge::Computed);
    }

    /// Records all values that are known from another source, such as the key.
    pub(crate) fn tell_all(&mut self, other: &Known) {
        for (field, knowledge) in &other.fields {
            self.put(field, knowledge.clone());
        }
        self.hash = other.hash.or(self.hash);
    }

    /// Records the knowledge about a field; it replaces an earlier record.
    fn put(&mut self, field: &'static str, knowledge: Knowledge) {
        match self.place_of(field) {
            Ok(at) => {
                if let Some(known) = self.fields.get_mut(at) {
                    known.1 = knowledge;
                }
            }
            Err(at) => self.fields.insert(at, (field, knowledge)),
        }
    }

    fn get(&self, field: &str) -> Option<&Knowledge> {
        let at = self.place_of(field).ok()?;
        self.fields.get(at).map(|known| &known.1)
    }

    /// The position of a field, or the position at which it would be inserted.
    fn place_of(&self, field: &str) -> Result<usize, usize> {
        self.fields.binary_search_by(|known| known.0.cmp(field))
    }

    /// Whether DynamoDB computes the value of a field.
    pub(crate) fn is_computed(&self, field: &str) -> bool {
        matches!(self.get(field), Some(Knowledge::Computed))
    }

    /// Whether the value of a field is known.
    pub(crate) fn knows(&self, field: &str) -> bool {
        !matches!(self.get(field), None | Some(Knowledge::Computed))
    }

    /// The stored form of a field: `Some(None)` for no attribute, `None` if that is not known.
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
        self.value(field, stored, decode, absent)?
            .ok_or_else(|| crate::entity::field::unknown_part(field))
    }

    /// Whether a condition holds for the value of a field, or `None` if the value is not known.
    pub fn holds<T: 'static>(
        &self,
        field: &'static str,
        stored: &str,
        decode: fn(&mut Reader<'_>) -> Result<T, CodecError>,
        absent: fn() -> Option<T>,
        holds: fn(&T) -> bool,
    ) -> Result<Option<bool>, CodecError> {
        let value = self.value(field, stored, decode, absent)?;
        Ok(value.map(|value| holds(&value)))
    }

    /// The value of a field, or `None` if it is not known.
    pub fn value<T: 'static>(
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
            .entries(self.fields.iter().map(|known| known.0))
            .finish()
    }
}
