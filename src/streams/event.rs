//! The event that a consumer of a stream receives, in each of the forms in which AWS delivers it.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer};

use super::record::StreamRecord;
use super::text::JsonText;
use crate::error::{Error, Result};
use crate::json::{CodecError, Reader, array_elements, find_member};

/// The form of an event, which determines the records that a partial failure must name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventForm {
    /// `{"Records": [..]}`: a function behind an event source mapping. A reported record is repeated with all after it.
    Lambda,
    /// `[..]`: a target of a pipe. Only the reported records are repeated.
    Pipe,
}

/// A batch of records from a DynamoDB stream.
///
/// Deserializes from the event of a Lambda function, from the bare list of records that EventBridge Pipes passes on,
/// and from events of a Kinesis data stream, whose records contain those of DynamoDB. Numbers keep all of their digits.
/// A record that cannot be read is an [`UnreadChange`](super::UnreadChange) in its position, not a failure of the whole
/// event. With the feature `aws_lambda_events`, the events of that crate convert into this type, and a
/// [`BatchResponse`](super::BatchResponse) converts into the responses of that crate.
///
/// ```
/// use dynamo_entity::streams::StreamEvent;
///
/// let event: StreamEvent = serde_json::from_str(r#"{"Records": []}"#).unwrap();
/// assert!(event.records().is_empty());
/// assert!(StreamEvent::from_json(br#"{"Rows": []}"#).is_err());
/// ```
#[derive(Clone)]
pub struct StreamEvent {
    form: EventForm,
    records: Vec<StreamRecord>,
}

impl StreamEvent {
    /// Reads the JSON of an event.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        read_event(json).map_err(|fault| Error::decode("StreamEvent", fault))
    }

    /// The JSON of an event of a Lambda function with these records, `{"Records": [..]}`, for example to invoke one. Records
    /// of Kinesis are written as those of the stream that they contain.
    pub fn to_json(&self) -> Vec<u8> {
        let mut json = b"{\"Records\":[".to_vec();
        for (number, record) in self.records.iter().enumerate() {
            if number > 0 {
                json.push(b',');
            }
            json.extend_from_slice(&record.record_parts().json);
        }
        json.extend_from_slice(b"]}");
        json
    }

    /// Its records, in their order.
    pub fn records(&self) -> &[StreamRecord] {
        &self.records
    }

    /// The event of a function with these records.
    #[cfg(feature = "aws_lambda_events")]
    pub(super) fn of_function(records: Vec<StreamRecord>) -> Self {
        StreamEvent {
            form: EventForm::Lambda,
            records,
        }
    }

    pub(super) fn event_form(&self) -> EventForm {
        self.form
    }
}

fn read_event(json: &[u8]) -> Result<StreamEvent, CodecError> {
    let mut whole = Reader::new(json);
    // The whole text is checked first. Otherwise an event that is cut off would look like one with
    // fewer records, and the others would be lost.
    whole.skip()?;
    whole.finish_text()?;
    let (form, records) = match Reader::new(json).peek_byte() {
        Some(b'[') => (EventForm::Pipe, json),
        _ => match find_member(json, "Records")? {
            Some(records) => (EventForm::Lambda, records),
            None => {
                return Err(CodecError::new(
                    "neither an object with `Records` nor a list of records, so it is no event of a stream",
                ));
            }
        },
    };
    let records = array_elements(records)?.into_iter();
    Ok(StreamEvent {
        form,
        records: records
            .map(|record| StreamRecord::read_record(record, form))
            .collect(),
    })
}

impl<'de> Deserialize<'de> for StreamEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let JsonText(json) = JsonText::deserialize(deserializer)?;
        read_event(&json).map_err(de::Error::custom)
    }
}

/// Shows the records without their values.
impl fmt::Debug for StreamEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StreamEvent").field(&self.records).finish()
    }
}
