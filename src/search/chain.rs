//! `Document::similar(&vector, 10)`: a search, from its declaration to its hits.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::dynamo::Dynamo;
use crate::entity::{
    self, DynamoEntity, DynamoProjection, DynamoTable, EntityContract, Key, Patterns,
};
use crate::error::Result;
use crate::expr::Operand;
use crate::plan::{Explanation, Filter, is_expired};
use crate::query::RowsOf;
use crate::read::{BatchReader, Failing, KeyList, ReadForm, ReadRow, Reading};
use crate::schema::Pattern;
use crate::search::answer::read_rows;
use crate::search::condition::{SearchFilter, ValuePath};
use crate::search::index::{PartitionedIndex, Searchable, VectorIndex, WithinPartition};
use crate::search::request::{SearchDraft, SearchSource};
use crate::search::score::{Hit, Score};

/// A search of a vector index: the items whose vectors are nearest to a given one.
///
/// It returns at most 100 hits, without pages, the nearest first; DynamoDB does not define the order of equal scores. Expired
/// items are omitted after the search, so it can return fewer hits than requested. DynamoDB searches approximately, and it
/// updates the index after the table. Therefore a search can miss a near item or the latest writes.
///
/// ```
/// use dynamo_entity::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "documents", key(pk = id))]
/// #[dynamo(vector(similar, field = embedding, distance = cosine, within = org, filter = language))]
/// struct Document { id: u32, org: String, language: String, embedding: Vector<3> }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// let db = Dynamo::connect("embedded:memory").await?;
/// db.create_tables([Document::schema()]).await?;
/// for (id, language, numbers) in [(1, "en", [1.0, 0.0, 0.0]), (2, "en", [0.0, 1.0, 0.0]), (3, "fr", [0.9, 0.1, 0.0])] {
///     let (org, language) = ("acme".to_owned(), language.to_owned());
///     Document { id, org, language, embedding: numbers.try_into()? }.put().send(&db).await?;
/// }
///
/// let query = Vector::try_from([1.0, 0.2, 0.0])?;
/// let hits = Document::similar(&query, 2).within("acme").send(&db).await?;
/// assert_eq!(hits.iter().map(|hit| hit.item.id).collect::<Vec<_>>(), [3, 1]);
/// assert!(hits[0].score.is_nearer_than(hits[1].score));
///
/// let english = Document::similar(&query, 2).within("acme").filter(|document| document.language().eq("en"));
/// let hits = english.send(&db).await?;
/// assert_eq!(hits.iter().map(|hit| hit.item.id).collect::<Vec<_>>(), [1, 2]);
/// # Ok(()) }
/// ```
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Search<I: VectorIndex, Row, State = WithinPartition> {
    draft: SearchDraft,
    hydrates: bool,
    /// Reads a row of the index, or the key of a row that is hydrated.
    read: HitReader<Row>,
    types: PhantomData<fn() -> (I, State)>,
}

type HitReader<Row> = Arc<dyn Fn(&[u8]) -> Result<Row> + Send + Sync>;

/// A search as the function of an index returns it.
pub type IndexSearch<I> = Search<
    I,
    <<I as VectorIndex>::Rows as RowsOf<<I as VectorIndex>::Entity>>::Row,
    <I as VectorIndex>::Start,
>;

impl<I: VectorIndex> IndexSearch<I> {
    #[doc(hidden)]
    pub fn of_index(vector: &[f32], count: usize) -> Self {
        let mut draft = SearchDraft::new(vector, count);
        if !<I::Rows as RowsOf<I::Entity>>::KEYS_ONLY {
            draft.attributes = Some(source_of::<I>().all_attributes());
        }
        Search {
            draft,
            hydrates: false,
            read: Arc::new(<I::Rows as RowsOf<I::Entity>>::read_row),
            types: PhantomData,
        }
    }
}

/// The pattern of an index.
struct SearchPattern<I>(PhantomData<I>);

impl<I: VectorIndex> SearchPattern<I> {
    const PATTERN: &'static Pattern =
        &Pattern::search(&I::Entity::ENTITY, I::INDEX, Patterns::<I::Entity>::JOINT);
}

