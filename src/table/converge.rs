//! A table on its way to be as it is declared: it is looked at, the first change is made, and it is looked at again. So it does
//! not matter where an earlier attempt ended, or who else does the same.

use std::time::Duration;

use super::change::{StepState, TableChange};
use super::found::{FoundTable, Probes};
use super::index_room::IndexRoom;
use super::polling::TablePolling;
use super::settle::{PendingChange, TROUBLE, is_trouble, wait_settled};
use super::steps::needed_changes;
use super::throughput::{has_warmed, units_to_raise};
use super::vectors::{full_of_vectors, list_other_lengths, most_vector_indexes, other_length};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::schema::TableSchema;
use crate::wire::Wire;
use crate::wire::table::{self as service, TableUpdate};

/// How long a service may take until it shows what it has taken.
const SHOWS: Duration = Duration::from_secs(60);
/// How old a description of the service may be, so that a change of someone else is not in it.
const STALE: Duration = Duration::from_secs(5);

/// The treatment of a missing change.
pub(super) enum Verdict {
    Make,
    Leave,
    /// Nothing is done at all, for this reason.
    Refuse(String),
}

/// The goal for a table.
pub(super) trait TableGoal: Sync {
    fn judge_change(&self, change: &TableChange) -> Verdict;

    /// The first words of a rejection.
    fn refusal_text(&self, table: &str) -> String {
        format!("table `{table}` exists with another schema")
    }

    /// Whether an hour is not too long to wait for another change of TTL.
    fn waits_for_ttl(&self) -> bool {
        false
    }

    /// Told how far a change is.
    fn tell_state(&self, _change: &TableChange, _state: StepState) {}

    /// Told what is left after each look.
    fn tell_remaining(&self, _found: Option<&FoundTable>, _changes: &[TableChange]) {}
}

/// How a table becomes as it is declared, as far as someone wants that.
pub(super) struct Convergence<'c, G> {
    pub(super) wire: &'c Wire,
    pub(super) declared: &'c TableSchema,
    pub(super) asks: Probes,
    pub(super) goal: &'c G,
}

/// The history of one table.
struct TableProgress {
    /// The changes that the service has taken.
    taken: Vec<TableChange>,
    /// The requested change, to which the patience below belongs.
    asked: Option<TableChange>,
    trouble: TablePolling,
    /// Until when the service may reject a change for a reason that passes; None if it does not.
    busy: Option<TablePolling>,
    /// Until when the service may take to show what it has taken.
    unshown: TablePolling,
}

