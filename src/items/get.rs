//! Reads an item as it is stored.

use std::fmt;

use crate::clock::Timestamp;
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::plan::{Operation, Outcome, Plan, begin_get, found_item};
use crate::schema::Pattern;
use crate::wire::{Reply, Request, Resend, ServiceOperation};

/// The name of items without a declaration in errors.
pub(super) const NAME: &str = "Item";

static GET: Pattern = Pattern::alone(NAME, "get");

/// Reads an item as it is stored; see [`ItemTable::get`](crate::items::ItemTable::get).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct GetItem {
    table: String,
    key: Item,
    is_consistent: bool,
}

impl GetItem {
    pub(super) fn new(table: String, key: Item) -> Self {
        GetItem {
            table,
            key,
            is_consistent: false,
        }
    }

    /// Sees every write that was acknowledged before; costs double.
    pub fn consistent(mut self) -> Self {
        self.is_consistent = true;
        self
    }
}

impl Operation for GetItem {
    type Out = Option<Item>;

    fn plan(self, db: &Dynamo) -> Result<Plan<Option<Item>>> {
        let table = db.table_name(&self.table);
        let key = self.key.to_dynamo_json();
        let key = key.map_err(|fault| Error::encode(NAME, fault))?;
        let mut body = begin_get(&table, &key, self.is_consistent);
        body.push_raw("}");
        let request = Request::new(ServiceOperation::GetItem, &GET, table, body, Resend::Always);
        Ok(Plan::of_request(
            request,
            NAME,
            db.now(),
            Outcome::Read(read),
        ))
    }
}

fn read(reply: &Reply, _: Timestamp) -> Result<Option<Item>> {
    let item = found_item(&reply.body)?.map(Item::from_dynamo_json);
    item.transpose().map_err(|fault| Error::decode(NAME, fault))
}

impl fmt::Debug for GetItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GetItem({:?})", self.table)
    }
}

crate::awaited::unsent!(@ 'a GetItem => Option<Item>);
