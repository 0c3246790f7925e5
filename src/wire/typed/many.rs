//! The reads of many items through the SDK's builders.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::query::QueryOutput;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::scan::ScanOutput;
use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue;

use super::{Output, boolean, capacity, fold, item, names, text, unknown};
use crate::codec::{Fault, Item, Reader, Writer};

/// The members that both have, and those of one.
macro_rules! read {
    ($method:ident, $builder:ty, |$b:ident, $reader:ident| { $($member:literal => $set:expr,)* }) => {
        pub(in crate::wire) fn $method(builder: $builder, body: &[u8]) -> Result<$builder, Fault> {
            fold(body, builder, |$b, name, $reader| {
                Ok(match name {
                    "TableName" => $b.table_name(text($reader)?),
                    "IndexName" => $b.index_name(text($reader)?),
                    "FilterExpression" => $b.filter_expression(text($reader)?),
                    "ProjectionExpression" => $b.projection_expression(text($reader)?),
                    "ExpressionAttributeNames" => {
                        $b.set_expression_attribute_names(Some(names($reader)?))
                    }
                    "ExpressionAttributeValues" => {
                        $b.set_expression_attribute_values(Some(Item::read($reader)?.into()))
                    }
                    "ExclusiveStartKey" => {
                        $b.set_exclusive_start_key(Some(Item::read($reader)?.into()))
                    }
                    "ConsistentRead" => $b.consistent_read(boolean($reader)?),
                    "Limit" => $b.limit(integer($reader)?),
                    "Select" => $b.select(text($reader)?.as_str().into()),
                    "ReturnConsumedCapacity" => {
                        $b.return_consumed_capacity(text($reader)?.as_str().into())
                    }
                    $($member => $set,)*
                    other => return Err(unknown(other)),
                })
            })
        }
    };
}

read!(query, QueryFluentBuilder, |builder, reader| {
    "KeyConditionExpression" => builder.key_condition_expression(text(reader)?),
    "ScanIndexForward" => builder.scan_index_forward(boolean(reader)?),
});
read!(scan, ScanFluentBuilder, |builder, reader| {
    "Segment" => builder.segment(integer(reader)?),
    "TotalSegments" => builder.total_segments(integer(reader)?),
});

fn integer(reader: &mut Reader<'_>) -> Result<i32, Fault> {
    let digits = std::str::from_utf8(reader.raw_value()?);
    let number = digits.ok().and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| Fault::new("a number should stand here"))
}

impl Output for QueryOutput {
    fn write(&self, writer: &mut Writer) {
        items(writer, self.items.as_deref());
        counts(writer, self.count(), self.scanned_count());
        item(writer, "LastEvaluatedKey", self.last_evaluated_key());
        capacity(writer, self.consumed_capacity());
    }
}

impl Output for ScanOutput {
    fn write(&self, writer: &mut Writer) {
        items(writer, self.items.as_deref());
        counts(writer, self.count(), self.scanned_count());
        item(writer, "LastEvaluatedKey", self.last_evaluated_key());
        capacity(writer, self.consumed_capacity());
    }
}

fn items(writer: &mut Writer, items: Option<&[HashMap<String, AttributeValue>]>) {
    let Some(items) = items else { return };
    writer.dynamic_name("Items");
    writer.raw("[");
    for (at, attributes) in items.iter().enumerate() {
        writer.raw(if at == 0 { "" } else { "," });
        super::object(writer, attributes);
    }
    writer.raw("]");
}

fn counts(writer: &mut Writer, count: i32, scanned: i32) {
    for (name, number) in [("Count", count), ("ScannedCount", scanned)] {
        writer.dynamic_name(name);
        writer.raw(&number.to_string());
    }
}
