//! `transact_get`: several items as of one moment.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, EntityDeclaration, HasDeclaration, Key, Patterns};
use crate::error::{Error, ErrorKind, Failed, OperationPlace, Result, Stage};
use crate::json::{CodecError, Writer, array_elements, find_answer};
use crate::plan::{
    ItemKey, MOST, Operation, Outcome, Participant, Plan, PlannedRequest, ReplyReader,
};
use crate::read::{Get, GetForm, projection_of};
use crate::schema::Pattern;
use crate::tuples::each_tuple;
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
pub fn transact_get<R: Reads>(reads: R) -> TransactGet<R> {
    TransactGet { reads }
}

/// Several items as of one moment; see [`transact_get`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct TransactGet<R> {
    reads: R,
}

/// The reads of a [`transact_get`]: a `get`, a `Vec`, an array or a tuple of up to 16, and combinations of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read as a snapshot",
    label = "expected `get`s in a tuple, an array or a `Vec`",
    note = "write `transact_get((User::key(..).get(), Order::key(..).get()))`"
)]
pub trait Reads {
    /// The items, in the same form.
    type Out: 'static;

    /// Adds the reads to a request; returns how their items are read from the response.
    #[doc(hidden)]
    fn plan_reads(self, asked: &mut TransactGetReads<'_>) -> Result<TransactGetReader<Self::Out>>;
}

type TransactGetReader<Out> = Box<dyn Fn(&TransactGetAnswer<'_>) -> Result<Out> + Send>;

/// The reads of a request.
#[derive(Debug)]
pub struct TransactGetReads<'d> {
    db: &'d Dynamo,
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

/// The items of a response: as many as were requested.
#[derive(Debug)]
pub struct TransactGetAnswer<'r> {
    items: Vec<Option<&'r [u8]>>,
    now: Timestamp,
}

impl<E: DynamoEntity, F: GetForm<E>> Reads for Get<E, F> {
    type Out = Option<F::Row>;

    fn plan_reads(
        self,
        asked: &mut TransactGetReads<'_>,
    ) -> Result<TransactGetReader<Option<F::Row>>> {
        let at = asked.add_read(self.item_key(), F::wanted_attributes())?;
        let read = self.read_found();
        Ok(Box::new(move |answer| {
            read(answer.items.get(at).copied().flatten(), answer.now)
        }))
    }
}

#[diagnostic::do_not_recommend]
impl<R: Reads> Reads for Vec<R> {
    type Out = Vec<R::Out>;

    fn plan_reads(
        self,
        asked: &mut TransactGetReads<'_>,
    ) -> Result<TransactGetReader<Vec<R::Out>>> {
        let readers = self.into_iter().map(|read| read.plan_reads(asked));
        let readers: Vec<_> = readers.collect::<Result<_>>()?;
        Ok(Box::new(move |answer| {
            readers.iter().map(|read| read(answer)).collect()
        }))
    }
}

#[diagnostic::do_not_recommend]
impl<R: Reads, const N: usize> Reads for [R; N] {
    type Out = [R::Out; N];

    fn plan_reads(
        self,
        asked: &mut TransactGetReads<'_>,
    ) -> Result<TransactGetReader<[R::Out; N]>> {
        let reader = Vec::from(self).plan_reads(asked)?;
        Ok(Box::new(move |answer| {
            let found = reader(answer)?;
            <[R::Out; N]>::try_from(found).map_err(|_| {
                let message = "the number of items in the response is not that of the request";
                Error::new(ErrorKind::Service, Stage::Service, message)
            })
        }))
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        #[diagnostic::do_not_recommend]
        #[allow(non_snake_case, reason = "the names of the types serve as variables")]
        impl<$($name: Reads),+> Reads for ($($name,)+) {
            type Out = ($($name::Out,)+);

            fn plan_reads(self, asked: &mut TransactGetReads<'_>) -> Result<TransactGetReader<Self::Out>> {
                let ($($name,)+) = self;
                $(let $name = $name.plan_reads(asked)?;)+
                Ok(Box::new(move |answer| Ok(($($name(answer)?,)+))))
            }
        }
    };
}

each_tuple!(tuples: A B C D E F G H I J K L M N O P);

impl<'d> TransactGetReads<'d> {
    fn new(db: &'d Dynamo) -> Self {
        TransactGetReads {
            db,
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

impl<R: Reads> Operation for TransactGet<R> {
    type Out = R::Out;

    fn plan(self, db: &Dynamo) -> Result<Plan<R::Out>> {
        let mut asked = TransactGetReads::new(db);
        let reader = self.reads.plan_reads(&mut asked)?;
        let (request, participants) = asked.build_request();
        let now = db.now();
        let count = participants.len();
        let kept = TransactGetReading { reader, count };
        let planned = PlannedRequest {
            participants,
            is_needless: count == 0,
            ..PlannedRequest::of_request(request, "transact_get", now)
        };
        let outcome = match count {
            0 => Outcome::Known(Some((kept.reader)(&TransactGetAnswer {
                items: Vec::new(),
                now,
            })?)),
            _ => Outcome::ReadBy(ReplyReader {
                kept: Box::new(kept),
                read: TransactGetReading::<R::Out>::read_reply,
            }),
        };
        Ok(planned.with_outcome(outcome))
    }
}

/// How the answer of a snapshot is read.
struct TransactGetReading<Out> {
    reader: TransactGetReader<Out>,
    /// The number of requested items.
    count: usize,
}

impl<Out: 'static> TransactGetReading<Out> {
    fn read_reply(kept: &dyn Any, reply: &Reply, now: Timestamp) -> Result<Out> {
        let Some(TransactGetReading { reader, count }) = kept.downcast_ref() else {
            return Err(Error::config(
                "a snapshot is read by the handles of its reads",
            ));
        };
        reader(&TransactGetAnswer::of_reply(reply, *count, now)?)
    }
}

impl<'r> TransactGetAnswer<'r> {
    /// Reads a response. DynamoDB responds in the order of the reads, and reports for each whether an item exists.
    fn of_reply(reply: &'r Reply, count: usize, now: Timestamp) -> Result<Self> {
        let broken = |fault| Error::unreadable(&fault);
        let responses = find_answer(&reply.body, "Responses").map_err(broken)?;
        let responses = array_elements(responses.unwrap_or(b"[]")).map_err(broken)?;
        if responses.len() != count {
            return Err(broken(CodecError::mismatch(
                format!("{count} responses"),
                responses.len(),
            )));
        }
        let items = responses
            .into_iter()
            .map(|response| find_answer(response, "Item"));
        let items = items.collect::<Result<_, _>>().map_err(broken)?;
        Ok(TransactGetAnswer { items, now })
    }
}

impl<R> fmt::Debug for TransactGet<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TransactGet")
    }
}

crate::awaited::unsent!([R] TransactGet<R> => ());
