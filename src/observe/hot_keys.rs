//! The most accessed partitions.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::space_saving::{TopCounter, TopSketch};
use super::{PartitionKey, Pattern, RequestEvent};

/// The default number of counted partitions: 64 KB.
const PARTITIONS: usize = 256;
/// The maximum number of known tables. A program has few; one with a prefix for each of many tenants has more.
const TABLES: usize = 64;
/// The number of bytes of a key that are kept.
const LONGEST: usize = 96;

/// Finds the most accessed partitions, in memory of a fixed size, 64 KB by default.
///
/// Accesses are counted by pattern and partition, so a partition that several operations access is listed several
/// times. DynamoDB throttles their sum.
///
/// Every partition with more than one in 256 accesses has a counter. The counter may be too high, by at most the
/// error that it shows. The keys of the partitions that have counters are kept, and returned if you request them:
/// they are values. Clones share their counts.
///
/// ```
/// use dynamo_entity::observe::HotKeys;
/// use dynamo_entity::prelude::*;
///
/// #[derive(DynamoEntity)]
/// #[dynamo(table = "orders", key(pk = "CUSTOMER#{customer}", sk = number))]
/// struct Order { customer: String, number: u32 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let hot = HotKeys::default();
/// let db = Dynamo::connect("embedded:memory").await?.with_observer(hot.observer());
/// db.create_tables([Order::schema()]).await?;
/// for number in 0..10 {
///     let customer = if number < 8 { "ann" } else { "bob" }.to_owned();
///     Order { customer, number }.put().send(&db).await?;
/// }
/// let hottest = &hot.hottest(1)[0];
/// assert_eq!((hottest.pattern.to_string().as_str(), &*hottest.partition), ("Order.put", "CUSTOMER#ann"));
/// assert_eq!((hottest.at_least, hottest.at_most), (8, 8));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct HotKeys(Arc<Mutex<HotCounts>>);

/// A frequently accessed partition.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HotPartition {
    /// The pattern that accesses it.
    pub pattern: &'static Pattern,
    /// The table's full name.
    pub table: Arc<str>,
    /// The index, if it is a partition of one.
    pub index: Option<&'static str>,
    /// The key of the partition, truncated to 96 bytes. It is a value.
    pub partition: Box<str>,
    /// The minimum number of accesses.
    pub at_least: u64,
    /// The maximum number of accesses.
    pub at_most: u64,
}

struct HotCounts {
    sketch: TopSketch<HotKey>,
    tables: Vec<TableName>,
    most: usize,
}

/// A table, and its partition key once a request has shown it.
struct TableName {
    name: Arc<str>,
    pk: Option<&'static str>,
}

struct HotKey {
    pattern: &'static Pattern,
    table: Arc<str>,
    index: Option<&'static str>,
    partition: Box<str>,
}

impl Default for HotKeys {
    fn default() -> Self {
        HotKeys::with_partitions(PARTITIONS)
    }
}

impl HotKeys {
    /// Counts this many partitions, at about a quarter of a kilobyte each. The more there are, the fewer accesses
    /// make a partition hot.
    pub fn with_partitions(partitions: usize) -> Self {
        HotKeys(Arc::new(Mutex::new(HotCounts::new(partitions))))
    }

    /// Returns the observer, for [`with_observer`](crate::Dynamo::with_observer).
    pub fn observer(&self) -> impl Fn(&RequestEvent<'_>) + Send + Sync + 'static + use<> {
        let hot = self.clone();
        move |seen| hot.lock_counts().add_request(seen)
    }

    /// Returns the hottest partitions of all patterns, the hottest first, up to this number.
    pub fn hottest(&self, partitions: usize) -> Vec<HotPartition> {
        self.lock_counts().hottest_partitions(partitions, |_| true)
    }

    /// Returns the hottest partitions of one pattern, given by its displayed name: `Order.by_status`.
    pub fn hottest_of(&self, pattern: &str, partitions: usize) -> Vec<HotPartition> {
        self.lock_counts()
            .hottest_partitions(partitions, |own| own.to_string() == pattern)
    }

    /// Returns the hottest partitions since the last call. Starts again from zero, and keeps no key.
    pub fn take(&self, partitions: usize) -> Vec<HotPartition> {
        let mut counts = self.lock_counts();
        let next = HotCounts::new(counts.most);
        std::mem::replace(&mut *counts, next).hottest_partitions(partitions, |_| true)
    }

    fn lock_counts(&self) -> MutexGuard<'_, HotCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HotCounts {
    fn new(most: usize) -> Self {
        HotCounts {
            sketch: TopSketch::new(most),
            tables: Vec::new(),
            most,
        }
    }

    fn add_request(&mut self, seen: &RequestEvent<'_>) {
        // A put of an untyped item does not show its partition key. Other requests for the table
        // do, so their name is kept.
        if let Some(pk) = seen.pattern.partition.named() {
            let at = self.table_number(seen.table);
            if let Some(known) = at.and_then(|at| self.tables.get_mut(at)) {
                known.pk = Some(pk);
            }
        }
        let tables = &self.tables;
        let known = |table: &str| {
            let known = tables.iter().find(|known| *known.name == *table);
            known.and_then(|known| known.pk)
        };
        for key in seen.known_partitions(&known) {
            self.count_key(seen.pattern, &key);
        }
    }

    fn count_key(&mut self, pattern: &'static Pattern, key: &PartitionKey<'_>) {
        let mut id = DefaultHasher::new();
        (pattern, key.table(), key.index()).hash(&mut id);
        for bytes in key.bytes() {
            bytes.hash(&mut id);
        }
        let at = self.table_number(key.table());
        let name = at.and_then(|at| self.tables.get(at));
        let name = name.map(|table| &table.name);
        self.sketch.add_id(id.finish(), || HotKey {
            pattern,
            table: name.cloned().unwrap_or_else(|| key.table().into()),
            index: key.index(),
            partition: cut_text(&key.text()).into(),
        });
    }

    /// The position of a table among the known ones.
    fn table_number(&mut self, name: &str) -> Option<usize> {
        let known = self.tables.iter().position(|table| *table.name == *name);
        // Table names may come from tenants, so their number is bounded like that of the
        // partitions.
        if known.is_some() || self.tables.len() == TABLES {
            return known;
        }
        let (name, pk) = (name.into(), None);
        self.tables.push(TableName { name, pk });
        Some(self.tables.len() - 1)
    }

    fn hottest_partitions(
        &self,
        most: usize,
        wanted: impl Fn(&Pattern) -> bool,
    ) -> Vec<HotPartition> {
        let top = self.sketch.top_counters().into_iter();
        let top = top.filter(|counter| wanted(counter.what.pattern));
        top.take(most).map(HotPartition::of_counter).collect()
    }
}

impl HotPartition {
    fn of_counter(counter: &TopCounter<HotKey>) -> Self {
        HotPartition {
            pattern: counter.what.pattern,
            table: counter.what.table.clone(),
            index: counter.what.index,
            partition: counter.what.partition.clone(),
            at_least: counter.count - counter.over,
            at_most: counter.count,
        }
    }
}

/// Its first bytes, whole characters.
fn cut_text(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST))
        .unwrap_or(text)
}

/// Leaves the keys out.
impl fmt::Debug for HotPartition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HotPartition")
            .field("pattern", &self.pattern)
            .field("table", &self.table)
            .field("index", &self.index)
            .field("at_least", &self.at_least)
            .field("at_most", &self.at_most)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for HotKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HotKeys")
    }
}

#[cfg(test)]
mod tests;
