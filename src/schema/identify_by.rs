//! The word of a shared table for the identification of its rows.

/// `identify_by = key` or `identify_by = type` on a shared table: how the entity of a row is identified. Without it, the type
/// decides, and the key of a row without a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IdentifyBy {
    /// By its key: entities may have one type.
    Key,
    /// By its type alone: entities may have one key, and every write checks the type of the stored item.
    Type,
}
