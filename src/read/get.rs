//! `get`: read one item by its key.

mod form;

use std::fmt;
use std::marker::PhantomData;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{
    DynamoEntity, DynamoProjection, EntityDeclaration, HasDeclaration, Key, Patterns,
};
use crate::error::Result;
use crate::expr::Expression;
use crate::json::Writer;
use crate::plan::{Operation, Outcome, Plan, PlannedRequest, found_item};
use crate::schema::Pattern;
use crate::wire::{self, Reply, Request, Resend};
pub use form::{GetForm, Selected, Whole};

/// Reads one item; see [`Key::get`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Get<E: DynamoEntity, F = Whole> {
    pub(crate) key: Key<E>,
    pub(crate) consistent: bool,
    pub(crate) hide_expired: bool,
    form: PhantomData<fn() -> F>,
}

/// Reads an item as of a time; `None` if it has expired by then.
type ReadLiveItem<Row> = fn(&[u8], Timestamp) -> Result<Option<Row>>;

impl<E: DynamoEntity> Get<E> {
    pub(crate) fn new(key: Key<E>) -> Self {
        Get {
            key,
            consistent: false,
            hide_expired: true,
            form: PhantomData,
        }
    }

    /// Reads only some fields of the item; only those are sent. The read units are those of the whole item.
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
    pub(crate) fn key(&self) -> &Key<E> {
        &self.key
    }

    /// How the item is read.
    pub(crate) fn reading(&self) -> ReadLiveItem<F::Row>
    where
        F: GetForm<E>,
    {
        match self.hide_expired {
            true => F::read_live,
            false => |item, _| F::read(item).map(Some),
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

impl<E: DynamoEntity, F: GetForm<E>> Operation for Get<E, F> {
    type Out = Option<F::Row>;

    fn plan(self, db: &Dynamo) -> Result<Plan<Option<F::Row>>> {
        let key = self.key.to_json();
        let key = key.map_err(|fault| E::DECLARATION.unwritten(fault))?;
        let (read, pattern) = (PlannedForm::of::<E, F>(self.consistent), Patterns::<E>::GET);
        let planned = planned_read(E::DECLARATION, pattern, &key, &read, db);
        Ok(planned.reading(Outcome::Read(match self.hide_expired {
            true => read_live::<E, F>,
            false => read_any::<E, F>,
        })))
    }
}

/// How an item is read.
struct PlannedForm {
    consistent: bool,
    /// The attributes that are read; `None` for all.
    attributes: Option<Vec<&'static str>>,
}

impl PlannedForm {
    fn of<E: DynamoEntity, F: GetForm<E>>(consistent: bool) -> Self {
        PlannedForm {
            consistent,
            attributes: F::attributes(),
        }
    }
}

/// The read of an item of the table by its key, an object of DynamoDB JSON.
fn planned_read(
    declared: &EntityDeclaration,
    pattern: &'static Pattern,
    key: &[u8],
    read: &PlannedForm,
    db: &Dynamo,
) -> PlannedRequest {
    let table = db.table_name(declared.table.name);
    let mut body = Writer::for_request(256);
    body.raw("{\"TableName\":");
    body.quoted(&table);
    body.raw(",\"Key\":");
    body.raw_bytes(key);
    if read.consistent {
        body.raw(",\"ConsistentRead\":true");
    }
    if let Some(attributes) = &read.attributes {
        projection_of(declared, attributes).write(&mut body);
    }
    body.raw("}");
    let operation = wire::ServiceOperation::GetItem;
    let request = Request::new(operation, pattern, table, body, Resend::Always);
    PlannedRequest::of(request, declared.def.type_name, db.now())
}

/// A strong read of an item of the table, which need not be of this entity, by its key as an object of DynamoDB JSON.
pub(crate) fn plan_read(
    declared: &EntityDeclaration,
    pattern: &'static Pattern,
    key: &[u8],
    db: &Dynamo,
) -> Plan<()> {
    let read = PlannedForm {
        consistent: true,
        attributes: None,
    };
    let nothing = Outcome::Known(Some(()));
    planned_read(declared, pattern, key, &read, db).reading(nothing)
}

fn read_live<E: DynamoEntity, F: GetForm<E>>(
    reply: &Reply,
    now: Timestamp,
) -> Result<Option<F::Row>> {
    match found_item(&reply.body)? {
        Some(item) => F::read_live(item, now),
        None => Ok(None),
    }
}

fn read_any<E: DynamoEntity, F: GetForm<E>>(
    reply: &Reply,
    _now: Timestamp,
) -> Result<Option<F::Row>> {
    found_item(&reply.body)?.map(F::read).transpose()
}

/// The projection of an item in part. It has the key too, which tells fields without an attribute, and the TTL.
pub(crate) fn projection_of(
    declared: &EntityDeclaration,
    attributes: &[&'static str],
) -> Expression {
    let mut needed: Vec<_> = declared.table.key_names().collect();
    for name in declared.def.ttl.iter().chain(attributes) {
        if !needed.contains(name) {
            needed.push(name);
        }
    }
    let mut expression = Expression::default();
    expression.begin("ProjectionExpression").names(needed);
    expression
}

impl<E: DynamoEntity, F> fmt::Debug for Get<E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Get({:?})", self.key)
    }
}
