//! `get_many`: reads many items by their keys.

pub(crate) mod asked;
pub(crate) mod input;
mod row_reader;
mod rows;
pub(crate) mod stream;

use crate::read::get_many::asked::{BatchGetRequest, ReadForm, primary_key};
use crate::read::get_many::input::{KeyOf, Listed, Streamed};
use crate::read::get_many::stream::FoundStream;
use std::fmt;
use std::marker::PhantomData;

use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, DynamoProjection, Patterns};
use crate::error::Result;
use crate::plan::Explanation;
use crate::read::{BatchReader, FoundReader, KeyList, ReadRow, Reading};
use crate::retry::{CONCURRENCY, RetryBudget};
use crate::schema::Pattern;

use input::KeyInput;
use row_reader::RowReader;
use rows::{FoundRows, KeysAsked};

/// Reads many items; see [`EntityExt::get_many`](crate::verbs::EntityExt::get_many).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct GetMany<E: DynamoEntity, Keys, Row = E> {
    keys: Keys,
    way: ReadForm,
    concurrency: usize,
    budget: RetryBudget,
    rows: RowReader<Row>,
    entity: PhantomData<fn() -> E>,
}

impl<E: DynamoEntity, I> GetMany<E, Listed<I>> {
    pub(crate) fn new(keys: I) -> Self {
        GetMany::of_keys(Listed(keys))
    }
}

impl<E: DynamoEntity, S> GetMany<E, Streamed<S>> {
    pub(crate) fn of_stream(keys: S) -> Self {
        GetMany::of_keys(Streamed(keys))
    }
}

impl<E: DynamoEntity, Keys> GetMany<E, Keys> {
    fn of_keys(keys: Keys) -> Self {
        GetMany {
            keys,
            way: ReadForm::whole_items::<E>(),
            concurrency: CONCURRENCY,
            budget: RetryBudget::default(),
            rows: RowReader {
                read: ReadRow::of_entity(),
                of_error: None,
            },
            entity: PhantomData,
        }
    }

    /// Reads only some fields of each item; only those are transferred.
    pub fn select<P: DynamoProjection<Entity = E>>(mut self) -> GetMany<E, Keys, P> {
        let attributes = crate::entity::projected::<P>().into_iter();
        self.way.attributes = Some(attributes.map(|attribute| attribute.name).collect());
        self.way.ahead = None;
        self.with_rows(RowReader {
            read: ReadRow::of_projection(),
            of_error: None,
        })
    }
}

impl<E: DynamoEntity, Keys, Row> GetMany<E, Keys, Row> {
    fn with_rows<Other>(self, rows: RowReader<Other>) -> GetMany<E, Keys, Other> {
        GetMany {
            keys: self.keys,
            way: self.way,
            concurrency: self.concurrency,
            budget: self.budget,
            rows,
            entity: PhantomData,
        }
    }

    /// Sees every write that was acknowledged before; costs double.
    pub fn consistent(mut self) -> Self {
        self.way.consistent = true;
        self
    }

    /// Returns expired items too, as long as DynamoDB stores them.
    pub fn include_expired(mut self) -> Self {
        self.way.include_expired = true;
        self
    }

    /// Sets the number of concurrent requests; 8 by default.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.concurrency = requests.max(1);
        self
    }

    /// Sets how long the read keeps requesting items that DynamoDB omits.
    pub fn budget(mut self, budget: RetryBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Returns each row as a `Result`, so that an error of one item is the row of that item: an item that cannot be
    /// decoded, a key that does not fit its template, or a key whose request fails. Without this, the first error
    /// fails the read.
    pub fn lenient(self) -> GetMany<E, Keys, Result<Row>>
    where
        Row: 'static,
    {
        let read = self.rows.read.clone().into_lenient();
        self.with_rows(RowReader {
            read,
            of_error: Some(Err),
        })
    }

    fn batch_reader(&self, db: &Dynamo) -> BatchReader {
        BatchReader {
            budget: self.budget,
            concurrency: self.concurrency,
            ..BatchReader::of_table(
                db.clone(),
                self.way.table_frame::<E>(Patterns::<E>::GET_MANY, db),
            )
        }
    }
}

