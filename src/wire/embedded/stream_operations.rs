//! Streams of tables that were deleted, or whose stream was switched off and on. The engine keeps the records of a table by
//! its name alone, and would show those of an earlier stream, or read a later one by the ARN and the iterators of an earlier.

use dynoxide::DynoxideError;
use dynoxide::actions::delete_table::{self, DeleteTableRequest};
use dynoxide::actions::describe_stream::{self, DescribeStreamRequest};
use dynoxide::actions::get_records::{self, GetRecordsRequest};
use dynoxide::actions::get_shard_iterator::{self, GetShardIteratorRequest};
use dynoxide::actions::update_table::{self, UpdateTableRequest};
use dynoxide::storage::Storage;
use dynoxide::ttl::sweep_expired_items;

use super::answer::{EngineAnswer, parse_body, write_reply};
use super::store::{EngineStore, finish_action};

/// Between the label of the stream and the iterator of the engine.
const SEPARATOR: char = '/';

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
    Ok(write_reply(&reply))
}

pub(super) fn describe_stream(store: &mut EngineStore, body: &[u8]) -> OperationEnd {
    let request: DescribeStreamRequest = parse_body(body)?;
    check_arn(&store.storage, &request.stream_arn)?;
    let reply = describe_stream::execute(&store.storage, request);
    finish_action(reply).map(|reply| write_reply(&reply))
}

pub(super) fn shard_iterator(store: &mut EngineStore, body: &[u8]) -> OperationEnd {
    let request: GetShardIteratorRequest = parse_body(body)?;
    let label = check_arn(&store.storage, &request.stream_arn)?;
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
    Ok(write_reply(&swept))
}

fn labelled(label: &str, iterator: &str) -> String {
    format!("{label}{SEPARATOR}{iterator}")
}

/// The label of a stream, if it is the present one of its table.
fn check_arn(storage: &Storage, arn: &str) -> Result<String, DynoxideError> {
    let parts = arn
        .split_once(":table/")
        .and_then(|(_, table)| table.split_once("/stream/"));
    let (table, label) = parts.ok_or_else(|| no_stream(arn))?;
    match label_of(storage, table)?.as_deref() == Some(label) {
        true => Ok(label.to_owned()),
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
