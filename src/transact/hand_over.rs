//! A unique value that one operation of a transaction gives up and another takes.
//!
//! DynamoDB takes one operation an item, so both become one: it gives the sentinel its new owner, if the old one has
//! it.

use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::plan::{Meaning, TransactionMember};
use crate::write::unique;

pub(super) fn join(members: &mut Vec<TransactionMember>, db: &Dynamo) -> Result<()> {
    let mut given = Vec::new();
    for at in 0..members.len() {
        let Some(from) = giver(members, at) else {
            continue;
        };
        if let (Some(taker), Some(giver)) = (members.get(at), members.get(from)) {
            let joined = unique::take_over(taker, giver, db)?;
            if let Some(taker) = members.get_mut(at) {
                *taker = joined;
            }
        }
        given.push(from);
    }
    let mut at = 0;
    members.retain(|_| {
        at += 1;
        !given.contains(&(at - 1))
    });
    Ok(())
}

/// The operation that gives up what this one takes.
fn giver(members: &[TransactionMember], at: usize) -> Option<usize> {
    let taker = members.get(at)?;
    if !matches!(taker.write.meaning, Meaning::Taken(_)) {
        return None;
    }
    members.iter().position(|giver| {
        matches!(giver.write.meaning, Meaning::NotOurs)
            && giver.write.table == taker.write.table
            && giver.key == taker.key
    })
}
