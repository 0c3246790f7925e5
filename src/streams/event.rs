//! The event that a Lambda function receives from a stream, in each form in which AWS delivers it.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer};

use super::form::EventForm;
use super::record::StreamRecord;
use super::text::EventJson;
use crate::error::{Error, Result};
use crate::json::{CodecError, Reader, array_elements, find_member};

/// A batch of records from a DynamoDB stream.
///
/// Deserializes from the event of a Lambda function, from the list of records that EventBridge Pipes delivers, and from
/// events of a Kinesis data stream, whose records contain the records of DynamoDB. Numbers keep all of their digits. If a
/// record cannot be read, only this record is an error, an [`UnreadChange`](super::UnreadChange), and not the whole event.
///
/// With the feature `aws_lambda_events`, the events of that crate convert into this type, and a
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
    /// Reads the JSON of an event. Fails if it is neither an object with `Records` nor a list.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        read_event(json).map_err(|fault| Error::decode("StreamEvent", fault))
    }

    /// Returns the JSON of an event with these records, `{"Records": [..]}`, for example to invoke a Lambda function. A
    /// record of Kinesis is written as the record of DynamoDB that it contains.
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

    /// Returns the records in their order.
    pub fn records(&self) -> &[StreamRecord] {
        &self.records
    }

    /// An event of a Lambda function with these records.
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
    // The whole text is checked first. Otherwise, a truncated event would look like one with fewer records, and the
    // others would be lost.
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
        let EventJson(json) = EventJson::deserialize(deserializer)?;
        read_event(&json).map_err(de::Error::custom)
    }
}

/// Shows the records without their values.
impl fmt::Debug for StreamEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StreamEvent").field(&self.records).finish()
    }
}
