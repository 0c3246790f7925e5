//! Works on a row until it is changed or deleted.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;

use super::deletes::SharedDeletes;
use super::second_rows::SecondRefill;
use super::values::UniqueRefill;
use super::{
    ItemsBeside, JobContext, RowError, RowFailure, classify, doubtful, failed, marked, own, pause,
    pause_write, read,
};
use crate::bulk::action;
use crate::bulk::action::Decide;
use crate::bulk::refill::{Beside, Refill, RefillMode};
use crate::bulk::report::RowOutcome;
use crate::bulk::row_transaction;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::Node;
use crate::query::JobRows;
use crate::retry::Rounds;
use crate::schema::Pattern;
use crate::write::{FailedCondition, PlannedWrite, is_same_item};

/// The number of reads after which a row is no longer compared with the one before.
const MOST_COMPARISONS: u32 = 20;

/// The operation on rows.
pub(in crate::bulk) struct RowWrites<'j> {
    pub(in crate::bulk) target: JobRows,
    /// The purpose of the requests for single rows.
    pub(in crate::bulk) pattern: &'static Pattern,
    /// The table's full name.
    pub(in crate::bulk) table: String,
    /// The attributes of its primary key.
    pub(in crate::bulk) names: Vec<&'static str>,
    pub(in crate::bulk) action: RowAction<'j>,
    /// Whether the action compares the rows with what it has read, which includes their types.
    pub(in crate::bulk) is_comparing: bool,
    /// Whether rows are compared with fresh puts.
    pub(in crate::bulk) refill: Option<Refill>,
    /// How rows are deleted without conditions.
    pub(in crate::bulk) unchecked: Option<SharedDeletes>,
}

pub(in crate::bulk) enum RowAction<'j> {
    /// In a mutex, because the closure may run again for a row while others are under way.
    Change(Mutex<Decide<'j>>),
    Delete,
}

impl<'j> RowWrites<'j> {
    /// Changes or deletes a row that was read.
    pub(in crate::bulk) async fn change(
        &self,
        tools: &JobContext<'_>,
        item: Bytes,
    ) -> Result<RowOutcome, RowError> {
        let key = action::key_of(&item, &self.names);
        let key = key.map_err(|error| failed(b"{}", None, error))?;
        if let Some(deletes) = &self.unchecked {
            let has_uniques = self.has_uniques(&item);
            // A batch cannot release unique values, because its writes have no conditions and are
            // no transaction.
            if !has_uniques.map_err(|error| failed(&key, None, error))? {
                return deletes.delete(tools, &key).await;
            }
        }
        self.attempts(tools, item, &key).await
    }

    /// Whether the row keeps unique values, lists or blobs, which only a transaction gives up. Fails for a row that is not to be deleted.
    fn has_uniques(&self, item: &[u8]) -> Result<bool> {
        self.target.check_row(item)?;
        let entity = self.target.query_source().entity_of(item);
        let entity = entity.map_err(|fault| Error::decode(self.target.entity_name(), fault))?;
        Ok(entity.is_some_and(|entity| {
            !entity.uniques.is_empty() || !entity.large.is_empty() || entity.writes_second_row(true)
        }))
    }

    /// Does the same with a row that failed in an earlier run, which it reads by its key.
    pub(in crate::bulk) async fn again(
        &self,
        tools: &JobContext<'_>,
        key: &[u8],
    ) -> Result<RowOutcome, RowError> {
        match self.read(tools, key).await? {
            Some(item) => self.attempts(tools, item, key).await,
            None => Ok(RowOutcome::Vanished),
        }
    }

