//! The events and responses of the crate `aws_lambda_events`, for functions that use its types.

use aws_lambda_events::event::dynamodb::{Event, EventRecord};
use aws_lambda_events::event::kinesis::{KinesisEvent, KinesisEventRecord};
use aws_lambda_events::event::streams::{
    DynamoDbBatchItemFailure, DynamoDbEventResponse, KinesisBatchItemFailure, KinesisEventResponse,
};

use super::each::BatchResponse;
use super::event::StreamEvent;
use super::form::EventForm;
use super::record::StreamRecord;
use crate::codec::Item;
use crate::json::{CodecError, Writer};

/// The event of a DynamoDB stream. Numbers keep all of their digits.
impl From<Event> for StreamEvent {
    fn from(event: Event) -> Self {
        let records = event.records.into_iter().map(stream_record);
        StreamEvent::of_function(records.collect())
    }
}

/// The event of a Kinesis data stream for DynamoDB.
impl From<KinesisEvent> for StreamEvent {
    fn from(event: KinesisEvent) -> Self {
        let records = event.records.iter().map(kinesis_record);
        StreamEvent::of_function(records.collect())
    }
}

impl From<BatchResponse> for DynamoDbEventResponse {
    fn from(response: BatchResponse) -> Self {
        let failures = response.identifiers().iter().map(|identifier| {
            let mut failure = DynamoDbBatchItemFailure::default();
            failure.item_identifier = Some(identifier.clone());
            failure
        });
        let mut named = DynamoDbEventResponse::default();
        named.batch_item_failures = failures.collect();
        named
    }
}

impl From<BatchResponse> for KinesisEventResponse {
    fn from(response: BatchResponse) -> Self {
        let failures = response.identifiers().iter().map(|identifier| {
            let mut failure = KinesisBatchItemFailure::default();
            failure.item_identifier = Some(identifier.clone());
            failure
        });
        let mut named = KinesisEventResponse::default();
        named.batch_item_failures = failures.collect();
        named
    }
}

/// The record as a function receives it.
fn stream_record(record: EventRecord) -> StreamRecord {
    let mut json = Writer::with_capacity(1024);
    json.push_raw("{");
    let texts = [
        ("eventID", Some(record.event_id)),
        ("eventName", Some(record.event_name)),
        ("eventSource", record.event_source),
        ("eventVersion", record.event_version),
        ("eventSourceARN", record.event_source_arn),
        ("awsRegion", Some(record.aws_region)),
        ("tableName", record.table_name),
    ];
    write_texts(&mut json, texts);
    if let Some(identity) = record.user_identity {
        json.dynamic_name("userIdentity");
        json.push_raw("{");
        let texts = [
            ("type", Some(identity.type_)),
            ("principalId", Some(identity.principal_id)),
        ];
        write_texts(&mut json, texts);
        json.push_raw("}");
    }
    let change = record.change;
    json.dynamic_name("dynamodb");
    json.push_raw("{");
    let view = change.stream_view_type.map(|view| view.to_string());
    let texts = [
        ("SequenceNumber", change.sequence_number),
        ("StreamViewType", view),
    ];
    write_texts(&mut json, texts);
    let at = change.approximate_creation_date_time;
    // In that crate, a record without a time has the default of its type, which is in the year 1970.
    if at.timestamp() > 0 {
        json.dynamic_name("ApproximateCreationDateTime");
        json.push_raw(&format!(
            "{}.{:09}",
            at.timestamp(),
            at.timestamp_subsec_nanos()
        ));
    }
    let mut fault = None;
    for (name, image) in [
        ("Keys", change.keys),
        ("NewImage", change.new_image),
        ("OldImage", change.old_image),
    ] {
        // In that crate, a missing image is an empty item.
        if let Err(error) = write_image(&mut json, name, Item::from(image)) {
            fault.get_or_insert(error.at(name).at("dynamodb"));
        }
    }
    json.push_raw("}}");
    let json = json.into_bytes();
    match fault {
        None => StreamRecord::read_record(&json, EventForm::Lambda),
        Some(fault) => StreamRecord::with_fault(&json, EventForm::Lambda, fault),
    }
}

fn write_image(json: &mut Writer, name: &str, image: Item) -> Result<(), CodecError> {
    if image.is_empty() {
        return Ok(());
    }
    let image = image.to_dynamo_json()?;
    json.dynamic_name(name);
    json.raw_bytes(&image);
    Ok(())
}

/// The record as a function receives it: its data contains the record of DynamoDB.
fn kinesis_record(record: &KinesisEventRecord) -> StreamRecord {
    let kinesis = &record.kinesis;
    let mut json = Writer::with_capacity(1024);
    json.push_raw("{");
    let source = Some("aws:kinesis".to_owned());
    let texts = [
        ("eventID", record.event_id.clone()),
        ("eventSource", source),
    ];
    write_texts(&mut json, texts);
    json.dynamic_name("kinesis");
    json.push_raw("{");
    let data = base64_simd::STANDARD.encode_to_string(&kinesis.data.0);
    let texts = [
        ("data", Some(data)),
        ("sequenceNumber", Some(kinesis.sequence_number.clone())),
    ];
    write_texts(&mut json, texts);
    json.push_raw("}}");
    StreamRecord::read_record(&json.into_bytes(), EventForm::Lambda)
}

/// Writes the texts that exist. In the types of that crate, a missing text may be an empty one.
fn write_texts<const N: usize>(json: &mut Writer, texts: [(&str, Option<String>); N]) {
    for (name, text) in texts {
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            continue;
        };
        json.dynamic_name(name);
        json.push_quoted(&text);
    }
}
