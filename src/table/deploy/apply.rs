//! Applying a plan: each table is looked at, its first change is made, and it is looked at again. So it does not matter
//! where an earlier attempt ended, or who else does the same.

use std::collections::BTreeSet;
use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use super::super::polling::TablePolling;
use super::super::{Settling, TROUBLE, is_trouble};
use super::found::FoundTable;
use super::{Deletion, PlanStep, PlannedTable, TableChange, TablePlan, look, refusal, steps};
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::schema::TableSchema;
use crate::wire::Client;
use crate::wire::table::{self as service, TableUpdate};

/// How long a service may take until it shows what it has taken.
const SHOWS: Duration = Duration::from_secs(60);

type Listener<'p> = Box<dyn FnMut(StepProgress<'_>) + Send + 'p>;

/// A plan that is about to be applied: await it.
///
/// Before anything is changed, all tables are looked at again: a change that the plan did not say, a change that is
/// [never done](super::ChangeKind::Replace), and a loss that was not [allowed](Self::allow), are errors of kind
/// [`SchemaMismatch`](crate::error::ErrorKind::SchemaMismatch). What somebody else has done meanwhile is done.
///
/// The tables are changed side by side, each by one step after the other, and each step is waited for. It may be dropped or
/// killed at any time, and several may do it at once: whoever plans and applies again goes on from there.
#[must_use = "nothing is changed until it is awaited"]
pub struct PlanApplication<'p> {
    plan: &'p TablePlan,
    db: Dynamo,
    allowed: BTreeSet<Deletion>,
    keeps: bool,
    listener: Option<Listener<'p>>,
}

/// What [`on_progress`](PlanApplication::on_progress) is told.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct StepProgress<'p> {
    /// The step.
    pub step: &'p PlanStep,
    /// How far it is.
    pub state: StepState,
    /// How long this application has been at it.
    pub elapsed: Duration,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepState {
    /// It begins.
    Begins,
    /// It is under way, or has to wait for another change of the table. This is told again and again.
    Waits,
    /// It is done, whoever did it.
    Done,
}

impl fmt::Display for StepProgress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            StepState::Begins => "begins",
            StepState::Waits => "waits",
            StepState::Done => "done",
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

    /// Allows this loss. What the plan does not remove may be allowed, too, so that the same program can be run again.
    pub fn allow(mut self, deletion: Deletion) -> Self {
        self.allowed.insert(deletion);
        self
    }

    /// Passes over what was not allowed to be lost, instead of refusing the whole plan: for tables whose indexes belong to
    /// several programs.
    pub fn keeping_the_rest(mut self) -> Self {
        self.keeps = true;
        self
    }

    /// Tells how far each step is.
    pub fn on_progress(mut self, listener: impl FnMut(StepProgress<'_>) + Send + 'p) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    async fn run(self) -> Result<()> {
        let client = self.db.table_client()?;
        let listener = Mutex::new(self.listener);
        let tables = self
            .plan
            .tables
            .iter()
            .filter(|table| !table.steps.is_empty());
        let tables: Vec<TableApplication<'_, 'p>> = tables
            .map(|table| TableApplication {
                client,
                table,
                allowed: &self.allowed,
                keeps: self.keeps,
                listener: &listener,
                began: Instant::now(),
            })
            .collect();
        let looks = join_all(tables.iter().map(TableApplication::look_first)).await;
        all(looks)?;
        let done = join_all(tables.iter().map(TableApplication::converge)).await;
        all(done)
    }
}

/// All errors as one. Those of the other tables would be lost otherwise.
fn all(results: Vec<Result<()>>) -> Result<()> {
    let mut errors = results.into_iter().filter_map(Result::err);
    let Some(first) = errors.next() else {
        return Ok(());
    };
    let rest: Vec<String> = errors.map(|error| error.to_string()).collect();
    if rest.is_empty() {
        return Err(first);
    }
    let kind = first.kind();
    let message = format!("{first}\n{}", rest.join("\n"));
    Err(first.with_kind(kind, message))
}

