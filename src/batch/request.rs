//! The body of a request, and the writes that its response omits.

use std::collections::HashMap;
use std::sync::Arc;

use super::plan::{BatchTable, Write};
use crate::json::{CodecError, Writer, answer_members, array_elements, find_answer, find_member};
use crate::key::point::{KeyPoint, points_of};
use crate::schema::Pattern;
use crate::wire::{Request, Resend, ServiceOperation};

/// The maximum number of writes in a request.
pub(super) const MOST_WRITES: usize = 25;

/// The maximum number of bytes of the writes in a request: DynamoDB accepts 16 MB, and the names of 25 tables need
/// some of it.
const MOST_BYTES: usize = 16 * 1024 * 1024 - 16 * 1024;

/// The writes of each request, in their order.
pub(super) fn split_chunks(writes: &[Write]) -> Vec<Vec<usize>> {
    let mut chunks = Vec::with_capacity(writes.len() / MOST_WRITES + 1);
    let (mut chunk, mut bytes) = (Vec::new(), 0);
    for (slot, write) in writes.iter().enumerate() {
        // One additional byte for the comma between two writes.
        let more = write.write_json().len() + 1;
        if chunk.len() == MOST_WRITES || (bytes + more > MOST_BYTES && !chunk.is_empty()) {
            chunks.push(std::mem::take(&mut chunk));
            bytes = 0;
        }
        chunk.push(slot);
        bytes += more;
    }
    if !chunk.is_empty() {
        chunks.push(chunk);
    }
    chunks
}

/// One request of these writes, table by table.
pub(super) fn build_request<'w>(writes: impl Iterator<Item = &'w Write>) -> Request {
    let mut tables: Vec<(&Arc<BatchTable>, Vec<&Write>)> = Vec::new();
    let mut bytes = 64;
    for write in writes {
        bytes += write.write_json().len() + 1;
        match tables.iter_mut().find(|(table, _)| *table == &write.table) {
            Some((_, writes)) => writes.push(write),
            None => tables.push((&write.table, vec![write])),
        }
    }
    let mut body = Writer::for_request(bytes + 300 * tables.len());
    body.push_raw("{\"RequestItems\":{");
    for (at, (table, writes)) in tables.iter().enumerate() {
        body.push_raw(if at == 0 { "" } else { "," });
        body.push_quoted(&table.name);
        for (at, write) in writes.iter().enumerate() {
            body.push_raw(if at == 0 { ":[" } else { "," });
            body.raw_bytes(write.write_json());
        }
        body.push_raw("]");
    }
    body.push_raw("}}");
    let table = tables
        .first()
        .map_or_else(String::new, |(table, _)| table.name.clone());
    let writes = tables.iter().flat_map(|(_, writes)| writes);
    let patterns = writes.map(|write| write.pattern);
    let pattern = Pattern::of_all(patterns, |joint| &joint.batch);
    let operation = ServiceOperation::BatchWriteItem;
    Request::new(operation, pattern, table, body, Resend::Always)
}

/// The slots of those writes that the answer names as not processed.
pub(super) fn unprocessed_writes(
    body: &[u8],
    writes: &[(usize, Write)],
) -> Result<Vec<usize>, CodecError> {
    let Some(tables) = find_answer(body, "UnprocessedItems")? else {
        return Ok(Vec::new());
    };
    let tables = answer_members(tables)?;
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    // Most responses omit nothing, so the keys are read only here.
    let mut slots = HashMap::with_capacity(writes.len());
    for (slot, write) in writes {
        // Keys are compared by value: DynamoDB may return a number in another format than the one
        // that was sent.
        let key = points_of(write.key_json(), &write.table.names)?;
        slots.insert((write.table.name.as_str(), key), *slot);
    }
    let mut left = Vec::new();
    for (table, requests) in tables {
        let names = writes.iter().map(|(_, write)| &write.table);
        let found = names.into_iter().find(|known| known.name == *table);
        let found = found.ok_or_else(not_ours)?;
        for request in array_elements(requests)? {
            let key = (found.name.as_str(), key_of(request, &found.names)?);
            left.push(*slots.get(&key).ok_or_else(not_ours)?);
        }
    }
    Ok(left)
}

fn not_ours() -> CodecError {
    CodecError::new("it names a write that was not sent")
}

/// The key of `{"PutRequest":{"Item":{..}}}` or `{"DeleteRequest":{"Key":{..}}}`.
fn key_of(request: &[u8], names: &[&'static str]) -> Result<Vec<KeyPoint>, CodecError> {
    let inner = match find_member(request, "PutRequest")? {
        Some(put) => find_member(put, "Item")?,
        None => match find_member(request, "DeleteRequest")? {
            Some(delete) => find_member(delete, "Key")?,
            None => None,
        },
    };
    points_of(inner.ok_or_else(not_ours)?, names)
}
