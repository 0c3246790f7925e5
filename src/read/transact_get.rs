//! `transact_get`: several items as of one moment.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, EntityDeclaration, HasDeclaration, Key, Patterns};
use crate::error::{Error, ErrorKind, Failed, OperationPlace, Result, Stage};
use crate::json::{CodecError, Writer, array_elements, find_answer};
use crate::plan::{
    ItemKey, MOST, Operation, Outcome, Participant, Plan, PlannedRequest, ReplyReader,
};
use crate::read::key_reads::sealed::Sealed;
use crate::read::{FoundReader, Get, GetForm, KeyReads, ReadRequest, projection_of};
use crate::schema::Pattern;
use crate::wire::{self, Reply, Request, Resend};

/// Reads several items as of one moment: no transaction is seen in part. It takes up to 100 reads, in a tuple or a
/// `Vec`, and returns their items in that form.
///
/// It sees every write that was acknowledged before. A `get().select::<P>()` reads some fields of its item. A
/// snapshot costs twice as much as strong reads. If the items need not be from one moment, read them one by one.
///
/// ```
/// use dynamo_entity::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "accounts", key(pk = id))]
/// struct Account { id: String, cents: i64 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Account::schema()]).await?;
/// let ann = Account { id: "ann".into(), cents: 100 }.put().send(&db).await?;
///
/// let both = transact_get((Account::key("ann").get(), Account::key("bob").get()));
/// let (found, missing): (Option<Account>, Option<Account>) = both.send(&db).await?;
/// assert_eq!((found, missing), (Some(ann), None));
///
/// let [ann, bob] = transact_get(["ann", "bob"].map(|id| Account::key(id).get())).send(&db).await?;
/// assert!(ann.is_some() && bob.is_none());
///
/// let names = ["ann", "bob", "ann"];
/// let reads: Vec<_> = names.iter().map(|name| Account::key(*name).get()).collect();
/// let found: Vec<Option<Account>> = transact_get(reads).send(&db).await?;
/// assert_eq!(found.len(), 3);
/// # Ok(()) }
/// ```
#[doc(alias = "transact_get_items")]
pub fn transact_get<R: KeyReads<TransactGetRequest>>(reads: R) -> TransactGet<R> {
    TransactGet { reads }
}

/// Several items as of one moment; see [`transact_get`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct TransactGet<R> {
    reads: R,
}

/// The request of a [`transact_get`], under construction.
#[derive(Debug)]
pub struct TransactGetRequest {
    db: Dynamo,
    items: Vec<TransactGetItem>,
    /// The number of each item. DynamoDB accepts each item once, but the caller may request it again.
    places: HashMap<(String, ItemKey), usize>,
    participants: Vec<Participant>,
    /// The number of reads.
    reads: usize,
}

/// A requested item.
#[derive(Debug)]
struct TransactGetItem {
    pattern: &'static Pattern,
    table: String,
    key: Vec<u8>,
    /// The attributes that are read; `None` for all.
    attributes: Option<Vec<&'static str>>,
    declared: &'static EntityDeclaration,
}

impl TransactGetItem {
    /// Records that the item is requested again, perhaps with other attributes: then all of them are read.
    fn widen_projection(&mut self, attributes: Option<Vec<&'static str>>) {
        self.attributes = match (self.attributes.take(), attributes) {
            (Some(mut known), Some(more)) => {
                known.extend(more);
                Some(known)
            }
            _ => None,
        };
    }

    fn write_item(&self, body: &mut Writer) {
        body.push_raw("{\"Get\":{\"TableName\":");
        body.push_quoted(&self.table);
        body.push_raw(",\"Key\":");
        body.raw_bytes(&self.key);
        if let Some(attributes) = &self.attributes {
            projection_of(self.declared.def, self.declared.table, attributes).write_members(body);
        }
        body.push_raw("}}");
    }
}

impl Sealed for TransactGetRequest {}

impl ReadRequest for TransactGetRequest {
    /// As many as were requested.
    type Found = Vec<Option<Bytes>>;

    fn add_get<E: DynamoEntity, F: GetForm<E>>(
        &mut self,
        get: Get<E, F>,
    ) -> Result<FoundReader<Self, Option<F::Row>>> {
        let at = self.add_read(get.item_key(), F::wanted_attributes())?;
        let read = get.read_found();
        Ok(FoundReader::new(move |found: &mut Self::Found, now| {
            read(found.get(at).and_then(Option::as_deref), now)
        }))
    }
}

impl TransactGetRequest {
    fn new(db: &Dynamo) -> Self {
        TransactGetRequest {
            db: db.clone(),
            items: Vec::new(),
            places: HashMap::new(),
            participants: Vec::new(),
            reads: 0,
        }
    }

    /// Adds an item; returns its number among the items.
    fn add_read<E: DynamoEntity>(
        &mut self,
        key: &Key<E>,
        attributes: Option<Vec<&'static str>>,
    ) -> Result<usize> {
        let pattern = &Patterns::<E>::JOINT.transact_get;
        let json = key.to_json();
        self.add_key(E::DECLARATION, pattern, json, attributes)
    }