impl<'p> IntoFuture for PlanApplication<'p> {
    type Output = Result<()>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<()>> + Send + 'p>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// One table on its way to be as it is declared.
struct TableApplication<'a, 'p> {
    client: &'a Client,
    table: &'a PlannedTable,
    allowed: &'a BTreeSet<Deletion>,
    keeps: bool,
    listener: &'a Mutex<Option<Listener<'p>>>,
    began: Instant,
}

/// What one table has been through.
struct Course {
    /// The changes that the service has taken.
    taken: Vec<TableChange>,
    /// The steps of which it was told that they are done.
    told: BTreeSet<usize>,
    trouble: TablePolling,
    /// Until when the service may refuse a change for a reason that passes; None if it does not.
    busy: Option<TablePolling>,
    /// Until when the service may take to show what it has taken.
    unshown: TablePolling,
}

impl TableApplication<'_, '_> {
    /// Refuses what cannot be done before anything is.
    async fn look_first(&self) -> Result<()> {
        let found = self.look(None).await?;
        self.remaining(found.as_ref()).map(drop)
    }

    async fn converge(&self) -> Result<()> {
        let mut course = Course {
            taken: Vec::new(),
            told: BTreeSet::new(),
            trouble: TablePolling::until(TROUBLE),
            busy: None,
            unshown: TablePolling::until(SHOWS),
        };
        loop {
            let found = self.look(course.taken.last()).await?;
            let remaining = self.remaining(found.as_ref())?;
            self.tell_done(&remaining, &mut course.told);
            let Some(change) = remaining.into_iter().next() else {
                return Ok(());
            };
            self.go_on(found.as_ref(), change, &mut course).await?;
        }
    }

    /// Looks at the table. A service that fails is asked again: it answered when the plan was made.
    async fn look(&self, under_way: Option<&TableChange>) -> Result<Option<FoundTable>> {
        let mut trouble = TablePolling::until(TROUBLE);
        let tell = || {
            if let Some(change) = under_way {
                self.tell(change, StepState::Waits);
            }
        };
        loop {
            match look(self.client, &self.table.declared, &Settling::all(&tell)).await {
                Err(error) if is_trouble(&error) => trouble.wait(|| error).await?,
                found => return found,
            }
        }
    }

    /// Begins the change, or waits until it is shown or can begin.
    async fn go_on(
        &self,
        found: Option<&FoundTable>,
        change: TableChange,
        course: &mut Course,
    ) -> Result<()> {
        if course.taken.last() == Some(&change) {
            self.tell(&change, StepState::Waits);
            return course.unshown.wait(|| self.unshown(&change)).await;
        }
        if course.busy.is_none() {
            self.tell(&change, StepState::Begins);
        }
        let error = match perform(self.client, &self.table.declared, found, &change).await {
            Ok(()) => {
                course.trouble = TablePolling::until(TROUBLE);
                course.unshown = TablePolling::until(SHOWS);
                course.busy = None;
                course.taken.push(change);
                return Ok(());
            }
            Err(error) => error,
        };
        if is_trouble(&error) {
            // It may have been done all the same, so the table is looked at first.
            return course.trouble.wait(|| error).await;
        }
        if !self.passes(&error, found, &change) {
            return self.told_why(error, &change).await;
        }
        self.tell(&change, StepState::Waits);
        let busy = course
            .busy
            .get_or_insert_with(|| TablePolling::until(change.patience()));
        busy.wait(|| error).await
    }

    /// Whether the service refuses the change for a reason that passes.
    fn passes(&self, error: &Error, found: Option<&FoundTable>, change: &TableChange) -> bool {
        match change {
            TableChange::AddTtl(_) | TableChange::RemoveTtl(_) => {
                let expiry = found.and_then(|found| found.expiry.as_ref());
                let is_changing = expiry.is_some_and(|expiry| expiry.is_changing);
                let switches = |step: &PlanStep| matches!(step.change, TableChange::RemoveTtl(_));
                error.kind() == ErrorKind::Rejected
                    && (is_changing || self.table.steps.iter().any(switches))
            }
            TableChange::SetRecovery(_) => service::keeps_no_backups_yet(error),
            _ => service::is_busy(error),
        }
    }

