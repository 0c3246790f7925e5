//! The keys of one request, requested until all of them are answered.

use std::time::Instant;

use super::frame::{BatchReader, Numbered};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::read::{Answered, RawRow, RequestCost};
use crate::retry::SharedBudget;
use crate::wire::BoxFuture;

/// The result for the keys of a chunk. Keys without an item are not listed.
#[derive(Default)]
pub(super) struct ChunkRead<'k> {
    /// The items, with the numbers of their keys.
    pub(super) items: Vec<(usize, RawRow)>,
    pub(super) failed: Vec<(Vec<Numbered<'k>>, Error)>,
}

impl BatchReader {
    /// The items of these keys, with as many requests as needed.
    pub(super) fn read_chunk<'a, 'k: 'a>(
        &'a self,
        keys: Vec<Numbered<'k>>,
        shared_budget: &'a SharedBudget,
    ) -> BoxFuture<'a, ChunkRead<'k>> {
        Box::pin(self.until_read(keys, shared_budget))
    }

    pub(super) async fn until_read<'k>(
        &self,
        keys: Vec<Numbered<'k>>,
        shared_budget: &SharedBudget,
    ) -> ChunkRead<'k> {
        let mut read = ChunkRead::default();
        let all = keys.len();
        let mut left = keys;
        let mut rounds = shared_budget.begin_rounds();
        while !left.is_empty() {
            let began = Instant::now();
            let error = match self.request_keys(&left, &mut read).await {
                Ok(unanswered) if unanswered.is_empty() => {
                    rounds.note_progress();
                    return read;
                }
                Ok(unanswered) => {
                    if unanswered.len() < left.len() {
                        rounds.note_progress();
                    } else {
                        rounds.in_vain();
                    }
                    left = unanswered;
                    None
                }
                // A read has no effect, so a request that broke off can be sent again like one that was rejected.
                Err(error) if error.is_throttled() || error.is_unavailable() => {
                    rounds.in_vain();
                    Some(error)
                }
                Err(error) => {
                    self.note_failure(left, error, shared_budget, &mut read)
                        .await;
                    return read;
                }
            };
            // DynamoDB also omits keys if the response has reached 16 MB. After progress the next request therefore
            // needs no pause.
            if !rounds.another_at_once() && !rounds.begin_another(began.elapsed()).await {
                let error =
                    error.unwrap_or_else(|| self.left_out(&left, all, &rounds.exhausted_reason()));
                read.failed.push((left, error));
                return read;
            }
        }
        read
    }

    /// A rejection may be about one table, so each table is requested alone before the error applies to all keys.
    async fn note_failure<'k>(
        &self,
        keys: Vec<Numbered<'k>>,
        error: Error,
        shared_budget: &SharedBudget,
        read: &mut ChunkRead<'k>,
    ) {
        let of_a_table = matches!(
            error.kind(),
            ErrorKind::TableNotFound | ErrorKind::AccessDenied | ErrorKind::Rejected
        );
        let parts = by_frame(&keys);
        if !of_a_table || parts.len() == 1 {
            read.failed.push((keys, error));
            return;
        }
        for part in parts {
            let again = self.read_chunk(part, shared_budget).await;
            read.items.extend(again.items);
            read.failed.extend(again.failed);
        }
    }

    /// Sends one request. Adds the items to those read before; returns the omitted keys.
    async fn request_keys<'k>(
        &self,
        keys: &[Numbered<'k>],
        read: &mut ChunkRead<'k>,
    ) -> Result<Vec<Numbered<'k>>> {
        let entity = self.entity_of(keys);
        let name = |error: Error| match entity {
            Some(entity) => error.of(entity),
            None => error,
        };
        let turn = match &self.meter {
            Some(meter) => meter.wait_turn(Some(keys.len())).await,
            None => None,
        };
        let reply = self.db.call_service(self.chunk_request(keys)).await;
        let reply = reply.map_err(|failure| name(failure.error))?;
        let answered = Answered::from(reply);
        let answer = self.read_answer(&answered, keys);
        let answer = answer.map_err(|fault| name(answered.unreadable_answer(&fault)))?;
        if let Some(meter) = &self.meter {
            let bytes = answer.items.iter().map(|(_, item)| item.row_json().len());
            let took = RequestCost {
                units: answer.units,
                bytes: bytes.sum(),
                ..RequestCost::default()
            };
            meter.note_cost(turn, took);
        }
        read.items.extend(answer.items);
        Ok(answer.left)
    }

    /// The entity of these keys, if all have the same.
    fn entity_of(&self, keys: &[Numbered<'_>]) -> Option<&'static str> {
        let mut entities = keys
            .iter()
            .filter_map(|key| self.frames.get(key.frame))
            .map(|frame| frame.entity);
        let first = entities.next()?;
        entities.all(|other| other == first).then_some(first)
    }

    fn left_out(&self, left: &[Numbered<'_>], all: usize, reason: &str) -> Error {
        let message = format!("{} of {all} items were not read: {reason}", left.len());
        let error = Error::new(ErrorKind::Throttled, Stage::Service, message);
        match self.entity_of(left) {
            Some(entity) => error.of(entity),
            None => error,
        }
    }
}

fn by_frame<'k>(keys: &[Numbered<'k>]) -> Vec<Vec<Numbered<'k>>> {
    let mut parts: Vec<Vec<Numbered<'k>>> = Vec::new();
    for key in keys {
        let same = |part: &&mut Vec<Numbered<'_>>| {
            part.first().is_some_and(|first| first.frame == key.frame)
        };
        match parts.iter_mut().find(same) {
            Some(part) => part.push(*key),
            None => parts.push(vec![*key]),
        }
    }
    parts
}