    async fn attempts<'a>(
        &'a self,
        tools: &'a JobContext<'a>,
        item: Bytes,
        key: &'a [u8],
    ) -> Result<RowOutcome, RowError> {
        let mut attempt = Attempt {
            rows: self,
            tools,
            key,
            item,
            has_lost: false,
            was_unknown: false,
            is_delete: false,
            compared: None,
            comparisons: 0,
            races: tools.races.begin_rounds(),
            busy: tools.shared_budget.begin_rounds(),
        };
        loop {
            if let ControlFlow::Break(fate) = attempt.once().await? {
                return attempt.ended(fate);
            }
        }
    }

    async fn read(&self, tools: &JobContext<'_>, key: &[u8]) -> Result<Option<Bytes>, RowError> {
        read(tools, self.pattern, &self.table, key, None).await
    }

    /// The write of the row as it is, or the fate of the row if there is nothing to write.
    fn plan(
        &self,
        tools: &JobContext<'_>,
        item: &[u8],
        key: &[u8],
    ) -> Result<ControlFlow<RowOutcome, PlannedWrite>> {
        let (db, entity) = (tools.db, self.target.entity_name());
        let claim = match self.is_comparing {
            true => self.target.untyped_claim(item, db.now()),
            false => self.target.row_claim(item, db.now()),
        };
        let Some(claim) = claim.map_err(|fault| Error::decode(entity, fault))? else {
            // The row no longer matches the query, for example after it was read again because of a
            // lost race.
            return Ok(ControlFlow::Break(RowOutcome::LeftQuery));
        };
        let planned_write = match &self.action {
            RowAction::Delete => {
                self.target.check_row(item)?;
                let source = self.target.query_source();
                let claim = self.target.claim_of_delete(claim);
                Some(action::delete_row(db, source, item, key, claim)?)
            }
            RowAction::Change(decide) => {
                // The closure is `FnMut`, so rows in progress call it one after the other. Only
                // planning happens under the lock.
                let mut decide = decide.lock().unwrap_or_else(PoisonError::into_inner);
                decide(db, item, claim)?
            }
        };
        let Some(mut planned_write) = planned_write else {
            return Ok(ControlFlow::Break(RowOutcome::Unchanged));
        };
        planned_write.main().pattern = self.pattern;
        if let Some(mark) = &tools.mark {
            row_transaction::may_be_marked(self.target.query_source(), item, planned_write.main())?;
            planned_write = marked(planned_write, mark)?;
        }
        Ok(ControlFlow::Continue(planned_write))
    }
}

/// The attempts at one row.
struct Attempt<'a, 'j> {
    rows: &'a RowWrites<'j>,
    tools: &'a JobContext<'a>,
    key: &'a [u8],
    /// The row as it was seen last.
    item: Bytes,
    /// Whether the row has lost a race before.
    has_lost: bool,
    /// Whether an earlier attempt may have taken effect.
    was_unknown: bool,
    /// Whether the last attempt was to delete the row.
    is_delete: bool,
    /// The row that differed or failed in a comparison with the items beside it, until a second read confirms it.
    compared: Option<Bytes>,
    comparisons: u32,
    races: Rounds<'a>,
    busy: Rounds<'a>,
}

impl Attempt<'_, '_> {
    async fn once(&mut self) -> Result<ControlFlow<RowOutcome>, RowError> {
        if self.tools.is_marked(&self.item) {
            // After an unknown outcome the mark proves that the write of this run took effect.
            // Otherwise an earlier run has done it.
            return Ok(ControlFlow::Break(own(self.was_unknown)));
        }
        let refill = self.rows.refill;
        let (tools, pattern) = (self.tools, self.rows.pattern);
        let (table, source) = (&*self.rows.table, self.rows.target.query_source());
        let planned = match refill.and_then(|refill| refill.beside) {
            Some(Beside::Values(read_values)) => {
                let refill = UniqueRefill {
                    tools,
                    pattern,
                    table,
                    table_def: source.table,
                    entity: source.entity,
                    read_values,
                };
                self.plan_beside(refill).await
            }
            Some(Beside::OtherRow(second_key)) => {
                let refill = SecondRefill {
                    tools,
                    pattern,
                    table,
                    source,
                    second_key,
                };
                self.plan_beside(refill).await
            }
            None => self.plan(),
        };
        let is_beside = refill.is_some_and(|refill| refill.beside.is_some());
        let planned_write = match planned {
            Ok(ControlFlow::Continue(planned_write)) => planned_write,
            Ok(ControlFlow::Break(fate)) => return Ok(ControlFlow::Break(fate)),
            // For example, another row may have taken the unique value of this one since the scan read it.
            Err(RowError::Row(_)) if is_beside && !self.is_confirmed() => {
                return self.compare_anew().await;
            }
            Err(error) => return Err(error),
        };
        if refill.is_some_and(|refill| refill.mode == RefillMode::Count) {
            if !is_beside || self.is_confirmed() {
                return Ok(ControlFlow::Break(RowOutcome::Written));
            }
            return self.compare_anew().await;
        }
        self.tools.turn().await;
        let (began, is_resent) = (Instant::now(), planned_write.is_resent());
        let has_others = planned_write.has_others();
        // What became of the others no absence of the row would tell.
        self.is_delete = planned_write.is_delete() && !has_others;
        let sent = planned_write.send_within(self.tools.db, Some(&mut self.busy));
        let error = match sent.await {
            Ok(None) => {
                self.busy.note_progress();
                self.races.note_progress();
                return Ok(ControlFlow::Break(RowOutcome::Written));
            }
            Ok(Some(setback)) => return self.after_lost_race(setback, began).await,
            Err(error) => error,
        };
        if is_contended(&error) {
            return self.after_contention(error, began).await;
        }
        let row = (self.key, None);
        match classify(&error) {
            RowFailure::Unknown if !has_others => self.unknown(error, began).await,
            RowFailure::Busy | RowFailure::Lasting => {
                let may_be_done = is_resent || self.was_unknown;
                pause_write(&mut self.busy, began, error, row, may_be_done).await?;
                Ok(ControlFlow::Continue(()))
            }
            // A sentinel, or the item that it named, has changed since it was read.
            RowFailure::Own if self.rows.refill.is_some() && is_about_others(&error) => {
                self.after_contention(error, began).await
            }
            RowFailure::Own => Err(self.lost_race(error)),
            RowFailure::Unknown => Err(failed(self.key, None, error)),
        }
    }

