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

use super::query::Meter;
use super::raw_row::{RawRow, ReadAhead};
use super::retry_budget::{Patience, RetryBudget};
use super::together::{CONCURRENCY, as_they_come};
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::key::json::KeyJson;
use crate::wire::Request;

use chunk::chunks;

/// The keys of one request.
pub(super) const BATCH: usize = 100;

/// A key, and the number of the frame that it is asked in.
pub(super) type WantedKey = (usize, KeyJson);

/// What one table is asked, and how.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) entity: &'static str,
    /// The table's full name.
    pub(super) table: String,
    /// The attributes of the primary key.
    pub(super) names: Vec<&'static str>,
    /// What goes beside the keys, each member behind a comma.
    pub(super) options: Vec<u8>,
    /// How its items are read as they come.
    pub(super) ahead: Option<ReadAhead>,
}

impl Frame {
    /// Whether both ask the same table in the same way, so that their keys go together.
    pub(super) fn is_like(&self, other: &Frame) -> bool {
        self.table == other.table && self.options == other.options
    }
}

/// Where items are read, and how.
#[derive(Debug, Clone)]
pub(super) struct BatchGet {
    pub(super) db: Dynamo,
    pub(super) frames: Vec<Frame>,
    pub(super) budget: RetryBudget,
    pub(super) concurrency: usize,
    /// What is taken, where somebody asks.
    pub(super) meter: Option<Arc<Meter>>,
}

/// What becomes of keys whose request fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failing {
    /// The first failure ends the read.
    Together,
    /// Each of them has the error, and the others are read.
    Apart,
}

/// What is there under a key, or why nobody knows.
pub(super) type Found = Result<Option<RawRow>>;

/// A key that is asked for, and its number among all of them.
#[derive(Debug, Clone, Copy)]
struct Numbered<'k> {
    number: usize,
    frame: usize,
    key: &'k KeyJson,
}

impl BatchGet {
    /// Of one table.
    pub(super) fn of(db: Dynamo, frame: Frame) -> Self {
        BatchGet {
            db,
            frames: vec![frame],
            budget: RetryBudget::default(),
            concurrency: CONCURRENCY,
            meter: None,
        }
    }

    pub(super) fn with_meter(mut self, meter: Option<Arc<Meter>>) -> Self {
        self.meter = meter;
        self
    }

    /// The items of these keys, in their order; `None` for one that is not there. A key that comes twice
    /// is asked for once.
    pub(super) async fn read(&self, wanted: &[WantedKey], failing: Failing) -> Result<Vec<Found>> {
        let patience = Patience::new(self.budget);
        let (keys, numbers) = distinct(wanted);
        let mut found: Vec<Found> = keys.iter().map(|_| Ok(None)).collect();
        let chunks = chunks(&self.frames, keys);
        let reads = chunks.into_iter().map(|keys| self.chunk(keys, &patience));
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
    pub(super) fn requests(&self, wanted: &[WantedKey]) -> Vec<Request> {
        let chunks = chunks(&self.frames, distinct(wanted).0).into_iter();
        chunks.map(|keys| self.request(&keys)).collect()
    }
}

fn put(all: &mut [Found], number: usize, found: Found) {
    if let Some(place) = all.get_mut(number) {
        *place = found;
    }
}

/// Each key once, and the numbers under which those that are wanted stand there.
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

fn in_order(found: Vec<Found>, numbers: &[usize]) -> Vec<Found> {
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
