//! Transactions on the typed path.

use aws_sdk_dynamodb::operation::transact_get_items::TransactGetItemsOutput;
use aws_sdk_dynamodb::operation::transact_get_items::builders::TransactGetItemsFluentBuilder;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsOutput;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::builders::{
    ConditionCheckBuilder, DeleteBuilder, GetBuilder, PutBuilder, UpdateBuilder,
};
use aws_sdk_dynamodb::types::{ConsumedCapacity, Get, Put, TransactGetItem, TransactWriteItem};
use aws_smithy_types::error::operation::BuildError;

use super::{Output, capacity_entries, fold, names, text, unknown};
use crate::codec::{Fault, Item, Reader, Writer, elements};

/// A transaction that only names its table, for the endpoint rules. It is never sent: an SDK that
/// sent it would be refused for its item without a key. Its token spares the SDK the making of one.
pub(in crate::wire) fn naming(
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

/// The same for a transaction of reads.
pub(in crate::wire) fn naming_read(
    builder: TransactGetItemsFluentBuilder,
    table: &str,
) -> TransactGetItemsFluentBuilder {
    let get = Get::builder().table_name(table);
    match get.set_key(Some(SdkItem::default())).build() {
        Ok(get) => builder.transact_items(TransactGetItem::builder().get(get).build()),
        Err(_) => builder,
    }
}

pub(in crate::wire) fn transact_write_items(
    builder: TransactWriteItemsFluentBuilder,
    body: &[u8],
) -> Result<TransactWriteItemsFluentBuilder, Fault> {
    fold(body, builder, |mut builder, name, reader| {
        Ok(match name {
            "TransactItems" => {
                for json in elements(reader.raw_value()?)? {
                    builder = builder.transact_items(operation(json)?);
                }
                builder
            }
            "ClientRequestToken" => builder.client_request_token(text(reader)?),
            "ReturnConsumedCapacity" => {
                builder.return_consumed_capacity(text(reader)?.as_str().into())
            }
            "ReturnItemCollectionMetrics" => {
                builder.return_item_collection_metrics(text(reader)?.as_str().into())
            }
            other => return Err(unknown(other)),
        })
    })
}

pub(in crate::wire) fn transact_get_items(
    builder: TransactGetItemsFluentBuilder,
    body: &[u8],
) -> Result<TransactGetItemsFluentBuilder, Fault> {
    fold(body, builder, |mut builder, name, reader| {
        Ok(match name {
            "TransactItems" => {
                for json in elements(reader.raw_value()?)? {
                    builder = builder.transact_items(read(json)?);
                }
                builder
            }
            "ReturnConsumedCapacity" => {
                builder.return_consumed_capacity(text(reader)?.as_str().into())
            }
            other => return Err(unknown(other)),
        })
    })
}

/// `{"Get":{..}}`
fn read(json: &[u8]) -> Result<TransactGetItem, Fault> {
    let builder = fold(json, TransactGetItem::builder(), |builder, name, reader| {
        Ok(match name {
            "Get" => builder.get(built(get(reader.raw_value()?)?.build())?),
            other => return Err(unknown(other)),
        })
    })?;
    Ok(builder.build())
}

fn get(json: &[u8]) -> Result<GetBuilder, Fault> {
    fold(json, GetBuilder::default(), |builder, name, reader| {
        Ok(match name {
            "TableName" => builder.table_name(text(reader)?),
            "Key" => builder.set_key(Some(item(reader)?)),
            "ProjectionExpression" => builder.projection_expression(text(reader)?),
            "ExpressionAttributeNames" => {
                builder.set_expression_attribute_names(Some(names(reader)?))
            }
            other => return Err(unknown(other)),
        })
    })
}

/// `{"Put":{..}}` and the like.
fn operation(json: &[u8]) -> Result<TransactWriteItem, Fault> {
    let builder = fold(
        json,
        TransactWriteItem::builder(),
        |builder, name, reader| {
            let body = reader.raw_value()?;
            Ok(match name {
                "Put" => builder.put(built(put(body)?.build())?),
                "Delete" => builder.delete(built(delete(body)?.build())?),
                "Update" => builder.update(built(update(body)?.build())?),
                "ConditionCheck" => builder.condition_check(built(condition_check(body)?.build())?),
                other => return Err(unknown(other)),
            })
        },
    )?;
    Ok(builder.build())
}

fn built<T>(built: Result<T, BuildError>) -> Result<T, Fault> {
    built.map_err(|error| Fault::new(error.to_string()))
}

/// Members that the operations share, and those of their own.
macro_rules! operations {
    ($($method:ident: $builder:ident { $($own:literal => $set:ident $read:ident),* })*) => {$(
        fn $method(json: &[u8]) -> Result<$builder, Fault> {
            fold(json, $builder::default(), |builder, name, reader| {
                Ok(match name {
                    "TableName" => builder.table_name(text(reader)?),
                    $($own => builder.$set(Some($read(reader)?)),)*
                    "ConditionExpression" => builder.condition_expression(text(reader)?),
                    "ExpressionAttributeNames" => {
                        builder.set_expression_attribute_names(Some(names(reader)?))
                    }
                    "ExpressionAttributeValues" => {
                        builder.set_expression_attribute_values(Some(item(reader)?))
                    }
                    "ReturnValuesOnConditionCheckFailure" => builder
                        .return_values_on_condition_check_failure(text(reader)?.as_str().into()),
                    other => return Err(unknown(other)),
                })
            })
        }
    )*};
}

operations! {
    put: PutBuilder { "Item" => set_item item }
    delete: DeleteBuilder { "Key" => set_key item }
    update: UpdateBuilder { "Key" => set_key item, "UpdateExpression" => set_update_expression text }
    condition_check: ConditionCheckBuilder { "Key" => set_key item }
}

type SdkItem = std::collections::HashMap<String, aws_sdk_dynamodb::types::AttributeValue>;

fn item(reader: &mut Reader<'_>) -> Result<SdkItem, Fault> {
    Item::read(reader).map(Into::into)
}

impl Output for TransactWriteItemsOutput {
    fn write(&self, writer: &mut Writer) {
        capacities(writer, self.consumed_capacity());
    }
}

impl Output for TransactGetItemsOutput {
    fn write(&self, writer: &mut Writer) {
        writer.dynamic_name("Responses");
        writer.raw("[");
        for (at, response) in self.responses().iter().enumerate() {
            writer.raw(if at == 0 { "{" } else { ",{" });
            super::item(writer, "Item", response.item());
            writer.raw("}");
        }
        writer.raw("]");
        capacities(writer, self.consumed_capacity());
    }
}

pub(super) fn capacities(writer: &mut Writer, tables: &[ConsumedCapacity]) {
    if tables.is_empty() {
        return;
    }
    writer.dynamic_name("ConsumedCapacity");
    writer.raw("[");
    for (at, table) in tables.iter().enumerate() {
        writer.raw(if at == 0 { "" } else { "," });
        capacity_entries(writer, table);
    }
    writer.raw("]");
}
