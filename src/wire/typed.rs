//! The fallback: our body through the SDK's fluent builders, its typed output back to bytes.
//!
//! Slower and with the same result. It is taken only when an SDK does not call our serializer or
//! deserializer any more; a member it does not know is refused, never dropped.

mod batch;
mod many;
mod transact;

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::RequestId;
use aws_sdk_dynamodb::operation::delete_item::DeleteItemOutput;
use aws_sdk_dynamodb::operation::delete_item::builders::DeleteItemFluentBuilder;
use aws_sdk_dynamodb::operation::get_item::GetItemOutput;
use aws_sdk_dynamodb::operation::get_item::builders::GetItemFluentBuilder;
use aws_sdk_dynamodb::operation::put_item::PutItemOutput;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::UpdateItemOutput;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ConsumedCapacity};
use bytes::Bytes;

pub(super) use batch::{batch_get_item, batch_write_item, naming_keys, naming_writes};
pub(super) use many::{query, scan};

use super::Reply;
use crate::codec::{Fault, Item, Reader, Writer};
pub(super) use transact::{naming, naming_read, transact_get_items, transact_write_items};

pub(super) fn get_item(
    builder: GetItemFluentBuilder,
    body: &[u8],
) -> Result<GetItemFluentBuilder, Fault> {
    fold(body, builder, |builder, name, reader| {
        Ok(match name {
            "TableName" => builder.table_name(text(reader)?),
            "Key" => builder.set_key(Some(Item::read(reader)?.into())),
            "ConsistentRead" => builder.consistent_read(boolean(reader)?),
            "ProjectionExpression" => builder.projection_expression(text(reader)?),
            "ExpressionAttributeNames" => {
                builder.set_expression_attribute_names(Some(names(reader)?))
            }
            "ReturnConsumedCapacity" => {
                builder.return_consumed_capacity(text(reader)?.as_str().into())
            }
            other => return Err(unknown(other)),
        })
    })
}

/// Members that the writes share; the item or key is the only difference.
macro_rules! write {
    ($method:ident, $builder:ty, $subject:literal, $set:ident $(, $more:literal, $with:ident)?) => {
        pub(super) fn $method(builder: $builder, body: &[u8]) -> Result<$builder, Fault> {
            fold(body, builder, |builder, name, reader| {
                Ok(match name {
                    "TableName" => builder.table_name(text(reader)?),
                    $subject => builder.$set(Some(Item::read(reader)?.into())),
                    $($more => builder.$with(text(reader)?),)?
                    "ConditionExpression" => builder.condition_expression(text(reader)?),
                    "ExpressionAttributeNames" => {
                        builder.set_expression_attribute_names(Some(names(reader)?))
                    }
                    "ExpressionAttributeValues" => {
                        builder.set_expression_attribute_values(Some(Item::read(reader)?.into()))
                    }
                    "ReturnValues" => builder.return_values(text(reader)?.as_str().into()),
                    "ReturnValuesOnConditionCheckFailure" => builder
                        .return_values_on_condition_check_failure(text(reader)?.as_str().into()),
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
    };
}

write!(put_item, PutItemFluentBuilder, "Item", set_item);
write!(
    update_item,
    UpdateItemFluentBuilder,
    "Key", set_key, "UpdateExpression", update_expression
);
write!(delete_item, DeleteItemFluentBuilder, "Key", set_key);

/// An output of the SDK that can be written as the answer it was read from.
pub(super) trait Output: RequestId {
    fn write(&self, writer: &mut Writer);
}

pub(super) fn reply(output: &impl Output) -> Reply {
    let mut writer = Writer::default();
    writer.raw("{");
    output.write(&mut writer);
    writer.raw("}");
    let request_id = output.request_id().map(str::to_owned);
    Reply {
        body: Bytes::from(writer.into_bytes()),
        request_id,
    }
}

impl Output for GetItemOutput {
    fn write(&self, writer: &mut Writer) {
        item(writer, "Item", self.item());
        capacity(writer, self.consumed_capacity());
    }
}

impl Output for PutItemOutput {
    fn write(&self, writer: &mut Writer) {
        item(writer, "Attributes", self.attributes());
        capacity(writer, self.consumed_capacity());
    }
}

impl Output for UpdateItemOutput {
    fn write(&self, writer: &mut Writer) {
        item(writer, "Attributes", self.attributes());
        capacity(writer, self.consumed_capacity());
    }
}

impl Output for DeleteItemOutput {
    fn write(&self, writer: &mut Writer) {
        item(writer, "Attributes", self.attributes());
        capacity(writer, self.consumed_capacity());
    }
}

/// An item in an answer. One that cannot be written (the service made it, so it can) becomes
/// one that no reader accepts: nothing is made up.
fn item(writer: &mut Writer, name: &str, attributes: Option<&HashMap<String, AttributeValue>>) {
    let Some(attributes) = attributes else { return };
    writer.dynamic_name(name);
    object(writer, attributes);
}

fn object(writer: &mut Writer, attributes: &HashMap<String, AttributeValue>) {
    let item = Item::from(attributes.clone());
    match item.to_dynamo_json() {
        Ok(json) => writer.raw_bytes(&json),
        Err(_) => writer.raw("{\"\":{}}"),
    }
}

fn capacity(writer: &mut Writer, capacity: Option<&ConsumedCapacity>) {
    let Some(capacity) = capacity else { return };
    writer.dynamic_name("ConsumedCapacity");
    capacity_entries(writer, capacity);
}

fn capacity_entries(writer: &mut Writer, capacity: &ConsumedCapacity) {
    writer.raw("{");
    if let Some(table) = capacity.table_name() {
        writer.dynamic_name("TableName");
        writer.quoted(table);
    }
    for (name, units) in [
        ("CapacityUnits", capacity.capacity_units()),
        ("ReadCapacityUnits", capacity.read_capacity_units()),
        ("WriteCapacityUnits", capacity.write_capacity_units()),
    ] {
        if let Some(units) = units {
            writer.dynamic_name(name);
            writer.raw(&units.to_string());
        }
    }
    writer.raw("}");
}

fn fold<B>(
    body: &[u8],
    mut builder: B,
    member: impl Fn(B, &str, &mut Reader<'_>) -> Result<B, Fault>,
) -> Result<B, Fault> {
    let mut reader = Reader::new(body);
    reader.open_object()?;
    let mut first = true;
    while let Some(name) = reader.next_name(&mut first)? {
        builder = member(builder, &name, &mut reader)?;
    }
    reader.finish()?;
    Ok(builder)
}

fn text(reader: &mut Reader<'_>) -> Result<String, Fault> {
    reader.string().map(|text| text.into_owned())
}

fn boolean(reader: &mut Reader<'_>) -> Result<bool, Fault> {
    match reader.raw_value()? {
        b"true" => Ok(true),
        b"false" => Ok(false),
        _ => Err(Fault::new("true or false should stand here")),
    }
}

fn names(reader: &mut Reader<'_>) -> Result<HashMap<String, String>, Fault> {
    let mut names = HashMap::new();
    reader.open_object()?;
    let mut first = true;
    while let Some(name) = reader.next_name(&mut first)? {
        let value = text(reader)?;
        names.insert(name.into_owned(), value);
    }
    Ok(names)
}

fn unknown(member: &str) -> Fault {
    Fault::new(format!("the member `{member}` is not known here"))
}
