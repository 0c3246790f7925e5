//! Streams as DynamoDB has them. The engine keeps the records of a table by its name alone, and would show those of an
//! earlier stream, or read a later one by the ARN and the iterators of an earlier. It also keeps them for ever.

use std::time::SystemTime;

use dynoxide::DynoxideError;
use dynoxide::actions::delete_table::{self, DeleteTableRequest};
use dynoxide::actions::describe_stream::{self, DescribeStreamRequest};
use dynoxide::actions::get_records::{self, GetRecordsRequest};
use dynoxide::actions::get_shard_iterator::{self, GetShardIteratorRequest};
use dynoxide::actions::update_table::{self, UpdateTableRequest};
use dynoxide::actions::vector_lifecycle::VectorIndexLifecycle;
use dynoxide::storage::Storage;
use dynoxide::streams::shard_id;
use dynoxide::ttl::sweep_expired_items;

use super::answer::{EngineAnswer, parse_body, refusal_answer, write_reply};
use super::store::{EngineStore, finish_action};
use crate::clock::Timestamp;

/// Between the label of the stream and the iterator of the engine.
const SEPARATOR: char = '/';

/// The time for which a stream keeps a record, in seconds.
const RETENTION: i64 = 24 * 3_600;
/// The maximum number of records that are removed at once, because other requests wait.
const REMOVED: i64 = 10_000;
/// The difference between a public number of a record and the stored one, which is a time in microseconds.
const NUMBER_OFFSET: u128 = 100_000_000_000_000_000_000;

type OperationEnd = Result<EngineAnswer, DynoxideError>;

pub(super) fn delete_table(store: &mut EngineStore, body: &[u8]) -> OperationEnd {
    let request: DeleteTableRequest = parse_body(body)?;
    let table = request.table_name.clone();
    let reply = delete_table::execute(&store.storage, request, &store.vectors);
    let reply = finish_action(reply)?;
    delete_records(&store.storage, &table)?;
    Ok(write_reply(&reply))
}

pub(super) fn update_table(store: &mut EngineStore, body: &[u8]) -> OperationEnd {
    let request: UpdateTableRequest = parse_body(body)?;
    let table = request.table_name.clone();
    let label = label_of(&store.storage, &table)?;
    let reply = update_table::execute(&store.storage, request, &store.vectors);
    let reply = finish_action(reply)?;
    if label_of(&store.storage, &table)? != label {
        delete_records(&store.storage, &table)?;
    }
    // The engine fills an index within this request, and then rejects searches for half a minute, to imitate DynamoDB.
    store.vectors = VectorIndexLifecycle::new();
    Ok(write_reply(&reply))
}

pub(super) fn describe_stream(store: &mut EngineStore, body: &[u8]) -> OperationEnd {
    let mut request: DescribeStreamRequest = parse_body(body)?;
    let (table, _) = check_arn(&store.storage, &request.stream_arn)?;
    trim_records(&store.storage, &table)?;
    let start = request.exclusive_start_shard_id.take();
    request.exclusive_start_shard_id = start.map(|id| engine_shard_id(&table, id));
    let reply = describe_stream::execute(&store.storage, request);
    let mut reply = finish_action(reply)?;
    for shard in &mut reply.stream_description.shards {
        shard.shard_id = public_shard_id(&shard.shard_id);
    }
    Ok(write_reply(&reply))
}

pub(super) fn shard_iterator(store: &mut EngineStore, body: &[u8]) -> OperationEnd {
    let mut request: GetShardIteratorRequest = parse_body(body)?;
    let (table, label) = check_arn(&store.storage, &request.stream_arn)?;
    request.shard_id = engine_shard_id(&table, request.shard_id);
    trim_records(&store.storage, &table)?;
    if let Some(number) = request.sequence_number.as_deref().and_then(stored_number)
        && is_trimmed(&store.storage, &table, number)?
    {
        return Ok(refusal_answer(
            400,
            "TrimmedDataAccessException",
            "The operation attempted to read past the oldest stream record in a shard.",
        ));
    }
    let reply = get_shard_iterator::execute(&store.storage, request);
    let mut reply = finish_action(reply)?;
    reply.shard_iterator = reply
        .shard_iterator
        .map(|iterator| labelled(&label, &iterator));
    Ok(write_reply(&reply))
}

