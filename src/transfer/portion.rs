//! The items of a portion, written by a job until the outcome of each is known.

use crate::bulk::{SingleWrite, put_each};
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Remedy, Result, Stage};
use crate::retry::RetryBudget;

/// The maximum number of attempts of a write whose outcome is unknown. Another write of the same item is harmless, and the
/// stored item shows whether one of them took effect.
const ATTEMPTS: usize = 4;

/// The settings of the writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PortionSettings {
    pub(super) concurrency: usize,
    pub(super) rate: Option<u32>,
    pub(super) budget: RetryBudget,
    pub(super) replaces: bool,
    /// The remedy for an item whose key another item has.
    pub(super) existing: Remedy,
}

/// An item to be stored, with its origin: its position, and the data from which its writes are created.
pub(super) struct PortionItem<O> {
    pub(super) origin: O,
    /// The item after the write.
    pub(super) stored: Item,
    /// The next write. Its request consumes it, so each further attempt needs another one.
    pub(super) write: Option<Box<dyn SingleWrite>>,
}

/// The outcome of an item.
pub(super) enum ItemOutcome {
    Written,
    /// The same item was stored already.
    Unchanged,
    /// It was not stored. If another item has its key, the error has the kind `AlreadyExists`.
    Failed(Error),
}

/// Writes the items of a portion and reports the outcome of each. If the job stops, the remaining outcomes are not reported,
/// because the next run finds these items again.
pub(super) async fn store_items<O>(
    db: &Dynamo,
    settings: PortionSettings,
    mut items: Vec<PortionItem<O>>,
    rewrite: impl Fn(&O) -> Result<Box<dyn SingleWrite>>,
    mut tell: impl FnMut(O, ItemOutcome),
) -> Result<()> {
    for attempt in 1..=ATTEMPTS {
        if items.is_empty() {
            return Ok(());
        }
        let is_last = attempt == ATTEMPTS;
        items = store_once(db, settings, items, &rewrite, is_last, &mut tell).await?;
    }
    Ok(())
}

/// Writes the items once. Returns those whose outcome is unknown, unless this is the last attempt.
async fn store_once<O>(
    db: &Dynamo,
    settings: PortionSettings,
    mut items: Vec<PortionItem<O>>,
    rewrite: &impl Fn(&O) -> Result<Box<dyn SingleWrite>>,
    is_last: bool,
    tell: &mut impl FnMut(O, ItemOutcome),
) -> Result<Vec<PortionItem<O>>> {
    let writes = items.iter_mut().map(|item| match item.write.take() {
        Some(write) => Ok(write),
        None => rewrite(&item.origin),
    });
    let mut job = put_each(writes.collect::<Result<Vec<_>>>()?)
        .concurrency(settings.concurrency)
        .budget(settings.budget)
        // The limit of the transfer counts over all portions, so the job must not stop on its own.
        .max_failures(usize::MAX);
    if let Some(rate) = settings.rate {
        job = job.rate(rate);
    }
    let report = job.send(db).await?;
    if let Some(error) = report.stopped() {
        return Err(error.again());
    }
    let mut errors: Vec<Option<Error>> = items.iter().map(|_| None).collect();
    for failed in report.errors() {
        if let Some(slot) = failed.index().and_then(|index| errors.get_mut(index)) {
            *slot = Some(failed.error().again());
        }
    }
    let mut unknown = Vec::new();
    for (item, error) in items.into_iter().zip(errors) {
        let outcome = match error {
            None => ItemOutcome::Written,
            // Checked before anything else: an attempt with an unknown outcome, or a run that crashed, may have stored
            // this very item.
            Some(error) if is_stored(&item.stored, &error) => ItemOutcome::Unchanged,
            Some(error) if is_undecided(&error) && !is_last => {
                unknown.push(item);
                continue;
            }
            Some(error) if is_key_taken(&error) && !settings.replaces => {
                let message = match error.current_bytes() {
                    Some(_) => "another item with this key is stored",
                    None => "an item with this key is stored, and could not be read",
                };
                let error = error.with_kind(ErrorKind::AlreadyExists, message);
                ItemOutcome::Failed(error.with_remedies([settings.existing]))
            }
            // The item may be good, and may be stored. The next run finds that out.
            Some(error) if error.is_outcome_unknown() => return Err(error.again()),
            Some(error) => ItemOutcome::Failed(error),
        };
        tell(item.origin, outcome);
    }
    Ok(unknown)
}

/// Whether another attempt may determine the outcome: after a lost response, or if the existing item was not read. A server
/// may return no item with a failed condition, and the read that follows can fail.
fn is_undecided(error: &Error) -> bool {
    // Without the stored item it cannot be said whether it is the same one; another attempt may
    // return it.
    error.is_outcome_unknown() || is_key_taken(error) && error.current_bytes().is_none()
}

/// Whether DynamoDB rejected the write because an item with its key is stored. A conflict that the library found itself is
/// about other items.
fn is_key_taken(error: &Error) -> bool {
    error.is_lost_race() && error.stage() == Stage::Service
}

/// Whether the existing item in the error is the same as the item to be stored.
fn is_stored(stored: &Item, error: &Error) -> bool {
    let current = error.current_bytes();
    let current = current.and_then(|current| Item::from_dynamo_json(&current).ok());
    current.is_some_and(|current| current == *stored)
}
