//! The contents of requests, parsed from their bodies.

use std::collections::BTreeMap;

use super::touched::{ChangedFields, changed_fields};
use crate::codec::Item;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, array_elements, find_member, object_members};
use crate::plan::call::Explanation;

/// One element of a request.
pub(super) enum Asked {
    Read(AskedRead),
    Write(AskedWrite),
    Rows(AskedRows),
}

/// The read of one item.
pub(super) struct AskedRead {
    pub(super) table: String,
    pub(super) key: Item,
    /// Units for each 4 KB.
    pub(super) factor: f64,
}

/// The write of one item.
pub(super) struct AskedWrite {
    pub(super) table: String,
    pub(super) change: AskedChange,
    pub(super) in_transaction: bool,
    pub(super) has_condition: bool,
}

pub(super) enum AskedChange {
    Put(Item),
    /// The key, and the attributes that change.
    Update(Item, BTreeMap<String, ChangedFields>),
    Delete(Item),
    Check(Item),
}

/// A query, a scan or a search.
pub(super) struct AskedRows {
    pub(super) table: String,
    pub(super) index: Option<String>,
    pub(super) limit: Option<u64>,
    /// Units for each 4 KB.
    pub(super) factor: f64,
    /// Whether it is a search of a vector index.
    pub(super) is_search: bool,
}

/// The elements, in the order of the requests.
pub(super) fn read_requests(explanation: &Explanation) -> Result<Vec<Asked>> {
    let mut asked = Vec::new();
    for request in &explanation.requests {
        let operation = explanation.operation.unwrap_or_default();
        let read = read_request(operation, request.as_bytes(), &mut asked);
        read.map_err(|fault| {
            let message = format!("the request of an explanation cannot be read: {fault}");
            Error::new(ErrorKind::Rejected, Stage::Request, message)
        })?;
    }
    Ok(asked)
}

/// The units for each 4 KB of the reads of a batch.
pub(super) fn factor_of_batch(body: &str) -> f64 {
    let tables = find_member(body.as_bytes(), "RequestItems").ok().flatten();
    let tables = tables.and_then(|tables| object_members(tables).ok());
    let mut tables = tables.unwrap_or_default().into_iter();
    tables.next().map_or(0.5, |(_, keys)| read_factor(keys))
}

fn read_request(operation: &str, body: &[u8], asked: &mut Vec<Asked>) -> Result<(), CodecError> {
    // The explanation names one operation, that of the write. Only the read before it has a key and `ConsistentRead`.
    let is_read =
        find_member(body, "Key")?.is_some() && find_member(body, "ConsistentRead")?.is_some();
    match operation {
        _ if is_read => asked.push(read_get(body, read_factor(body))?),
        "GetItem" => asked.push(read_get(body, read_factor(body))?),
        "PutItem" => asked.push(read_write("Put", body, false)?),
        "UpdateItem" => asked.push(read_write("Update", body, false)?),
        "DeleteItem" => asked.push(read_write("Delete", body, false)?),
        "Query" | "Scan" => asked.push(Asked::Rows(AskedRows {
            table: text_member(body, "TableName")?.unwrap_or_default(),
            index: text_member(body, "IndexName")?,
            limit: number_member(body, "Limit")?,
            factor: read_factor(body),
            is_search: false,
        })),
        // Searches are billed by bytes. Only the items that are read afterwards consume read units.
        "SearchVectors" => asked.push(Asked::Rows(AskedRows {
            table: text_member(body, "TableName")?.unwrap_or_default(),
            index: text_member(body, "IndexName")?,
            limit: number_member(body, "TopK")?,
            factor: 0.0,
            is_search: true,
        })),
        "BatchGetItem" => {
            for (table, keys) in object_members(required_member(body, "RequestItems")?)? {
                for key in array_elements(required_member(keys, "Keys")?)? {
                    asked.push(Asked::Read(AskedRead {
                        table: table.clone().into_owned(),
                        key: Item::from_dynamo_json(key)?,
                        factor: read_factor(keys),
                    }));
                }
            }
        }
        "BatchWriteItem" => {
            for (table, writes) in object_members(required_member(body, "RequestItems")?)? {
                for write in array_elements(writes)? {
                    asked.push(batch_write(&table, write)?);
                }
            }
        }
        "TransactGetItems" => {
            for read in array_elements(required_member(body, "TransactItems")?)? {
                // Transactional reads are strong and cost double that.
                asked.push(read_get(required_member(read, "Get")?, 2.0)?);
            }
        }
        "TransactWriteItems" => {
            for member in array_elements(required_member(body, "TransactItems")?)? {
                for (verb, body) in object_members(member)? {
                    asked.push(read_write(&verb, body, true)?);
                }
            }
        }
        _ => return Err(CodecError::new("no such operation")),
    }
    Ok(())
}

