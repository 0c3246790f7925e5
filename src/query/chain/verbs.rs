//! The operations of every query.

use super::query::Query;
use super::reach::{Hydrated, InOrder, Reach, StrongReads};
use super::stage::{QueryStage, RowOf};
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, DynamoProjection};
use crate::error::Result;
use crate::expr::{Condition, Node};
use crate::json::CodecError;
use crate::plan::Explanation;
use crate::query::cursor::ResumeFrom;
use crate::query::engine::{
    Kept, Page, PartOfItem, RowOfEntity, RowStream, Take, count_rows, explain_query, read_all,
    read_page, read_rows,
};
use crate::query::request::Wanted;
use crate::read::{ProgressWatch, ReadProgress, Reading};
use crate::schema::EntityDef;

/// The operations of a query, at every stage of its chain.
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
pub trait QueryExt: Sized {
    /// The type of a row: the entity, or less if the index contains less.
    type Row: Send + 'static;

    /// The source of the query.
    type Reach: Reach;

    /// Returns the query as a type of its own, without the stage.
    fn query(self) -> Query<Self::Row, Self::Reach>;

    // --- how it reads

    /// Reads in descending order.
    #[doc(alias("reverse", "scan_index_forward"))]
    fn descending(self) -> Query<Self::Row, Self::Reach>
    where
        Self::Reach: InOrder,
    {
        self.query()
            .with_options(|options| options.descending = true)
    }

    /// Returns only rows for which this condition holds; if you call it twice, both must hold. DynamoDB reads, and
    /// charges for, the rows that it drops. Therefore, restrict the parts of a key if you can, and limit the cost
    /// with [`max_scanned`](Self::max_scanned). A filter cannot name a queried key.
    fn filter<E: DynamoEntity>(
        self,
        condition: impl FnOnce(E::Paths) -> Condition<E>,
    ) -> Query<Self::Row, Self::Reach>
    where
        Self::Row: RowOfEntity<Entity = E>,
    {
        let condition = condition(E::Paths::default()).into_node();
        let condition = filter_of(&E::ENTITY, condition);
        self.query().with_options(|options| {
            let nodes = options.filter.take().into_iter().chain([condition]);
            // An empty condition must not count as a filter: it would change the cursor's binding,
            // and the reads would expect that rows are dropped.
            options.filter = Some(Node::all(nodes)).filter(|node| !node.is_always());
        })
    }

    /// Returns at most this number of rows. Only returned rows count, so `page(..)` returns full pages as long as
    /// enough rows exist.
    fn limit(self, rows: usize) -> Query<Self::Row, Self::Reach> {
        self.query()
            .with_options(|options| options.limit = Some(rows))
    }

    /// Reads at most this number of items in one request. The results are the same.
    fn page_size(self, items: usize) -> Query<Self::Row, Self::Reach> {
        self.query()
            .with_options(|options| options.page_size = Some(items))
    }

    /// Reads at most this number of items in total, which limits the cost of a filter. A page that ends because of
    /// this has a `next`, and perhaps no rows; other operations return the rows found so far. Several partitions
    /// share the number. A page reads at least one item of each partition that it needs to determine the next row.
    fn max_scanned(self, items: usize) -> Query<Self::Row, Self::Reach> {
        self.query()
            .with_options(|options| options.max_scanned = Some(items))
    }

