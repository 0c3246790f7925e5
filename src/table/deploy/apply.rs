//! Applying a plan: nothing is made that it does not say, and nothing lost that was not named.

use std::collections::BTreeSet;
use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use super::super::change::{Deletion, PlanStep, StepState, TableChange};
use super::super::converge::{Convergence, TableGoal, Verdict, join_errors};
use super::super::found::{FoundTable, Probes};
use super::super::steps;
use super::plan::{PlannedTable, TablePlan};
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::wire::Wire;

type Listener<'p> = Box<dyn FnMut(StepProgress<'_>) + Send + 'p>;

/// The application of a plan: await it.
///
/// Before anything is changed, all tables are read again: a change that is not in the plan, a change that is
/// [never done](super::ChangeKind::Replace), and a loss that was not [allowed](Self::allow), are errors of kind
/// [`SchemaMismatch`](crate::error::ErrorKind::SchemaMismatch). Changes that another process has made in the meantime
/// count as done.
///
/// The tables are changed concurrently, each by one step after the other, and each step is waited for. You may drop or
/// kill it at any time, and several processes may apply plans at once: if you plan and apply again, it continues from
/// there.
#[must_use = "nothing is changed until it is awaited"]
pub struct PlanApplication<'p> {
    plan: &'p TablePlan,
    db: Dynamo,
    allowed: BTreeSet<Deletion>,
    keeps: bool,
    listener: Option<Listener<'p>>,
}

/// The argument of [`on_progress`](PlanApplication::on_progress).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct StepProgress<'p> {
    /// The step.
    pub step: &'p PlanStep,
    /// Its progress.
    pub state: StepState,
    /// The time since this application began the step.
    pub elapsed: Duration,
}

impl fmt::Display for StepProgress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            StepState::Begins => "begins",
            StepState::Waits => "waits",
            StepState::Done => "done",
            StepState::Unknown => "unknown to this server",
        };
        let PlanStep { table, change, .. } = self.step;
        write!(
            f,
            "{table}: {change}: {state} ({}s)",
            self.elapsed.as_secs()
        )
    }
}

impl fmt::Debug for PlanApplication<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanApplication")
            .field("plan", &self.plan)
            .field("allowed", &self.allowed)
            .field("keeps", &self.keeps)
            .finish_non_exhaustive()
    }
}

impl TablePlan {
    /// Makes the tables match their declarations. Await the returned value; see [`PlanApplication`].
    pub fn apply(&self, db: &Dynamo) -> PlanApplication<'_> {
        PlanApplication::new(self, db.clone())
    }
}

impl<'p> PlanApplication<'p> {
    pub(super) fn new(plan: &'p TablePlan, db: Dynamo) -> Self {
        PlanApplication {
            plan,
            db,
            allowed: BTreeSet::new(),
            keeps: false,
            listener: None,
        }
    }

    /// Allows this loss. You may also allow a loss that the plan does not contain, so that the same program can be run again.
    pub fn allow(mut self, deletion: Deletion) -> Self {
        self.allowed.insert(deletion);
        self
    }

    /// Skips removals that were not allowed, instead of rejecting the whole plan: for tables whose indexes belong to
    /// several programs.
    pub fn keeping_the_rest(mut self) -> Self {
        self.keeps = true;
        self
    }

    /// Reports the progress of each step.
    pub fn on_progress(mut self, listener: impl FnMut(StepProgress<'_>) + Send + 'p) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    async fn apply_plan(self) -> Result<()> {
        let wire = self.db.table_wire()?;
        let listener = Mutex::new(self.listener);
        let tables = self.plan.tables.iter();
        let tables: Vec<TableApplication<'_, 'p>> = tables
            .map(|table| TableApplication {
                wire,
                table,
                allowed: &self.allowed,
                keeps: self.keeps,
                listener: &listener,
                began: Instant::now(),
                told: Mutex::default(),
            })
            .collect();
        let tables: Vec<_> = tables
            .iter()
            .map(TableApplication::table_convergence)
            .collect();
        let looks = join_all(tables.iter().map(Convergence::look_first)).await;
        // All tables are checked before any is changed, so that a rejected plan changes nothing.
        join_errors(looks.into_iter().filter_map(Result::err))?;
        let done = join_all(tables.iter().map(Convergence::run_changes)).await;
        join_errors(done.into_iter().filter_map(Result::err))
    }
}

impl<'p> IntoFuture for PlanApplication<'p> {
    type Output = Result<()>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<()>> + Send + 'p>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.apply_plan())
    }
}

