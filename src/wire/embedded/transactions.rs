//! Transactions, which are executed once for each client token.

use dynoxide::DynoxideError;
use dynoxide::actions::transact_get_items::{
    TransactGet, TransactGetItem, TransactGetItemsRequest,
};
use dynoxide::actions::transact_write_items::{
    TransactPut, TransactWriteItem, TransactWriteItemsRequest, TransactWriteItemsResponse,
};
use dynoxide::actions::{execute_transaction, transact_get_items, transact_write_items};
use dynoxide::storage::Storage;
use dynoxide::types::ConsumedCapacity;
use serde::Deserialize;

use super::answer::{EngineAnswer, parse_body, write_reply};
use super::store::{EngineStore, finish_action};
use super::tokens::fingerprint_of;

/// The operations, each with its own tokens.
const ITEMS: &str = "TransactWriteItems";
const STATEMENTS: &str = "ExecuteTransaction";

pub(super) fn transact_write(
    store: &mut EngineStore,
    body: &[u8],
) -> Result<EngineAnswer, DynoxideError> {
    let request: TransactWriteItemsRequest = parse_body(body)?;
    let Some(token) = request.client_request_token.clone() else {
        let action = transact_write_items::execute(&store.storage, request);
        return Ok(write_reply(&finish_action(action)?));
    };
    // DynamoDB rejects a known token with other operations. Members such as
    // `ReturnConsumedCapacity` may differ.
    let print = fingerprint_of(&request.transact_items);
    if store.tokens.find_answer(ITEMS, &token, print)?.is_some() {
        return Ok(write_reply(&TransactWriteItemsResponse {
            consumed_capacity: units_of_reading(&store.storage, request),
            item_collection_metrics: None,
        }));
    }
    let action = transact_write_items::execute(&store.storage, request);
    // Only a success is remembered: a rejected transaction may be sent again with the same token.
    let answer = write_reply(&finish_action(action)?);
    store
        .tokens
        .remember_answer(ITEMS, token, print, answer.clone());
    Ok(answer)
}

pub(super) fn execute_transaction(
    store: &mut EngineStore,
    body: &[u8],
) -> Result<EngineAnswer, DynoxideError> {
    let request: execute_transaction::ExecuteTransactionRequest = parse_body(body)?;
    let Some(token) = request.client_request_token.clone() else {
        let action = execute_transaction::execute(&store.storage, request);
        return Ok(write_reply(&finish_action(action)?));
    };
    let print = fingerprint_of(&request.transact_statements);
    if let Some(answer) = store.tokens.find_answer(STATEMENTS, &token, print)? {
        return Ok(answer);
    }
    let action = execute_transaction::execute(&store.storage, request);
    let answer = write_reply(&finish_action(action)?);
    let remembered = answer.clone();
    store
        .tokens
        .remember_answer(STATEMENTS, token, print, remembered);
    Ok(answer)
}

/// A transaction that was already executed costs as much as reading its items.
fn units_of_reading(
    storage: &Storage,
    request: TransactWriteItemsRequest,
) -> Option<Vec<ConsumedCapacity>> {
    let return_consumed_capacity = Some(request.return_consumed_capacity?);
    let items = request.transact_items.into_iter();
    let gets = items.filter_map(|item| get_of(storage, item));
    let request = TransactGetItemsRequest {
        transact_items: gets.collect(),
        return_consumed_capacity,
    };
    let read = finish_action(transact_get_items::execute(storage, request));
    read.ok()?.consumed_capacity
}

/// A read of the item that is written or checked.
fn get_of(storage: &Storage, item: TransactWriteItem) -> Option<TransactGetItem> {
    let of_key = |table_name, key| TransactGetItem {
        get: TransactGet {
            table_name,
            key,
            ..TransactGet::default()
        },
    };
    if let Some(put) = item.put {
        // Unlike the other operations, a put names no key; its attributes are found by the key
        // schema of the table.
        return get_of_put(storage, put);
    }
    if let Some(update) = item.update {
        return Some(of_key(update.table_name, update.key));
    }
    if let Some(delete) = item.delete {
        return Some(of_key(delete.table_name, delete.key));
    }
    let check = item.condition_check?;
    Some(of_key(check.table_name, check.key))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct NamedKey {
    attribute_name: String,
}

fn get_of_put(storage: &Storage, put: TransactPut) -> Option<TransactGetItem> {
    let table = storage.get_table_metadata(&put.table_name).ok()??;
    let names: Vec<NamedKey> = serde_json::from_str(&table.key_schema).ok()?;
    let mut item = put.item;
    let key = names.into_iter().filter_map(|key| {
        let value = item.remove(&key.attribute_name)?;
        Some((key.attribute_name, value))
    });
    Some(TransactGetItem {
        get: TransactGet {
            key: key.collect(),
            table_name: put.table_name,
            ..TransactGet::default()
        },
    })
}
