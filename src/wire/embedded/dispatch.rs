//! One line per operation: DynamoDB JSON in, the engine's typed action, DynamoDB JSON out.

use dynoxide::{DynoxideError, actions};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::store::{EngineStore, finish};
use super::{batch_write, pages, transactions};

/// A status and a body.
pub(super) type EngineAnswer = (u16, Vec<u8>);

macro_rules! operations {
    (
        actions { $($operation:ident: $action:ident $(with $state:ident)?;)+ }
        own { $($own:ident: $path:path;)+ }
    ) => {
        pub(super) fn dispatch(store: &mut EngineStore, operation: &str, body: &[u8]) -> EngineAnswer {
            let answer = match operation {
                $(stringify!($operation) => read(body).and_then(|request| {
                    let storage = &store.storage;
                    finish(actions::$action::execute(storage, request $(, &store.$state)?))
                        .map(|reply| write(&reply))
                }),)+
                $(stringify!($own) => $path(store, body),)+
                _ => return refusal(400, "UnknownOperationException", operation),
            };
            answer.unwrap_or_else(|error| (error.status_code(), error.to_json().into_bytes()))
        }
    };
}

operations! {
    actions {
        GetItem: get_item;
        PutItem: put_item;
        UpdateItem: update_item;
        DeleteItem: delete_item;
        BatchGetItem: batch_get_item;
        TransactGetItems: transact_get_items;
        ExecuteStatement: execute_statement;
        BatchExecuteStatement: batch_execute_statement;
        CreateTable: create_table;
        UpdateTable: update_table with vectors;
        DeleteTable: delete_table with vectors;
        DescribeTable: describe_table with vectors;
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
    own {
        Query: pages::query;
        Scan: pages::scan;
        BatchWriteItem: batch_write::batch_write;
        TransactWriteItems: transactions::transact_write;
        ExecuteTransaction: transactions::execute_transaction;
    }
}

pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, DynoxideError> {
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

pub(super) fn write<T: Serialize>(reply: &T) -> EngineAnswer {
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
