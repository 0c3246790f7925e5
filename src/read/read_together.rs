//! `read_together`: items of several entities and tables, in shared requests.

use std::fmt;

use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Patterns};
use crate::error::Result;
use crate::plan::Explanation;
use crate::read::{
    AllFound, Get, GetForm, GetMany, KeyOf, Listed, PlannedRead, ReadAll, ReadDraft, ReadForm,
    Reading, primary_key,
};
use crate::retry::{CONCURRENCY, RetryBudget};

/// Reads items of several entities, of one table or of many, in as few requests as that takes.
///
/// The members are [`get_many`](crate::verbs::EntityVerbs::get_many) and [`get`](crate::entity::Key::get), each with
/// options of its own; the result is a tuple of what each of them returns. A request takes 100 keys, of whichever
/// table. If two members ask one table in different ways, for example one of them for some fields, they go into
/// different requests, because DynamoDB wants it so.
///
/// Each item is as it is when it is read: to see several as they are at one moment, use a transaction.
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
/// let (user, orders) = read_together((
///     User::key("ann").get().consistent(),
///     Order::get_many([7, 8].map(Order::key)),
/// ))
/// .send(&db).await?;
/// assert_eq!(user, Some(User { id: "ann".into() }));
/// assert_eq!(orders, [Some(Order { number: 7 }), None]);
/// # Ok(()) }
/// ```
pub fn read_together<Members: ReadMembers>(members: Members) -> ReadTogether<Members> {
    ReadTogether {
        members,
        concurrency: CONCURRENCY,
        budget: RetryBudget::default(),
    }
}

/// Reads items of several entities; see [`read_together`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct ReadTogether<Members> {
    members: Members,
    concurrency: usize,
    budget: RetryBudget,
}

impl<Members: ReadMembers> ReadTogether<Members> {
    /// How many requests are under way at once, in place of what the members say; 8 by default.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.concurrency = requests.max(1);
        self
    }

    /// How long the read goes on asking for what the service leaves out, in place of what the members say.
    pub fn budget(mut self, budget: RetryBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Reads them. The first thing that goes wrong fails the read, except for lenient members.
    pub fn send(self, db: &Dynamo) -> Reading<Members::Out> {
        let mut asking = ReadDraft::new(db, self.budget, self.concurrency);
        let read = self.members.ask(db, &mut asking);
        asking.send_with(read.map(|read| read.0))
    }

    /// The requests that [`send`](Self::send) would begin with.
    pub fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let mut asking = ReadDraft::new(db, self.budget, self.concurrency);
        self.members.ask(db, &mut asking)?;
        Ok(asking.explain())
    }
}

/// A read by keys: what [`read_together`] takes.
#[diagnostic::on_unimplemented(
    message = "this is no read by keys",
    label = "`read_together` reads by keys, and this is `{Self}`",
    note = "write `Order::key(..).get()` or `Order::get_many(..)`"
)]
pub trait ReadMember {
    /// What it returns.
    type Out: Send + 'static;

    #[doc(hidden)]
    fn ask(self, db: &Dynamo) -> PlannedRead<Self::Out>;
}

#[diagnostic::do_not_recommend]
impl<E, I, Row> ReadMember for GetMany<E, Listed<I>, Row>
where
    E: DynamoEntity,
    I: IntoIterator<Item: KeyOf<E>>,
    Row: Send + 'static,
{
    type Out = Vec<Option<Row>>;

    fn ask(self, db: &Dynamo) -> PlannedRead<Self::Out> {
        let mut asked = GetMany::ask(self, db);
        asked.frame.pattern = &Patterns::<E>::JOINT.read_together;
        asked
    }
}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity, F: GetForm<E>> ReadMember for Get<E, F> {
    type Out = Option<F::Row>;

    fn ask(self, db: &Dynamo) -> PlannedRead<Self::Out> {
        let way = ReadForm {
            consistent: self.consistent,
            attributes: F::attributes(),
            ..ReadForm::default()
        };
        let frame = way.frame::<E>(&Patterns::<E>::JOINT.read_together, db);
        let read = self.reading();
        PlannedRead {
            keys: vec![primary_key(&self.key)],
            frame,
            is_lenient: false,
            read: Box::new(move |found, now| {
                let item = found.into_iter().next().transpose()?.flatten();
                item.map_or(Ok(None), |item| read(item.json(), now))
            }),
        }
    }
}

/// Several reads by keys, as a tuple.
#[diagnostic::on_unimplemented(
    message = "`read_together` takes a tuple of up to 12 reads by keys",
    label = "this is `{Self}`",
    note = "write `read_together((User::get_many(..), Order::key(..).get()))`"
)]
pub trait ReadMembers {
    /// What each of them returns.
    type Out: Send + 'static;

    #[doc(hidden)]
    fn ask(self, db: &Dynamo, asking: &mut ReadDraft) -> Result<ReadShares<Self::Out>>;
}

/// Reads the answers of all members.
pub struct ReadShares<Out>(ReadAll<Out>);

impl<Out> fmt::Debug for ReadShares<Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadShares")
    }
}

macro_rules! members {
    ($($($member:ident)+;)+) => {$(
        impl<$($member: ReadMember),+> ReadMembers for ($($member,)+) {
            type Out = ($($member::Out,)+);

            #[allow(non_snake_case)]
            fn ask(self, db: &Dynamo, asking: &mut ReadDraft) -> Result<ReadShares<Self::Out>> {
                let ($($member,)+) = self;
                $(let $member = asking.add($member.ask(db))?;)+
                Ok(ReadShares(Box::new(move |all: &mut AllFound, now| {
                    Ok(($($member.read(all, now)?,)+))
                })))
            }
        }
    )+};
}

members! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
}

impl<Members> fmt::Debug for ReadTogether<Members> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadTogether")
    }
}
