//! The verbs that every query has.

use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, DynamoProjection};
use crate::error::Result;
use crate::expr::{Condition, Node};
use crate::plan::Explanation;
use crate::query::all::{Kept, Take};
use crate::query::selection::Wanted;
use crate::query::{
    Hydrated, InOrder, Page, PartOfItem, Query, QueryStage, Reach, ResumeFrom, RowOf, RowOfEntity,
    RowStream, StrongReads, all, explain, page,
};
use crate::read::{ProgressWatch, ReadProgress, Reading};

/// What can be done with a query, at every stage of its chain.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "notes", key(pk = owner, sk = "{year}#{number:04}"))]
/// # struct Note { owner: String, year: u16, number: u16 }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Note::schema()]).await?;
/// # for number in 1..=5 { Note { owner: "ann".into(), year: 2024, number }.put().send(&db).await?; }
/// let of_2024 = Note::in_partition("ann").year().eq(2024);
/// let page = of_2024.clone().limit(3).page(&db).await?;
/// assert_eq!(page.rows.len(), 3);
/// let rest = of_2024.clone().resume(page.next).all(&db).await?;
/// assert_eq!(rest.len(), 2);
///
/// let latest = of_2024.clone().descending().first(&db).await?;
/// assert_eq!(latest.map(|note| note.number), Some(5));
/// assert_eq!(of_2024.number().between(2..4).count(&db).await?, 2);
/// # Ok(()) }
/// ```
pub trait QueryVerbs: Sized {
    /// What a row is: the entity, or less where the index holds less.
    type Row: Send + 'static;

    /// Where the query reads.
    type Reach: Reach;

    /// The query as a type of its own, without the stage.
    fn query(self) -> Query<Self::Row, Self::Reach>;

    // --- how it reads

    /// Reads from the end to the beginning.
    fn descending(self) -> Query<Self::Row, Self::Reach>
    where
        Self::Reach: InOrder,
    {
        self.query().with(|options| options.descending = true)
    }

    /// Returns only rows of which this holds; if it is given twice, both have to hold. The service reads, and charges
    /// for, the rows that it leaves out: ask by the parts of a key where you can, and bound the cost by
    /// [`max_scanned`](Self::max_scanned). A filter cannot name a key that is queried.
    fn filter<E: DynamoEntity>(
        self,
        condition: impl FnOnce(E::Paths) -> Condition<E>,
    ) -> Query<Self::Row, Self::Reach>
    where
        Self::Row: RowOfEntity<Entity = E>,
    {
        let condition = condition(E::Paths::default()).into_node();
        self.query().with(|options| {
            let nodes = options.filter.take().into_iter().chain([condition]);
            options.filter = Some(Node::all(nodes)).filter(|node| !node.is_always());
        })
    }

    /// Returns at most this many rows. Only returned rows count, so `page(..)` brings as many as long as there are as
    /// many.
    fn limit(self, rows: usize) -> Query<Self::Row, Self::Reach> {
        self.query().with(|options| options.limit = Some(rows))
    }

    /// Looks at no more than this many items in one request. The results are the same.
    fn page_size(self, items: usize) -> Query<Self::Row, Self::Reach> {
        self.query().with(|options| options.page_size = Some(items))
    }

    /// Looks at no more than this many items in all, which bounds what a filter can cost. A page that ends because of
    /// this has a `next`, and perhaps no rows; other verbs return what was found so far. Several partitions share the
    /// number. A page looks at one item at least of each partition that it needs to know the next row.
    fn max_scanned(self, items: usize) -> Query<Self::Row, Self::Reach> {
        self.query()
            .with(|options| options.max_scanned = Some(items))
    }

