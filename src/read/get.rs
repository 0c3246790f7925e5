//! `get`: reads one item by its key.

pub(crate) mod form;

use crate::read::get::form::{GetForm, Selected, Whole};
use std::fmt;
use std::marker::PhantomData;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{
    DynamoEntity, DynamoProjection, DynamoTable, EntityDeclaration, Key, Patterns,
};
use crate::error::{Error, Result};
use crate::expr::Expression;
use crate::json::CodecError;
use crate::plan::{
    AnswerItem, Call, Operation, Outcome, Plan, PlannedRequest, SentCall, begin_get,
};
use crate::schema::{EntityDef, Pattern, TableDef};
use crate::wire::{self, Request, Resend};

/// Reads one item; see [`Key::get`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Get<E: DynamoEntity, F = Whole> {
    pub(crate) key: Key<E>,
    pub(crate) consistent: bool,
    pub(crate) hide_expired: bool,
    form: PhantomData<fn() -> F>,
}

/// Reads an item, if one was found, as of a time; `None` if it has expired by then.
type ReadFound<Row> = fn(Option<&[u8]>, Timestamp) -> Result<Option<Row>>;

impl<E: DynamoEntity> Get<E> {
    pub(crate) fn new(key: Key<E>) -> Self {
        Get {
            key,
            consistent: false,
            hide_expired: true,
            form: PhantomData,
        }
    }

    /// Reads only some fields of the item; only those are transferred. The read units are those of the whole item.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: String, title: String, text: String }
    /// #[derive(Debug, PartialEq, DynamoProjection)]
    /// #[dynamo(entity = Note)]
    /// struct Title { title: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # Note { id: "n1".into(), title: "Tea".into(), text: "..".into() }.put().send(&db).await?;
    /// let found = Note::key("n1").get().select::<Title>().send(&db).await?;
    /// assert_eq!(found, Some(Title { title: "Tea".into() }));
    /// # Ok(()) }
    /// ```
    pub fn select<P: DynamoProjection<Entity = E>>(self) -> Get<E, Selected<P>> {
        Get {
            key: self.key,
            consistent: self.consistent,
            hide_expired: self.hide_expired,
            form: PhantomData,
        }
    }
}

impl<E: DynamoEntity, F> Get<E, F> {
    pub(crate) fn item_key(&self) -> &Key<E> {
        &self.key
    }

    /// How the item is read.
    pub(crate) fn read_found(&self) -> ReadFound<F::Row>
    where
        F: GetForm<E>,
    {
        match self.hide_expired {
            true => read_live::<E, F>,
            false => read_any::<E, F>,
        }
    }

    /// Sees every write that was acknowledged before; costs double.
    pub fn consistent(mut self) -> Self {
        self.consistent = true;
        self
    }

    /// Returns an expired item too, as long as DynamoDB stores it.
    pub fn include_expired(mut self) -> Self {
        self.hide_expired = false;
        self
    }
}

impl<E: DynamoEntity, F: GetForm<E>> Operation for Get<E, F> {
    type Out = Option<F::Row>;

    fn plan(self, db: &Dynamo) -> Result<Plan<Option<F::Row>>> {
        let (planned, outcome) = self.prepare(db);
        Ok(planned?.with_outcome(outcome))
    }

    fn send(self, db: &Dynamo) -> Call<'_, Option<F::Row>> {
        let (planned, outcome) = self.prepare(db);
        Call::new(SentCall::of_planned(planned, db), outcome)
    }
}

impl<E: DynamoEntity, F: GetForm<E>> Get<E, F> {
    /// The request, and how its response is read. They are separate, so that sending is compiled once for all entities.
    fn prepare(self, db: &Dynamo) -> (Result<PlannedRequest>, Outcome<Option<F::Row>>) {
        let outcome = Outcome::Item(
            match F::IS_WHOLE {
                true => AnswerItem::FoundWhole,
                false => AnswerItem::Found,
            },
            self.read_found(),
        );
        let read = UntypedRead {
            def: &E::ENTITY,
            table: &<E::Table as DynamoTable>::TABLE,
            pattern: Patterns::<E>::GET,
            consistent: self.consistent,
            attributes: F::wanted_attributes(),
        };
        (read.plan_get(self.key.to_json(), db), outcome)
    }
}

/// How an item is read, without the type of the entity.
struct UntypedRead {
    def: &'static EntityDef,
    table: &'static TableDef,
    pattern: &'static Pattern,
    consistent: bool,
    /// The attributes that are read; `None` for all.
    attributes: Option<Vec<&'static str>>,
}

impl UntypedRead {
    /// The read of the item with this key, an object of DynamoDB JSON.
    fn plan_get(self, key: Result<Vec<u8>, CodecError>, db: &Dynamo) -> Result<PlannedRequest> {
        let key = key.map_err(|fault| Error::encode(self.def.type_name, fault))?;
        Ok(self.plan_of(&key, db))
    }

    fn plan_of(self, key: &[u8], db: &Dynamo) -> PlannedRequest {
        let table = db.table_name(self.table.name);
        let mut body = begin_get(&table, key, self.consistent);
        if let Some(attributes) = &self.attributes {
            projection_of(self.def, self.table, attributes).write_members(&mut body);
        }
        body.push_raw("}");
        let operation = wire::ServiceOperation::GetItem;
        let request = Request::new(operation, self.pattern, table, body, Resend::Always);
        PlannedRequest::of_request(request, self.def.type_name, db.now())
    }
}

/// A strong read of an item of the table, which need not be of this entity, by its key as an object of DynamoDB JSON.
pub(crate) fn plan_read(
    declared: &EntityDeclaration,
    pattern: &'static Pattern,
    key: &[u8],
    db: &Dynamo,
) -> Plan<()> {
    let read = UntypedRead {
        def: declared.def,
        table: declared.table,
        pattern,
        consistent: true,
        attributes: None,
    };
    let nothing = Outcome::Known(Some(()));
    read.plan_of(key, db).with_outcome(nothing)
}

/// Reads an item, if one was found and has not expired.
pub(crate) fn read_live<E: DynamoEntity, F: GetForm<E>>(
    item: Option<&[u8]>,
    now: Timestamp,
) -> Result<Option<F::Row>> {
    match item {
        Some(item) => F::read_live(item, now),
        None => Ok(None),
    }
}

/// Reads an item, if one was found.
pub(crate) fn read_any<E: DynamoEntity, F: GetForm<E>>(
    item: Option<&[u8]>,
    _: Timestamp,
) -> Result<Option<F::Row>> {
    // No `map` and `transpose`, because they would be compiled for each entity.
    let Some(item) = item else {
        return Ok(None);
    };
    match F::read_row(item) {
        Ok(row) => Ok(Some(row)),
        Err(error) => Err(error),
    }
}

/// The projection of a partial item. It includes the key, which provides fields without an attribute, and the TTL.
pub(crate) fn projection_of(
    def: &EntityDef,
    table: &TableDef,
    attributes: &[&'static str],
) -> Expression {
    let mut needed: Vec<_> = table.key_names().collect();
    for name in def.ttl.iter().chain(attributes) {
        if !needed.contains(name) {
            needed.push(name);
        }
    }
    let mut expression = Expression::default();
    expression
        .begin_parameter("ProjectionExpression")
        .push_names(needed);
    expression
}

impl<E: DynamoEntity, F> fmt::Debug for Get<E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Get({:?})", self.key)
    }
}

crate::awaited::unsent!([E: DynamoEntity, F: GetForm<E>] Get<E, F>);
