//! The current stored item.

use bytes::Bytes;

use super::outcome::found_item;
use crate::dynamo::Dynamo;
use crate::entity::UntypedKey;
use crate::error::Result;
use crate::json::Writer;
use crate::plan::check::ConditionFailure;
use crate::schema::Pattern;
use crate::wire::{self, Request, Resend};

/// The body of a read of one item, up to its end.
pub(crate) fn begin_get(table: &str, key: &[u8], is_consistent: bool) -> Writer {
    let mut body = Writer::for_request(256);
    body.push_raw("{\"TableName\":");
    body.push_quoted(table);
    body.push_raw(",\"Key\":");
    body.raw_bytes(key);
    if is_consistent {
        body.push_raw(",\"ConsistentRead\":true");
    }
    body
}

/// The stored item as bytes. The read sees every acknowledged write.
pub(crate) async fn read_raw(
    db: &Dynamo,
    pattern: &'static Pattern,
    key: &UntypedKey,
) -> Result<Option<Bytes>> {
    let table = db.table_name(key.declared.table.name);
    read_item(db, pattern, &table, key.json()).await
}

/// Reads an item in the same way, by a key that is an object of DynamoDB JSON.
pub(crate) async fn read_item(
    db: &Dynamo,
    pattern: &'static Pattern,
    table: &str,
    key: &[u8],
) -> Result<Option<Bytes>> {
    let mut body = begin_get(table, key, true);
    body.push_raw("}");
    let operation = wire::ServiceOperation::GetItem;
    let request = Request::new(operation, pattern, table.to_owned(), body, Resend::Always);
    let reply = match db.call_service(request).await {
        Ok(reply) => reply,
        Err(failure) => {
            return Err(ConditionFailure::NEVER.explain_failure(failure, pattern.entity, db.now()));
        }
    };
    match found_item(&reply.body) {
        Ok(item) => Ok(item.map(|item| reply.body.slice_ref(item))),
        Err(error) => Err(error
            .of(pattern.entity)
            .with_request_id(reply.request_id.as_deref())),
    }
}
