//! A unique value that one operation of a transaction releases and another takes.
//!
//! DynamoDB accepts one operation per item, so both become one: it gives the sentinel its new owner, if the old one
//! has it.

use std::collections::{BTreeSet, HashMap};

use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::plan::{self, Meaning, TransactionMember};
use crate::write::unique;

/// Sends operations that were planned one by one, in one transaction.
pub(crate) async fn send_planned(db: &Dynamo, mut members: Vec<TransactionMember>) -> Result<()> {
    join_hand_overs(&mut members, db)?;
    plan::check_limits(&members)?;
    if members.is_empty() {
        return Ok(());
    }
    let pattern = plan::pattern_of(&members);
    match plan::send_members(db, pattern, &mut members, None).await? {
        None => Ok(()),
        Some((failure, participants)) => {
            Err(plan::explain_refusal(failure, &participants, db.now()))
        }
    }
}

pub(super) fn join_hand_overs(members: &mut Vec<TransactionMember>, db: &Dynamo) -> Result<()> {
    let givers = find_givers(members);
    let mut given = BTreeSet::new();
    for (at, from) in givers {
        if let (Some(taker), Some(giver)) = (members.get(at), members.get(from)) {
            let joined = unique::take_over(taker, giver, db)?;
            if let Some(taker) = members.get_mut(at) {
                *taker = joined;
            }
        }
        // DynamoDB accepts one operation per item, so the delete of the giver and the put of the
        // taker become one put.
        given.insert(from);
    }
    let mut at = 0;
    members.retain(|_| {
        at += 1;
        !given.contains(&(at - 1))
    });
    Ok(())
}

/// The operations that take a value which another releases, each with the first of those.
fn find_givers(members: &[TransactionMember]) -> Vec<(usize, usize)> {
    let item = |member: &TransactionMember| (member.write.table.clone(), member.key.clone());
    let numbered = || members.iter().enumerate();
    let mut giving = HashMap::new();
    for (at, member) in numbered() {
        // Only the release of a sentinel has this meaning.
        if matches!(member.write.meaning, Meaning::ForeignRow) {
            giving.entry(item(member)).or_insert(at);
        }
    }
    if giving.is_empty() {
        return Vec::new();
    }
    let takers = numbered().filter(|(_, taker)| matches!(taker.write.meaning, Meaning::Taken(_)));
    let pairs = takers.filter_map(|(at, taker)| Some((at, *giving.get(&item(taker))?)));
    pairs.collect()
}