impl<G: TableGoal> Convergence<'_, G> {
    /// Rejects what cannot be done before anything is.
    pub(super) async fn look_first(&self) -> Result<()> {
        let found = self.find_table(None).await?;
        self.remaining_changes(found.as_ref()).map(drop)
    }

    pub(super) async fn run_changes(&self) -> Result<()> {
        let mut course = TableProgress {
            taken: Vec::new(),
            asked: None,
            trouble: TablePolling::for_patience(TROUBLE),
            busy: None,
            unshown: TablePolling::for_patience(SHOWS),
        };
        loop {
            let found = self.find_table(course.taken.last()).await?;
            let remaining = self.remaining_changes(found.as_ref())?;
            self.goal.tell_remaining(found.as_ref(), &remaining);
            let Some(change) = remaining.into_iter().next() else {
                return Ok(());
            };
            self.go_on(found.as_ref(), change, &mut course).await?;
        }
    }

    /// Looks at the table. A service that fails is retried: it has answered before.
    async fn find_table(&self, under_way: Option<&TableChange>) -> Result<Option<FoundTable>> {
        let mut trouble = TablePolling::for_patience(TROUBLE);
        let tell = || {
            if let Some(change) = under_way {
                self.goal.tell_state(change, StepState::Waits);
            }
        };
        loop {
            let settling = match self.asks {
                Probes::All => PendingChange::for_all(&tell),
                // A program that only starts does not wait for changes that others make to indexes that it does not
                // use.
                Probes::Description | Probes::Creation => {
                    PendingChange::of_declared(self.declared, &tell)
                }
            };
            match look_at_table(self.wire, self.declared, self.asks, &settling).await {
                // DynamoDB may not show a new table to all requests immediately.
                Err(error) if is_trouble(&error) || error.is_table_not_found() => {
                    trouble.wait_poll(|| error).await?;
                }
                found => return found,
            }
        }
    }

    /// The remaining work.
    fn remaining_changes(&self, found: Option<&FoundTable>) -> Result<Vec<TableChange>> {
        let mut remaining = Vec::new();
        let mut refused = Vec::new();
        for change in needed_changes(self.declared, found) {
            match self.goal.judge_change(&change) {
                Verdict::Make => remaining.push(change),
                Verdict::Leave => {}
                Verdict::Refuse(why) => refused.push(why),
            }
        }
        if let Some(found) = found {
            refused.extend(self.crowded_out(&found.described.schema, &remaining));
        }
        if refused.is_empty() {
            return Ok(remaining);
        }
        let reasons = refused.join("\n- ");
        let refusal = self.goal.refusal_text(&self.declared.name);
        let message = format!("{refusal}:\n- {reasons}");
        Err(Error::new(
            ErrorKind::SchemaMismatch,
            Stage::Schema,
            message,
        ))
    }

    /// Why the service would reject an index once the changes before it are made: one that is in its way is kept.
    fn crowded_out(&self, there: &TableSchema, remaining: &[TableChange]) -> Vec<String> {
        let mut room = IndexRoom::of_table(there);
        let mut vectors = there.vector_indexes.clone();
        let most_vectors = most_vector_indexes(vectors.len());
        let mut refused = Vec::new();
        for change in remaining {
            match change {
                TableChange::RemoveIndex(name) => {
                    room.remove_index(name);
                    vectors.retain(|index| index.name != *name);
                }
                TableChange::AddIndex(name) => {
                    if let Some(index) = self.declared.vector_index(name)
                        && let Some(kept) = list_other_lengths(index, &vectors).first()
                    {
                        refused.push(other_length(index, kept));
                    }
                    if let Some(index) = self.declared.vector_index(name) {
                        match vectors.len() >= most_vectors {
                            true => refused.push(full_of_vectors(name)),
                            false => vectors.push(index.clone()),
                        }
                    }
                    let Some(index) = self.declared.index(name) else {
                        continue;
                    };
                    match room.find_obstacle(index) {
                        Some(obstacle) => refused.push(obstacle.obstacle_text(name)),
                        None => room.add_index(index),
                    }
                }
                _ => {}
            }
        }
        refused
    }

    /// Begins the change, or waits until it is shown or can begin.
    async fn go_on(
        &self,
        found: Option<&FoundTable>,
        change: TableChange,
        course: &mut TableProgress,
    ) -> Result<()> {
        // An outdated description may also lack a change that DynamoDB accepted before the last one. What it removed
        // may have been created again meanwhile, so the change is not requested again.
        if course.taken.contains(&change) {
            self.goal.tell_state(&change, StepState::Waits);
            return course
                .unshown
                .wait_poll(|| self.unshown_error(&change))
                .await;
        }
        if course.asked.as_ref() != Some(&change) {
            // Another process may have made the previous change, however long that took, so the limits begin again.
            course.asked = Some(change.clone());
            course.trouble = TablePolling::for_patience(TROUBLE);
            course.busy = None;
            self.goal.tell_state(&change, StepState::Begins);
        }
        let error = match make_change(self.wire, self.declared, found, &change).await {
            Ok(()) => {
                course.unshown = TablePolling::for_patience(SHOWS);
                course.taken.push(change);
                return Ok(());
            }
            Err(error) => error,
        };
        if is_trouble(&error) {
            // The change may have been made although the response was lost, so the table is described first.
            return course.trouble.wait_poll(|| error).await;
        }
        let waits = self.goal.waits_for_ttl() && is_too_soon(&error);
        if !waits && !is_temporary(&error, found, &change, &course.taken) {
            return self.told_why(error, found, &change).await;
        }
        self.goal.tell_state(&change, StepState::Waits);
        let busy = course
            .busy
            .get_or_insert_with(|| TablePolling::for_patience(change.wait_limit()));
        busy.wait_poll(|| error).await
    }

    /// An error is none if the change is done: someone else was faster. The service may show that late.
    async fn told_why(
        &self,
        error: Error,
        before: Option<&FoundTable>,
        change: &TableChange,
    ) -> Result<()> {
        let mut stale = TablePolling::for_patience(STALE);
        loop {
            let found = self.find_table(Some(change)).await?;
            if !self.remaining_changes(found.as_ref())?.contains(change) {
                return Ok(());
            }
            // DynamoDB rejects a request if the load has increased one of its values. The next one omits that value.
            if let (Some(before), Some(now)) = (before, &found)
                && has_warmed(&before.described, &now.described, change)
            {
                return Ok(());
            }
            // Another process may have made the change while the description was still the old one.
            // Then the error does not matter.
            if error.kind() == ErrorKind::AccessDenied || !stale.wait_more().await {
                return Err(with_limit(error, change));
            }
        }
    }

    fn unshown_error(&self, change: &TableChange) -> Error {
        let message = format!(
            "DynamoDB has accepted the change to {change} of table `{}`, but does not show it",
            self.declared.name
        );
        Error::new(ErrorKind::Unavailable, Stage::Schema, message)
    }
}

