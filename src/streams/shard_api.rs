//! The requests and responses of DynamoDB Streams, without sending them.

use std::sync::Arc;

use bytes::Bytes;

use super::form::{EventForm, view_of_name};
use super::position::ShardId;
use super::record::StreamRecord;
use super::sequence::SequenceNumber;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, Writer, array_elements, find_answer};
use crate::schema::StreamView;
use crate::wire::StreamOperation;

/// A request for a description, an iterator or records of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StreamRequest {
    /// A page of the shards, after this shard.
    Describe { after: Option<ShardId> },
    /// An iterator of a shard.
    Iterator {
        shard: ShardId,
        start: IteratorStart,
    },
    /// The records at an iterator.
    Records { shard: ShardId, iterator: Arc<str> },
}

/// The first record of an iterator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IteratorStart {
    Oldest,
    Latest,
    After(SequenceNumber),
}

/// The response to a request.
#[derive(Debug, Clone)]
pub(super) enum StreamAnswer {
    Described(ShardPage),
    Iterator(Arc<str>),
    Records {
        records: Vec<StreamRecord>,
        /// `None` at the end of the shard.
        next: Option<Arc<str>>,
    },
}

/// A page of the description of a stream.
#[derive(Debug, Clone, Default)]
pub(super) struct ShardPage {
    pub(super) shards: Vec<DescribedShard>,
    /// The shard after which the next page begins.
    pub(super) last: Option<ShardId>,
    /// Whether the stream is switched off, so that it gets no more records.
    pub(super) is_disabled: bool,
    /// `None` if the server does not name it.
    pub(super) view: Option<StreamView>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DescribedShard {
    pub(super) id: ShardId,
    pub(super) parent: Option<ShardId>,
}

/// The meaning of a failure for the reader of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureMeaning {
    /// The stream or the shard does not exist, or no longer exists.
    Gone,
    /// The requested records are older than the stream keeps them.
    Trimmed,
    /// The iterator is too old. A new one can be requested.
    Expired,
    /// The request may succeed later.
    Busy,
    Fatal,
}

impl FailureMeaning {
    pub(super) fn of_error(error: &Error) -> Self {
        match error.code() {
            Some("ResourceNotFoundException") => FailureMeaning::Gone,
            Some("TrimmedDataAccessException") => FailureMeaning::Trimmed,
            Some("ExpiredIteratorException") => FailureMeaning::Expired,
            // This is a limit of the requests per second, not of the account.
            Some("LimitExceededException") => FailureMeaning::Busy,
            _ if error.is_throttled() || error.is_unavailable() => FailureMeaning::Busy,
            _ => FailureMeaning::Fatal,
        }
    }
}

impl StreamRequest {
    pub(super) fn operation(&self) -> StreamOperation {
        match self {
            StreamRequest::Describe { .. } => StreamOperation::DescribeStream,
            StreamRequest::Iterator { .. } => StreamOperation::GetShardIterator,
            StreamRequest::Records { .. } => StreamOperation::GetRecords,
        }
    }

    /// The body of the request, for the stream with this ARN.
    pub(super) fn body(&self, arn: &str) -> Bytes {
        match self {
            StreamRequest::Describe { after: None } => text_object(&[("StreamArn", arn)]),
            StreamRequest::Describe { after: Some(after) } => {
                text_object(&[("StreamArn", arn), ("ExclusiveStartShardId", after)])
            }
            StreamRequest::Iterator { shard, start } => {
                let (kind, sequence) = match start {
                    IteratorStart::Oldest => ("TRIM_HORIZON", None),
                    IteratorStart::Latest => ("LATEST", None),
                    IteratorStart::After(sequence) => ("AFTER_SEQUENCE_NUMBER", Some(sequence)),
                };
                let mut members = vec![
                    ("StreamArn", arn),
                    ("ShardId", shard),
                    ("ShardIteratorType", kind),
                ];
                members.extend(sequence.map(|sequence| ("SequenceNumber", sequence.as_str())));
                text_object(&members)
            }
            StreamRequest::Records { iterator, .. } => text_object(&[("ShardIterator", iterator)]),
        }
    }

