//! `batch_get`: items of several entities and tables, in shared requests.

use std::fmt;

use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Patterns};
use crate::error::Result;
use crate::plan::Explanation;
use crate::read::key_reads::sealed::Sealed;
use crate::read::{
    AllFound, BatchGetRequest, FoundReader, Get, GetForm, GetMany, KeyOf, KeyReads, Listed, RawRow,
    ReadForm, ReadRequest, Reading, primary_key,
};
use crate::retry::{CONCURRENCY, RetryBudget};

/// Reads items of several entities, of one table or of many, in as few requests as possible.
///
/// The members are [`get_many`](crate::verbs::EntityExt::get_many) and [`get`](crate::entity::Key::get), each with
/// its own options, in a tuple, an array or a `Vec`; the result has their results in the same form. A request contains 100 keys of any tables. If two members
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
pub fn batch_get<Members: KeyReads<BatchGetRequest>>(members: Members) -> BatchGet<Members> {
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

impl<Members: KeyReads<BatchGetRequest>> BatchGet<Members> {
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
        let mut request = BatchGetRequest::new(db, self.budget, self.concurrency);
        let read = self.members.plan_reads(&mut request);
        request.send_with(read)
    }

    /// Returns the first requests of [`send`](Self::send).
    pub fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let mut request = BatchGetRequest::new(db, self.budget, self.concurrency);
        self.members.plan_reads(&mut request)?;
        Ok(request.explain_reads())
    }
}

impl<E, I, Row> KeyReads<BatchGetRequest> for GetMany<E, Listed<I>, Row>
where
    E: DynamoEntity,
    I: IntoIterator<Item: KeyOf<E>>,
    Row: Send + 'static,
{
    type Out = Vec<Option<Row>>;

    fn plan_reads(
        self,
        request: &mut BatchGetRequest,
    ) -> Result<FoundReader<BatchGetRequest, Self::Out>> {
        self.plan_read(&Patterns::<E>::JOINT.batch_get, request)
    }
}

impl Sealed for BatchGetRequest {}

impl ReadRequest for BatchGetRequest {
    type Found = AllFound;

    fn add_get<E: DynamoEntity, F: GetForm<E>>(
        &mut self,
        get: Get<E, F>,
    ) -> Result<FoundReader<Self, Option<F::Row>>> {
        let way = ReadForm {
            consistent: get.consistent,
            attributes: F::wanted_attributes(),
            ..ReadForm::default()
        };
        let frame = way.table_frame::<E>(&Patterns::<E>::JOINT.batch_get, self.db());
        let read = get.read_found();
        self.add_read(frame, [primary_key(&get.key)], false, move |found, now| {
            let item = found.into_iter().next().transpose()?.flatten();
            read(item.as_ref().map(RawRow::row_json), now)
        })
    }
}

impl<Members> fmt::Debug for BatchGet<Members> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BatchGet")
    }
}

crate::awaited::unsent!([Members] BatchGet<Members> => ());
