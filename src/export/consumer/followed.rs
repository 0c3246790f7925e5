//! The changes that a consumer receives.

/// A kind of change that a consumer receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FollowedChange {
    /// An item was created.
    Created,
    /// An item has other values.
    Changed,
    /// An item was removed, by a request or because it had expired.
    Removed,
    /// DynamoDB removed an item because it had expired.
    RemovedByTtl,
}

impl FollowedChange {
    /// All changes.
    pub const ALL: [FollowedChange; 3] = [
        FollowedChange::Created,
        FollowedChange::Changed,
        FollowedChange::Removed,
    ];
}
