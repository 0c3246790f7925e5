//! The limits of DynamoDB for a transaction as a whole, checked before sending (law B3).

use super::member::TransactionMember;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::plan::keys::ItemKey;
use crate::plan::meaning::Meaning;
use crate::schema::UniqueDef;

/// The maximum number of operations of a transaction, for writes and for reads.
pub(crate) const MOST: usize = 100;

/// The maximum size of all items of a transaction in bytes.
const LARGEST: usize = 4 * 1024 * 1024;

pub(crate) fn check_limits(members: &[TransactionMember]) -> Result<()> {
    check_count(members)?;
    check_keys(members)?;
    check_size(members)
}

fn check_count(members: &[TransactionMember]) -> Result<()> {
    let Some(first) = members.get(MOST) else {
        return Ok(());
    };
    let message = format!(
        "the transaction has {} operations, {} of them for unique values, lists and blobs; DynamoDB allows {MOST}: split it where \
         partial effects are acceptable",
        members.len(),
        members.iter().filter(|member| !member.is_write()).count()
    );
    Err(limit_error(ErrorKind::InvalidValue, first, message))
}

/// Rejects two operations on one item, because they would have no order.
fn check_keys(members: &[TransactionMember]) -> Result<()> {
    fn item(member: &TransactionMember) -> (&str, &ItemKey) {
        (&member.write.table, &member.key)
    }
    let mut sorted: Vec<_> = members.iter().enumerate().collect();
    // The sort is stable, so two members on one item remain in the order of the caller.
    sorted.sort_by(|one, other| item(one.1).cmp(&item(other.1)));
    let repeated = sorted.windows(2).filter_map(|pair| match pair {
        [(_, before), (at, member)] if item(before) == item(member) => Some((at, *before, *member)),
        _ => None,
    });
    // The first one in the order of the caller is the mistake: a repeated item also repeats its unique values, whose keys
    // sort before it.
    let Some((_, before, member)) = repeated.min_by_key(|found| found.0) else {
        return Ok(());
    };
    if let (Meaning::Taken(_), Meaning::Taken(unique)) =
        // Two operations that take one unique value are the caller's mistake in data, and get
        // the same kind of error as a value that is taken already.
        (before.write.meaning, member.write.meaning)
    {
        return Err(both_take(unique, before, member));
    }
    let first = before.place.unwrap_or_default();
    let message = if member.is_write() {
        format!(
            "it is on the same item as {first}: a transaction takes one operation an item, whose conditions are \
             given by `.when(..)`"
        )
    } else {
        // No list or blob: its key is made of the key of the item, so the item is repeated too.
        format!("it takes or gives up the same unique value as {first}: do one after the other")
    };
    Err(limit_error(ErrorKind::InvalidValue, member, message))
}

/// The error for two operations that take the same unique value. It reports both, because neither takes precedence.
fn both_take(unique: &UniqueDef, one: &TransactionMember, other: &TransactionMember) -> Error {
    let failed = |member: &TransactionMember, than: &TransactionMember| {
        let than = than.place.unwrap_or_default();
        let message = match unique.fields {
            [_] => format!("{than} takes this value too, and it is unique"),
            _ => format!("{than} takes these values too, and together they are unique"),
        };
        let error =
            Error::new(ErrorKind::UniqueViolation, Stage::Request, message).of(member.write.entity);
        member.failed_with(error.at(unique.fields.join(", ")))
    };
    Error::of_operations(vec![failed(one, other), failed(other, one)], 0)
}

/// Only puts are known whole before they are sent; an item is never larger than its JSON.
fn check_size(members: &[TransactionMember]) -> Result<()> {
    let items = members.iter().filter_map(|member| member.write.item_json());
    let most: usize = items.map(<[u8]>::len).sum();
    if most <= LARGEST {
        return Ok(());
    }
    let mut total = 0;
    for member in members {
        total += member.encoded_size();
        if total > LARGEST {
            let message = format!(
                "with it the items of the transaction have more than {LARGEST} bytes, DynamoDB's limit (4 MB): split it where partial effects are acceptable"
            );
            return Err(limit_error(ErrorKind::TooLarge, member, message));
        }
    }
    Ok(())
}

fn limit_error(kind: ErrorKind, member: &TransactionMember, message: String) -> Error {
    let error = Error::new(kind, Stage::Request, message).of(member.write.entity);
    Error::of_operations(vec![member.failed_with(error)], 0)
}
