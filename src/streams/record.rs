//! One record of a stream, extracted from the form in which it was delivered.

use std::fmt;
use std::sync::Arc;

use super::form::{EventForm, view_of_name};
use super::sequence::SequenceNumber;
use crate::clock::Timestamp;
use crate::codec::Item;
use crate::codec::time::{Precision, utc_text};
use crate::json::{CodecError, Number, Reader, answer_members, find_answer};
use crate::schema::StreamView;

/// A record of a stream: the key of an item, and its images before and after a change.
#[derive(Clone)]
pub struct StreamRecord(Arc<RecordParts>);

#[derive(Default)]
pub(super) struct RecordParts {
    /// The JSON of the record, as DynamoDB has written it.
    pub(super) json: Vec<u8>,
    /// The identifier of the record in a partial failure. If the record has none, it is empty, and the whole batch is
    /// delivered again.
    pub(super) identifier: String,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) sequence: Option<SequenceNumber>,
    pub(super) table: Option<String>,
    pub(super) at: Option<Timestamp>,
    pub(super) view: Option<StreamView>,
    pub(super) keys: Vec<u8>,
    pub(super) new: Option<Vec<u8>>,
    pub(super) old: Option<Vec<u8>>,
    pub(super) by_ttl: bool,
    /// The reason why the record cannot be read.
    pub(super) fault: Option<CodecError>,
}

impl StreamRecord {
    /// Reads a record from an event of this form. If it cannot be read, the record contains the reason.
    pub(super) fn read_record(json: &[u8], form: EventForm) -> Self {
        let mut parts = RecordParts {
            json: json.to_vec(),
            ..RecordParts::default()
        };
        if let Err(fault) = parts.fill_parts(json, form) {
            parts.fault = Some(fault);
        }
        StreamRecord(Arc::new(parts))
    }

    /// A record that could not be encoded as JSON.
    #[cfg(feature = "aws_lambda_events")]
    pub(super) fn with_fault(json: &[u8], form: EventForm, fault: CodecError) -> Self {
        let mut parts = RecordParts {
            json: json.to_vec(),
            ..RecordParts::default()
        };
        // The parts that can be read still identify the record in the response.
        let _ = parts.fill_parts(json, form);
        parts.fault = Some(fault);
        StreamRecord(Arc::new(parts))
    }

    pub(super) fn record_parts(&self) -> &RecordParts {
        &self.0
    }

    /// Returns the ID of the record. It stays the same if the record is delivered again.
    pub fn event_id(&self) -> Option<&str> {
        self.0.id.as_deref()
    }

    /// Returns the sequence number of the record in its shard. Records of Kinesis have none, because Kinesis may deliver
    /// the changes of an item in another order and twice.
    pub fn sequence(&self) -> Option<&SequenceNumber> {
        self.0.sequence.as_ref()
    }

    /// Returns the time of the change, which DynamoDB rounds. In a DynamoDB stream, it is rounded to a second.
    pub fn at(&self) -> Option<Timestamp> {
        self.0.at
    }

    /// Returns the time of the change as text, for example `2026-03-01T12:00:00Z`.
    pub fn time_text(&self) -> Option<String> {
        let text = utc_text(self.0.at?, Precision::Seconds).ok()?;
        Some(text.to_string())
    }

    /// Returns the name of the event: `INSERT`, `MODIFY` or `REMOVE`. Servers use different names for the same change, so
    /// prefer the kind of a [`ChangeEvent`](super::ChangeEvent), which is determined from the images.
    pub fn event_name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// Returns the stored name of the table, if the record contains it.
    pub fn table(&self) -> Option<&str> {
        self.0.table.as_deref()
    }

    /// Returns whether the key and all images of the record can be read.
    pub fn is_readable(&self) -> bool {
        let images = [&self.0.old, &self.0.new].into_iter().flatten();
        let mut items = images.chain([&self.0.keys]);
        self.0.fault.is_none() && items.all(|item| Item::from_dynamo_json(item).is_ok())
    }

    /// Returns the key of the item as stored, if it can be read.
    pub fn key(&self) -> Option<Item> {
        Item::from_dynamo_json(&self.0.keys).ok()
    }

    /// Returns the item before the change, if the record has this image and it can be read.
    pub fn old_image(&self) -> Option<Item> {
        Item::from_dynamo_json(self.0.old.as_deref()?).ok()
    }

    /// Returns the item after the change, if the record has this image and it can be read.
    pub fn new_image(&self) -> Option<Item> {
        Item::from_dynamo_json(self.0.new.as_deref()?).ok()
    }
}

impl RecordParts {
    fn fill_parts(&mut self, json: &[u8], form: EventForm) -> Result<(), CodecError> {
        let outer_id = text_member(json, "eventID")?;
        // The data of a Kinesis record is the record of DynamoDB. In a pipe, the data and the number are not in an object
        // `kinesis`.
        let kinesis = match find_answer(json, "kinesis")? {
            None if text_member(json, "eventSource")?.as_deref() == Some("aws:kinesis") => {
                Some(json)
            }
            kinesis => kinesis,
        };
        let Some(kinesis) = kinesis else {
            // A record with a fault gets its identifier too, so that only this record and those after it are
            // delivered again.
            let filled = self.fill_inner(json, false);
            let number = self.sequence.as_ref().map(SequenceNumber::to_string);
            self.identifier = match form {
                EventForm::Lambda => number,
                EventForm::Pipe => outer_id,
            }
            .unwrap_or_default();
            return filled;
        };
        self.identifier = match form {
            EventForm::Lambda => text_member(kinesis, "sequenceNumber")?,
            EventForm::Pipe => outer_id,
        }
        .unwrap_or_default();
        let data = find_answer(kinesis, "data")?.ok_or_else(|| missing_member("data"))?;
        let inner = Reader::new(data)
            .read_base64()
            .map_err(|fault| fault.at("data"))?;
        self.json.clone_from(&inner);
        self.fill_inner(&inner, true)
    }

