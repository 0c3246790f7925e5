//! `get`: read one item by its key.

use std::fmt;

use bytes::Bytes;

use super::call::{Operation, Outcome, Plan, find_object};
use super::check::Lost;
use crate::clock::Timestamp;
use crate::codec::Writer;
use crate::dynamo::Dynamo;
use crate::entity::{self, DynamoEntity, DynamoTable, Key};
use crate::error::Result;
use crate::wire::{self, Reply, Request, Resend};

/// Reads one item; see [`Key::get`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Get<E: DynamoEntity> {
    pub(super) key: Key<E>,
    pub(super) consistent: bool,
    pub(super) hide_expired: bool,
}

impl<E: DynamoEntity> Get<E> {
    pub(crate) fn new(key: Key<E>) -> Self {
        Get {
            key,
            consistent: false,
            hide_expired: true,
        }
    }

    pub(super) fn key(&self) -> &Key<E> {
        &self.key
    }

    /// How the item is read.
    pub(super) fn reading(&self) -> fn(&[u8], Timestamp) -> Result<Option<E>> {
        match self.hide_expired {
            true => entity::read_live,
            false => |item, _| entity::read(item).map(Some),
        }
    }

    /// Sees every write that was acknowledged before; costs double.
    pub fn consistent(mut self) -> Self {
        self.consistent = true;
        self
    }

    /// Returns an expired item too, while DynamoDB still holds it.
    pub fn include_expired(mut self) -> Self {
        self.hide_expired = false;
        self
    }
}

impl<E: DynamoEntity> Operation for Get<E> {
    type Out = Option<E>;

    fn plan(self, db: &Dynamo) -> Result<Plan<Option<E>>> {
        let table = db.table_name(<E::Table as DynamoTable>::TABLE.name);
        let mut body = open_body(&table);
        body.raw("{");
        self.key.write(&mut body)?;
        body.raw(if self.consistent {
            "},\"ConsistentRead\":true}"
        } else {
            "}}"
        });
        Ok(Plan {
            request: request(table, body),
            entity: E::ENTITY.type_name,
            now: db.now(),
            lost: Lost::NEVER,
            participants: Vec::new(),
            outcome: Outcome::Read(if self.hide_expired {
                read_live
            } else {
                read_any
            }),
        })
    }
}

/// Up to the key.
fn open_body(table: &str) -> Writer {
    let mut body = Writer::for_request(256);
    body.raw("{\"TableName\":");
    body.quoted(table);
    body.raw(",\"Key\":");
    body
}

fn request(table: String, body: Writer) -> Request {
    Request {
        operation: wire::Operation::GetItem,
        table,
        body: Bytes::from(body.into_bytes()),
        resend: Resend::Always,
    }
}

/// A strong read of an item of the table that need be none of `E`, by its key as an object of DynamoDB JSON.
pub(super) fn plan_read<E: DynamoEntity>(key: &[u8], db: &Dynamo) -> Plan<()> {
    let table = db.table_name(<E::Table as DynamoTable>::TABLE.name);
    let mut body = open_body(&table);
    body.raw_bytes(key);
    body.raw(",\"ConsistentRead\":true}");
    Plan {
        request: request(table, body),
        entity: E::ENTITY.type_name,
        now: db.now(),
        lost: Lost::NEVER,
        participants: Vec::new(),
        outcome: Outcome::Known(Some(())),
    }
}

/// The stored item as bytes, every acknowledged write seen.
pub(super) async fn read_raw<E: DynamoEntity>(db: &Dynamo, key: &Key<E>) -> Result<Option<Bytes>> {
    let table = db.table_name(<E::Table as DynamoTable>::TABLE.name);
    let mut object = Writer::for_request(128);
    object.raw("{");
    key.write(&mut object)?;
    object.raw("}");
    read_item(db, E::ENTITY.type_name, &table, object.as_bytes()).await
}

/// The same, of a key that is an object of DynamoDB JSON.
pub(super) async fn read_item(
    db: &Dynamo,
    entity: &'static str,
    table: &str,
    key: &[u8],
) -> Result<Option<Bytes>> {
    let mut body = Writer::for_request(64 + table.len() + key.len());
    body.raw("{\"TableName\":");
    body.quoted(table);
    body.raw(",\"Key\":");
    body.raw_bytes(key);
    body.raw(",\"ConsistentRead\":true}");
    let plan: Plan<Option<Bytes>> = Plan {
        request: Request {
            operation: wire::Operation::GetItem,
            table: table.to_owned(),
            body: Bytes::from(body.into_bytes()),
            resend: Resend::Always,
        },
        entity,
        now: db.now(),
        lost: Lost::NEVER,
        participants: Vec::new(),
        outcome: Outcome::Read(|reply, _| {
            let item = find_object(&reply.body, "Item")?;
            Ok(item.map(|item| reply.body.slice_ref(item)))
        }),
    };
    plan.send(db).await
}

fn read_live<E: DynamoEntity>(reply: &Reply, now: Timestamp) -> Result<Option<E>> {
    match find_object(&reply.body, "Item")? {
        Some(item) => entity::read_live(item, now),
        None => Ok(None),
    }
}

fn read_any<E: DynamoEntity>(reply: &Reply, _now: Timestamp) -> Result<Option<E>> {
    find_object(&reply.body, "Item")?
        .map(entity::read)
        .transpose()
}

impl<E: DynamoEntity> fmt::Debug for Get<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Get({:?})", self.key)
    }
}
