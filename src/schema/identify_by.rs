//! The word of a shared table for the identification of its rows.

/// The identification of the rows of a shared table, `identify_by = key` or `identify_by = type`. Without the option, the type
/// identifies the entity of a row, and the key identifies that of a row without a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IdentifyBy {
    /// By its type and its key. Several entities may have the same type.
    Key,
    /// By its type alone. Several entities may have the same keys, and every write checks the type of the stored item.
    Type,
}
