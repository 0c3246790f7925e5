//! The goals of a program that starts, short of a plan: one kind of change, and no other difference.

use super::change::TableChange;
use super::compare;
use super::converge::{TableGoal, Verdict};

/// The missing global indexes. Other differences do not matter, unless no index can repair them.
pub(super) struct IndexGoal;

impl TableGoal for IndexGoal {
    fn judge_change(&self, change: &TableChange) -> Verdict {
        match change {
            TableChange::AddIndex(_) => Verdict::Make,
            TableChange::Replace(why) => Verdict::Refuse(why.clone()),
            _ => Verdict::Leave,
        }
    }
}

/// Items that expire, where none do.
pub(super) struct TtlGoal;

impl TableGoal for TtlGoal {
    fn judge_change(&self, change: &TableChange) -> Verdict {
        match change {
            TableChange::AddTtl(_) => Verdict::Make,
            TableChange::RemoveTtl(there) => Verdict::Refuse(compare::other_ttl(there)),
            _ => Verdict::Leave,
        }
    }
}

/// A table that was just requested. Someone else may have made it, and made it otherwise.
pub(super) struct CreationGoal;

impl TableGoal for CreationGoal {
    fn judge_change(&self, change: &TableChange) -> Verdict {
        match change {
            TableChange::CreateTable | TableChange::AddTtl(_) | TableChange::SetRecovery(_) => {
                Verdict::Make
            }
            TableChange::Replace(why) => Verdict::Refuse(why.clone()),
            TableChange::AddIndex(index) => Verdict::Refuse(compare::missing_index(index)),
            TableChange::RemoveTtl(there) => Verdict::Refuse(compare::other_ttl(there)),
            TableChange::AddStream(_) | TableChange::RemoveStream => {
                Verdict::Refuse(compare::OTHER_STREAM.to_owned())
            }
            // The creator decides about settings, and indexes beyond the declared ones do not matter.
            _ => Verdict::Leave,
        }
    }
}

/// Recovery alone, which a creator that died has left out.
pub(super) struct RecoveryGoal;

impl TableGoal for RecoveryGoal {
    fn judge_change(&self, change: &TableChange) -> Verdict {
        match change {
            TableChange::SetRecovery(_) => Verdict::Make,
            _ => Verdict::Leave,
        }
    }
}