    /// An error is none if the change is done: somebody else was faster.
    async fn told_why(&self, error: Error, change: &TableChange) -> Result<()> {
        let found = self.look(Some(change)).await?;
        match self.remaining(found.as_ref())?.contains(change) {
            true => Err(error),
            false => Ok(()),
        }
    }

    /// What is still to be done. All of it was planned and is allowed.
    fn remaining(&self, found: Option<&FoundTable>) -> Result<Vec<TableChange>> {
        let PlannedTable {
            name,
            base,
            declared,
            steps,
            ..
        } = self.table;
        let mut remaining = Vec::new();
        let mut refused = Vec::new();
        for change in steps::changes(declared, found) {
            let deletes = change.deletes(base);
            if matches!(change, TableChange::Replace(_)) {
                refused.push(change.to_string());
            } else if !steps.iter().any(|step| step.change == change) {
                refused.push(format!(
                    "the table has changed since the plan was made, which does not say to {change}: plan again"
                ));
            } else if let Some(deletion) =
                deletes.filter(|deletion| !self.allowed.contains(deletion))
            {
                if !self.keeps {
                    refused.push(format!(
                        "the plan would {change}, which has to be named: `.allow({deletion})`, or pass over it with \
                         `.keeping_the_rest()`"
                    ));
                }
            } else {
                remaining.push(change);
            }
        }
        match refused.is_empty() {
            true => Ok(remaining),
            false => Err(refusal(format!(
                "the plan for table `{name}` is not applied:\n- {}",
                refused.join("\n- ")
            ))),
        }
    }

    fn unshown(&self, change: &TableChange) -> Error {
        let message = format!(
            "the service has taken the change to {change} of table `{}`, and does not show it",
            self.table.name
        );
        Error::new(ErrorKind::Unavailable, Stage::Schema, message)
    }

    fn tell_done(&self, remaining: &[TableChange], told: &mut BTreeSet<usize>) {
        for (at, step) in self.table.steps.iter().enumerate() {
            let is_kept = step
                .deletes
                .as_ref()
                .is_some_and(|deletion| !self.allowed.contains(deletion));
            if !is_kept && !remaining.contains(&step.change) && told.insert(at) {
                self.tell(&step.change, StepState::Done);
            }
        }
    }

    fn tell(&self, change: &TableChange, state: StepState) {
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
}

/// Asks the service for one change.
async fn perform(
    client: &Client,
    declared: &TableSchema,
    found: Option<&FoundTable>,
    change: &TableChange,
) -> Result<()> {
    let name = &declared.name;
    let Some(FoundTable { described, .. }) = found else {
        return service::create(client, declared).await;
    };
    let update = match change {
        TableChange::SetRecovery(days) => {
            return service::enable_recovery(client, name, *days).await;
        }
        TableChange::AddTtl(attribute) => {
            return service::set_ttl(client, name, attribute, true).await;
        }
        TableChange::RemoveTtl(attribute) => {
            return service::set_ttl(client, name, attribute, false).await;
        }
        TableChange::SetTags(_) => {
            return service::tag(client, described, &declared.settings).await;
        }
        TableChange::AddIndex(index) => match declared.index(index) {
            Some(index) => TableUpdate::AddIndex(index),
            None => return Ok(()),
        },
        TableChange::RemoveIndex(index) => TableUpdate::RemoveIndex(index),
        TableChange::AddStream(view) => TableUpdate::Stream(Some(*view)),
        TableChange::RemoveStream => TableUpdate::Stream(None),
        TableChange::SetProtection(on) => TableUpdate::Protection(*on),
        TableChange::SetClass(class) => TableUpdate::Class(*class),
        TableChange::SetBilling(billing) => TableUpdate::Billing(*billing),
        TableChange::CreateTable | TableChange::Replace(_) => return Ok(()),
    };
    service::update(client, described, update).await
}