fn source_of<I: VectorIndex>() -> SearchSource {
    SearchSource {
        entity: const { &I::Entity::ENTITY },
        table: const { &<<I::Entity as DynamoEntity>::Table as DynamoTable>::TABLE },
        index: I::INDEX,
        pattern: SearchPattern::<I>::PATTERN,
    }
}

impl<I: VectorIndex, Row, State> Search<I, Row, State> {
    fn with_types<OtherRow, OtherState>(
        self,
        read: HitReader<OtherRow>,
    ) -> Search<I, OtherRow, OtherState> {
        Search {
            draft: self.draft,
            hydrates: self.hydrates,
            read,
            types: PhantomData,
        }
    }

    /// Searches only the items with this value of the field that the index declares with `within`.
    pub fn within(
        mut self,
        value: impl Operand<I::Entity, <I::Path as ValuePath>::Value>,
    ) -> Search<I, Row, WithinPartition>
    where
        I: PartitionedIndex,
    {
        let condition = SearchFilter::of_condition(I::partition_path().equals(value));
        self.draft.add_equality(condition.equality);
        let read = self.read.clone();
        self.with_types(read)
    }

    /// Searches only the items that match this filter. With several filters, an item must match all of them. The fields are
    /// those that the index declares with `filter`, and an item without the attribute never matches.
    pub fn filter(mut self, filter: impl FnOnce(&I::Filters) -> SearchFilter<I::Entity>) -> Self {
        self.draft.add_equality(filter(I::FILTERS).equality);
        self
    }

    /// Reads only some fields of each item. The index must contain them, otherwise `send` returns an error of kind `Config`.
    pub fn select<P: DynamoProjection<Entity = I::Entity>>(mut self) -> Search<I, P, State> {
        self.hydrates = false;
        self.draft.attributes = Some(entity::projected::<P>());
        self.with_types(Arc::new(entity::read_projection::<P>))
    }

    /// Reads the whole items from the table by `BatchGetItem`, if the index does not contain them. Items that were deleted
    /// meanwhile are omitted, and items that the conditions of the search no longer match. Call it last before `send`.
    pub fn hydrate(mut self) -> HydratedSearch<I, State> {
        self.hydrates = true;
        self.draft.attributes = None;
        HydratedSearch {
            search: self.with_types(Arc::new(entity::read_key::<I::Entity>)),
            rows: ReadRow::of_entity(),
        }
    }

    /// Returns an item that does not decode as an error among the hits, instead of failing the search.
    pub fn lenient(self) -> Search<I, Result<Row>, State>
    where
        Row: 'static,
    {
        let read = self.read.clone();
        self.with_types(Arc::new(move |json| Ok(read(json))))
    }

    /// Returns expired items too, as long as DynamoDB stores them.
    pub fn include_expired(mut self) -> Self {
        self.draft.include_expired = true;
        self
    }

    fn explain_search(&self, db: &Dynamo) -> Result<Explanation> {
        let source = source_of::<I>();
        let request = self.draft.build_request(source, db)?;
        let mut explanation = Explanation::of_requests(std::slice::from_ref(&request));
        explanation.index = Some(source.index.index.to_owned());
        if source.table.type_attribute.is_some() {
            explanation.filters.push(Filter::Type);
        }
        if source.entity.ttl.is_some() && !self.draft.include_expired {
            explanation.filters.push(Filter::Expired);
        }
        if self.hydrates {
            let request = Self::item_reader(db).form_request();
            explanation.items = Some(String::from_utf8_lossy(&request.body).into_owned());
        }
        Ok(explanation)
    }

    /// How the items behind the hits are read.
    fn item_reader(db: &Dynamo) -> BatchReader {
        let form = ReadForm::whole_items::<I::Entity>();
        let frame = form.table_frame::<I::Entity>(source_of::<I>().pattern, db);
        BatchReader::of_table(db.clone(), frame)
    }

    /// The rows of the index, decoded.
    async fn read_hits(self, db: Dynamo) -> Result<Vec<Hit<Row, I::Score>>> {
        let source = source_of::<I>();
        let request = self.draft.build_request(source, &db)?;
        // DynamoDB rejects a search for no hits.
        if self.draft.count == 0 {
            return Ok(Vec::new());
        }
        let reply = db.call_service(request).await;
        let reply = reply.map_err(|failure| failure.error.of(source.entity.type_name))?;
        let (ttl, now) = (
            source.entity.ttl.filter(|_| !self.draft.include_expired),
            db.now(),
        );
        let rows = read_rows(&reply).map_err(|error| error.of(source.entity.type_name))?;
        let live = rows.iter().filter(|row| !is_expired(&row.json, ttl, now));
        let hits = live.map(|row| {
            let item = (self.read)(&row.json)
                .map_err(|error| error.with_request_id(reply.request_id.as_deref()))?;
            Ok(Hit::new(item, I::Score::of_number(row.score)))
        });
        hits.collect()
    }
}

