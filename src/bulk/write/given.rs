//! One given write, until it is done.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Instant;

use bytes::Bytes;

use super::values::UniqueRefill;
use super::{
    JobContext, RowError, RowFailure, classify, doubtful, failed, marked, own, pause_write, read,
    row,
};
use crate::bulk::checkpoint::state::refused;
use crate::bulk::input::Waiting;
use crate::bulk::mark::{JobMark, MarkedFate};
use crate::bulk::put::RestoredValues;
use crate::bulk::report::RowOutcome;
use crate::bulk::stray::StrayAttempt;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::plan::check;
use crate::retry::Rounds;
use crate::schema::{EntityDef, Pattern, TableDef};
use crate::write::{FailedCondition, Intent, PlannedWrite, is_same_item};

/// The attempts at a write.
pub(in crate::bulk) struct GivenWrite<'a> {
    /// The connection for the write itself, which is watched.
    db: &'a Dynamo,
    tools: &'a JobContext<'a>,
    number: u64,
    key: &'a [u8],
    entity: &'static str,
    pattern: &'static Pattern,
    table: String,
    table_def: &'static TableDef,
    intent: Intent,
    restored: Option<RestoredValues>,
    /// Whether its unique values were compared before, and the comparison failed.
    has_compared: bool,
    mark: Option<JobMark>,
    /// Whether it failed in an earlier run.
    is_again: bool,
    /// Whether an earlier attempt may have taken effect.
    was_unknown: bool,
    races: Rounds<'a>,
    busy: Rounds<'a>,
}

impl<'a> GivenWrite<'a> {
    /// Sends it. Its outcome comes with the attempt that had no answer, if there was one.
    pub(in crate::bulk) async fn write(
        tools: &'a JobContext<'a>,
        waiting: Waiting,
    ) -> (Result<RowOutcome, RowError>, Option<StrayAttempt>) {
        let number = waiting.write.number;
        // Only this write uses the watched connection, so a stray that it notes belongs to this
        // write.
        let (db, watch) = tools.db.watching_strays();
        let result = GivenWrite::write_by(&db, tools, waiting).await;
        let is_stray = watch.load(Ordering::Relaxed);
        let stray = is_stray.then(|| StrayAttempt::of_write(number, db.now()));
        (result, stray)
    }

    async fn write_by(
        db: &'a Dynamo,
        tools: &'a JobContext<'a>,
        waiting: Waiting,
    ) -> Result<RowOutcome, RowError> {
        let number = waiting.write.number;
        let prepared = *waiting.write.prepared;
        let (key, intent) = match (prepared.key, prepared.intent) {
            (Ok(key), intent) => (key, intent),
            (Err(_), Err(error)) | (Err(error), Ok(_)) => {
                return Err(failed(b"{}", Some(number), error));
            }
        };
        // A later write of the item was done in an earlier run. Doing this one now would restore an
        // older value.
        if let Some(last) = waiting.write.overtaken_by {
            let error = overtaken(last, prepared.entity);
            return Err(RowError::Overtaken(row(&key, Some(number), error)));
        }
        let intent = intent.map_err(|error| failed(&key, Some(number), error))?;
        if let Some(earlier) = waiting.held_by {
            return Err(failed(&key, Some(number), held(earlier, prepared.entity)));
        }
        if let Some(stray) = waiting.stray.filter(|stray| stray.may_arrive(db.now())) {
            let error = stray.in_the_way(prepared.entity);
            return Err(failed(&key, Some(number), error));
        }
        let mark = tools.mark.as_ref();
        let mark = mark.map(|mark| mark.of_write(number, waiting.done_before));
        let given = GivenWrite {
            db,
            tools,
            number,
            key: &key,
            entity: prepared.entity,
            pattern: prepared.pattern,
            table: tools.db.table_name(prepared.table.name),
            table_def: prepared.table,
            intent,
            restored: prepared.restored,
            has_compared: false,
            mark,
            is_again: waiting.is_again,
            was_unknown: false,
            races: tools.races.begin_rounds(),
            busy: tools.shared_budget.begin_rounds(),
        };
        given.attempts().await
    }