fn read_get(body: &[u8], factor: f64) -> Result<Asked, CodecError> {
    Ok(Asked::Read(AskedRead {
        table: text_member(body, "TableName")?.unwrap_or_default(),
        key: item_member(body, "Key")?,
        factor,
    }))
}

fn read_write(verb: &str, body: &[u8], in_transaction: bool) -> Result<Asked, CodecError> {
    let change = match verb {
        "Put" => AskedChange::Put(item_member(body, "Item")?),
        "Update" => {
            let update = text_member(body, "UpdateExpression")?.unwrap_or_default();
            let names = find_member(body, "ExpressionAttributeNames")?.unwrap_or(b"{}");
            AskedChange::Update(item_member(body, "Key")?, changed_fields(&update, names)?)
        }
        "Delete" => AskedChange::Delete(item_member(body, "Key")?),
        "ConditionCheck" => AskedChange::Check(item_member(body, "Key")?),
        _ => return Err(CodecError::new("no such write")),
    };
    Ok(Asked::Write(AskedWrite {
        table: text_member(body, "TableName")?.unwrap_or_default(),
        change,
        in_transaction,
        has_condition: find_member(body, "ConditionExpression")?.is_some(),
    }))
}

fn batch_write(table: &str, write: &[u8]) -> Result<Asked, CodecError> {
    let change = match (
        find_member(write, "PutRequest")?,
        find_member(write, "DeleteRequest")?,
    ) {
        (Some(put), _) => AskedChange::Put(item_member(put, "Item")?),
        (None, Some(delete)) => AskedChange::Delete(item_member(delete, "Key")?),
        (None, None) => return Err(CodecError::new("no such write")),
    };
    Ok(Asked::Write(AskedWrite {
        table: table.to_owned(),
        change,
        in_transaction: false,
        has_condition: false,
    }))
}

/// Units for each 4 KB: strong reads cost double.
fn read_factor(body: &[u8]) -> f64 {
    match find_member(body, "ConsistentRead") {
        Ok(Some(b"true")) => 1.0,
        _ => 0.5,
    }
}

fn required_member<'b>(body: &'b [u8], name: &'static str) -> Result<&'b [u8], CodecError> {
    find_member(body, name)?.ok_or_else(|| CodecError::new("it is missing").at(name))
}

fn item_member(body: &[u8], name: &'static str) -> Result<Item, CodecError> {
    Item::from_dynamo_json(required_member(body, name)?)
}

fn text_member(body: &[u8], name: &str) -> Result<Option<String>, CodecError> {
    let found = find_member(body, name)?;
    found
        .map(|json| Ok(Reader::new(json).string()?.into_owned()))
        .transpose()
}

fn number_member(body: &[u8], name: &str) -> Result<Option<u64>, CodecError> {
    let found = find_member(body, name)?.and_then(|json| std::str::from_utf8(json).ok());
    Ok(found.and_then(|number| number.trim().parse().ok()))
}
