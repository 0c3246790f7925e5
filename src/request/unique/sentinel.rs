//! The item that keeps a unique value: its key, its content, how it is taken and given up.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::codec::{Fault, Writer, member};
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, DynamoTable, Key, Known};
use crate::error::{Error, Result};
use crate::expr::{Comparison, Node, Place, Term};
use crate::request::check;
use crate::request::confirm::KeyNames;
use crate::request::transact::{ItemKey, Meaning, Member};
use crate::schema::{EntityDef, KeyType, TableDef, UniqueDef};
use crate::wire::{Operation, Request, Resend};

/// The attribute that only sentinels have: the primary key of the owner. It is the value of their type attribute too.
pub(crate) const MARK: &str = crate::schema::UNIQUE;

/// Whether an item of DynamoDB JSON is one.
pub(crate) fn is_sentinel(item: &[u8]) -> bool {
    member(item, MARK).is_ok_and(|mark| mark.is_some())
}

/// A unique value that an item holds, as the key of its sentinel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::request) struct Sentinel {
    pub(super) unique: &'static UniqueDef,
    /// An object of DynamoDB JSON.
    pub(super) key: Vec<u8>,
}

/// What an item holds of a unique value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::request) enum Holding {
    /// A part is missing, and so is the value.
    Nothing,
    Value(Sentinel),
    /// These fields would have to be known.
    Unknown(Vec<&'static str>),
}

impl Sentinel {
    /// The sentinel of a partition key, which `write` writes.
    pub(super) fn of<E: DynamoEntity>(
        unique: &'static UniqueDef,
        write: impl FnOnce(&mut Writer) -> Result<(), Fault>,
    ) -> Result<Self, Fault> {
        let mut key = Writer::for_request(64);
        key.raw("{");
        write(&mut key)?;
        write_sort_key(&E::ENTITY, &mut key);
        key.raw("}");
        Ok(Sentinel {
            unique,
            key: key.into_bytes(),
        })
    }

    /// Makes it the owner's, if it is free, the owner's already, or its time is over.
    pub(super) fn take(&self, owner: &Arc<Owner>, db: &Dynamo) -> Result<Member> {
        self.take_from(None, owner, db)
    }

    /// The same if it is that of another one, who gives it up in the same transaction.
    pub(super) fn take_from(
        &self,
        other: Option<&Owner>,
        owner: &Arc<Owner>,
        db: &Dynamo,
    ) -> Result<Member> {
        let mut item = Writer::for_request(192);
        item.raw_bytes(self.key.strip_suffix(b"}").unwrap_or_default());
        if let Some(attribute) = owner.table.type_attribute {
            item.dynamic_name(attribute);
            item.text(MARK);
        }
        item.dynamic_name(MARK);
        item.raw_bytes(&owner.json);
        if let (Some(ttl), Some(at)) = (owner.entity.ttl, &owner.ttl) {
            item.dynamic_name(ttl);
            item.raw_bytes(at);
        }
        item.raw("}");
        let over = owner.entity.ttl.map(|ttl| check::is_over(ttl, owner.now));
        let others = other.map(Owner::is_the_holder);
        let free = Node::any([owner.is_mine()].into_iter().chain(others).chain(over));
        let meaning = Meaning::Taken(self.unique);
        owner.beside(
            &self.key,
            meaning,
            db,
            "Put",
            ("Item", item.as_bytes()),
            &free,
        )
    }

    /// Gives it up, if it is the owner's.
    pub(super) fn give_up(&self, owner: &Arc<Owner>, db: &Dynamo) -> Result<Member> {
        owner.giving_up(&self.key, db)
    }
}

/// The owner of unique values.
pub(in crate::request) struct Owner {
    /// Its primary key, as the value of an attribute.
    json: Vec<u8>,
    /// When it expires, as it is stored.
    ttl: Option<Vec<u8>>,
    now: Timestamp,
    entity: &'static EntityDef,
    table: &'static TableDef,
}

impl Owner {
    pub(super) fn new<E: DynamoEntity>(
        key: &Key<E>,
        ttl: Option<Vec<u8>>,
        now: Timestamp,
    ) -> Result<Self> {
        let mut json = Writer::for_request(96);
        json.raw("{");
        key.write(&mut json)?;
        json.raw("}");
        let table = &<E::Table as DynamoTable>::TABLE;
        Ok(Owner {
            ttl,
            ..Owner::of(json.as_bytes(), &E::ENTITY, table, now)
        })
    }