    async fn attempts(mut self) -> Result<RowOutcome, RowError> {
        // The mark in the item shows whether the lost attempt has taken effect.
        let mut stored = self.read().await?;
        loop {
            if let Some(fate) = self.told(stored.as_ref())? {
                return Ok(fate);
            }
            let planned_write = self.plan(stored.as_ref());
            let planned_write = planned_write.map_err(|error| self.refused(error))?;
            let is_told = self.mark.is_some() && !planned_write.is_delete();
            self.tools.turn().await;
            let (began, is_resent) = (Instant::now(), planned_write.is_resent());
            let error = match planned_write.send(self.db).await {
                Ok(None) => {
                    self.busy.note_progress();
                    self.races.note_progress();
                    return Ok(RowOutcome::Written);
                }
                Ok(Some((current, error))) => {
                    if let Some(fate) = self.told(current.as_ref())? {
                        return Ok(fate);
                    }
                    if let Some(item) = self.equal_item(current.as_ref()) {
                        match self.restore(&item, error).await? {
                            ControlFlow::Break(fate) => return Ok(fate),
                            ControlFlow::Continue(()) => stored = current,
                        }
                        continue;
                    }
                    let setback = (current, error);
                    stored = self
                        .after_lost_race(stored.as_ref(), setback, began)
                        .await?;
                    continue;
                }
                Err(error) => error,
            };
            // An attempt without a response may have stored the item, or the item existed before.
            let found = match error.is_outcome_unknown() {
                true => self.equal_item(error.current_bytes().as_ref()),
                false => None,
            };
            if let Some(item) = found {
                match self.restore(&item, error).await? {
                    ControlFlow::Break(fate) => return Ok(fate),
                    ControlFlow::Continue(()) => stored = Some(item),
                }
                continue;
            }
            match classify(&error) {
                // The mark shows whether the attempt took effect. A delete leaves none.
                RowFailure::Unknown if is_told => {
                    self.was_unknown = true;
                    self.busy.in_vain();
                    if !self.busy.begin_another(began.elapsed()).await {
                        return Err(self.failed(error));
                    }
                    stored = self.read().await?;
                }
                RowFailure::Busy | RowFailure::Lasting => {
                    let row = (self.key, Some(self.number));
                    let may_be_done = is_resent || self.was_unknown;
                    pause_write(&mut self.busy, began, error, row, may_be_done).await?;
                }
                // The next run retries the write, and the mark then shows whether it was done.
                RowFailure::Own if self.was_unknown => return Err(self.failed(doubtful(error))),
                RowFailure::Unknown | RowFailure::Own => return Err(self.failed(error)),
            }
        }
    }

    /// The stored item, if that matters. It takes `&mut self`, because a plan is not shared between threads.
    async fn read(&mut self) -> Result<Option<Bytes>, RowError> {
        match self.intent {
            // A write that is planned without the stored item and was never tried cannot have left
            // a mark, so nothing is read for it.
            Intent::Ready(_) if !self.is_again => Ok(None),
            Intent::Ready(_) | Intent::Reading(_) => {
                let number = Some(self.number);
                read(self.tools, self.pattern, &self.table, self.key, number).await
            }
        }
    }

    fn plan(&self, stored: Option<&Bytes>) -> Result<PlannedWrite> {
        let mut planned_write = match &self.intent {
            Intent::Ready(planned_write) => planned_write.again(),
            Intent::Reading(write) => write.plan_on(stored, self.tools.db)?,
        };
        planned_write.main().pattern = self.pattern;
        match &self.mark {
            Some(mark) => marked(planned_write, mark),
            None => Ok(planned_write),
        }
    }

    /// The current item, if it is the one that is to be stored and has unique values.
    fn equal_item(&self, current: Option<&Bytes>) -> Option<Bytes> {
        let restored = self.restored.as_ref()?;
        let current = current.filter(|current| is_same_item(current, &restored.item));
        current.cloned()
    }

