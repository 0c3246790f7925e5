//! One of the writes that were given, until it is done.

use std::time::Instant;

use bytes::Bytes;

use super::{Failure, Tools, Trouble, failed, marked, own, pause_write, read, row, sort};
use crate::error::{Error, Result};
use crate::request::bulk::checkpoint::refused;
use crate::request::bulk::mark::Mark;
use crate::request::bulk::report::Fate;
use crate::request::bulk::run::Waiting;
use crate::request::retry_budget::Rounds;
use crate::request::unique::{Intent, Joint, Setback};

/// The attempts at a write.
pub(in crate::request::bulk) struct Given<'a> {
    tools: &'a Tools<'a>,
    number: u64,
    key: &'a [u8],
    entity: &'static str,
    table: String,
    intent: Intent,
    mark: Option<Mark>,
    /// It failed in an earlier run.
    is_again: bool,
    /// And was another write then.
    is_moved: bool,
    /// An attempt before may have taken effect.
    was_unknown: bool,
    races: Rounds<'a>,
    busy: Rounds<'a>,
}

impl<'a> Given<'a> {
    /// Sends it.
    pub(in crate::request::bulk) async fn write(
        tools: &'a Tools<'a>,
        waiting: Waiting,
    ) -> Result<Fate, Trouble> {
        let (number, is_moved) = (waiting.write.number, waiting.write.is_moved());
        let fail = |error| failed(b"{}", Some(number), error);
        let prepared = *waiting.write.prepared.map_err(fail)?;
        let key = prepared.key.map_err(fail)?;
        if let Some(earlier) = waiting.held_by {
            return Err(failed(&key, Some(number), held(earlier, prepared.entity)));
        }
        let mark = tools.mark.as_ref().map(|mark| mark.of_write(number));
        let given = Given {
            tools,
            number,
            key: &key,
            entity: prepared.entity,
            table: tools.db.table_name(prepared.table.name),
            intent: prepared.intent,
            mark,
            is_again: waiting.is_again,
            is_moved,
            was_unknown: false,
            races: tools.races.rounds(),
            busy: tools.patience.rounds(),
        };
        given.attempts().await
    }

    async fn attempts(mut self) -> Result<Fate, Trouble> {
        let mut stored = self.read().await?;
        loop {
            if let Some(fate) = self.told(stored.as_ref())? {
                return Ok(fate);
            }
            let joint = self.plan(stored.as_ref());
            let joint = joint.map_err(|error| self.failed(error))?;
            let is_told = self.mark.is_some() && !joint.is_delete();
            self.tools.turn().await;
            let (began, is_resent) = (Instant::now(), joint.is_resent());
            let error = match joint.send(self.tools.db).await {
                Ok(None) => return Ok(Fate::Written),
                Ok(Some((current, error))) => {
                    let current = self.confirmed(current).await?;
                    if let Some(fate) = self.told(current.as_ref())? {
                        return Ok(fate);
                    }
                    let setback = (current, error);
                    stored = self.lost(stored.as_ref(), setback, began).await?;
                    continue;
                }
                Err(error) => error,
            };
            match sort(&error) {
                // A delete leaves no mark that would tell.
                Failure::Unknown if is_told => {
                    self.was_unknown = true;
                    self.busy.in_vain();
                    if !self.busy.another(began.elapsed()).await {
                        return Err(self.failed(error));
                    }
                    stored = self.read().await?;
                }
                Failure::Busy | Failure::Lasting => {
                    let row = (self.key, Some(self.number));
                    let may_be_done = is_resent || self.was_unknown;
                    pause_write(&mut self.busy, began, error, row, may_be_done).await?;
                }
                Failure::Unknown | Failure::Own => return Err(self.failed(error)),
            }
        }
    }

    /// What is stored, where it matters. Alone with itself, for a plan is not shared between threads.
    async fn read(&mut self) -> Result<Option<Bytes>, Trouble> {
        match self.intent {
            Intent::Ready(_) if !self.is_again => Ok(None),
            Intent::Ready(_) | Intent::Reading(_) => self.look().await,
        }
    }

    async fn look(&mut self) -> Result<Option<Bytes>, Trouble> {
        let number = Some(self.number);
        read(self.tools, self.entity, &self.table, self.key, number).await
    }

    /// The item whose condition did not hold. There are servers that send none, and its mark has to be seen.
    async fn confirmed(&mut self, current: Option<Bytes>) -> Result<Option<Bytes>, Trouble> {
        match current {
            None if self.mark.is_some() => self.look().await,
            current => Ok(current),
        }
    }

    fn plan(&self, stored: Option<&Bytes>) -> Result<Joint> {
        let joint = match &self.intent {
            Intent::Ready(joint) => joint.again(),
            Intent::Reading(write) => write.plan_on(stored, self.tools.db)?,
        };
        match &self.mark {
            Some(mark) => marked(joint, mark),
            None => Ok(joint),
        }
    }

    /// What the item tells of this write, if it was done before. It has the mark of the last one of the job, and
    /// those of one item are done in their order. One that failed as another write has no place in it any more where
    /// later ones were done then.
    fn told(&self, item: Option<&Bytes>) -> Result<Option<Fate>, Trouble> {
        let mark = self.mark.as_ref().zip(item);
        match mark.and_then(|(mark, item)| mark.last_on(item)) {
            Some(last) if last > self.number && self.is_moved => {
                let error = overtaken(last, self.entity);
                Err(Trouble::Overtaken(row(self.key, Some(self.number), error)))
            }
            Some(last) if last >= self.number => Ok(Some(own(self.was_unknown))),
            _ => Ok(None),
        }
    }

    /// The condition does not hold. Where that is one of the library's, on what it read, the write is planned again
    /// on what is there now.
    async fn lost(
        &mut self,
        stored: Option<&Bytes>,
        (current, error): Setback,
        began: Instant,
    ) -> Result<Option<Bytes>, Trouble> {
        let is_race = match &self.intent {
            Intent::Ready(_) => false,
            Intent::Reading(write) => !write.is_as_read(stored, current.as_ref()),
        };
        self.races.in_vain();
        if !is_race || !self.races.another(began.elapsed()).await {
            return Err(self.failed(error));
        }
        Ok(current)
    }

    fn failed(&self, error: Error) -> Trouble {
        failed(self.key, Some(self.number), error)
    }
}

fn held(earlier: u64, entity: &'static str) -> Error {
    refused(format!(
        "an earlier write of this item, number {earlier} of the input, failed and is tried again by the next run: this one waits for it, so that they take effect in their order"
    ))
    .of(entity)
}

fn overtaken(last: u64, entity: &'static str) -> Error {
    refused(format!(
        "a later write of this item, number {last} of the input, was done when this one had failed: their order cannot be kept any more, so do this one by itself"
    ))
    .of(entity)
}
