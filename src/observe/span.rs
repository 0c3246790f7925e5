//! A span for each request, with the names of OpenTelemetry's conventions for databases and for DynamoDB. It contains
//! names and numbers, never values.

use std::borrow::Cow;

use tracing::Span;
use tracing::field::{Empty, debug, display};

use super::RequestEvent;
use crate::error::ErrorKind;
use crate::json::{CodecError, Reader, array_elements, find_member, object_members};
use crate::wire::{Request, ServiceOperation};

/// The span of a request, before it is sent.
pub(super) fn begin_span(request: &Request) -> Span {
    let (pattern, operation) = (request.pattern, request.operation.operation_name());
    let span = tracing::info_span!(
        target: "dynamo_entity",
        "request",
        otel.name = %pattern,
        otel.kind = "client",
        otel.status_code = Empty,
        db.system.name = "aws.dynamodb",
        db.operation.name = operation,
        db.query.summary = %pattern,
        db.collection.name = Empty,
        db.response.status_code = Empty,
        rpc.system = "aws-api",
        aws.dynamodb.table_names = Empty,
        aws.dynamodb.index_name = pattern.index,
        aws.dynamodb.count = Empty,
        aws.dynamodb.scanned_count = Empty,
        aws.dynamodb.consumed_capacity = Empty,
        aws.request_id = Empty,
        http.request.resend_count = Empty,
        error.r#type = Empty,
    );
    if !span.is_disabled() {
        let tables = table_names(request);
        if let [table] = &*tables {
            span.record("db.collection.name", &**table);
        }
        span.record("aws.dynamodb.table_names", debug(tables));
    }
    span
}

/// Adds the result of the request.
pub(super) fn end_span(span: &Span, seen: &RequestEvent<'_>) {
    if let Some(id) = seen.request_id {
        span.record("aws.request_id", id);
    }
    if let Some(again) = seen.attempts.checked_sub(1).filter(|again| *again > 0) {
        span.record("http.request.resend_count", again);
    }
    if let Some(error) = seen.error {
        span.record("error.type", debug(error.kind()));
        if let Some(code) = error.code() {
            span.record("db.response.status_code", code);
        }
        // A condition that does not hold is an expected result, so the span is not marked as an error.
        if error.kind() != ErrorKind::Conflict {
            span.record("otel.status_code", "ERROR");
        }
        return;
    }
    if matches!(seen.operation, "Query" | "Scan") {
        span.record("aws.dynamodb.count", seen.rows);
        span.record("aws.dynamodb.scanned_count", seen.looked_at);
    }
    if !seen.consumed.is_empty() {
        let tables = seen.consumed.iter();
        let tables = tables.map(|of| {
            let (table, units) = (&of.table, of.units);
            format!("{{\"TableName\":{table:?},\"CapacityUnits\":{units}}}")
        });
        let tables = tables.collect::<Vec<_>>().join(",");
        span.record(
            "aws.dynamodb.consumed_capacity",
            display(format!("[{tables}]")),
        );
    }
}

/// The tables of the request, each once.
fn table_names(request: &Request) -> Vec<Cow<'_, str>> {
    let named = named_tables(request).unwrap_or_default();
    let mut tables: Vec<Cow<'_, str>> = Vec::new();
    for table in named {
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    match tables.is_empty() {
        true => vec![Cow::from(&request.table)],
        false => tables,
    }
}

/// The tables in the body of a request for several, as often as it names them.
fn named_tables(request: &Request) -> Result<Vec<Cow<'_, str>>, CodecError> {
    use ServiceOperation::{BatchGetItem, BatchWriteItem, TransactGetItems, TransactWriteItems};
    let body = &request.body;
    match request.operation {
        BatchGetItem | BatchWriteItem => {
            let tables = find_member(body, "RequestItems")?.unwrap_or(b"{}");
            Ok(object_members(tables)?
                .into_iter()
                .map(|(name, _)| name)
                .collect())
        }
        TransactGetItems | TransactWriteItems => {
            let operations = array_elements(find_member(body, "TransactItems")?.unwrap_or(b"[]"))?;
            let mut tables = Vec::with_capacity(operations.len());
            for operation in operations {
                for (_, inner) in object_members(operation)? {
                    if let Some(table) = find_member(inner, "TableName")? {
                        tables.push(Reader::new(table).string()?);
                    }
                }
            }
            Ok(tables)
        }
        _ => Ok(Vec::new()),
    }
}
