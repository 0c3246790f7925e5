//! `batch_get`: items of several entities and tables, in shared requests.

use std::fmt;

use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Patterns};
use crate::error::Result;
use crate::plan::Explanation;
use crate::read::{
    AllFound, Get, GetForm, GetMany, KeyOf, Listed, PlannedRead, RawRow, ReadAll, ReadDraft,
    ReadForm, Reading, primary_key,
};
use crate::retry::{CONCURRENCY, RetryBudget};
use crate::tuples::each_tuple;

/// Reads items of several entities, of one table or of many, in as few requests as possible.
///
/// The members are [`get_many`](crate::verbs::EntityExt::get_many) and [`get`](crate::entity::Key::get), each with
/// its own options; the result is a tuple of their results. A request contains 100 keys of any tables. If two members
/// read one table in different forms, for example one of them only some fields, they need separate requests, because
/// DynamoDB requires it.
///
/// Each item has its state at the time of its read. To read several as of one moment, use a
/// [`transact_get`](crate::transact_get).
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "users", key(pk = id))]
/// # struct User { id: String }
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "orders", key(pk = number))]
/// # struct Order { number: u64 }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([User::schema(), Order::schema()]).await?;
/// # User { id: "ann".into() }.put().send(&db).await?;
/// # Order { number: 7 }.put().send(&db).await?;
/// let (user, orders) = batch_get((
///     User::key("ann").get().consistent(),
///     Order::get_many([7, 8].map(Order::key)),
/// ))
/// .send(&db).await?;
/// assert_eq!(user, Some(User { id: "ann".into() }));
/// assert_eq!(orders, [Some(Order { number: 7 }), None]);
/// # Ok(()) }
/// ```
#[doc(alias = "batch_get_item")]
pub fn batch_get<Members: ReadMembers>(members: Members) -> BatchGet<Members> {
    BatchGet {
        members,
        concurrency: CONCURRENCY,
        budget: RetryBudget::default(),
    }
}

/// Reads items of several entities; see [`batch_get`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct BatchGet<Members> {
    members: Members,
    concurrency: usize,
    budget: RetryBudget,
}

impl<Members: ReadMembers> BatchGet<Members> {
    /// Sets the number of concurrent requests, instead of the members' settings; 8 by default.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.concurrency = requests.max(1);
        self
    }

    /// Sets how long the read keeps requesting items that DynamoDB omits, instead of the members' settings.
    pub fn budget(mut self, budget: RetryBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Reads them. The first error fails the read, except for lenient members.
    pub fn send(self, db: &Dynamo) -> Reading<Members::Out> {
        let mut asking = ReadDraft::new(db, self.budget, self.concurrency);
        let read = self.members.plan_reads(db, &mut asking);
        asking.send_with(read.map(|read| read.0))
    }

    /// Returns the first requests of [`send`](Self::send).
    pub fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let mut asking = ReadDraft::new(db, self.budget, self.concurrency);
        self.members.plan_reads(db, &mut asking)?;
        Ok(asking.explain_reads())
    }
}

/// A read by keys, as a member of [`batch_get`].
#[diagnostic::on_unimplemented(
    message = "this is not a read by keys",
    label = "`batch_get` reads by keys, and this is `{Self}`",
    note = "write `Order::key(..).get()` or `Order::get_many(..)`"
)]
pub trait ReadMember {
    /// The result.
    type Out: Send + 'static;

    #[doc(hidden)]
    fn plan_read(self, db: &Dynamo) -> PlannedRead<Self::Out>;
}

#[diagnostic::do_not_recommend]
impl<E, I, Row> ReadMember for GetMany<E, Listed<I>, Row>
where
    E: DynamoEntity,
    I: IntoIterator<Item: KeyOf<E>>,
    Row: Send + 'static,
{
    type Out = Vec<Option<Row>>;

    fn plan_read(self, db: &Dynamo) -> PlannedRead<Self::Out> {
        let mut asked = GetMany::plan_read(self, db);
        asked.frame.pattern = &Patterns::<E>::JOINT.batch_get;
        asked
    }
}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity, F: GetForm<E>> ReadMember for Get<E, F> {
    type Out = Option<F::Row>;

    fn plan_read(self, db: &Dynamo) -> PlannedRead<Self::Out> {
        let way = ReadForm {
            consistent: self.consistent,
            attributes: F::wanted_attributes(),
            ..ReadForm::default()
        };
        let frame = way.table_frame::<E>(&Patterns::<E>::JOINT.batch_get, db);
        let read = self.read_found();
        PlannedRead {
            keys: vec![primary_key(&self.key)],
            frame,
            is_lenient: false,
            read: Box::new(move |found, now| {
                let item = found.into_iter().next().transpose()?.flatten();
                read(item.as_ref().map(RawRow::row_json), now)
            }),
        }
    }
}

/// Several reads by keys, as a tuple.
#[diagnostic::on_unimplemented(
    message = "`batch_get` takes a tuple of up to 12 reads by keys",
    label = "this is `{Self}`",
    note = "write `batch_get((User::get_many(..), Order::key(..).get()))`"
)]
pub trait ReadMembers {
    /// The results.
    type Out: Send + 'static;

    #[doc(hidden)]
    fn plan_reads(self, db: &Dynamo, asking: &mut ReadDraft) -> Result<ReadShares<Self::Out>>;
}

/// Reads the results of all members.
pub struct ReadShares<Out>(ReadAll<Out>);

impl<Out> fmt::Debug for ReadShares<Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadShares")
    }
}

macro_rules! members {
    ($($member:ident)+) => {
        impl<$($member: ReadMember),+> ReadMembers for ($($member,)+) {
            type Out = ($($member::Out,)+);

            #[allow(non_snake_case)]
            fn plan_reads(self, db: &Dynamo, asking: &mut ReadDraft) -> Result<ReadShares<Self::Out>> {
                let ($($member,)+) = self;
                $(let $member = asking.add_read($member.plan_read(db))?;)+
                Ok(ReadShares(Box::new(move |all: &mut AllFound, now| {
                    Ok(($($member.read_share(all, now)?,)+))
                })))
            }
        }
    };
}

each_tuple!(members: A B C D E F G H I J K L);

impl<Members> fmt::Debug for BatchGet<Members> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BatchGet")
    }
}

crate::awaited::unsent!([Members] BatchGet<Members> => ());
