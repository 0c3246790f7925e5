//! One line per operation: DynamoDB JSON in, the engine's typed action, DynamoDB JSON out.

use dynoxide::actions;

use super::answer::{EngineAnswer, parse_body, refusal_answer, write_reply};
use super::store::{EngineStore, finish_action};
use super::{batch_write, pages, stream_operations, transactions};

macro_rules! operations {
    (
        actions { $($operation:ident: $action:ident $(with $state:ident)?;)+ }
        own { $($own:ident: $path:path;)+ }
    ) => {
        pub(super) fn dispatch_operation(store: &mut EngineStore, operation: &str, body: &[u8]) -> EngineAnswer {
            let answer = match operation {
                $(stringify!($operation) => parse_body(body).and_then(|request| {
                    let storage = &store.storage;
                    finish_action(actions::$action::execute(storage, request $(, &store.$state)?))
                        .map(|reply| write_reply(&reply))
                }),)+
                $(stringify!($own) => $path(store, body),)+
                _ => return refusal_answer(400, "UnknownOperationException", operation),
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
        SearchVectors: search_vectors with vectors;
        ExecuteStatement: execute_statement;
        BatchExecuteStatement: batch_execute_statement;
        CreateTable: create_table;
        DescribeTable: describe_table with vectors;
        ListTables: list_tables;
        UpdateTimeToLive: update_time_to_live;
        DescribeTimeToLive: describe_time_to_live;
        TagResource: tag_resource;
        UntagResource: untag_resource;
        ListTagsOfResource: list_tags_of_resource;
        ListStreams: list_streams;
    }
    own {
        UpdateTable: stream_operations::update_table;
        DeleteTable: stream_operations::delete_table;
        DescribeStream: stream_operations::describe_stream;
        GetShardIterator: stream_operations::shard_iterator;
        GetRecords: stream_operations::records;
        SweepExpiredItems: stream_operations::sweep_expired;
        Query: pages::query_page;
        Scan: pages::scan_page;
        BatchWriteItem: batch_write::batch_write;
        TransactWriteItems: transactions::transact_write;
        ExecuteTransaction: transactions::execute_transaction;
    }
}
