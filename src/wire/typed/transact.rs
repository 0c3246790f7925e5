//! Transactions on the typed path.

use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsOutput;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::builders::{
    ConditionCheckBuilder, DeleteBuilder, PutBuilder, UpdateBuilder,
};
use aws_sdk_dynamodb::types::{Put, TransactWriteItem};
use aws_smithy_types::error::operation::BuildError;

use super::{Output, capacity_entries, fold, names, text, unknown};
use crate::codec::{Fault, Item, Reader, Writer};

/// A transaction that only names its table, for the endpoint rules. It is never sent: an SDK that
/// sent it would be refused for its item without a key.
pub(in crate::wire) fn naming(
    builder: TransactWriteItemsFluentBuilder,
    table: &str,
) -> TransactWriteItemsFluentBuilder {
    let put = Put::builder().table_name(table);
    let put = put.set_item(Some(Default::default())).build();
    match put {
        Ok(put) => builder.transact_items(TransactWriteItem::builder().put(put).build()),
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
                let mut first = true;
                reader.open_array()?;
                while reader.next_element(&mut first)? {
                    builder = builder.transact_items(operation(reader.raw_value()?)?);
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
        let tables = self.consumed_capacity();
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
}