    /// Whether the row has not changed since it was compared. The scan read it before the items beside it, and another
    /// program may have changed both in between. Therefore only a second read shows whether the row differs or fails.
    /// A row that other programs change between all reads is taken as the last one shows it.
    fn is_confirmed(&self) -> bool {
        let compared = self.compared.as_ref();
        let is_same = compared.is_some_and(|seen| is_same_item(seen, &self.item));
        is_same || self.comparisons >= MOST_COMPARISONS
    }

    async fn compare_anew(&mut self) -> Result<ControlFlow<RowOutcome>, RowError> {
        self.compared = Some(self.item.clone());
        self.comparisons += 1;
        self.tools.turn().await;
        self.read_anew().await
    }

    fn plan(&self) -> Result<ControlFlow<RowOutcome, PlannedWrite>, RowError> {
        let planned = self.rows.plan(self.tools, &self.item, self.key);
        // After an unknown outcome, an item that admits no write does not show that nothing was written.
        planned.map_err(|error| self.lost_race(error))
    }

    /// The write of a row with the items that belong to it, or the delete of such an item that no row has.
    async fn plan_beside(
        &self,
        refill: impl ItemsBeside,
    ) -> Result<ControlFlow<RowOutcome, PlannedWrite>, RowError> {
        let planned = if refill.is_beside(&self.item) {
            refill.sweep(&self.item, self.key).await?
        } else {
            match self.plan()? {
                ControlFlow::Continue(PlannedWrite::Alone(write)) => {
                    refill.claim(&self.item, self.key, write).await?
                }
                planned => return Ok(planned),
            }
        };
        Ok(match planned {
            Some(planned_write) => ControlFlow::Continue(planned_write),
            None => ControlFlow::Break(RowOutcome::Unchanged),
        })
    }

    /// A row that is none to be written any more may be written all the same, by an attempt that is still under way. One
    /// that is gone stays gone: every write of a row has that condition.
    fn ended(&self, fate: RowOutcome) -> Result<RowOutcome, RowError> {
        // The comparison shows it, and a late attempt writes nothing else.
        if self.was_unknown && self.rows.refill.is_some() && fate == RowOutcome::Unchanged {
            return Ok(RowOutcome::Written);
        }
        if !self.was_unknown || !matches!(fate, RowOutcome::Unchanged | RowOutcome::LeftQuery) {
            return Ok(fate);
        }
        let message = "an earlier attempt at this row got no response and may still take effect, \
                       and the row would no longer be written now: read it before you decide";
        let error = Error::new(ErrorKind::OutcomeUnknown, Stage::Service, message);
        let error = error.of(self.rows.target.entity_name());
        Err(failed(self.key, None, error))
    }

    /// The fate of a row whose item is gone.
    fn gone(&self) -> RowOutcome {
        match self.is_delete && self.was_unknown {
            true => RowOutcome::Written,
            false => RowOutcome::Vanished,
        }
    }

    /// Another write came first. After the first lost race the item of the winner is at hand. After another lost race
    /// this waits and reads again, so that rivals do not keep each other busy.
    async fn after_lost_race(
        &mut self,
        (current, error): FailedCondition,
        began: Instant,
    ) -> Result<ControlFlow<RowOutcome>, RowError> {
        let Some(current) = current else {
            // A row counts as gone only if a read says so, and that read was not allowed. Reading again gives the error
            // that ends the job.
            return match self.tools.db.may_not_confirm() {
                true => self.read_anew().await,
                false => Ok(ControlFlow::Break(self.gone())),
            };
        };
        if is_same_item(&current, &self.item) {
            return self.refused(error).await;
        }
        if !std::mem::replace(&mut self.has_lost, true) {
            self.item = current;
            return Ok(ControlFlow::Continue(()));
        }
        self.races.in_vain();
        if !self.races.begin_another(began.elapsed()).await {
            return Err(self.lost_race(error));
        }
        self.read_anew().await
    }

