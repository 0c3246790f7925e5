//! A row on its way to whoever asked for it.
//!
//! Nothing on the way knows its type. But an answer is gone through once: whoever asks says how a row is read, and it is
//! read while its end is looked for. What does not read stays bytes; who asked reads those again, and says what is
//! wrong.

use std::any::Any;
use std::fmt;

use bytes::Bytes;

use crate::codec::{Fault, Noted, Reader};
use crate::entity::{DynamoEntity, DynamoTable, Key, KeyParts};
use crate::error::Result;
use crate::schema::has_uniques;

/// Reads the row ahead, if it reads.
pub(crate) type ReadAhead = fn(&mut Reader<'_>) -> Option<Box<dyn Any + Send>>;

/// As an entity; see [`entity::read`](crate::entity::read).
pub(crate) fn entity_ahead<E: DynamoEntity>(
    reader: &mut Reader<'_>,
) -> Option<Box<dyn Any + Send>> {
    // What keeps a unique value is told by all of its bytes.
    if has_uniques(<E::Table as DynamoTable>::ENTITIES) {
        return None;
    }
    Some(Box::new(E::decode(reader).ok()?))
}

/// As the key of one.
pub(crate) fn key_ahead<E: DynamoEntity>(reader: &mut Reader<'_>) -> Option<Box<dyn Any + Send>> {
    Some(Box::new(Key::<E>::from_parts(
        E::KeyParts::read(reader).ok()?,
    )))
}

/// A row: its bytes, and what they were read as.
pub(crate) struct RawRow {
    json: Bytes,
    read: Option<Box<dyn Any + Send>>,
}

impl RawRow {
    /// The row ahead, in this body. On the way some attributes are noted.
    pub(crate) fn next<'r>(
        reader: &mut Reader<'r>,
        body: &Bytes,
        ahead: Option<ReadAhead>,
        noted: Option<&'r Noted>,
    ) -> Result<Self, Fault> {
        let (json, read) = reader.item_as(noted, |reader| ahead.and_then(|read| read(reader)))?;
        Ok(RawRow {
            json: body.slice_ref(json),
            read,
        })
    }

    pub(crate) fn json(&self) -> &Bytes {
        &self.json
    }

    /// The same row for another who asked.
    pub(crate) fn again(&self) -> Self {
        self.json.clone().into()
    }

    /// Its value: as it was read, or as it is now.
    pub(crate) fn into<T: 'static>(self, read: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
        match self.read.map(Box::<dyn Any + Send>::downcast) {
            Some(Ok(value)) => Ok(*value),
            _ => read(&self.json),
        }
    }
}

impl From<Bytes> for RawRow {
    fn from(json: Bytes) -> Self {
        RawRow { json, read: None }
    }
}

/// Values stay out.
impl fmt::Debug for RawRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RawRow")
    }
}