impl<I: VectorIndex, Row, State> Search<I, Row, State> {
    /// Sends the search, and returns the hits, the nearest first.
    pub fn send(self, db: &Dynamo) -> Reading<Vec<Hit<Row, I::Score>>>
    where
        Row: Send + 'static,
        State: Searchable,
    {
        Reading::new(self.read_hits(db.clone()))
    }

    /// Shows the request without sending it.
    pub fn explain(self, db: &Dynamo) -> Result<Explanation>
    where
        State: Searchable,
    {
        self.explain_search(db)
    }
}

/// A search whose items are read from the table afterwards.
#[must_use = "nothing happens until `.send(&db)`"]
pub struct HydratedSearch<I: VectorIndex, State = WithinPartition, Row = <I as VectorIndex>::Entity>
{
    search: Search<I, Key<I::Entity>, State>,
    rows: ReadRow<Row>,
}

impl<I: VectorIndex, State> HydratedSearch<I, State> {
    /// Returns an item that does not decode as an error among the hits, instead of failing the search.
    pub fn lenient(self) -> HydratedSearch<I, State, Result<I::Entity>> {
        HydratedSearch {
            search: self.search,
            rows: self.rows.into_lenient(),
        }
    }
}

impl<I: VectorIndex, State, Row> HydratedSearch<I, State, Row> {
    /// Sends the search, reads the items from the table, and returns them, the nearest first.
    pub fn send(self, db: &Dynamo) -> Reading<Vec<Hit<Row, I::Score>>>
    where
        Row: Send + 'static,
        State: Searchable,
    {
        let db = db.clone();
        Reading::new(async move {
            let draft = self.search.draft.clone();
            let hits = self.search.read_hits(db.clone()).await?;
            let mut keys = KeyList::new();
            for hit in &hits {
                keys.push_key(&hit.item)?;
            }
            let reader = Search::<I, Key<I::Entity>, State>::item_reader(&db);
            let items = reader.read_keys(keys, Failing::Together).await?;
            let (source, now) = (source_of::<I>(), db.now());
            let ttl = source.entity.ttl.filter(|_| !draft.include_expired);
            let mut found = Vec::with_capacity(hits.len());
            for (hit, item) in hits.into_iter().zip(items) {
                let Some(item) = item? else {
                    continue;
                };
                let json = item.row_json();
                // An item that has changed since may belong to another tenant, so it is not even decoded.
                if draft.still_holds(json, source) && !is_expired(json, ttl, now) {
                    found.push(Hit::new(self.rows.read_row(&item)?, hit.score));
                }
            }
            Ok(found)
        })
    }

    /// Shows the requests without sending them.
    pub fn explain(self, db: &Dynamo) -> Result<Explanation>
    where
        State: Searchable,
    {
        self.search.explain_search(db)
    }
}

impl<I: VectorIndex, State, Row> fmt::Debug for HydratedSearch<I, State, Row> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HydratedSearch({:?})", self.search)
    }
}

impl<I: VectorIndex, Row, State> Clone for Search<I, Row, State> {
    fn clone(&self) -> Self {
        Search {
            draft: self.draft.clone(),
            hydrates: self.hydrates,
            read: self.read.clone(),
            types: PhantomData,
        }
    }
}

/// Omits the vector and the values.
impl<I: VectorIndex, Row, State> fmt::Debug for Search<I, Row, State> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (entity, index) = (I::Entity::ENTITY.type_name, I::INDEX.name);
        write!(f, "Search<{entity}.{index}>({:?})", self.draft)
    }
}

crate::awaited::unsent!([I: VectorIndex, Row, State] Search<I, Row, State> => Vec<Hit<Row, I::Score>>);
crate::awaited::unsent!([I: VectorIndex, State, Row] HydratedSearch<I, State, Row> => Vec<Hit<Row, I::Score>>);
