//! A batch of writes in one commit.
//!
//! The engine commits the writes of a batch one by one. A transaction of the same writes is committed once, which takes
//! a fraction of the time on a file. Callers cannot see the difference: either all writes of a request are executed, as
//! in a batch that this engine accepts, or the request goes to the engine as a batch.

use dynoxide::DynoxideError;
use dynoxide::actions::batch_write_item::{
    self, BatchWriteItemRequest, BatchWriteItemResponse, WriteRequest,
};
use dynoxide::actions::transact_write_items::{
    self, TransactDelete, TransactPut, TransactWriteItem, TransactWriteItemsRequest,
};

use super::answer::{EngineAnswer, parse_body, write_reply};
use super::store::{EngineStore, finish_action};

/// The largest number of writes in a batch.
const MOST_WRITES: usize = 25;

pub(super) fn batch_write(
    store: &mut EngineStore,
    body: &[u8],
) -> Result<EngineAnswer, DynoxideError> {
    if let Some(transaction) = parse_body(body).ok().and_then(as_transaction) {
        let action = transact_write_items::execute(&store.storage, transaction);
        // A transaction that fails has changed nothing, so the batch can be executed from the
        // beginning. It then fails with the messages of a batch.
        if finish_action(action).is_ok() {
            return Ok(write_reply(&BatchWriteItemResponse::default()));
        }
    }
    let action = batch_write_item::execute(&store.storage, parse_body(body)?);
    Ok(write_reply(&finish_action(action)?))
}

/// The writes as a transaction. None if its response would differ: a batch costs half as much.
fn as_transaction(batch: BatchWriteItemRequest) -> Option<TransactWriteItemsRequest> {
    // Both members are computed from the operation: a transaction would report twice the units.
    let is_plain =
        batch.return_consumed_capacity.is_none() && batch.return_item_collection_metrics.is_none();
    let count: usize = batch.request_items.values().map(Vec::len).sum();
    let is_filled = batch
        .request_items
        .values()
        .all(|writes| !writes.is_empty());
    if !is_plain || !is_filled || count > MOST_WRITES {
        return None;
    }
    let tables = batch.request_items.into_iter();
    let writes = tables.flat_map(|(table, writes)| {
        let writes = writes.into_iter();
        writes.map(move |request| transact_action(&table, request))
    });
    Some(TransactWriteItemsRequest {
        transact_items: writes.collect::<Option<_>>()?,
        ..TransactWriteItemsRequest::default()
    })
}

fn transact_action(table: &str, request: WriteRequest) -> Option<TransactWriteItem> {
    let table_name = table.to_owned();
    match (request.put_request, request.delete_request) {
        (Some(put), None) => Some(TransactWriteItem {
            put: Some(TransactPut {
                table_name,
                item: put.item,
                ..TransactPut::default()
            }),
            ..TransactWriteItem::default()
        }),
        (None, Some(delete)) => Some(TransactWriteItem {
            delete: Some(TransactDelete {
                table_name,
                key: delete.key,
                ..TransactDelete::default()
            }),
            ..TransactWriteItem::default()
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
