//! Many items by their keys, through `BatchGetItem`.
//!
//! ```text
//! keys, each of a frame: a table and how it is asked     WantedKey
//!   -> each once                                          distinct
//!   -> 100 in a request, a table in one frame             chunks
//!   -> asked, and what is left out asked again            Chunk
//!   -> in the order of the keys                           read
//! ```

mod chunk;
mod request;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;

use super::query::Meter;
use super::retry_budget::{Patience, RetryBudget};
use super::together::{CONCURRENCY, as_they_come};
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::key::point::KeyPoint;
use crate::wire::Request;

use chunk::chunks;

/// The keys of one request.
pub(super) const BATCH: usize = 100;

/// The values of a primary key, the partition's first.
pub(super) type PrimaryKey = Vec<KeyPoint>;

/// A key, and the number of the frame that it is asked in.
pub(super) type WantedKey = (usize, PrimaryKey);

/// What one table is asked, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) entity: &'static str,
    /// The table's full name.
    pub(super) table: String,
    /// The attributes of the primary key.
    pub(super) names: Vec<&'static str>,
    /// What goes beside the keys, each member behind a comma.
    pub(super) options: Vec<u8>,
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
pub(super) type Found = Result<Option<Bytes>>;

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
        let chunks = chunks(&self.frames, distinct(wanted));
        let reads = chunks.into_iter().map(|keys| self.chunk(keys, &patience));
        let reads: Vec<_> = reads.collect();
        let mut items = HashMap::new();
        let mut failed = HashMap::new();
        let mut fatal = None;
        as_they_come(reads, self.concurrency, |read| {
            items.extend(read.items);
            for (keys, error) in read.failed {
                if failing == Failing::Together {
                    fatal = Some(error);
                    return ControlFlow::Break(());
                }
                failed.extend(keys.into_iter().map(|key| (key, error.again())));
            }
            ControlFlow::Continue(())
        })
        .await;
        if let Some(error) = fatal {
            return Err(error);
        }
        Ok(in_order(wanted, &items, &failed))
    }

    /// The first requests, one for each chunk.
    pub(super) fn requests(&self, wanted: &[WantedKey]) -> Vec<Request> {
        let chunks = chunks(&self.frames, distinct(wanted)).into_iter();
        chunks.map(|keys| self.request(&keys)).collect()
    }
}

fn distinct(wanted: &[WantedKey]) -> Vec<&WantedKey> {
    let mut seen = HashSet::with_capacity(wanted.len());
    let wanted = wanted.iter();
    wanted.filter(|wanted| seen.insert(*wanted)).collect()
}

fn in_order(
    wanted: &[WantedKey],
    items: &HashMap<WantedKey, Bytes>,
    failed: &HashMap<&WantedKey, Error>,
) -> Vec<Found> {
    let found = |wanted| match failed.get(wanted) {
        Some(error) => Err(error.again()),
        None => Ok(items.get(wanted).cloned()),
    };
    wanted.iter().map(found).collect()
}
