//! Requests that only name their table, for the SDK's endpoint rules.
//!
//! They are never sent, because the planned body replaces theirs. If the SDK sent one, DynamoDB would reject it,
//! because it has no key.

use aws_sdk_dynamodb::operation::batch_get_item::builders::BatchGetItemFluentBuilder;
use aws_sdk_dynamodb::operation::batch_write_item::builders::BatchWriteItemFluentBuilder;
use aws_sdk_dynamodb::operation::transact_get_items::builders::TransactGetItemsFluentBuilder;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::{Get, KeysAndAttributes, Put, TransactGetItem, TransactWriteItem};

pub(super) fn batch_get(
    builder: BatchGetItemFluentBuilder,
    table: &str,
) -> BatchGetItemFluentBuilder {
    let keys = KeysAndAttributes::builder().set_keys(Some(Vec::new()));
    match keys.build() {
        Ok(keys) => builder.request_items(table, keys),
        Err(_) => builder,
    }
}

pub(super) fn batch_write(
    builder: BatchWriteItemFluentBuilder,
    table: &str,
) -> BatchWriteItemFluentBuilder {
    builder.request_items(table, Vec::new())
}

/// The token spares the SDK from making one.
pub(super) fn transact_write(
    builder: TransactWriteItemsFluentBuilder,
    table: &str,
) -> TransactWriteItemsFluentBuilder {
    let builder = builder.client_request_token("");
    let put = Put::builder().table_name(table);
    let put = put.set_item(Some(Default::default())).build();
    match put {
        Ok(put) => builder.transact_items(TransactWriteItem::builder().put(put).build()),
        Err(_) => builder,
    }
}

pub(super) fn transact_get(
    builder: TransactGetItemsFluentBuilder,
    table: &str,
) -> TransactGetItemsFluentBuilder {
    let get = Get::builder().table_name(table);
    match get.set_key(Some(Default::default())).build() {
        Ok(get) => builder.transact_items(TransactGetItem::builder().get(get).build()),
        Err(_) => builder,
    }
}
