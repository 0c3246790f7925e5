//! The transaction of a unit of work, and the meaning of its failure for the items that were read.

use super::unit_item::UnitItem;
use crate::dynamo::{Dynamo, ItemId};
use crate::error::{Error, Failed, OperationPlace, Result};
use crate::transact::hand_over::send_planned;

/// Sends the writes, with the checks of items that were only read.
pub(super) async fn commit_items(db: &Dynamo, items: &[UnitItem]) -> Result<()> {
    // One strong read is consistent by itself, so its check would only cost a request.
    if items.len() <= 1 && !items.iter().any(|item| item.is_written) {
        return Ok(());
    }
    let numbered = items.iter().enumerate();
    let members = numbered.flat_map(|(index, item)| {
        let members = item.members.iter();
        members.map(move |member| {
            let name = member.place.and_then(|place| place.name);
            member
                .copy_member()
                .at_place(OperationPlace { index, name })
        })
    });
    send_planned(db, members.collect()).await
}

/// The items that have changed since they were read.
///
/// An item that another request held may have changed as well. Alone, this is contention, which was already waited
/// for. Together with a failed condition, it is not known whether that condition used the changed item.
pub(super) fn changed_since(items: &[UnitItem], error: &Error) -> Vec<ItemId> {
    let is_decided = error.failures().iter().any(is_condition);
    let mut changed = Vec::new();
    for failed in error.failures() {
        let item = items.get(failed.index());
        let read = item.and_then(|item| item.read.as_ref());
        let (Some(item), Some(read)) = (item, read) else {
            continue;
        };
        let has_changed = match is_condition(failed) {
            // A taken value is a result for the caller. Another attempt would find it taken again.
            true if is_of_value(failed) => false,
            true => !read.is_current(failed.error().current_bytes().as_ref()),
            false => is_decided,
        };
        if has_changed {
            changed.push(item.id.clone());
        }
    }
    changed
}

/// Whether it is about a unique value, which belongs to another item, and not about the item itself.
fn is_of_value(failed: &Failed) -> bool {
    failed.error().is_unique_violation() || failed.error().holder_item().is_some()
}

/// Whether a condition failed, as opposed to a conflict with another request.
fn is_condition(failed: &Failed) -> bool {
    failed.error().code() == Some("ConditionalCheckFailed")
}