    /// Limits the rate of the read to this number of read units per second from the table or the index; at least one.
    /// Use it for a scan, a job or an export that runs beside a service, to leave provisioned throughput to the
    /// service.
    ///
    /// Each request waits until the previous ones are paid for, by the units that DynamoDB reports. The first
    /// requests read few items, and later ones as many as a second's units allow, so only items that are larger than
    /// those before cause a burst. A request reads at most twice as many items as the last one and at most 1 MB, and
    /// the next one waits for the units beyond a second's. All segments, partitions and shards of the read share the
    /// rate; each clone of the query has its own. Unused time is not saved up.
    ///
    /// Items that [`hydrate`](Self::hydrate) fetches count too, in batches of up to 100. Writes of a
    /// [job](crate::bulk::BulkExt::update_each), and its repeated reads after a lost race, do not count: see
    /// [`Bulk::rate`](crate::bulk::Bulk::rate). If an engine does not report its consumption, it is estimated from
    /// the bytes of the rows, or, without rows, from 1 KB for each item read.
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
            .with_options(|options| options.read_units = Some(units))
    }

    /// Calls this after each response with the progress of the read; it should be fast. It counts rows that were
    /// read, although a stream or a page may not have returned all of them yet. Each page, stream or job of the query
    /// starts from zero.
    fn on_progress(
        self,
        tell: impl FnMut(&ReadProgress) + Send + 'static,
    ) -> Query<Self::Row, Self::Reach> {
        let watch = ProgressWatch::new(tell);
        self.query()
            .with_options(|options| options.watch = Some(watch))
    }

    /// Continues from a position, or from the start for `None`. The cursor keeps the original bounds of its range.
    #[doc(alias("exclusive_start_key", "cursor"))]
    fn resume(self, from: impl ResumeFrom) -> Query<Self::Row, Self::Reach> {
        let from = from.into_cursor();
        self.query().with_options(|options| options.resume = from)
    }

    /// Reads one partition after the other, in the given order, instead of merging them by the sort key. The same
    /// applies to several values of a part of the sort key. [`descending`](Self::descending) reverses the rows within
    /// each of them.
    fn by_partition(self) -> Query<Self::Row, Self::Reach> {
        self.query()
            .with_options(|options| options.by_partition = true)
    }

    /// Returns expired rows too, as long as DynamoDB stores them.
    fn include_expired(self) -> Query<Self::Row, Self::Reach> {
        self.query()
            .with_options(|options| options.include_expired = true)
    }

    /// Sees every write that was acknowledged before, and costs double. A global index does not support this, but its
    /// items do: see [`hydrate`](Self::hydrate).
    #[doc(alias = "consistent_read")]
    fn consistent(self) -> Query<Self::Row, Self::Reach>
    where
        Self::Reach: StrongReads,
    {
        self.query()
            .with_options(|options| options.consistent = true)
    }

    /// Reads only some fields of each row, and only those are transferred. An index must contain them.
    #[doc(alias = "projection_expression")]
    fn select<P>(self) -> Query<P, Self::Reach>
    where
        Self::Row: RowOfEntity,
        P: DynamoProjection<Entity = <Self::Row as RowOfEntity>::Entity>,
    {
        self.query().with_projection()
    }

    /// Returns the whole items if the rows are keys or a projection: the items are fetched from the table by their
    /// keys, 100 in a request, and returned in the order of the index.
    ///
    /// An index lags behind its table, so each item is checked again: an item that is no longer in the partition and
    /// range of the query is omitted, and so is an expired one; [`limit`](Self::limit) counts after that. A missing
    /// item is omitted too, and [`Page::vanished`] names its key. An item that changed within the range is at its
    /// position in the index; an item that the index lists twice in one response is returned once.
    ///
    /// [`consistent`](Self::consistent) then reads the items strongly, for a global index too.
    /// [`filter`](Self::filter) sees the attributes in the index, [`select`](Self::select) the whole item.
    /// [`count`](Self::count) and [`exists`](Self::exists) read only the index. A page without a limit has up to 99
    /// rows.
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
        self.query().with_hydration()
    }

    /// Returns each row as a `Result`, so that rows that cannot be decoded are rows too. Without this, the first one
    /// fails the read; a stream returns its error and continues.
    fn lenient(self) -> Query<Result<Self::Row>, Self::Reach> {
        self.query().into_lenient()
    }

    // --- what it returns

    /// Returns some rows and the position after them: as many rows as the [`limit`](Self::limit), or those of one
    /// response, up to 1 MB. With several partitions or shards, it takes one response of each.
    #[doc(alias = "paginate")]
    fn page(self, db: &Dynamo) -> Reading<Page<Self::Row>> {
        let Query {
            selection, read, ..
        } = self.query();
        let page = read_page(selection, db.clone());
        Reading::new(async move {
            let (page, rows) = page.await?;
            Ok(page.with_rows(read_all(rows, &read)?))
        })
    }

    /// Returns all rows, or as many as the limit.
    fn all(self, db: &Dynamo) -> Reading<Vec<Self::Row>> {
        let query = self.query();
        let take = Take::UpTo(query.selection.options.limit);
        let (mut kept, selection, db) = (Kept::new(query.read), query.selection, db.clone());
        Reading::new(async move {
            read_rows(selection, db, take, &mut kept).await?;
            Ok(kept.rows)
        })
    }

    /// Returns the first row. Without a filter, it costs the read of one item.
    fn first(self, db: &Dynamo) -> Reading<Option<Self::Row>> {
        first_of(self.query(), db, Take::UpTo(Some(1)))
    }

    /// Returns the only row, if one exists. Two are an error of kind
    /// [`MultipleItems`](crate::error::ErrorKind::MultipleItems).
    fn one(self, db: &Dynamo) -> Reading<Option<Self::Row>> {
        first_of(self.query(), db, Take::One)
    }

    /// Returns the number of rows, or the limit if more exist. Rows that expire after it begins still count. DynamoDB
    /// sends no rows; if the range may contain rows of several entities, it sends keys, because they identify rows
    /// without a type.
    fn count(self, db: &Dynamo) -> Reading<u64> {
        let query = self.query();
        let limit = query.selection.options.limit;
        Reading::new(count_rows(query.selection, db.clone(), limit))
    }

    /// Returns whether a row exists. Without a filter, it costs the read of one item.
    fn exists(self, db: &Dynamo) -> Reading<bool> {
        let query = self.query();
        let count = count_rows(query.selection, db.clone(), Some(1));
        Reading::new(async move { Ok(count.await? > 0) })
    }

    /// Returns all rows, one after the other. The next rows are fetched while you process these. At most two
    /// responses are in memory; if rows of partitions and shards are merged, one response of each, and a second one
    /// of eight of them. Dropping the stream stops the work.
    fn stream(self, db: &Dynamo) -> RowStream<Self::Row> {
        let query = self.query();
        RowStream::new(query.selection, query.read, db.clone())
    }

    /// Returns the requests of a page, without sending them.
    #[doc(alias = "dry_run")]
    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let query = self.query();
        explain_query(query.selection, db, Wanted::Items)
    }

    /// Returns the requests of [`count`](Self::count), without sending them: the first request to each partition.
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
        let wanted = query.selection.wanted_count();
        explain_query(query.selection, db, wanted)
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
        read_rows(selection, db, take, &mut kept).await?;
        Ok(kept.rows.into_iter().next())
    })
}

impl<S: QueryStage> QueryExt for S {
    type Row = RowOf<S>;
    type Reach = S::Reach;

    fn query(self) -> Query<RowOf<S>, S::Reach> {
        Query::new::<S>(self.draft())
    }
}

impl<Row: Send + 'static, From: Reach> QueryExt for Query<Row, From> {
    type Row = Row;
    type Reach = From;

    fn query(self) -> Self {
        self
    }
}

/// The filter, or a fault if items of an older shape may be among the rows: DynamoDB would compare their old attributes.
fn filter_of(def: &EntityDef, condition: Node) -> Node {
    if !def.reads_older_shapes() {
        return condition;
    }
    let message = "DynamoDB evaluates a filter on attributes as they are stored, and items of an older shape have others: \
                   filter the rows in Rust, or remove `was(..)` after `refill()` has upgraded all items";
    Node::Faulty(CodecError::new(message))
}
