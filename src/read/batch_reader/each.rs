//! Hands items over as they come, so that neither answers nor keys wait for the last one.

use std::ops::ControlFlow;

use super::frame::{BatchReader, Failing, FoundItem};
use super::key_list::{KeyChunk, KeyList, Twin};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::read::RawRow;
use crate::retry::{SharedBudget, as_they_come};
use crate::wire::{BoxFuture, Request};

/// Takes the items of keys, each with the number of its key, in any order. A key without an item is not named.
pub(crate) trait FoundSink: Send {
    fn take_found(&mut self, number: usize, found: FoundItem, now: Timestamp);
}

/// The items by the numbers of their keys; `None` for a missing item.
impl FoundSink for Vec<FoundItem> {
    fn take_found(&mut self, number: usize, found: FoundItem, _: Timestamp) {
        if let Some(place) = self.get_mut(number) {
            *place = found;
        }
    }
}

/// The items of a chunk and the keys that failed, by the numbers of the keys.
struct NumberedRead {
    items: Vec<(usize, RawRow)>,
    failed: Vec<(Vec<usize>, Error)>,
}

impl BatchReader {
    /// The items of these keys, in their order; `None` for a missing item.
    pub(crate) async fn read_keys(
        &self,
        keys: KeyList,
        failing: Failing,
    ) -> Result<Vec<FoundItem>> {
        let mut found: Vec<FoundItem> = (0..keys.len()).map(|_| Ok(None)).collect();
        self.read_each(keys, failing, &mut found).await?;
        Ok(found)
    }

    /// The first requests, one for each chunk.
    pub(crate) fn build_requests(&self, keys: KeyList) -> Vec<Request> {
        let twins = keys.find_twins();
        let chunks = keys.into_chunks(&twins, &self.frames).into_iter();
        let requests = chunks.map(|chunk| self.chunk_request(&chunk.numbered_keys()));
        requests.collect()
    }

    /// Hands over the items of these keys. A key that comes twice is requested once. The keys and the answer of each
    /// request are dropped when the items of it were handed over.
    pub(crate) async fn read_each(
        &self,
        keys: KeyList,
        failing: Failing,
        sink: &mut dyn FoundSink,
    ) -> Result<()> {
        let twins = keys.find_twins();
        let chunks = keys.into_chunks(&twins, &self.frames).into_iter();
        let shared_budget = SharedBudget::new(self.budget);
        let reads = chunks.map(|chunk| self.own_chunk(chunk, &shared_budget));
        let mut fatal = None;
        // Responses are handed over in any order: waiting for the first would keep those after it
        // in memory.
        as_they_come(reads, self.concurrency, |read| {
            let now = self.db.now();
            for (number, item) in read.items {
                for again in equal_keys(&twins, number) {
                    sink.take_found(again, Ok(Some(item.clone())), now);
                }
                sink.take_found(number, Ok(Some(item)), now);
            }
            for (numbers, error) in read.failed {
                if failing == Failing::Together {
                    fatal = Some(error);
                    // Dropping the other requests saves their cost, because the caller gets only
                    // the error.
                    return ControlFlow::Break(());
                }
                for number in numbers {
                    for again in equal_keys(&twins, number).chain([number]) {
                        sink.take_found(again, Err(error.again()), now);
                    }
                }
            }
            ControlFlow::Continue(())
        })
        .await;
        fatal.map_or(Ok(()), Err)
    }

    fn own_chunk<'a>(
        &'a self,
        chunk: KeyChunk,
        shared_budget: &'a SharedBudget,
    ) -> BoxFuture<'a, NumberedRead> {
        Box::pin(async move {
            let read = self.until_read(chunk.numbered_keys(), shared_budget).await;
            let failed = read.failed.into_iter().map(|(keys, error)| {
                let numbers = keys.iter().map(|key| key.number);
                (numbers.collect(), error)
            });
            NumberedRead {
                items: read.items,
                failed: failed.collect(),
            }
        })
    }
}

/// The numbers under which the key with this number comes again.
fn equal_keys(twins: &[Twin], number: usize) -> impl Iterator<Item = usize> {
    let start = twins.partition_point(|(first, _)| *first < number);
    let twins = twins.get(start..).unwrap_or_default().iter();
    let twins = twins.take_while(move |(first, _)| *first == number);
    twins.map(|(_, again)| *again)
}
