//! The word of a shared table for the identification of its rows.

/// `identify_by = key` on a shared table: how a row with the type of an entity is identified. Without it, the type decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IdentifyBy {
    /// By its key: entities may have one type.
    Key,
}
