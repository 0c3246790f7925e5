//! A row on its way to whoever asked for it.
//!
//! Nothing on the way knows its type. But an answer is gone through once: whoever asks says how a row is read, and it is
//! read while its end is looked for. What does not read stays bytes; who asked reads those again, and says what is
//! wrong.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::codec::{Fault, Noted, Reader};
use crate::entity::{DynamoEntity, DynamoTable, Key, KeyParts};
use crate::error::{Error, Result};
use crate::schema::has_uniques;
use crate::wire::Reply;

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

/// An answer that rows are read from: its body, and the id of its request.
pub(crate) struct Answered {
    body: Bytes,
    /// Thin, so that a row has room for it.
    request: Option<Arc<String>>,
}

impl Answered {
    pub(crate) fn body(&self) -> &Bytes {
        &self.body
    }

    /// It is in another form than answers have.
    pub(crate) fn unreadable(&self, fault: &Fault) -> Error {
        let id = self.request.as_ref().map(|id| id.as_str());
        Error::unreadable(fault).with_request_id(id)
    }
}

impl From<Reply> for Answered {
    fn from(reply: Reply) -> Self {
        Answered {
            body: reply.body,
            request: reply.request_id.map(Arc::new),
        }
    }
}

/// A row: its bytes, and what they were read as.
pub(crate) struct RawRow {
    json: Bytes,
    read: ReadAs,
}

enum ReadAs {
    Value(Box<dyn Any + Send>),
    /// Not yet. If it does not read, the error names the request.
    Nothing(Option<Arc<String>>),
}

impl RawRow {
    /// The row ahead, in this answer. On the way some attributes are noted.
    pub(crate) fn next<'r>(
        reader: &mut Reader<'r>,
        answered: &Answered,
        ahead: Option<ReadAhead>,
        noted: Option<&'r Noted>,
    ) -> Result<Self, Fault> {
        let (json, read) = reader.item_as(noted, |reader| ahead.and_then(|read| read(reader)))?;
        Ok(RawRow {
            json: answered.body.slice_ref(json),
            read: match read {
                Some(value) => ReadAs::Value(value),
                None => ReadAs::Nothing(answered.request.clone()),
            },
        })
    }

    pub(crate) fn json(&self) -> &Bytes {
        &self.json
    }

    /// The same row for another who asked.
    pub(crate) fn again(&self) -> Self {
        let request = match &self.read {
            ReadAs::Value(_) => None,
            ReadAs::Nothing(request) => request.clone(),
        };
        RawRow {
            json: self.json.clone(),
            read: ReadAs::Nothing(request),
        }
    }

    /// Its value: as it was read, or as it is now.
    pub(crate) fn into<T: 'static>(self, read: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
        let request = match self.read {
            ReadAs::Value(value) => match value.downcast() {
                Ok(value) => return Ok(*value),
                Err(_) => None,
            },
            ReadAs::Nothing(request) => request,
        };
        read(&self.json).map_err(|error| match request {
            Some(id) => error.with_request_id(Some(&id)),
            None => error,
        })
    }
}

/// Values stay out.
impl fmt::Debug for RawRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RawRow")
    }
}