/// Whether the planned change says the other one. Someone may have set some of the labels meanwhile, and the labels of a new
/// table may be shown late.
fn covers_change(planned: &TableChange, change: &TableChange) -> bool {
    match (planned, change) {
        // A creation includes the tags. If another process has created the table without them,
        // adding them is still a part of the plan.
        (TableChange::CreateTable, TableChange::SetTags(_)) => true,
        (TableChange::SetTags(planned), TableChange::SetTags(tags)) => tags
            .iter()
            .all(|(name, value)| planned.get(name) == Some(value)),
        _ => planned == change,
    }
}

/// The part of an application that concerns one table.
struct TableApplication<'a, 'p> {
    wire: &'a Wire,
    table: &'a PlannedTable,
    allowed: &'a BTreeSet<Deletion>,
    keeps: bool,
    listener: &'a Mutex<Option<Listener<'p>>>,
    began: Instant,
    /// The steps of which it was told how they ended.
    told: Mutex<BTreeSet<usize>>,
}

impl TableApplication<'_, '_> {
    fn table_convergence(&self) -> Convergence<'_, Self> {
        Convergence {
            wire: self.wire,
            declared: &self.table.declared,
            asks: Probes::All,
            goal: self,
        }
    }

    /// The losses that must be allowed for a change: its own, and that of the stream or the TTL that it replaces.
    /// Indexes that are in the way of others are seen on the table itself.
    fn required_loss(&self, change: &TableChange) -> Option<Deletion> {
        let PlannedTable { base, steps, .. } = self.table;
        let own = change.own_deletion(base);
        let mut planned = steps.iter();
        let planned = planned.find(|step| step.change == *change);
        let mut after = planned.into_iter().flat_map(|step| &step.after);
        own.or_else(|| {
            let replaced = after.find(|loss| !matches!(loss, Deletion::Index { .. }));
            replaced.cloned()
        })
    }

    /// Whether a step is skipped, because the caller has not named what it needs.
    fn is_kept(&self, step: &PlanStep) -> bool {
        let loss = self.required_loss(&step.change);
        loss.is_some_and(|deletion| self.is_unnamed(&deletion))
    }

    fn is_unnamed(&self, deletion: &Deletion) -> bool {
        !self.allowed.contains(deletion)
    }
}

/// All that is made was planned and is allowed.
impl TableGoal for TableApplication<'_, '_> {
    fn judge_change(&self, change: &TableChange) -> Verdict {
        let PlannedTable { steps, .. } = self.table;
        if matches!(change, TableChange::Replace(_) | TableChange::Unfit(_)) {
            return Verdict::Refuse(change.to_string());
        }
        if !steps.iter().any(|step| covers_change(&step.change, change)) {
            return Verdict::Refuse(format!(
                "the table has changed since the plan was made, and the plan does not {change}: plan again"
            ));
        }
        match self.required_loss(change) {
            Some(deletion) if self.is_unnamed(&deletion) && self.keeps => Verdict::Leave,
            Some(deletion) if self.is_unnamed(&deletion) => Verdict::Refuse(format!(
                "the plan would {change}, which has to be named: `.allow({deletion})`, or pass over it with \
                 `.keeping_the_rest()`"
            )),
            _ => Verdict::Make,
        }
    }

    fn waits_for_ttl(&self) -> bool {
        true
    }

    fn refusal_text(&self, table: &str) -> String {
        format!("the plan for table `{table}` is not applied")
    }

    fn tell_state(&self, change: &TableChange, state: StepState) {
        let mut steps = self.table.steps.iter();
        let Some(step) = steps.find(|step| step.change == *change) else {
            return;
        };
        let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listener) = listener.as_mut() {
            listener(StepProgress {
                step,
                state,
                elapsed: self.began.elapsed(),
            });
        }
    }

    fn tell_remaining(&self, found: Option<&FoundTable>, changes: &[TableChange]) {
        for (at, step) in self.table.steps.iter().enumerate() {
            if self.is_kept(step) || changes.contains(&step.change) {
                continue;
            }
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let is_news = told.insert(at);
            // The listener must not be called while the lock is held.
            drop(told);
            if is_news {
                let is_unknown = found.is_some_and(|found| steps::is_unknown(&step.change, found));
                self.tell_state(
                    &step.change,
                    match is_unknown {
                        true => StepState::Unknown,
                        false => StepState::Done,
                    },
                );
            }
        }
    }
}