pub(super) fn records(store: &mut EngineStore, body: &[u8]) -> OperationEnd {
    let mut request: GetRecordsRequest = parse_body(body)?;
    let invalid = || DynoxideError::ValidationException("Invalid ShardIterator.".to_owned());
    let (label, iterator) = request
        .shard_iterator
        .split_once(SEPARATOR)
        .ok_or_else(invalid)?;
    let (table, ..) = get_shard_iterator::decode_shard_iterator(iterator).ok_or_else(invalid)?;
    if label_of(&store.storage, &table)?.as_deref() != Some(label) {
        return Err(no_stream(&table));
    }
    let label = label.to_owned();
    request.shard_iterator = iterator.to_owned();
    let reply = get_records::execute(&store.storage, request);
    let mut reply = finish_action(reply)?;
    reply.next_shard_iterator = reply
        .next_shard_iterator
        .map(|next| labelled(&label, &next));
    Ok(write_reply(&reply))
}

/// Deletes the expired items of all tables, as DynamoDB does in the background. Returns their number.
pub(super) fn sweep_expired(store: &mut EngineStore, _: &[u8]) -> OperationEnd {
    let swept = finish_action(sweep_expired_items(&store.storage))?;
    trim_streams(&store.storage)?;
    Ok(write_reply(&swept))
}

/// Shard ids of the engine contain the name of the table. Those of DynamoDB have at least 28 characters, and some SDKs
/// reject shorter ones before they send them.
fn public_shard_id(id: &str) -> String {
    format!("{id:-<28}")
}

/// The id that the engine has for the only shard of a table's stream; others stay as they are.
fn engine_shard_id(table: &str, given: String) -> String {
    let own = shard_id(table);
    match given == public_shard_id(&own) {
        true => own,
        false => given,
    }
}

fn labelled(label: &str, iterator: &str) -> String {
    format!("{label}{SEPARATOR}{iterator}")
}

/// The table and the label of a stream, if it is the present one of the table.
fn check_arn(storage: &Storage, arn: &str) -> Result<(String, String), DynoxideError> {
    let parts = arn
        .split_once(":table/")
        .and_then(|(_, table)| table.split_once("/stream/"));
    let (table, label) = parts.ok_or_else(|| no_stream(arn))?;
    match label_of(storage, table)?.as_deref() == Some(label) {
        true => Ok((table.to_owned(), label.to_owned())),
        false => Err(no_stream(arn)),
    }
}

/// The label of the present stream of a table.
fn label_of(storage: &Storage, table: &str) -> Result<Option<String>, DynoxideError> {
    let table = storage.get_table_metadata(table)?;
    let table = table.filter(|table| table.stream_enabled);
    Ok(table.and_then(|table| table.stream_label))
}

fn no_stream(what: &str) -> DynoxideError {
    DynoxideError::ResourceNotFoundException(format!(
        "Requested resource not found: Stream: {what} not found"
    ))
}

fn delete_records(storage: &Storage, table: &str) -> Result<(), DynoxideError> {
    let deleted = storage
        .conn()
        .execute("DELETE FROM _stream_records WHERE table_name = ?1", [table]);
    deleted.map(drop).map_err(DynoxideError::from)
}

/// Removes the old records of all streams.
pub(super) fn trim_streams(storage: &Storage) -> Result<(), DynoxideError> {
    for table in storage.list_stream_enabled_tables()? {
        trim_records(storage, &table.table_name)?;
    }
    Ok(())
}