/// The table with all that several requests tell of it, once nothing is being changed.
pub(super) async fn look_at_table(
    wire: &Wire,
    declared: &TableSchema,
    asks: Probes,
    settling: &PendingChange<'_>,
) -> Result<Option<FoundTable>> {
    match (wait_settled(wire, &declared.name, settling).await?, asks) {
        (None, _) => Ok(None),
        (Some(described), Probes::Description) => Ok(Some(FoundTable::of_description(described))),
        (Some(described), _) => {
            let complete = FoundTable::complete_table(wire, declared, described, asks);
            complete.await.map(Some)
        }
    }
}

/// Adds the limit of the service that may be meant, if waiting does not help.
fn with_limit(error: Error, change: &TableChange) -> Error {
    match change.lasting_limit() {
        Some(limit) if error.is_limit_exceeded() => {
            let message = format!(
                "{error}. It is not retried, because the limit lasts for hours or days: {limit}. Plan again later"
            );
            error.with_kind(ErrorKind::LimitExceeded, message)
        }
        _ => error,
    }
}

/// Whether the service says that TTL was changed within the last hour. It has no code for that; its words decide about waiting
/// and nothing else.
fn is_too_soon(error: &Error) -> bool {
    // DynamoDB has no code of its own for this rejection. If its text changes, the plan ends with
    // an error instead of waiting.
    error.kind() == ErrorKind::Rejected && error.to_string().contains("modified multiple times")
}

/// Whether the service rejects the change for a temporary reason. It accepts one change of TTL an hour, and does not say so by a
/// code.
fn is_temporary(
    error: &Error,
    found: Option<&FoundTable>,
    change: &TableChange,
    taken: &[TableChange],
) -> bool {
    match change {
        TableChange::AddTtl(_) | TableChange::RemoveTtl(_) => {
            let expiry = found.and_then(|found| found.expiry.as_ref());
            let is_changing = expiry.is_some_and(|expiry| expiry.is_changing);
            // DynamoDB rejects a second change of the TTL within an hour, also after it shows the
            // first one as completed.
            let is_removal = |other: &TableChange| matches!(other, TableChange::RemoveTtl(_));
            let mut all = taken.iter().chain([change]);
            error.kind() == ErrorKind::Rejected && (is_changing || all.any(is_removal))
        }
        TableChange::SetRecovery(_) | TableChange::ShortenRecovery(_) => {
            service::keeps_no_backups_yet(error)
        }
        // For these changes, a limit lasts for hours or days, so waiting makes no sense.
        _ if change.lasting_limit().is_some() => error.is_table_in_use(),
        _ => service::is_busy(error),
    }
}

/// Asks the service for one change.
async fn make_change(
    wire: &Wire,
    declared: &TableSchema,
    found: Option<&FoundTable>,
    change: &TableChange,
) -> Result<()> {
    let name = &declared.name;
    let Some(FoundTable { described, .. }) = found else {
        return service::create_table(wire, declared).await;
    };
    let update = match change {
        TableChange::SetRecovery(days) | TableChange::ShortenRecovery(days) => {
            return service::enable_recovery(wire, name, *days).await;
        }
        TableChange::AddTtl(attribute) => {
            return service::set_ttl(wire, name, attribute, true).await;
        }
        TableChange::RemoveTtl(attribute) => {
            return service::set_ttl(wire, name, attribute, false).await;
        }
        TableChange::SetTags(_) => {
            return service::tag_table(wire, described, &declared.settings).await;
        }
        TableChange::AddIndex(index) => match (declared.index(index), declared.vector_index(index))
        {
            (Some(index), _) => TableUpdate::AddIndex(index, &declared.settings),
            (None, Some(index)) => TableUpdate::AddVectorIndex(index),
            (None, None) => return Ok(()),
        },
        TableChange::RemoveIndex(index) => match described.schema.vector_index(index) {
            Some(_) => TableUpdate::RemoveVectorIndex(index),
            None => TableUpdate::RemoveIndex(index),
        },
        TableChange::AddStream(view) => TableUpdate::Stream(Some(*view)),
        TableChange::RemoveStream => TableUpdate::Stream(None),
        TableChange::SetProtection(on) => TableUpdate::Protection(*on),
        TableChange::SetClass(class) => TableUpdate::Class(*class),
        TableChange::SetBilling(billing) => TableUpdate::Billing(*billing, declared),
        TableChange::SetOnDemandMaximum { index, maximum } => {
            TableUpdate::Maximum(index.as_deref(), *maximum)
        }
        TableChange::RaiseWarmThroughput { index, units } => {
            let index = index.as_deref();
            TableUpdate::Warm(index, units_to_raise(described, index, *units))
        }
        TableChange::SetEncryption(encryption) => TableUpdate::Encryption(encryption),
        TableChange::CreateTable | TableChange::Replace(_) | TableChange::Unfit(_) => {
            return Ok(());
        }
    };
    service::update_table(wire, described, update).await
}

/// All errors as one, because those of the other tables would be lost otherwise.
pub(super) fn join_errors(errors: impl IntoIterator<Item = Error>) -> Result<()> {
    let mut errors = errors.into_iter();
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