    /// The one with this key, an object of DynamoDB JSON.
    pub(in crate::request) fn of(
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
    pub(in crate::request) fn key(&self) -> &[u8] {
        let key = self.json.strip_prefix(b"{\"M\":").unwrap_or_default();
        key.strip_suffix(b"}").unwrap_or_default()
    }

    /// The attributes of the table's primary key.
    pub(in crate::request) fn key_names(&self) -> KeyNames {
        (self.table.pk, self.table.sk)
    }

    /// Its declaration.
    pub(in crate::request) fn declared(&self) -> &'static str {
        self.entity.id
    }

    /// The sentinel is not there, or this owner's.
    fn is_mine(&self) -> Node {
        Node::any([
            Node::Missing(Place::of(self.table.pk)),
            self.is_the_holder(),
        ])
    }

    fn is_the_holder(&self) -> Node {
        let owner = Term::Place(Place::of(MARK));
        Node::Compare(owner, Comparison::Eq, Term::Value(self.json.clone()))
    }

    /// Gives up the sentinel with this key, if it is this owner's.
    pub(in crate::request) fn giving_up(
        self: &Arc<Self>,
        sentinel: &[u8],
        db: &Dynamo,
    ) -> Result<Member> {
        let (meaning, mine) = (Meaning::NotOurs, self.is_mine());
        self.beside(sentinel, meaning, db, "Delete", ("Key", sentinel), &mine)
    }

    /// The operation on a sentinel, `{"Put":{"Item":..}}` or `{"Delete":{"Key":..}}`.
    fn beside(
        self: &Arc<Self>,
        sentinel: &[u8],
        meaning: Meaning,
        db: &Dynamo,
        name: &'static str,
        (subject, json): (&str, &[u8]),
        condition: &Node,
    ) -> Result<Member> {
        let fail = |fault| Error::encode(self.entity.type_name, fault);
        let condition = check::expression(condition).map_err(fail)?;
        let table = db.table_name(self.table.name);
        let mut body = Writer::for_request(384);
        body.raw("{\"TableName\":");
        body.quoted(&table);
        body.raw(",");
        body.quoted(subject);
        body.raw(":");
        body.raw_bytes(json);
        condition.write(&mut body);
        body.raw(",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"}");
        let request = Request {
            operation: Operation::TransactWriteItems,
            table,
            body: Bytes::from(body.into_bytes()),
            resend: Resend::ByToken,
        };
        let key = ItemKey::in_table(self.table, sentinel).map_err(fail)?;
        let entity = self.entity.type_name;
        Ok(Member::beside(
            name,
            request,
            entity,
            self.now,
            meaning,
            key,
            self.clone(),
        ))
    }
}

/// Never the values.
impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Owner({})", self.entity.type_name)
    }
}

/// What an item that is known like this holds.
pub(in crate::request) fn holding<E: DynamoEntity>(
    number: usize,
    known: &Known,
) -> Result<Holding, Fault> {
    let Some(unique) = E::ENTITY.uniques.get(number) else {
        return Ok(Holding::Nothing);
    };
    let mut unknown = Vec::new();
    for (part, field) in unique.fields.iter().enumerate() {
        match E::unique_part_is_there(number, part, known)? {
            Some(true) => {}
            Some(false) => return Ok(Holding::Nothing),
            None => unknown.push(*field),
        }
    }
    if !unknown.is_empty() {
        return Ok(Holding::Unknown(unknown));
    }
    let sentinel = Sentinel::of::<E>(unique, |writer| E::write_unique(number, known, writer))?;
    Ok(Holding::Value(sentinel))
}

/// The sort key of every sentinel: what no template makes.
fn write_sort_key(def: &EntityDef, writer: &mut Writer) {
    let Some(sk) = def.sk else { return };
    writer.dynamic_name(sk.attribute);
    match sk.ty {
        KeyType::S => writer.text("$"),
        KeyType::N => writer.integer(0_u8),
        KeyType::B => writer.binary(b"$"),
    }
}

/// The value that one operation takes and another gives up, in one step.
pub(in crate::request) fn take_over(taker: &Member, giver: &Member, db: &Dynamo) -> Result<Member> {
    let (Meaning::Taken(unique), Some(owner)) = (taker.meaning, &taker.owner) else {
        return Ok(taker.again());
    };
    let key = taker.key.to_json();
    let taken = Sentinel { unique, key }.take_from(giver.owner.as_deref(), owner, db)?;
    Ok(taken.for_that_of(taker))
}
