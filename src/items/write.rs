//! Stores an item as it is given, or deletes one by its key.

use std::fmt;

use super::get::NAME;
use crate::codec::{DynamoValue, Item, Value};
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::expr::Node;
use crate::json::Writer;
use crate::path::Place;
use crate::plan::{
    ConditionFailure, Meaning, Operation, Plan, WriteRequest, WriteVerb, check, written,
};
use crate::schema::Pattern;

static PUT: Pattern = Pattern::alone(NAME, "put");
static DELETE: Pattern = Pattern::alone(NAME, "delete");

/// The put or the delete of an item without an entity; see [`ItemTable::put`](crate::items::ItemTable::put) and
/// [`ItemTable::delete`](crate::items::ItemTable::delete).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct WriteItem {
    table: String,
    verb: WriteVerb,
    /// The item of a put, or the key of a delete.
    subject: Item,
    conditions: Result<Vec<Node>>,
}

impl WriteItem {
    pub(super) fn put(table: String, item: Item) -> Self {
        WriteItem {
            table,
            verb: WriteVerb::Put,
            subject: item,
            conditions: Ok(Vec::new()),
        }
    }

    pub(super) fn delete(table: String, key: Item) -> Self {
        WriteItem {
            verb: WriteVerb::Delete,
            ..WriteItem::put(table, key)
        }
    }

    /// Writes only if the stored item has this attribute. For an attribute of the key: only if any item is stored.
    ///
    /// If a condition does not hold, nothing is written: the error is a
    /// [`Conflict`](crate::error::ErrorKind::Conflict), and [`current_item`](Error::current_item)
    /// is the current item, if the server returned it.
    pub fn when_present(self, attribute: impl Into<String>) -> Self {
        self.when(Ok(Node::Exists(Place::of(attribute.into()))))
    }

    /// Writes only if the stored item does not have this attribute. For an attribute of the key: only if no item is
    /// stored.
    pub fn when_absent(self, attribute: impl Into<String>) -> Self {
        self.when(Ok(Node::Missing(Place::of(attribute.into()))))
    }

    /// Writes only if this attribute of the stored item has this value.
    pub fn when_equals(self, attribute: impl Into<String>, value: impl Into<Value>) -> Self {
        self.when(has_value(attribute.into(), &value.into()))
    }

    fn when(mut self, condition: Result<Node>) -> Self {
        self.conditions = self.conditions.and_then(|mut all| {
            all.push(condition?);
            Ok(all)
        });
        self
    }
}

fn has_value(name: String, value: &Value) -> Result<Node> {
    let mut json = Writer::with_capacity(64);
    let encoded = value.encode(&mut json);
    encoded.map_err(|fault| Error::encode(NAME, fault.at(name.as_str())))?;
    Ok(check::value_condition(name, json.as_bytes()))
}

impl Operation for WriteItem {
    type Out = ();

    fn plan(self, db: &Dynamo) -> Result<Plan<()>> {
        let (subject, pattern) = match self.verb {
            WriteVerb::Put => (written::encode_untyped(NAME, &self.subject)?, &PUT),
            _ => {
                let key = self.subject.to_dynamo_json();
                (key.map_err(|fault| Error::encode(NAME, fault))?, &DELETE)
            }
        };
        let condition = Node::all(self.conditions?);
        let asked = (condition, Meaning::Row(ConditionFailure::UNTYPED));
        let (table, room) = (db.table_name(&self.table), 512 + subject.len());
        let mut write = WriteRequest::new(self.verb, table, room, pattern, db.now(), asked);
        match self.verb {
            WriteVerb::Put => write.put_item(&subject),
            _ => write.at_key(&subject),
        }
        write.into_quiet_plan()
    }
}

impl fmt::Debug for WriteItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WriteItem({:?}, {:?})", self.verb, self.table)
    }
}

crate::awaited::unsent!(@ 'a WriteItem => ());
