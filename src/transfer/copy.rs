//! `copy_to`, which stores each row of a query in another table: the trait and the settings. `copy_run` runs the copy.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::copied::{CopiedEntity, CopyTarget};
use super::copy_report::CopyCounts;
use super::export::{OfItem, counting_others, is_whole_query};
use super::mask::Mask;
use crate::bulk::Checkpoint;
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::entity::DynamoEntity;
use crate::query::{JobRows, OfEntity, Query, QueryExt};
use crate::retry::RetryBudget;

/// The default number of concurrent writes.
const CONCURRENCY: usize = 8;

/// The default number of rows that may fail.
const FAILURES: usize = 1000;

/// Rows that can be copied: whole entities, and items.
#[diagnostic::on_unimplemented(
    message = "the rows of this query are `{Self}`, and cannot be copied",
    label = "a copy needs all attributes, and the entity of a row",
    note = "copy a query of an entity, or all items of a table by `schema.scan_items()?`",
    note = "if an index gives keys or a projection, write `.hydrate()` before"
)]
pub trait CopiedRows<Kind>: Send + 'static {
    #[doc(hidden)]
    fn copied_entity() -> EntityOfRows;
}

/// The entity of the rows of a query; none if they are items.
#[doc(hidden)]
pub struct EntityOfRows(pub(super) Option<CopiedEntity>);

impl fmt::Debug for EntityOfRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EntityOfRows")
    }
}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> CopiedRows<OfEntity> for E {
    fn copied_entity() -> EntityOfRows {
        EntityOfRows(Some(CopiedEntity::of::<E>()))
    }
}

impl CopiedRows<OfItem> for Item {
    fn copied_entity() -> EntityOfRows {
        EntityOfRows(None)
    }
}

/// The copy of the rows of a query.
pub trait CopyExt: QueryExt {
    /// Stores each row of the query in the table of the same name of another connection. Rows of an entity are stored with
    /// the items of their unique values. To copy every item of a table, use
    /// [`scan_items`](crate::schema::TableSchema::scan_items).
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    ///
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "notes", key(pk = id))]
    /// struct Note { id: u32, text: String, #[dynamo(version)] version: Version }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// Note { id: 1, text: "buy milk".into(), version: Version::default() }.create().send(&db).await?;
    /// let other = db.clone().with_prefix("test");
    /// other.create_tables([Note::schema()]).await?;
    /// let report = Note::scan().copy_to(&other).send(&db).await?.complete()?;
    /// assert_eq!(report.written, 1);
    /// assert_eq!(Note::scan().all(&other).await?, Note::scan().all(&db).await?);
    /// # Ok(()) }
    /// ```
    fn copy_to<'c, Kind>(self, other: &Dynamo) -> RowCopy<'c>
    where
        Self::Row: CopiedRows<Kind>,
    {
        let query = self.query();
        let is_whole = is_whole_query(&query);
        let is_every_item = query.selection.options.every_item;
        let entity = <Self::Row as CopiedRows<Kind>>::copied_entity().0;
        let (left_out, query) = counting_others(Query::of_selection(query.selection, query.read));
        let rows = JobRows::of_query(query);
        RowCopy {
            left_out,
            is_whole,
            is_every_item,
            target: CopyTarget::new(entity, rows.query_source()),
            rows,
            other: other.clone(),
            concurrency: CONCURRENCY,
            rate: None,
            budget: RetryBudget::default(),
            failures: FAILURES,
            progress: None,
            checkpoint: None,
        }
    }
}

impl<Q: QueryExt> CopyExt for Q {}

