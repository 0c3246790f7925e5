//! One line per operation: DynamoDB JSON in, the engine's typed call, DynamoDB JSON out.

use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A status and a body.
pub(super) type EngineAnswer = (u16, Vec<u8>);

macro_rules! operations {
    ($($operation:ident: $method:ident;)+) => {
        pub(super) fn dispatch(database: &Database, operation: &str, body: &[u8]) -> EngineAnswer {
            let answer = match operation {
                $(stringify!($operation) => {
                    read(body).and_then(|request| database.$method(request)).map(|reply| write(&reply))
                })+
                _ => return refusal(400, "UnknownOperationException", operation),
            };
            answer.unwrap_or_else(|error| (error.status_code(), error.to_json().into_bytes()))
        }
    };
}

operations! {
    GetItem: get_item;
    PutItem: put_item;
    UpdateItem: update_item;
    DeleteItem: delete_item;
    Query: query;
    Scan: scan;
    BatchGetItem: batch_get_item;
    BatchWriteItem: batch_write_item;
    TransactGetItems: transact_get_items;
    TransactWriteItems: transact_write_items;
    ExecuteStatement: execute_statement;
    BatchExecuteStatement: batch_execute_statement;
    ExecuteTransaction: execute_transaction;
    CreateTable: create_table;
    UpdateTable: update_table;
    DeleteTable: delete_table;
    DescribeTable: describe_table;
    ListTables: list_tables;
    UpdateTimeToLive: update_time_to_live;
    DescribeTimeToLive: describe_time_to_live;
    TagResource: tag_resource;
    UntagResource: untag_resource;
    ListTagsOfResource: list_tags_of_resource;
    ListStreams: list_streams;
    DescribeStream: describe_stream;
    GetShardIterator: get_shard_iterator;
    GetRecords: get_records;
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, DynoxideError> {
    serde_json::from_slice(body).map_err(|error| classify(&error))
}

/// The engine's `Deserialize` impls name the class of an error by a prefix of its text, which must not reach anyone.
/// This is the only place that looks at a text, and it looks only at that prefix.
fn classify(error: &serde_json::Error) -> DynoxideError {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&position).unwrap_or(&text);
    for prefix in ["SERIALIZATION_AS_READ:", "SERIALIZATION:"] {
        if let Some(rest) = text.strip_prefix(prefix) {
            return DynoxideError::SerializationException(rest.to_owned());
        }
    }
    for prefix in ["VALIDATION_AS_READ:", "VALIDATION_REQUEST:", "VALIDATION:"] {
        if let Some(rest) = text.strip_prefix(prefix) {
            return DynoxideError::ValidationException(rest.to_owned());
        }
    }
    match error.classify() {
        serde_json::error::Category::Data => DynoxideError::ValidationException(text.to_owned()),
        _ => DynoxideError::SerializationException(text.to_owned()),
    }
}

fn write<T: Serialize>(reply: &T) -> EngineAnswer {
    match serde_json::to_vec(reply) {
        Ok(body) => (200, body),
        Err(_) => internal_error(),
    }
}

/// The answer where the engine itself failed. It says nothing more.
pub(super) fn internal_error() -> EngineAnswer {
    refusal(500, "InternalServerError", "the embedded engine failed")
}

fn refusal(status: u16, code: &str, message: &str) -> EngineAnswer {
    let body = serde_json::json!({ "__type": code, "message": message });
    (status, body.to_string().into_bytes())
}
