//! Returns the next request, and takes the response to a request.

use std::time::Duration;

use super::entry::ReaderEntry;
use super::pace::ReaderTime;
use super::reader::ShardReader;
use crate::error::Result;
use crate::streams::position::ShardId;
use crate::streams::shard_api::{IteratorStart, StreamAnswer, StreamRequest};

/// The next action of the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::streams) enum ReaderStep {
    Send(StreamRequest),
    /// Waits until this time, or for the response to a request that was sent.
    WaitUntil(Duration),
    /// Waits for the response to a request that was sent.
    Await,
    /// The stream is switched off, and all of it has been read.
    Ended,
}

impl ShardReader {
    /// The next action. A request that is returned counts as sent.
    pub(in crate::streams) fn next_step(&mut self, time: ReaderTime) -> ReaderStep {
        let now = time.now;
        if !self.survey.is_awaited && self.survey.due <= now {
            return ReaderStep::Send(self.survey.next_request(time));
        }
        let probed = self
            .missing
            .iter_mut()
            .find(|(_, parent)| parent.is_due && !parent.is_awaited);
        if let Some((id, parent)) = probed {
            (parent.is_due, parent.is_awaited) = (false, true);
            let (shard, start) = (id.clone(), IteratorStart::Oldest);
            return ReaderStep::Send(StreamRequest::Iterator { shard, start });
        }
        let next = self
            .queue
            .first()
            .filter(|_| self.survey.is_complete)
            .cloned();
        if let Some((due, id)) = &next
            && *due <= now
        {
            self.queue.pop_first();
            if let Some(request) = self.request_of(id) {
                return ReaderStep::Send(request);
            }
        }
        if self.is_ended(now) {
            return ReaderStep::Ended;
        }
        let survey = (!self.survey.is_awaited).then_some(self.survey.due);
        let due = next.map(|(due, _)| due).into_iter().chain(survey).min();
        due.map_or(ReaderStep::Await, ReaderStep::WaitUntil)
    }

    fn request_of(&mut self, id: &ShardId) -> Option<StreamRequest> {
        let shard = self.shards.get_mut(id)?;
        shard.is_awaited = true;
        let (id, start) = (id.clone(), shard.iterator_start());
        Some(match &shard.iterator {
            Some(iterator) => StreamRequest::Records {
                shard: id,
                iterator: iterator.clone(),
            },
            None => StreamRequest::Iterator { shard: id, start },
        })
    }

    /// Takes the response to a request, and appends entries to the log. Fails if the stream cannot be read any further.
    pub(in crate::streams) fn take_answer(
        &mut self,
        request: &StreamRequest,
        answer: Result<StreamAnswer>,
        time: ReaderTime,
        log: &mut Vec<ReaderEntry>,
    ) -> Result<()> {
        let id = match request {
            StreamRequest::Describe { after } => {
                self.survey.is_awaited = false;
                return match answer {
                    Ok(StreamAnswer::Described(page)) => {
                        self.take_page(after.as_ref(), page, time, log)
                    }
                    Ok(_) => Ok(()),
                    Err(error) => self.survey.take_failure(error, time),
                };
            }
            StreamRequest::Iterator { shard: id, .. }
            | StreamRequest::Records { shard: id, .. } => id,
        };
        if self.missing.get(id).is_some_and(|parent| parent.is_awaited) {
            self.take_probe(id, answer.map(|_| ()), time, log);
            return Ok(());
        }
        match self.shards.get_mut(id) {
            Some(shard) if shard.is_awaited => shard.is_awaited = false,
            _ => return Ok(()),
        }
        let taken = match answer {
            Ok(StreamAnswer::Iterator(iterator)) => {
                self.take_iterator(id, request, iterator, time);
                Ok(())
            }
            Ok(StreamAnswer::Records { records, next }) => {
                self.take_records(id, records, next, time, log);
                Ok(())
            }
            Ok(StreamAnswer::Described(_)) => Ok(()),
            Err(error) => self.take_failure(id, error, time, log),
        };
        self.enqueue(id);
        taken
    }
}