/// Removes records that are older than a day, except the last one, so that a place after it remains one.
fn trim_records(storage: &Storage, table: &str) -> Result<(), DynoxideError> {
    let oldest = Timestamp::from(SystemTime::now()).seconds() - RETENTION;
    let removed = storage.conn().execute(
        "DELETE FROM _stream_records WHERE id IN (
             SELECT id FROM _stream_records
             WHERE table_name = ?1 AND CAST(sequence_number AS INTEGER) < ?2 * 1000000 AND created_at < ?2
             AND CAST(sequence_number AS INTEGER) <
                 (SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = ?1)
             ORDER BY CAST(sequence_number AS INTEGER) LIMIT ?3)",
        (table, oldest, REMOVED),
    );
    removed.map(drop).map_err(DynoxideError::from)
}

/// Whether the record with this number was removed.
fn is_trimmed(storage: &Storage, table: &str, number: i64) -> Result<bool, DynoxideError> {
    let oldest = storage.conn().query_row(
        "SELECT MIN(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = ?1",
        [table],
        |row| row.get::<_, Option<i64>>(0),
    )?;
    Ok(oldest.is_some_and(|oldest| number < oldest))
}

fn stored_number(public: &str) -> Option<i64> {
    let number: u128 = public.parse().ok()?;
    i64::try_from(number.checked_sub(NUMBER_OFFSET)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shard_ids_are_as_long_as_those_of_dynamodb() {
        for table in ["abc", "a-", "elevenchars", &"long".repeat(60)] {
            let engine = shard_id(table);
            let public = public_shard_id(&engine);
            assert!(public.len() >= 28, "{public}");
            assert_eq!(engine_shard_id(table, public), engine);
            assert_eq!(engine_shard_id(table, engine.clone()), engine);
        }
        let other = public_shard_id(&shard_id("abc"));
        assert_eq!(engine_shard_id("xyz", other.clone()), other);
    }
    use crate::wire::embedded::dispatch::dispatch_operation;

    struct Stream {
        store: EngineStore,
        arn: String,
        shard: String,
    }

    fn call(
        store: &mut EngineStore,
        operation: &str,
        body: serde_json::Value,
    ) -> (u16, serde_json::Value) {
        let (status, body) = dispatch_operation(store, operation, body.to_string().as_bytes());
        (status, serde_json::from_slice(&body).unwrap())
    }

    impl Stream {
        fn new(items: u32) -> Self {
            let mut store = EngineStore::in_memory().unwrap();
            let table = serde_json::json!({
                "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
                "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
            });
            assert_eq!(call(&mut store, "CreateTable", table).0, 200);
            for id in 0..items {
                let put = serde_json::json!({"TableName": "orders", "Item": {"id": {"N": id.to_string()}}});
                assert_eq!(call(&mut store, "PutItem", put).0, 200);
            }
            let (_, streams) = call(&mut store, "ListStreams", serde_json::json!({}));
            let arn = streams["Streams"][0]["StreamArn"]
                .as_str()
                .unwrap()
                .to_owned();
            let mut stream = Stream {
                store,
                arn,
                shard: String::new(),
            };
            let described = stream.describe();
            stream.shard = described["Shards"][0]["ShardId"]
                .as_str()
                .unwrap()
                .to_owned();
            stream
        }

        fn describe(&mut self) -> serde_json::Value {
            let body = serde_json::json!({"StreamArn": self.arn});
            call(&mut self.store, "DescribeStream", body).1["StreamDescription"].take()
        }

        fn iterator(&mut self, kind: &str, after: Option<&str>) -> (u16, serde_json::Value) {
            let mut body = serde_json::json!({
                "StreamArn": self.arn, "ShardId": self.shard, "ShardIteratorType": kind,
            });
            if let Some(after) = after {
                body["SequenceNumber"] = after.into();
            }
            call(&mut self.store, "GetShardIterator", body)
        }

        /// The item and the number of each record from an iterator.
        fn read(&mut self, iterator: &serde_json::Value) -> Vec<(String, String)> {
            let body = serde_json::json!({"ShardIterator": iterator["ShardIterator"]});
            let (status, page) = call(&mut self.store, "GetRecords", body);
            assert_eq!(status, 200, "{page}");
            let records = page["Records"].as_array().unwrap().iter();
            let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
            records
                .map(|record| &record["dynamodb"])
                .map(|record| {
                    (
                        text(&record["Keys"]["id"]["N"]),
                        text(&record["SequenceNumber"]),
                    )
                })
                .collect()
        }

        fn oldest(&mut self) -> Vec<(String, String)> {
            let (_, iterator) = self.iterator("TRIM_HORIZON", None);
            self.read(&iterator)
        }

        /// Makes the first records older.
        fn age(&mut self, records: u32, seconds: i64) {
            let aged = self.store.storage.conn().execute(
                "UPDATE _stream_records SET created_at = created_at - ?2,
                 sequence_number = CAST(CAST(sequence_number AS INTEGER) - ?2 * 1000000 AS TEXT)
                 WHERE id IN (SELECT id FROM _stream_records ORDER BY id LIMIT ?1)",
                (records, seconds),
            );
            assert_eq!(aged.unwrap(), records as usize);
        }
    }

    fn items(records: &[(String, String)]) -> Vec<&str> {
        records.iter().map(|(item, _)| &**item).collect()
    }

    #[test]
    fn records_are_removed_after_a_day() {
        let mut stream = Stream::new(6);
        stream.age(4, RETENTION - 60);
        let before = stream.oldest();
        assert_eq!(items(&before), ["0", "1", "2", "3", "4", "5"]);
        stream.age(4, 120);
        assert_eq!(items(&stream.oldest()), ["4", "5"]);
        // A place at a record that was removed is an error, and not the next one.
        let aged = |number: &str| (number.parse::<u128>().unwrap() - 120_000_000).to_string();
        let (status, refused) = stream.iterator("AFTER_SEQUENCE_NUMBER", Some(&aged(&before[2].1)));
        assert_eq!(status, 400);
        assert!(
            refused["__type"]
                .as_str()
                .unwrap()
                .contains("TrimmedDataAccessException"),
            "{refused}"
        );
        let (_, after) = stream.iterator("AFTER_SEQUENCE_NUMBER", Some(&before[4].1));
        assert_eq!(items(&stream.read(&after)), ["5"]);
    }

    #[test]
    fn the_last_record_stays_for_the_places_after_it() {
        let mut stream = Stream::new(3);
        stream.age(3, 3 * RETENTION);
        let rest = stream.oldest();
        assert_eq!(items(&rest), ["2"]);
        let (_, after) = stream.iterator("AFTER_SEQUENCE_NUMBER", Some(&rest[0].1));
        let put = serde_json::json!({"TableName": "orders", "Item": {"id": {"N": "9"}}});
        call(&mut stream.store, "PutItem", put);
        assert_eq!(items(&stream.read(&after)), ["9"]);
    }

    #[test]
    fn a_stream_of_an_earlier_table_is_gone() {
        let mut stream = Stream::new(2);
        let (_, iterator) = stream.iterator("TRIM_HORIZON", None);
        let arn = stream.arn.clone();
        call(
            &mut stream.store,
            "DeleteTable",
            serde_json::json!({"TableName": "orders"}),
        );
        let later = Stream::new(0);
        stream.store = later.store;
        for (operation, body) in [
            ("DescribeStream", serde_json::json!({"StreamArn": arn})),
            (
                "GetRecords",
                serde_json::json!({"ShardIterator": iterator["ShardIterator"]}),
            ),
            (
                "DescribeStream",
                serde_json::json!({"StreamArn": "nonsense"}),
            ),
        ] {
            let (status, refused) = call(&mut stream.store, operation, body);
            assert_eq!(status, 400);
            assert!(
                refused["__type"]
                    .as_str()
                    .unwrap()
                    .contains("ResourceNotFound"),
                "{refused}"
            );
        }
        let (status, _) = call(
            &mut stream.store,
            "GetRecords",
            serde_json::json!({"ShardIterator": "x"}),
        );
        assert_eq!(status, 400);
    }
}