    /// Paces the read so that it takes this many read units in a second from the table or the index; at least one. It
    /// is meant for a scan, a job or an export that runs beside a service and must leave it its share of a provisioned
    /// throughput.
    ///
    /// Each request waits until those before it are paid for, by the units that the service says they took. The first
    /// requests look at few items, and later ones at as many as a second's units suffice for, so only items that are
    /// larger than those before make a burst. A request looks at no more than twice as many items as the last one and
    /// never at more than 1 MB, and what it takes beyond a second's units is waited for. All segments, partitions and
    /// shards of the read share the pace; each clone of the query has one of its own. Unused time is not saved up.
    ///
    /// Items that [`hydrate`](Self::hydrate) fetches count too, in batches of up to 100. What a
    /// [job](crate::bulk::BulkVerbs::update_each) writes, and what it reads again after a lost race, does not count:
    /// see [`Bulk::rate`](crate::bulk::Bulk::rate). An engine that does not say what it took is paced by an estimate,
    /// from the bytes of the rows or, where none came, from 1 KB for each item that it looked at.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: u32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # for id in 0..100 { Note { id }.put().send(&db).await?; }
    /// let notes = Note::scan()
    ///     .segments(4)
    ///     .read_units_per_second(200)
    ///     .on_progress(|p| println!("{} items, {} units, {} of {} segments", p.scanned, p.read_units, p.segments_done, p.segments));
    /// assert_eq!(notes.all(&db).await?.len(), 100);
    /// # Ok(()) }
    /// ```
    fn read_units_per_second(self, units: u32) -> Query<Self::Row, Self::Reach> {
        self.query()
            .with(|options| options.read_units = Some(units))
    }

    /// Calls this after each answer with how far the read has come; it should be quick. It counts what was read,
    /// although a stream or a page may not have returned all of that yet. Each page, stream or job of the query counts
    /// anew.
    fn on_progress(
        self,
        tell: impl FnMut(&ReadProgress) + Send + 'static,
    ) -> Query<Self::Row, Self::Reach> {
        let watch = ProgressWatch::new(tell);
        self.query().with(|options| options.watch = Some(watch))
    }

    /// Goes on from a place, or from the beginning for `None`. The cursor keeps the bounds of the range that it began
    /// with.
    fn resume(self, from: impl ResumeFrom) -> Query<Self::Row, Self::Reach> {
        let from = from.into_cursor();
        self.query().with(|options| options.resume = from)
    }

    /// Reads one partition after the other, in the order in which they were given, instead of merging them by the sort
    /// key. The same goes for several values of a part of the sort key. [`descending`](Self::descending) turns the rows
    /// within each of them.
    fn by_partition(self) -> Query<Self::Row, Self::Reach> {
        self.query().with(|options| options.by_partition = true)
    }

    /// Returns expired rows too, while DynamoDB still holds them.
    fn include_expired(self) -> Query<Self::Row, Self::Reach> {
        self.query().with(|options| options.include_expired = true)
    }

    /// Sees every write that was acknowledged before, and costs double. A global index cannot be read in this way, but
    /// the items behind it can: see [`hydrate`](Self::hydrate).
    fn consistent(self) -> Query<Self::Row, Self::Reach>
    where
        Self::Reach: StrongReads,
    {
        self.query().with(|options| options.consistent = true)
    }

    /// Reads only some fields of each row, and only those are sent. An index has to hold them.
    fn select<P>(self) -> Query<P, Self::Reach>
    where
        Self::Row: RowOfEntity,
        P: DynamoProjection<Entity = <Self::Row as RowOfEntity>::Entity>,
    {
        self.query().projected()
    }

    /// Returns the items behind the rows, where the rows are keys or a projection: the items are fetched from the table
    /// by their keys, 100 in a request, and come in the order of the index.
    ///
    /// An index lags behind its table, so each item is checked again: one that no longer belongs to the partition and
    /// range of the query is left out, and so is an expired one; [`limit`](Self::limit) counts after that. An item that
    /// is gone is left out too, and [`Page::vanished`] names its key. An item that changed within the range stands
    /// where the index had it; one that the index lists twice in one answer comes once.
    ///
    /// [`consistent`](Self::consistent) then reads the items strongly, behind a global index too.
    /// [`filter`](Self::filter) sees what the index holds, [`select`](Self::select) all of the item.
    /// [`count`](Self::count) and [`exists`](Self::exists) go on asking the index alone. A page without a
    /// limit has up to 99 rows.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "books", key(pk = isbn), gsi(by_year, pk = year, sk = title, project = keys))]
    /// struct Book { isbn: String, year: u16, title: String, text: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Book::schema()]).await?;
    /// # let book = Book { isbn: "1".into(), year: 1980, title: "The Name of the Rose".into(), text: "..".into() };
    /// # book.put().send(&db).await?;
    /// let keys: Vec<Key<Book>> = Book::by_year(1980).all(&db).await?;
    /// let books: Vec<Book> = Book::by_year(1980).hydrate().all(&db).await?;
    /// assert_eq!((keys.len(), books), (1, vec![book]));
    /// # Ok(()) }
    /// ```
    fn hydrate(self) -> Query<<Self::Row as RowOfEntity>::Entity, Hydrated<Self::Reach>>
    where
        Self::Row: PartOfItem,
    {
        self.query().hydrated()
    }

