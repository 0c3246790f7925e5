//! The owner of a unique value, in the conditions of a transaction.

use std::fmt;

use crate::clock::Timestamp;
use crate::entity::UntypedKey;
use crate::entity::sentinel::MARK;
use crate::expr::{Comparison, Node, Term};
use crate::json::Writer;
use crate::path::Place;
use crate::plan::check;
use crate::plan::keys::KeyNames;
use crate::schema::{EntityDef, TableDef};

/// The owner of unique values.
pub(crate) struct Owner {
    /// Its primary key, as the value of an attribute.
    json: Vec<u8>,
    /// Its TTL, as it is stored.
    ttl: Option<Vec<u8>>,
    now: Timestamp,
    entity: &'static EntityDef,
    table: &'static TableDef,
}

impl Owner {
    pub(crate) fn new(key: &UntypedKey, ttl: Option<Vec<u8>>, now: Timestamp) -> Self {
        Owner {
            ttl,
            ..Owner::of_item(key.json(), key.declared.def, key.declared.table, now)
        }
    }

    /// The owner with this key, which is an object of DynamoDB JSON.
    pub(crate) fn of_item(
        key: &[u8],
        entity: &'static EntityDef,
        table: &'static TableDef,
        now: Timestamp,
    ) -> Self {
        Owner {
            json: [b"{\"M\":", key, b"}"].concat(),
            ttl: None,
            now,
            entity,
            table,
        }
    }

    /// Its primary key, an object of DynamoDB JSON.
    pub(crate) fn key_json(&self) -> &[u8] {
        let key = self.json.strip_prefix(b"{\"M\":").unwrap_or_default();
        key.strip_suffix(b"}").unwrap_or_default()
    }

    /// Its primary key, as the value of an attribute.
    pub(crate) fn map_json(&self) -> Vec<u8> {
        self.json.clone()
    }

    /// The attributes of the table's primary key.
    pub(crate) fn key_names(&self) -> KeyNames {
        (self.table.pk, self.table.sk)
    }

    /// Its table.
    pub(super) fn table_def(&self) -> &'static TableDef {
        self.table
    }

    /// Its type.
    pub(super) fn type_name(&self) -> &'static str {
        self.entity.type_name
    }

    /// The time of the write.
    pub(super) fn write_time(&self) -> Timestamp {
        self.now
    }

    /// The id of its declaration.
    pub(crate) fn declaration_id(&self) -> &'static str {
        self.entity.id
    }

    /// Writes the content of its sentinels: everything except their keys.
    pub(crate) fn write_content(&self, item: &mut Writer) {
        // No entity has this type, so no query that filters by type returns a sentinel.
        if let Some(attribute) = self.table.type_attribute {
            item.dynamic_name(attribute);
            item.text(MARK);
        }
        self.write_mark(item);
        if let (Some(ttl), Some(at)) = (self.entity.ttl, &self.ttl) {
            item.dynamic_name(ttl);
            item.raw_bytes(at);
        }
    }

    /// Writes the attribute that names the owner.
    pub(crate) fn write_mark(&self, item: &mut Writer) {
        item.dynamic_name(MARK);
        item.raw_bytes(&self.json);
    }

    /// Holds if the row of another program does not exist, or is this owner's, or names no owner.
    pub(crate) fn mine_or_unnamed_condition(&self) -> Node {
        Node::any([Node::Missing(Place::of(MARK)), self.holder_condition()])
    }

    /// Holds if the sentinel may be taken: it does not exist, it is this owner's or the other one's, or it has expired.
    pub(crate) fn free_condition(&self, other: Option<&Owner>) -> Node {
        let others = other.map(Owner::holder_condition);
        let ttl = self.entity.ttl;
        let over = ttl.map(|ttl| check::over_condition(ttl, self.now));
        Node::any(
            [self.mine_condition()]
                .into_iter()
                .chain(others)
                .chain(over),
        )
    }

    /// Holds if the sentinel does not exist, or is this owner's.
    pub(super) fn mine_condition(&self) -> Node {
        Node::any([
            // A missing sentinel is accepted, because older data may lack it: the entity may have
            // been written before the value was declared unique.
            Node::Missing(Place::of(self.table.pk)),
            self.holder_condition(),
        ])
    }

    /// Holds if the sentinel is not this owner's.
    pub(super) fn others_condition(&self) -> Node {
        Node::Not(Box::new(self.holder_condition()))
    }

    /// Holds if the sentinel is this owner's.
    fn holder_condition(&self) -> Node {
        let owner = Term::Place(Place::of(MARK));
        Node::Compare(owner, Comparison::Eq, Term::Value(self.json.clone()))
    }
}

/// Never shows the values.
impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Owner({})", self.entity.type_name)
    }
}
