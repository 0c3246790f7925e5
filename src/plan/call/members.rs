//! A transaction with changes of unique values: beside `sent.rs`, the other uppermost layer.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use super::{confirm, contend};
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::plan::keys::{ItemKey, ItemKeys};
use crate::plan::meaning::Meaning;
use crate::plan::transaction::{self, Participant, TransactionMember};
use crate::retry::Rounds;
use crate::schema::Pattern;
use crate::wire::{Failure, Reason, Reply, Request};

/// The maximum number of times that released values may change their owners during a write.
const OWNER_CHANGES: u32 = 10;

/// Sends a transaction, and returns the failure, if any. A value to release may belong to another item by now, or may
/// never have belonged to this item. It is then not released. If only the format of a stored item differs, that one is
/// sent.
pub(crate) async fn send_members(
    db: &Dynamo,
    pattern: &'static Pattern,
    members: &mut [TransactionMember],
    mut rounds: Option<&mut Rounds<'_>>,
) -> Result<Option<(Failure, Vec<Participant>)>> {
    let mut reencoded = BTreeSet::new();
    let mut owner_changes = 0;
    loop {
        let (request, _) = transaction::request_of(pattern, members, None)?;
        let participants: Vec<_> = members.iter().map(Participant::of_member).collect();
        let keys = transaction::keys_of(&participants);
        let sent = match rounds.as_deref_mut() {
            // Boxed: only jobs need it, and it would enlarge every write with unique values.
            Some(rounds) => Box::pin(until_told(db, &request, &keys, rounds)).await,
            None => confirm::confirmed_call(db, request, keys).await,
        };
        let Err(failure) = sent else {
            return Ok(None);
        };
        // A sentinel that should be released belongs to another item, which took the value after
        // this one had expired, or before the value was declared unique.
        let is_kept = owner_changes < OWNER_CHANGES && follow_owners(members, &failure, db)?;
        owner_changes += u32::from(is_kept);
        let is_changed = is_kept || reencode_members(members, &failure, &mut reencoded);
        if !is_changed {
            return Ok(Some((failure, participants)));
        }
    }
}

/// Sends a transaction until its outcome is known, as long as there are rounds: a second attempt has the token of the
/// first. Once an answer was lost, only a success tells. A failed condition ends the rounds: the write would not go through
/// now, and the attempt without an answer may still be under way.
async fn until_told(
    db: &Dynamo,
    request: &Request,
    keys: &ItemKeys,
    rounds: &mut Rounds<'_>,
) -> Result<Reply, Failure> {
    let (token, mut unknown) = (Arc::default(), None);
    loop {
        let began = Instant::now();
        // The same bytes with the same token: if the first attempt took effect after all, DynamoDB
        // answers with its success.
        let sent = confirm::call_again(db, request, keys.clone(), &token).await;
        let Err(failure) = sent else { return sent };
        // Nothing is in doubt yet, so the failure is certain.
        if unknown.is_none() && !failure.error.is_outcome_unknown() {
            return Err(failure);
        }
        let refusal = failure.refusal.as_deref().unwrap_or(&failure);
        let is_refused = refusal.reasons.iter().any(Reason::is_condition);
        let lost = match unknown.take() {
            Some(unknown) => contend::met_later(unknown, failure),
            None => failure,
        };
        rounds.in_vain();
        // A failed condition after a lost response may be the effect of the first attempt, and
        // repeating cannot decide that.
        if is_refused || !rounds.begin_another(began.elapsed()).await {
            return Err(lost);
        }
        unknown = Some(lost);
    }
}

/// Releases no unique values of other items, if nothing else has failed, but checks that they still are values of others: a
/// job or another writer may have taken one for this item since, and then it must be released. Returns whether a member
/// was replaced.
fn follow_owners(
    members: &mut [TransactionMember],
    failure: &Failure,
    db: &Dynamo,
) -> Result<bool> {
    let failed = members.iter_mut().zip(&failure.reasons);
    let failed = failed.filter(|(_, reason)| reason.is_condition());
    let (of_others, rest): (Vec<_>, Vec<_>) =
        failed.partition(|(member, _)| matches!(member.write.meaning, Meaning::ForeignRow));
    // If another condition failed too, the write fails anyway, and its error must name that
    // condition.
    if !rest.is_empty() || of_others.is_empty() {
        return Ok(false);
    }
    for (member, _) in of_others {
        *member = member.for_changed_owner(db)?;
    }
    Ok(true)
}

/// Takes the values of guards in the format of the stored items, once for each item.
fn reencode_members(
    members: &mut [TransactionMember],
    failure: &Failure,
    reencoded: &mut BTreeSet<ItemKey>,
) -> bool {
    let mut is_any = false;
    for (member, reason) in members.iter_mut().zip(&failure.reasons) {
        if let Some(item) = reason.item.as_ref().filter(|_| reason.is_condition())
            // An item that differs again after its format was taken over was changed by another
            // writer.
            && !reencoded.contains(&member.key)
            && member.write.reencode_guards(item).is_some()
        {
            reencoded.insert(member.key.clone());
            is_any = true;
        }
    }
    is_any
}
