//! The meaning of a successful response.

use std::any::Any;
use std::fmt;

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::json::{CodecError, Reader};
use crate::plan::write_request::Returned;
use crate::wire::Reply;

/// The meaning of a successful response. Every result type has its own, so the less of it is generic, the less a
/// program has to compile.
#[derive(Debug)]
pub(crate) enum Outcome<Out> {
    /// Known before it is sent: the service returns nothing for a put.
    Known(Option<Out>),
    /// Read from the response, with the time of the request.
    Read(fn(&Reply, Timestamp) -> Result<Out>),
    /// Read from an item of the response, if it exists.
    Item(AnswerItem, ReadItem<Out>),
    /// Read from the response with known values of the request.
    ReadBy(ReplyReader<Out>),
}

/// The item of a response that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerItem {
    /// The item that a read found.
    Found,
    /// The item that a read found, whose reader rejects bytes after it.
    FoundWhole,
    /// The item that a write returns.
    Returned(Returned),
}

/// Reads the item that a write returned, or a read found.
pub(crate) type ReadItem<Out> = fn(Option<&[u8]>, Timestamp) -> Result<Out>;

/// Reads a response with its stored values.
pub(crate) struct ReplyReader<Out> {
    /// Its type is known only to the function, because code that drops a value is compiled for each type.
    pub(crate) kept: Box<dyn Any + Send>,
    pub(crate) read: fn(&mut dyn Any, &Reply, Timestamp) -> Result<Out>,
}

impl<Out> fmt::Debug for ReplyReader<Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplyReader")
    }
}

impl<Out> Outcome<Out> {
    pub(super) fn read_answer(&mut self, answer: &Answer) -> Result<Out> {
        match self {
            // A `match`, because `?` and methods of `Option` would be compiled for each result type.
            Outcome::Known(known) => match known.take() {
                Some(known) => Ok(known),
                None => Err(polled_again()),
            },
            Outcome::Read(read) => match answer.service_reply() {
                Ok(reply) => read(reply, answer.now),
                Err(error) => Err(error),
            },
            Outcome::Item(which, read) => {
                // The guess can be wrong, and then reading fails. The item is read again from its
                // exact place, which gives the right error or value.
                if let Some(item) = answer.probable_item(*which)
                    && let Ok(out) = read(Some(item), answer.now)
                {
                    return Ok(out);
                }
                match answer.answered_item(*which) {
                    Ok(item) => read(item, answer.now),
                    Err(error) => Err(error),
                }
            }
            Outcome::ReadBy(ReplyReader { kept, read }) => match answer.service_reply() {
                Ok(reply) => read(&mut **kept, reply, answer.now),
                Err(error) => Err(error),
            },
        }
    }
}

/// The item that a write of several steps returns, and the time of the write.
pub(crate) type WrittenItem = (Option<Bytes>, Timestamp);

/// The result of a call.
pub(super) struct Answer {
    content: AnswerContent,
    /// The entity that the errors of a response name, if it is about one item.
    entity: Option<&'static str>,
    /// The time of the request.
    now: Timestamp,
}

enum AnswerContent {
    Reply(Reply),
    /// The item that the last of several steps has read.
    Item(Option<Bytes>),
}

impl Answer {
    pub(super) fn of_reply(reply: Reply, entity: Option<&'static str>, now: Timestamp) -> Self {
        Answer {
            content: AnswerContent::Reply(reply),
            entity,
            now,
        }
    }

    pub(super) fn of_steps((item, now): WrittenItem) -> Self {
        Answer {
            content: AnswerContent::Item(item),
            entity: None,
            now,
        }
    }

    fn service_reply(&self) -> Result<&Reply> {
        match &self.content {
            AnswerContent::Reply(reply) => Ok(reply),
            AnswerContent::Item(_) => Err(Error::config("several steps have no single response")),
        }
    }

    /// Everything between the name of the item and the end of the response. Most responses contain nothing else, so the
    /// end of the item need not be searched before it is read. The reader of the item detects any other content.
    fn probable_item(&self, which: AnswerItem) -> Option<&[u8]> {
        let AnswerContent::Reply(reply) = &self.content else {
            return None;
        };
        let opening: &[u8] = match which {
            AnswerItem::Found | AnswerItem::Returned(Returned::Nothing) => return None,
            AnswerItem::FoundWhole => b"{\"Item\":",
            AnswerItem::Returned(_) => b"{\"Attributes\":",
        };
        // Three braces end the last value, the item and the response. A response that ends with consumed capacity has
        // fewer.
        let is_probable = reply.body.ends_with(b"}}}");
        let item = reply.body.strip_prefix(opening)?.strip_suffix(b"}")?;
        is_probable.then_some(item)
    }

    fn answered_item(&self, which: AnswerItem) -> Result<Option<&[u8]>> {
        match (which, &self.content) {
            (AnswerItem::Returned(Returned::Nothing), _) => Ok(None),
            (_, AnswerContent::Item(item)) => Ok(item.as_deref()),
            (AnswerItem::Found | AnswerItem::FoundWhole, AnswerContent::Reply(reply)) => {
                found_item(&reply.body)
            }
            (AnswerItem::Returned(_), AnswerContent::Reply(reply)) => returned_item(&reply.body),
        }
    }

    /// The error for a response that cannot be read.
    pub(super) fn unread_answer(&self, error: Error) -> Error {
        let AnswerContent::Reply(reply) = &self.content else {
            return error;
        };
        let error = match (error.entity(), self.entity) {
            (None, Some(entity)) => error.of(entity),
            _ => error,
        };
        error.with_request_id(reply.request_id.as_deref())
    }
}

pub(super) fn polled_again() -> Error {
    Error::config("a finished call was polled again")
}

/// The item in a reply to a read, `{"Item":{..}}`.
pub(crate) fn found_item(body: &Bytes) -> Result<Option<&[u8]>> {
    find_object(body, "Item").map_err(|fault| Error::unreadable(&fault))
}

/// The item in a reply to a write, `{"Attributes":{..}}`.
pub(crate) fn returned_item(body: &Bytes) -> Result<Option<&[u8]>> {
    find_object(body, "Attributes").map_err(|fault| Error::unreadable_write(&fault))
}

fn find_object<'r>(body: &'r Bytes, name: &str) -> Result<Option<&'r [u8]>, CodecError> {
    let mut reader = Reader::new(body);
    let mut first = true;
    reader.open_object()?;
    let mut found = None;
    while let Some(key) = reader.next_name(&mut first)? {
        let value = reader.raw_value()?;
        if key == name {
            found = match value.first() {
                Some(b'{') => Some(value),
                // Some servers write null for an item that does not exist.
                _ if value == b"null" => None,
                _ => return Err(CodecError::new("expected an object").at(name)),
            };
        }
    }
    // The SDK rejects bytes after a response too.
    reader.finish_text()?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_an_object_or_not_there() {
        let found = |body: &'static str| {
            let body = Bytes::from(body);
            found_item(&body).map(|item| item.map(<[u8]>::to_vec))
        };
        assert_eq!(found(r#"{"Item":{}}"#).unwrap(), Some(b"{}".to_vec()));
        assert_eq!(found(r#"{"Item":null}"#).unwrap(), None);
        assert_eq!(found(r#"{"Other":5}"#).unwrap(), None);
        for other in [
            r#"{"Item":5}"#,
            r#"{"Item":[]}"#,
            r#"{"Item":"x"}"#,
            r#"{"Item":{}}}"#,
        ] {
            assert_eq!(
                found(other).unwrap_err().kind(),
                crate::error::ErrorKind::Service
            );
        }
    }
}