    /// Claims the missing unique values of the stored item. `error` is the error of the write that found the item; it is
    /// returned if no value is missing, or if the item has expired: another item may lawfully have its values then. Returns
    /// `Continue` if the write must be retried.
    async fn restore(
        &mut self,
        item: &Bytes,
        error: Error,
    ) -> Result<ControlFlow<RowOutcome>, RowError> {
        let Some(restored) = &self.restored else {
            return Err(self.failed(error));
        };
        if check::is_expired(item, restored.entity.ttl, self.tools.db.now()) {
            return Err(self.failed(error));
        }
        let refill = UniqueRefill {
            tools: self.tools,
            pattern: self.pattern,
            table: &self.table,
            table_def: self.table_def,
            entity: restored.entity,
            read_values: restored.read_values,
        };
        let planned_write = match refill.claim_alone(item, self.key).await {
            Ok(Some(planned_write)) => planned_write,
            Ok(None) => return Err(self.failed(error)),
            // The item and the owner of its value were read one after the other, and may have changed in between. Therefore
            // only a second comparison counts.
            Err(RowError::Row(_)) if !std::mem::replace(&mut self.has_compared, true) => {
                return Ok(ControlFlow::Continue(()));
            }
            Err(RowError::Row(row)) => return Err(self.failed(row.error)),
            Err(other) => return Err(other),
        };
        self.tools.turn().await;
        let began = Instant::now();
        let error = match planned_write.send(self.db).await {
            Ok(None) => {
                self.busy.note_progress();
                self.races.note_progress();
                return Ok(ControlFlow::Break(RowOutcome::Written));
            }
            Ok(Some((_, error))) | Err(error) => error,
        };
        match classify(&error) {
            RowFailure::Busy | RowFailure::Lasting => {
                let row = (self.key, Some(self.number));
                pause_write(&mut self.busy, began, error, row, false).await?;
                Ok(ControlFlow::Continue(()))
            }
            RowFailure::Unknown => Err(self.failed(error)),
            // The item, or the owner of a value, has changed in the meantime.
            RowFailure::Own => {
                self.races.in_vain();
                if self.races.begin_another(began.elapsed()).await {
                    return Ok(ControlFlow::Continue(()));
                }
                // The error of a failed check is about the item of the check, which may be another one.
                Err(self.failed(match error.is_lost_race() {
                    true => lost_restore(restored.entity),
                    false => error,
                }))
            }
        }
    }

    /// The statement of the item about this write, if it or a later one of the item was done before.
    fn told(&self, item: Option<&Bytes>) -> Result<Option<RowOutcome>, RowError> {
        let mark = self.mark.as_ref().zip(item);
        match mark.and_then(|(mark, item)| mark.fate_on(item)) {
            Some(MarkedFate::Done) => Ok(Some(own(self.was_unknown))),
            Some(MarkedFate::Overtaken(last)) => {
                let error = overtaken(last, self.entity);
                Err(RowError::Overtaken(row(self.key, Some(self.number), error)))
            }
            None => Ok(None),
        }
    }

    /// Handles a condition that does not hold. If it is the library's own condition on what it has read, the write is
    /// planned again on what is stored now.
    async fn after_lost_race(
        &mut self,
        stored: Option<&Bytes>,
        (current, error): FailedCondition,
        began: Instant,
    ) -> Result<Option<Bytes>, RowError> {
        let is_race = match &self.intent {
            Intent::Ready(_) => false,
            Intent::Reading(write) => !write.is_as_read(stored, current.as_ref()),
        };
        self.races.in_vain();
        if is_race && self.races.begin_another(began.elapsed()).await {
            return Ok(current);
        }
        Err(self.refused(error))
    }

    /// The error of a write that the stored item does not admit, which an earlier attempt may have preceded.
    fn refused(&self, error: Error) -> RowError {
        match self.was_unknown {
            true => RowError::Doubtful(row(self.key, Some(self.number), doubtful(error))),
            false => self.failed(error),
        }
    }

    fn failed(&self, error: Error) -> RowError {
        failed(self.key, Some(self.number), error)
    }
}

/// The error of a restore whose items changed in each round. It is about the unique values, not about the key of the item.
fn lost_restore(entity: &'static EntityDef) -> Error {
    let message = "the item is stored, but its unique values were not restored, because other writes changed an item of these values in each attempt: \
                   run this again";
    let error = Error::new(ErrorKind::Conflict, Stage::Request, message);
    error.of(entity.type_name).declared_as(Some(entity.id))
}

fn held(earlier: u64, entity: &'static str) -> Error {
    refused(format!(
        "an earlier write of this item, number {earlier} of the input, failed and is tried again by the next run: this one waits for it, so that they take effect in their order"
    ))
    .of(entity)
}

fn overtaken(last: u64, entity: &'static str) -> Error {
    refused(format!(
        "a later write of this item, number {last} of the input, had its turn, and this one was not done: their order cannot be kept any more, so do this one by itself"
    ))
    .of(entity)
}
