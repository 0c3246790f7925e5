//! Many items by their keys, through `BatchGetItem`.
//!
//! ```text
//! keys, each of a frame: a table and how it is asked     WantedKey
//!   -> each once, with a number                           distinct
//!   -> 100 in a request, a table in one frame             chunks
//!   -> asked, and what is left out asked again            Chunk, at once behind an answer that brought something
//!   -> read as they come, told apart by their keys        answer
//!   -> in the order of the keys                           read
//! ```

mod answer;
mod chunk;
mod request;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::key::json::KeyJson;
use crate::read::{Meter, RawRow, ReadAhead};
use crate::retry::{CONCURRENCY, RetryBudget, SharedBudget, as_they_come};
use crate::schema::Pattern;
use crate::wire::Request;

use chunk::chunks;

/// The maximum number of keys in a request.
pub(crate) const BATCH: usize = 100;

/// A key, and the number of its frame.
pub(crate) type WantedKey = (usize, KeyJson);

/// The request for one table, without its keys.
#[derive(Debug, Clone)]
pub(crate) struct TableFrame {
    pub(crate) entity: &'static str,
    pub(crate) pattern: &'static Pattern,
    /// The table's full name.
    pub(crate) table: String,
    /// The attributes of the primary key.
    pub(crate) names: Vec<&'static str>,
    /// The members beside the keys in a request; each begins with a comma.
    pub(crate) options: Vec<u8>,
    /// How its items are decoded as they arrive.
    pub(crate) ahead: Option<ReadAhead>,
}

impl TableFrame {
    /// Whether both read the same table in the same form, so that their keys can share a request.
    pub(crate) fn is_like(&self, other: &TableFrame) -> bool {
        self.table == other.table && self.options == other.options
    }
}

/// The source and the form of the items.
#[derive(Debug, Clone)]
pub(crate) struct BatchGet {
    pub(crate) db: Dynamo,
    pub(crate) frames: Vec<TableFrame>,
    pub(crate) budget: RetryBudget,
    pub(crate) concurrency: usize,
    /// Counts the consumption of the reads, if it is needed.
    pub(crate) meter: Option<Arc<Meter>>,
}

/// The effect of a failed request on its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failing {
    /// The first failure ends the read.
    Together,
    /// Each of these keys has the error, and the others are read.
    Apart,
}

/// The item of a key, if it exists, or the reason why this is not known.
pub(crate) type FoundItem = Result<Option<RawRow>>;

/// A requested key, and its number among all of them.
#[derive(Debug, Clone, Copy)]
struct Numbered<'k> {
    number: usize,
    frame: usize,
    key: &'k KeyJson,
}

impl BatchGet {
    /// A read of one table.
    pub(crate) fn of(db: Dynamo, frame: TableFrame) -> Self {
        BatchGet {
            db,
            frames: vec![frame],
            budget: RetryBudget::default(),
            concurrency: CONCURRENCY,
            meter: None,
        }
    }

    pub(crate) fn with_meter(mut self, meter: Option<Arc<Meter>>) -> Self {
        self.meter = meter;
        self
    }

    /// The items of these keys, in their order; `None` for a missing item. A duplicate key is requested once.
    pub(crate) async fn read(
        &self,
        wanted: &[WantedKey],
        failing: Failing,
    ) -> Result<Vec<FoundItem>> {
        let shared_budget = SharedBudget::new(self.budget);
        let (keys, numbers) = distinct(wanted);
        let mut found: Vec<FoundItem> = keys.iter().map(|_| Ok(None)).collect();
        let chunks = chunks(&self.frames, keys);
        let reads = chunks
            .into_iter()
            .map(|keys| self.chunk(keys, &shared_budget));
        let reads: Vec<_> = reads.collect();
        let mut fatal = None;
        as_they_come(reads, self.concurrency, |read| {
            for (number, item) in read.items {
                put(&mut found, number, Ok(Some(item)));
            }
            for (keys, error) in read.failed {
                if failing == Failing::Together {
                    fatal = Some(error);
                    return ControlFlow::Break(());
                }
                for key in keys {
                    put(&mut found, key.number, Err(error.again()));
                }
            }
            ControlFlow::Continue(())
        })
        .await;
        match fatal {
            Some(error) => Err(error),
            None => Ok(in_order(found, &numbers)),
        }
    }

    /// The first requests, one for each chunk.
    pub(crate) fn requests(&self, wanted: &[WantedKey]) -> Vec<Request> {
        let chunks = chunks(&self.frames, distinct(wanted).0).into_iter();
        chunks.map(|keys| self.request(&keys)).collect()
    }
}

fn put(all: &mut [FoundItem], number: usize, found: FoundItem) {
    if let Some(place) = all.get_mut(number) {
        *place = found;
    }
}

/// Each key once, and for each wanted key its number in that list.
fn distinct(wanted: &[WantedKey]) -> (Vec<Numbered<'_>>, Vec<usize>) {
    let mut seen = HashMap::with_capacity(wanted.len());
    let mut keys = Vec::with_capacity(wanted.len());
    let numbers = wanted.iter().map(|wanted| {
        *seen.entry(wanted).or_insert_with(|| {
            let (frame, key) = (wanted.0, &wanted.1);
            let number = keys.len();
            keys.push(Numbered { number, frame, key });
            number
        })
    });
    let numbers = numbers.collect();
    (keys, numbers)
}

fn in_order(found: Vec<FoundItem>, numbers: &[usize]) -> Vec<FoundItem> {
    if found.len() == numbers.len() {
        return found;
    }
    let found = |number: &usize| match found.get(*number) {
        Some(Ok(item)) => Ok(item.clone()),
        Some(Err(error)) => Err(error.again()),
        None => Ok(None),
    };
    numbers.iter().map(found).collect()
}