    fn add_key(
        &mut self,
        declared: &'static EntityDeclaration,
        pattern: &'static Pattern,
        key: Result<Vec<u8>, CodecError>,
        attributes: Option<Vec<&'static str>>,
    ) -> Result<usize> {
        let index = self.reads;
        self.reads += 1;
        let key = key.map_err(|fault| declared.unwritten(fault));
        let added = key.and_then(|key| self.add_item(declared, pattern, key, attributes, index));
        let place = OperationPlace { index, name: None };
        added.map_err(|error| {
            let error = error.declared_as(Some(declared.def.id));
            Error::of_operations(vec![Failed::new(place, None, error)], 0)
        })
    }

    fn add_item(
        &mut self,
        declared: &'static EntityDeclaration,
        pattern: &'static Pattern,
        key: Vec<u8>,
        attributes: Option<Vec<&'static str>>,
        index: usize,
    ) -> Result<usize> {
        let item = ItemKey::in_table(declared.table, &key);
        let item = item.map_err(|fault| declared.unwritten(fault))?;
        let place = (self.db.table_name(declared.table.name), item);
        // DynamoDB rejects a transaction that names one item twice, so the item is read once, with
        // the attributes of both.
        if let Some(known) = self.places.get(&place) {
            if let Some(asking) = self.items.get_mut(*known) {
                asking.widen_projection(attributes);
            }
            return Ok(*known);
        }
        let at = self.participants.len();
        // The limit counts items and not reads, because a repeated item is requested once.
        if at == MOST {
            let message = format!(
                "a snapshot reads at most {MOST} items: read more of them with a query, or one by one"
            );
            let error = Error::new(ErrorKind::InvalidValue, Stage::Request, message);
            return Err(error.of(declared.def.type_name));
        }
        self.items.push(TransactGetItem {
            pattern,
            table: place.0.clone(),
            key,
            attributes,
            declared,
        });
        let participant = Participant::of_read(index, declared.def, place.1.clone());
        self.participants.push(participant);
        self.places.insert(place, at);
        Ok(at)
    }

    fn build_request(self) -> (Request, Vec<Participant>) {
        let mut body = Writer::for_request(256);
        body.push_raw("{\"TransactItems\":[");
        for (at, item) in self.items.iter().enumerate() {
            body.push_raw(if at == 0 { "" } else { "," });
            item.write_item(&mut body);
        }
        body.push_raw("]}");
        let patterns = self.items.iter().map(|item| item.pattern);
        let pattern = Pattern::of_all(patterns, |joint| &joint.transact_get);
        let first = self.items.into_iter().next();
        let table = first.map(|item| item.table).unwrap_or_default();
        let operation = wire::ServiceOperation::TransactGetItems;
        let request = Request::new(operation, pattern, table, body, Resend::Always);
        (request, self.participants)
    }
}

impl<R: KeyReads<TransactGetRequest>> Operation for TransactGet<R> {
    type Out = R::Out;

    fn plan(self, db: &Dynamo) -> Result<Plan<R::Out>> {
        let mut request = TransactGetRequest::new(db);
        let reader = self.reads.plan_reads(&mut request)?;
        let (request, participants) = request.build_request();
        let now = db.now();
        let count = participants.len();
        let planned = PlannedRequest {
            participants,
            is_needless: count == 0,
            ..PlannedRequest::of_request(request, "transact_get", now)
        };
        let outcome = match count {
            0 => Outcome::Known(Some(reader.read_found(&mut Vec::new(), now)?)),
            _ => Outcome::ReadBy(ReplyReader {
                kept: Box::new(Some(TransactGetReading { reader, count })),
                read: TransactGetReading::<R::Out>::read_reply,
            }),
        };
        Ok(planned.with_outcome(outcome))
    }
}

/// How the answer of a snapshot is read.
struct TransactGetReading<Out> {
    reader: FoundReader<TransactGetRequest, Out>,
    /// The number of requested items.
    count: usize,
}

impl<Out: 'static> TransactGetReading<Out> {
    fn read_reply(kept: &mut dyn Any, reply: &Reply, now: Timestamp) -> Result<Out> {
        let kept = kept.downcast_mut::<Option<Self>>().and_then(Option::take);
        let Some(TransactGetReading { reader, count }) = kept else {
            return Err(Error::config(
                "a snapshot is read once, by the handles of its reads",
            ));
        };
        reader.read_found(&mut items_of(reply, count)?, now)
    }
}

/// The items of a response. DynamoDB responds in the order of the reads, and reports for each whether an item exists.
fn items_of(reply: &Reply, count: usize) -> Result<Vec<Option<Bytes>>> {
    let broken = |fault| Error::unreadable(&fault);
    let responses = find_answer(&reply.body, "Responses").map_err(broken)?;
    let responses = array_elements(responses.unwrap_or(b"[]")).map_err(broken)?;
    if responses.len() != count {
        return Err(broken(CodecError::mismatch(
            format!("{count} responses"),
            responses.len(),
        )));
    }
    let items = responses.into_iter().map(|response| {
        let item = find_answer(response, "Item").map_err(broken)?;
        Ok(item.map(|item| reply.body.slice_ref(item)))
    });
    items.collect()
}

impl<R> fmt::Debug for TransactGet<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TransactGet")
    }
}

crate::awaited::unsent!([R] TransactGet<R> => ());