impl<E, I, Row> GetMany<E, Listed<I>, Row>
where
    E: DynamoEntity,
    I: IntoIterator<Item: KeyOf<E>>,
    Row: Send + 'static,
{
    /// Reads the items: in the order of the keys, with `None` for a missing item. This needs the memory
    /// of the rows, and of keys that are dropped as their items arrive.
    pub fn send(self, db: &Dynamo) -> Reading<Vec<Option<Row>>> {
        let batch = self.batch_reader(db);
        let rows = FoundRows::new(self.rows, self.way.ttl_attribute::<E>());
        let (mut keys, mut errors) = (KeyList::new(), Vec::new());
        for (place, key) in self.keys.0.into_iter().enumerate() {
            if let Err(error) = keys.push_key(key.as_key()) {
                errors.push((place, error));
            }
        }
        Reading::new(rows.read_all(batch, KeysAsked { keys, errors }))
    }

    /// Returns the first requests of [`send`](Self::send).
    pub fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let mut request = BatchGetRequest::new(db, self.budget, self.concurrency);
        self.plan_read(Patterns::<E>::GET_MANY, &mut request)?;
        Ok(request.explain_reads())
    }

    pub(crate) fn plan_read(
        self,
        pattern: &'static Pattern,
        request: &mut BatchGetRequest,
    ) -> Result<FoundReader<BatchGetRequest, Vec<Option<Row>>>> {
        let frame = self.way.table_frame::<E>(pattern, request.db());
        let keys = self.keys.0.into_iter();
        let keys = keys.map(|key| primary_key(key.as_key()));
        let (rows, ttl) = (self.rows, self.way.ttl_attribute::<E>());
        let is_lenient = rows.of_error.is_some();
        request.add_read(frame, keys, is_lenient, move |found, now| {
            let row = |found| rows.read_row(found, ttl, now);
            found.into_iter().map(row).collect()
        })
    }
}

impl<E, Keys, Row> GetMany<E, Keys, Row>
where
    E: DynamoEntity,
    Keys: KeyInput<E>,
    Row: Send + 'static,
{
    /// Reads the items as you consume them, for any number of keys: one row for each key, in their order. An invalid
    /// key or item is an error in its position, and the stream continues.
    ///
    /// Requests are sent while you process rows, up to the [`concurrency`](Self::concurrency), and at most four times
    /// as many responses wait. A key that occurs twice within 100 keys is requested once. Each request has its own
    /// [`budget`](Self::budget). Dropping the stream stops the work.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = number))]
    /// # struct Note { number: u64 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # Note { number: 205 }.put().send(&db).await?;
    /// let mut notes = Note::get_many((0..).map(Note::key)).stream(&db);
    /// let mut number = 0;
    /// while let Some(note) = notes.next().await {
    ///     if note?.is_some() {
    ///         break;
    ///     }
    ///     number += 1;
    /// }
    /// assert_eq!(number, 205);
    /// # Ok(()) }
    /// ```
    pub fn stream(self, db: &Dynamo) -> FoundStream<Row> {
        let batch = self.batch_reader(db);
        let keys = self.keys.primary_keys();
        let (rows, ttl) = (self.rows, self.way.ttl_attribute::<E>());
        let read = move |found, now| rows.read_row(found, ttl, now);
        FoundStream::new(keys, Box::new(read), batch)
    }
}

impl<E: DynamoEntity, Keys, Row> fmt::Debug for GetMany<E, Keys, Row> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GetMany<{}>({:?})", E::ENTITY.type_name, self.way)
    }
}

crate::awaited::unsent!([E: DynamoEntity, Keys, Row] GetMany<E, Keys, Row> => Vec<Option<Row>>);
