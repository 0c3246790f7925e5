//! What the service refuses of a transaction as a whole, found out before sending (law B3).

use std::collections::BTreeMap;

use super::member::Member;
use crate::error::{Error, ErrorKind, Result, Stage};

/// So many operations fit into a transaction, of writes as of reads.
pub(in crate::request) const MOST: usize = 100;

/// The items of a transaction have together so many bytes.
const LARGEST: usize = 4 * 1024 * 1024;

pub(super) fn check(members: &[Member]) -> Result<()> {
    check_count(members)?;
    check_keys(members)?;
    check_size(members)
}

fn check_count(members: &[Member]) -> Result<()> {
    let Some(first) = members.get(MOST) else {
        return Ok(());
    };
    let message = format!(
        "the transaction has {} operations, {} of them for unique values; DynamoDB allows {MOST}: split it where \
         it may take effect in parts",
        members.len(),
        members.iter().filter(|member| !member.is_write()).count()
    );
    Err(refused(ErrorKind::InvalidValue, first, message))
}

/// Two operations on one item would have no order.
fn check_keys(members: &[Member]) -> Result<()> {
    let mut seen: BTreeMap<_, usize> = BTreeMap::new();
    for member in members {
        let place = (&member.request.table, &member.key);
        if let Some(before) = seen.insert(place, member.index.unwrap_or_default()) {
            let message = if member.is_write() {
                format!(
                    "it is on the same item as operation {before}: a transaction takes one operation an item, \
                     whose conditions are given by `.when(..)`"
                )
            } else {
                format!(
                    "it takes or gives up the same unique value as operation {before}: do one after the other"
                )
            };
            return Err(refused(ErrorKind::InvalidValue, member, message));
        }
    }
    Ok(())
}

/// Only puts are known whole before they are sent; an item is never larger than its JSON.
fn check_size(members: &[Member]) -> Result<()> {
    let most: usize = members.iter().map(|member| member.request.body.len()).sum();
    if most <= LARGEST {
        return Ok(());
    }
    let mut total = 0;
    for member in members {
        total += member.size();
        if total > LARGEST {
            let message = format!(
                "with it the items of the transaction have more than {LARGEST} bytes, DynamoDB's limit (4 MB)"
            );
            return Err(refused(ErrorKind::TooLarge, member, message));
        }
    }
    Ok(())
}

fn refused(kind: ErrorKind, member: &Member, message: String) -> Error {
    let error = Error::new(kind, Stage::Request, message).of(member.entity);
    Error::of_operations(vec![member.failed(error)], 0)
}