    /// Another request held one of the items. That says nothing of the next rows, so it is no reason to stop the job; and
    /// a condition that failed beside it may have relied on what that request has changed.
    async fn after_contention(
        &mut self,
        error: Error,
        began: Instant,
    ) -> Result<ControlFlow<RowOutcome>, RowError> {
        self.races.in_vain();
        if !self.races.begin_another(began.elapsed()).await {
            return Err(self.lost_race(error));
        }
        self.read_anew().await
    }

    fn lost_race(&self, error: Error) -> RowError {
        let error = match self.was_unknown {
            true => doubtful(error),
            false => error,
        };
        failed(self.key, None, error)
    }

    /// The write was made from this very item, so a condition of the query, the update or the closure does not hold.
    /// The keys of the index are those that were read, so of the query it can only be the filter.
    async fn refused(&mut self, error: Error) -> Result<ControlFlow<RowOutcome>, RowError> {
        let (db, target) = (self.tools.db, &self.rows.target);
        let standing = self.lost_race(standing(error, &self.item, db));
        if !target.has_filter() {
            return Err(standing);
        }
        if matches!(self.rows.action, RowAction::Delete) {
            return Ok(ControlFlow::Break(RowOutcome::LeftQuery));
        }
        let claim = target.row_claim(&self.item, db.now()).ok().flatten();
        let Some(claim) = claim else {
            return Ok(ControlFlow::Break(RowOutcome::LeftQuery));
        };
        match self.ask(claim).await? {
            Some(fate) => Ok(ControlFlow::Break(fate)),
            None => Err(standing),
        }
    }

    /// The outcome of the row, if it is no longer a row of the query. The question changes nothing, so it is asked
    /// again while the service is busy, and after a lost answer. If no answer comes, the error is returned.
    async fn ask(&mut self, claim: Node) -> Result<Option<RowOutcome>, RowError> {
        let (db, target) = (self.tools.db, &self.rows.target);
        let (pattern, table) = (self.rows.pattern, target.query_source().table);
        let question = action::ask(db, pattern, table, self.key, claim);
        loop {
            self.tools.turn().await;
            let began = Instant::now();
            match question.again().send(db).await {
                Ok(None) => return Ok(None),
                Ok(Some((Some(_), _))) => return Ok(Some(RowOutcome::LeftQuery)),
                Ok(Some((None, _))) => return Ok(Some(RowOutcome::Vanished)),
                // The answer was lost: the next attempt tells.
                Err(error) if error.is_outcome_unknown() => {
                    self.busy.in_vain();
                    if !self.busy.begin_another(began.elapsed()).await {
                        return Err(failed(self.key, None, error));
                    }
                }
                Err(error) => {
                    pause(&mut self.busy, began, error, (self.key, None)).await?;
                }
            }
        }
    }

    /// Only the item tells whether the write took effect: by its mark, or by its absence.
    async fn unknown(
        &mut self,
        error: Error,
        began: Instant,
    ) -> Result<ControlFlow<RowOutcome>, RowError> {
        let is_refill = self.rows.refill.is_some();
        let can_tell = self.is_delete || is_refill || self.tools.mark.is_some();
        self.busy.in_vain();
        if !can_tell || !self.busy.begin_another(began.elapsed()).await {
            return Err(failed(self.key, None, error));
        }
        self.was_unknown = true;
        // If that read has no answer either, the outcome remains unknown.
        let read = self.read_anew().await;
        read.map_err(|_| failed(self.key, None, error))
    }

    async fn read_anew(&mut self) -> Result<ControlFlow<RowOutcome>, RowError> {
        match self.rows.read(self.tools, self.key).await? {
            Some(item) => self.item = item,
            None => return Ok(ControlFlow::Break(self.gone())),
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Why a row that exists was not written. If the server sent no item, the error says that the row is gone, which is
/// mended here.
fn standing(error: Error, item: &Bytes, db: &Dynamo) -> Error {
    if error.current_bytes().is_some() {
        return error;
    }
    let message = "the row exists, but does not meet a condition of its change";
    let error = error.with_kind(ErrorKind::Conflict, message);
    error.with_current(item.clone(), db.now())
}

/// Whether another request held an item of the transaction.
fn is_contended(error: &Error) -> bool {
    let mut failures = error.failures().iter();
    failures.any(|failed| failed.error().is_unavailable())
}

/// Whether a transaction failed because of an item beside the row.
fn is_about_others(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::UniqueViolation | ErrorKind::Conflict | ErrorKind::NotFound
    )
}