/// A copy before it runs; see [`copy_to`](CopyExt::copy_to) and [the guide](crate::guide::copying).
///
/// | | default | |
/// |---|---|---|
/// | personal data | copied as it is | [`masked`](Self::masked): pseudonyms |
/// | an item with the same key and other attributes exists | the row fails | [`replace`](Self::replace) |
///
/// Each item has the same attributes as its row. Rows of an entity with unique values are written in a transaction with
/// the items of these values.
///
/// If the target already stores an item with the same key and the same attributes, the row is counted in `unchanged` and
/// does not fail. Therefore you can run a copy again after any crash. If items of its unique values are missing, the copy of an
/// entity writes them and counts the row in `written`. If you drop the future before the end, some of the items may be stored.
#[must_use = "nothing happens until `.send(&db)`"]
pub struct RowCopy<'c> {
    pub(super) rows: JobRows,
    pub(super) left_out: Arc<AtomicU64>,
    pub(super) is_whole: bool,
    pub(super) is_every_item: bool,
    pub(super) target: CopyTarget,
    pub(super) other: Dynamo,
    pub(super) concurrency: usize,
    pub(super) rate: Option<u32>,
    pub(super) budget: RetryBudget,
    pub(super) failures: usize,
    pub(super) progress: Option<OnCopyProgress<'c>>,
    pub(super) checkpoint: Option<Box<dyn Checkpoint + 'c>>,
}

pub(super) type OnCopyProgress<'c> = Box<dyn FnMut(&CopyCounts) + Send + 'c>;

impl<'c> RowCopy<'c> {
    /// Replaces the values of [`personal`](crate::guide::copying#test-data-from-production) fields by pseudonyms. Keys and
    /// unique values are built from the pseudonyms.
    ///
    /// A row with an attribute for which its entity has no field fails, unless the entity has a `rest` field or you call
    /// [`drop_unknown`](Self::drop_unknown). A copy of a table needs each of its [entities](Self::entity), and omits items
    /// that belong to none of them.
    pub fn masked(mut self, mask: Mask) -> Self {
        self.target.mask = Some(mask);
        self
    }

    /// Names an entity of the table, for a masked copy of [all items](crate::schema::TableSchema::scan_items). In other copies, it
    /// would have no effect, so it is an error.
    pub fn entity<E: DynamoEntity>(mut self) -> Self {
        self.target.entities.push(CopiedEntity::of::<E>());
        self
    }

    /// Copies items that belong to no entity as they are, although the copy is masked. They may contain personal data. It is an
    /// error in a copy of one entity, and in one that is not masked.
    pub fn copy_others(mut self) -> Self {
        self.target.mode.copies_others = true;
        self
    }

    /// Omits attributes for which the entity has no field from a masked copy. Without this setting, such a row fails.
    pub fn drop_unknown(mut self) -> Self {
        self.target.mode.drops_unknown = true;
        self
    }

    /// Replaces items with the same keys, whatever they contain.
    pub fn replace(mut self) -> Self {
        self.target.mode.replaces = true;
        self
    }

    /// Sets the number of concurrent writes; 8 by default.
    pub fn concurrency(mut self, writes: usize) -> Self {
        self.concurrency = writes.max(1);
        self
    }

    /// Sets the maximum number of writes per second; at least one.
    pub fn rate(mut self, writes_per_second: u32) -> Self {
        self.rate = Some(writes_per_second);
        self
    }

    /// Sets how long the copy waits if DynamoDB is too busy, in addition to the retries of the SDK client. If DynamoDB
    /// stays busy, the copy stops.
    pub fn budget(mut self, budget: RetryBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the number of rows that may fail; 1000 by default. With more, the copy stops after the portion, and
    /// [`stopped`](super::CopyReport::stopped) has the kind [`RowsFailed`](crate::error::ErrorKind::RowsFailed).
    pub fn max_failures(mut self, rows: usize) -> Self {
        self.failures = rows;
        self
    }

    /// Calls the function with the counts after each portion of rows.
    pub fn on_progress(mut self, tell: impl FnMut(&CopyCounts) + Send + 'c) -> Self {
        self.progress = Some(Box::new(tell));
        self
    }

    /// Saves the position after each portion of rows, for example in a [`FileCheckpoint`](crate::bulk::FileCheckpoint).
    /// The next run with the same query, tables and settings continues there; the checkpoint of another copy is an error of
    /// kind [`Checkpoint`](crate::error::ErrorKind::Checkpoint). A completed copy does nothing when you run it again.
    pub fn checkpoint(mut self, store: impl Checkpoint + 'c) -> Self {
        self.checkpoint = Some(Box::new(store));
        self
    }
}

/// Names the entity.
impl fmt::Debug for RowCopy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowCopy({})", self.target.rows_name())
    }
}