    /// Rows that do not decode are rows too: each is a `Result`. Without this, the first one fails
    /// the read; a stream returns its error and goes on.
    fn lenient(self) -> Query<Result<Self::Row>, Self::Reach> {
        self.query().into_lenient()
    }

    // --- what it returns

    /// Some rows and where to go on: as many as the [`limit`](Self::limit), or what one answer of the service brings,
    /// up to 1 MB. With several partitions or shards it takes one answer of each.
    fn page(self, db: &Dynamo) -> Reading<Page<Self::Row>> {
        let Query {
            selection, read, ..
        } = self.query();
        let page = page::read(selection, db.clone());
        Reading::new(async move {
            let (page, rows) = page.await?;
            Ok(page.with(all::read(rows, &read)?))
        })
    }

    /// All rows, or as many as the limit.
    fn all(self, db: &Dynamo) -> Reading<Vec<Self::Row>> {
        let query = self.query();
        let take = Take::UpTo(query.selection.options.limit);
        let (mut kept, selection, db) = (Kept::new(query.read), query.selection, db.clone());
        Reading::new(async move {
            all::rows(selection, db, take, &mut kept).await?;
            Ok(kept.rows)
        })
    }

    /// The first row. It costs one item of reading where nothing is filtered.
    fn first(self, db: &Dynamo) -> Reading<Option<Self::Row>> {
        first_of(self.query(), db, Take::UpTo(Some(1)))
    }

    /// The only row, if there is one. Two are an error of kind [`MoreThanOne`](crate::error::ErrorKind::MoreThanOne).
    fn one(self, db: &Dynamo) -> Reading<Option<Self::Row>> {
        first_of(self.query(), db, Take::One)
    }

    /// How many rows there are, or the limit if there are more. Rows that expire after it begins still count. The
    /// service sends no rows; it sends keys where rows of several entities stand together, because those without a type
    /// are told apart by them.
    fn count(self, db: &Dynamo) -> Reading<u64> {
        let query = self.query();
        let limit = query.selection.options.limit;
        Reading::new(all::count(query.selection, db.clone(), limit))
    }

    /// Whether there is a row. It costs one item of reading where nothing is filtered.
    fn exists(self, db: &Dynamo) -> Reading<bool> {
        let query = self.query();
        let count = all::count(query.selection, db.clone(), Some(1));
        Reading::new(async move { Ok(count.await? > 0) })
    }

    /// All rows, one after the other. The next rows are fetched while these are used. Memory stays at two answers of
    /// the service; where rows of partitions and shards are merged, at one answer of each, and a second one of eight of
    /// them. Dropping the stream stops the work.
    fn stream(self, db: &Dynamo) -> RowStream<Self::Row> {
        let query = self.query();
        RowStream::new(query.selection, query.read, db.clone())
    }

    /// What a page would ask of the service, without asking.
    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let query = self.query();
        explain::explain(query.selection, db, Wanted::Items)
    }

    /// What [`count`](Self::count) would ask of the service, without asking: the first request to each partition.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = owner, sk = number))]
    /// # struct Note { owner: String, number: u32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// let count = Note::in_partition("ann").number().ge(5).explain_count(&db)?;
    /// assert!(count.requests[0].contains(r#""Select":"COUNT""#));
    /// # Ok(()) }
    /// ```
    fn explain_count(self, db: &Dynamo) -> Result<Explanation> {
        let query = self.query();
        let wanted = query.selection.counted();
        explain::explain(query.selection, db, wanted)
    }
}

/// The first of so many rows.
fn first_of<Row: Send + 'static, From>(
    query: Query<Row, From>,
    db: &Dynamo,
    take: Take,
) -> Reading<Option<Row>> {
    let (mut kept, selection, db) = (Kept::new(query.read), query.selection, db.clone());
    Reading::new(async move {
        all::rows(selection, db, take, &mut kept).await?;
        Ok(kept.rows.into_iter().next())
    })
}

impl<S: QueryStage> QueryVerbs for S {
    type Row = RowOf<S>;
    type Reach = S::Reach;

    fn query(self) -> Query<RowOf<S>, S::Reach> {
        Query::new::<S>(self.draft())
    }
}

impl<Row: Send + 'static, From: Reach> QueryVerbs for Query<Row, From> {
    type Row = Row;
    type Reach = From;

    fn query(self) -> Self {
        self
    }
}