    /// Reads the response.
    pub(super) fn read_answer(&self, body: &[u8]) -> Result<StreamAnswer> {
        let answer = match self {
            StreamRequest::Describe { .. } => read_description(body).map(StreamAnswer::Described),
            StreamRequest::Iterator { .. } => {
                required_text(body, "ShardIterator").map(StreamAnswer::Iterator)
            }
            StreamRequest::Records { .. } => read_records(body),
        };
        answer.map_err(unreadable)
    }
}

/// A page of the streams of a table: the label and the ARN of each, and the last ARN if there are more pages.
pub(super) struct StreamPage {
    pub(super) streams: Vec<(String, Arc<str>)>,
    pub(super) last: Option<Arc<str>>,
}

/// The body of a request for the streams of a table.
pub(super) fn list_body(table: &str, after: Option<&str>) -> Bytes {
    let mut members = vec![("TableName", table)];
    members.extend(after.map(|after| ("ExclusiveStartStreamArn", after)));
    text_object(&members)
}

pub(super) fn read_streams(body: &[u8]) -> Result<StreamPage> {
    let read = || -> Result<StreamPage, CodecError> {
        let mut streams = Vec::new();
        for stream in member_list(body, "Streams")? {
            let label = text_member(stream, "StreamLabel")?.unwrap_or_default();
            streams.push((label.to_string(), required_text(stream, "StreamArn")?));
        }
        let last = text_member(body, "LastEvaluatedStreamArn")?;
        Ok(StreamPage { streams, last })
    };
    read().map_err(unreadable)
}

/// The kind allows a retry, because a proxy may have written the response.
fn unreadable(fault: CodecError) -> Error {
    let message = format!("the response of the stream cannot be read: {fault}");
    Error::new(ErrorKind::Unavailable, Stage::Wire, message)
}

fn read_description(body: &[u8]) -> Result<ShardPage, CodecError> {
    let Some(stream) = find_answer(body, "StreamDescription")? else {
        return Err(missing_member("StreamDescription"));
    };
    let shards = member_list(stream, "Shards")?.into_iter().map(|shard| {
        Ok(DescribedShard {
            id: required_text(shard, "ShardId")?,
            parent: text_member(shard, "ParentShardId")?,
        })
    });
    // The end of a shard is not read here, because the embedded engine describes an end of each shard, also of open ones.
    Ok(ShardPage {
        shards: shards.collect::<Result<_, CodecError>>()?,
        last: text_member(stream, "LastEvaluatedShardId")?,
        is_disabled: text_member(stream, "StreamStatus")?.as_deref() == Some("DISABLED"),
        view: text_member(stream, "StreamViewType")?
            .as_deref()
            .and_then(|name| view_of_name(name).ok()),
    })
}

fn read_records(body: &[u8]) -> Result<StreamAnswer, CodecError> {
    let records = member_list(body, "Records")?.into_iter();
    Ok(StreamAnswer::Records {
        records: records
            .map(|record| StreamRecord::read_record(record, EventForm::Lambda))
            .collect(),
        next: text_member(body, "NextShardIterator")?,
    })
}

fn text_object(members: &[(&str, &str)]) -> Bytes {
    let mut out = Writer::default();
    for (at, (name, value)) in members.iter().enumerate() {
        out.push_raw(if at == 0 { "{" } else { "," });
        out.push_quoted(name);
        out.push_raw(":");
        out.push_quoted(value);
    }
    out.push_raw("}");
    out.into_bytes().into()
}

fn member_list<'b>(object: &'b [u8], name: &'static str) -> Result<Vec<&'b [u8]>, CodecError> {
    // A missing list must not count as an empty one, because that would end a shard whose records were not read.
    let list = find_answer(object, name)?.ok_or_else(|| missing_member(name))?;
    array_elements(list)
}

fn text_member(object: &[u8], name: &str) -> Result<Option<Arc<str>>, CodecError> {
    let Some(value) = find_answer(object, name)? else {
        return Ok(None);
    };
    let text = Reader::new(value)
        .string()
        .map_err(|fault| fault.at(name))?;
    Ok(Some(text.into()))
}

fn required_text(object: &[u8], name: &'static str) -> Result<Arc<str>, CodecError> {
    text_member(object, name)?.ok_or_else(|| missing_member(name))
}

fn missing_member(name: &'static str) -> CodecError {
    CodecError::new("this member of the response is missing").at(name)
}