    fn fill_inner(&mut self, json: &[u8], is_kinesis: bool) -> Result<(), CodecError> {
        let mut change = None;
        for (name, value) in answer_members(json)? {
            let name = &*name;
            match name {
                "eventID" => self.id = Some(string_value(name, value)?),
                "eventName" => self.name = Some(string_value(name, value)?),
                "tableName" => self.table = Some(string_value(name, value)?),
                // A record of a stream has no `tableName`; its ARN contains the name of the table.
                "eventSourceARN" => {
                    let arn = string_value(name, value)?;
                    let table = arn.split_once(":table/").map(|(_, rest)| rest);
                    let table = table.and_then(|rest| rest.split('/').next());
                    self.table = self.table.take().or(table.map(str::to_owned));
                }
                "userIdentity" => self.by_ttl = is_ttl(value)?,
                "dynamodb" => change = Some(value),
                _ => {}
            }
        }
        // Kinesis always gets both images, and its records do not name a view.
        self.view = is_kinesis.then_some(StreamView::NewAndOldImages);
        let change = change.ok_or_else(|| missing_member("dynamodb"))?;
        // Kinesis counts milliseconds unless the record declares microseconds. A stream counts seconds.
        let mut power = if is_kinesis { -3 } else { 0 };
        let mut at = None;
        for (name, value) in answer_members(change)? {
            let name = &*name;
            match name {
                "Keys" => self.keys = value.to_vec(),
                "NewImage" => self.new = Some(value.to_vec()),
                "OldImage" => self.old = Some(value.to_vec()),
                "SequenceNumber" => {
                    self.sequence = Some(SequenceNumber::new(string_value(name, value)?))
                }
                "StreamViewType" => self.view = Some(view_of_name(&string_value(name, value)?)?),
                "ApproximateCreationDateTime" => at = std::str::from_utf8(value).ok(),
                "ApproximateCreationDateTimePrecision" => {
                    let is_micro = string_value(name, value)? == "MICROSECOND";
                    power = if is_micro { -6 } else { -3 };
                }
                _ => {}
            }
        }
        self.at = at.and_then(|text| parse_time(text, power));
        match self.keys.is_empty() {
            true => Err(missing_member("Keys").at("dynamodb")),
            false => Ok(()),
        }
    }
}

fn missing_member(name: &'static str) -> CodecError {
    CodecError::new("this member of a stream record is missing").at(name)
}

/// The text of a member, if it exists.
fn text_member(object: &[u8], name: &str) -> Result<Option<String>, CodecError> {
    let value = find_answer(object, name)?;
    value.map(|value| string_value(name, value)).transpose()
}

fn string_value(name: &str, value: &[u8]) -> Result<String, CodecError> {
    let text = Reader::new(value).string();
    text.map(|text| text.into_owned())
        .map_err(|fault| fault.at(name))
}

/// Whether DynamoDB deleted the item by TTL. The names begin with capital letters in the API of streams, and with
/// lower-case letters in events of Lambda.
fn is_ttl(identity: &[u8]) -> Result<bool, CodecError> {
    let mut is_service = false;
    let mut is_dynamo = false;
    for (name, value) in answer_members(identity)? {
        match &*name {
            "type" | "Type" => is_service = string_value(&name, value)? == "Service",
            "principalId" | "PrincipalId" => {
                is_dynamo = string_value(&name, value)? == "dynamodb.amazonaws.com";
            }
            _ => {}
        }
    }
    Ok(is_service && is_dynamo)
}

/// The time of a number that counts seconds times ten to this power.
fn parse_time(text: &str, power: i64) -> Option<Timestamp> {
    let number: Number = text.trim().parse().ok()?;
    let nanos: i128 = number.scaled_by(power + 9)?.to_whole_text()?.parse().ok()?;
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
    let rest = u32::try_from(nanos.rem_euclid(1_000_000_000)).ok()?;
    Timestamp::from_unix(seconds, rest)
}

/// Shows neither the key nor the images.
impl fmt::Debug for StreamRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamRecord")
            .field("event_id", &self.0.id)
            .field("name", &self.0.name)
            .field("sequence", &self.0.sequence)
            .field("table", &self.0.table)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_of_their_source() {
        let at = |seconds, nanos| Timestamp::from_unix(seconds, nanos);
        assert_eq!(parse_time("1479499740", 0), at(1_479_499_740, 0));
        assert_eq!(parse_time("1.47949974E9", 0), at(1_479_499_740, 0));
        assert_eq!(
            parse_time("1636317756123", -3),
            at(1_636_317_756, 123_000_000)
        );
        assert_eq!(
            parse_time("1636317756123456", -6),
            at(1_636_317_756, 123_456_000)
        );
        assert_eq!(parse_time("soon", 0), None);
    }
}
