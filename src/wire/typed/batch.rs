//! Batches on the typed path.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::batch_get_item::BatchGetItemOutput;
use aws_sdk_dynamodb::operation::batch_get_item::builders::BatchGetItemFluentBuilder;
use aws_sdk_dynamodb::operation::batch_write_item::BatchWriteItemOutput;
use aws_sdk_dynamodb::operation::batch_write_item::builders::BatchWriteItemFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeValue, DeleteRequest, KeysAndAttributes, PutRequest, WriteRequest,
};
use aws_smithy_types::error::operation::BuildError;

use super::transact::capacities;
use super::{Output, boolean, fold, names, object, text, unknown};
use crate::codec::{Fault, Item, Reader, Writer};

/// A batch that only names its table, for the endpoint rules. It is never sent: an SDK that sent it
/// would be refused for a table without keys.
pub(in crate::wire) fn naming_keys(
    builder: BatchGetItemFluentBuilder,
    table: &str,
) -> BatchGetItemFluentBuilder {
    let keys = KeysAndAttributes::builder().set_keys(Some(Vec::new()));
    match keys.build() {
        Ok(keys) => builder.request_items(table, keys),
        Err(_) => builder,
    }
}

pub(in crate::wire) fn batch_get_item(
    builder: BatchGetItemFluentBuilder,
    body: &[u8],
) -> Result<BatchGetItemFluentBuilder, Fault> {
    fold(body, builder, |builder, name, reader| {
        Ok(match name {
            "RequestItems" => fold(reader.raw_value()?, builder, |builder, table, reader| {
                Ok(builder.request_items(table, keys_of_table(reader.raw_value()?)?))
            })?,
            "ReturnConsumedCapacity" => {
                builder.return_consumed_capacity(text(reader)?.as_str().into())
            }
            other => return Err(unknown(other)),
        })
    })
}

fn keys_of_table(json: &[u8]) -> Result<KeysAndAttributes, Fault> {
    let builder = fold(
        json,
        KeysAndAttributes::builder(),
        |builder, name, reader| {
            Ok(match name {
                "Keys" => builder.set_keys(Some(keys(reader)?)),
                "ConsistentRead" => builder.consistent_read(boolean(reader)?),
                "ProjectionExpression" => builder.projection_expression(text(reader)?),
                "ExpressionAttributeNames" => {
                    builder.set_expression_attribute_names(Some(names(reader)?))
                }
                other => return Err(unknown(other)),
            })
        },
    )?;
    builder
        .build()
        .map_err(|error| Fault::new(error.to_string()))
}

/// The same of a batch of writes.
pub(in crate::wire) fn naming_writes(
    builder: BatchWriteItemFluentBuilder,
    table: &str,
) -> BatchWriteItemFluentBuilder {
    builder.request_items(table, Vec::new())
}

pub(in crate::wire) fn batch_write_item(
    builder: BatchWriteItemFluentBuilder,
    body: &[u8],
) -> Result<BatchWriteItemFluentBuilder, Fault> {
    fold(body, builder, |builder, name, reader| {
        Ok(match name {
            "RequestItems" => fold(reader.raw_value()?, builder, |builder, table, reader| {
                Ok(builder.request_items(table, writes_of_table(reader)?))
            })?,
            "ReturnConsumedCapacity" => {
                builder.return_consumed_capacity(text(reader)?.as_str().into())
            }
            other => return Err(unknown(other)),
        })
    })
}

fn writes_of_table(reader: &mut Reader<'_>) -> Result<Vec<WriteRequest>, Fault> {
    let mut writes = Vec::new();
    let mut first = true;
    reader.open_array()?;
    while reader.next_element(&mut first)? {
        writes.push(write_of(reader.raw_value()?)?);
    }
    Ok(writes)
}

/// `{"PutRequest":{"Item":{..}}}` or `{"DeleteRequest":{"Key":{..}}}`.
fn write_of(json: &[u8]) -> Result<WriteRequest, Fault> {
    let failed = |error: BuildError| Fault::new(error.to_string());
    let builder = fold(json, WriteRequest::builder(), |builder, name, reader| {
        let inner = reader.raw_value()?;
        Ok(match name {
            "PutRequest" => {
                let put = PutRequest::builder().set_item(Some(item_of(inner, "Item")?));
                builder.put_request(put.build().map_err(failed)?)
            }
            "DeleteRequest" => {
                let delete = DeleteRequest::builder().set_key(Some(item_of(inner, "Key")?));
                builder.delete_request(delete.build().map_err(failed)?)
            }
            other => return Err(unknown(other)),
        })
    })?;
    Ok(builder.build())
}

/// The only member of a write.
fn item_of(json: &[u8], wanted: &str) -> Result<SdkItem, Fault> {
    fold(json, SdkItem::new(), |_, name, reader| match name {
        name if name == wanted => Item::read(reader).map(Into::into),
        other => Err(unknown(other)),
    })
}

impl Output for BatchWriteItemOutput {
    fn write(&self, writer: &mut Writer) {
        writer.dynamic_name("UnprocessedItems");
        writer.raw("{");
        for (table, left) in self.unprocessed_items().into_iter().flatten() {
            writer.dynamic_name(table);
            writer.raw("[");
            for (at, write) in left.iter().enumerate() {
                writer.raw(if at == 0 { "" } else { "," });
                left_over(writer, write);
            }
            writer.raw("]");
        }
        writer.raw("}");
        capacities(writer, self.consumed_capacity());
    }
}

fn left_over(writer: &mut Writer, write: &WriteRequest) {
    let put = write
        .put_request()
        .map(|put| ("{\"PutRequest\":{\"Item\":", put.item()));
    let delete = write.delete_request();
    let delete = delete.map(|delete| ("{\"DeleteRequest\":{\"Key\":", delete.key()));
    match put.or(delete) {
        Some((frame, item)) => {
            writer.raw(frame);
            object(writer, item);
            writer.raw("}}");
        }
        None => writer.raw("{}"),
    }
}

type SdkItem = HashMap<String, AttributeValue>;

fn keys(reader: &mut Reader<'_>) -> Result<Vec<SdkItem>, Fault> {
    let mut keys = Vec::new();
    let mut first = true;
    reader.open_array()?;
    while reader.next_element(&mut first)? {
        keys.push(Item::read(reader)?.into());
    }
    Ok(keys)
}

impl Output for BatchGetItemOutput {
    fn write(&self, writer: &mut Writer) {
        writer.dynamic_name("Responses");
        writer.raw("{");
        for (table, items) in self.responses().into_iter().flatten() {
            writer.dynamic_name(table);
            list(writer, items);
        }
        writer.raw("}");
        writer.dynamic_name("UnprocessedKeys");
        writer.raw("{");
        for (table, left) in self.unprocessed_keys().into_iter().flatten() {
            writer.dynamic_name(table);
            writer.raw("{\"Keys\":");
            list(writer, left.keys());
            writer.raw("}");
        }
        writer.raw("}");
        capacities(writer, self.consumed_capacity());
    }
}

fn list(writer: &mut Writer, items: &[SdkItem]) {
    writer.raw("[");
    for (at, item) in items.iter().enumerate() {
        writer.raw(if at == 0 { "" } else { "," });
        object(writer, item);
    }
    writer.raw("]");
}
