//! The information for the stub of a declaration with mistakes.

use syn::{Ident, Path};

/// An entity's stub has a key, and guards where there is a version.
pub(crate) struct EntityHint {
    pub(crate) krate: Path,
    /// The number of key parts, if it is known.
    pub(crate) key_parts: usize,
    /// The access patterns: that of the table first, then those of the indexes.
    pub(crate) patterns: Vec<PatternHint>,
    /// The look-ups of unique values, with the number of their parts.
    pub(crate) look_ups: Vec<(Ident, usize)>,
    /// The parts of all sort keys, each once.
    pub(crate) sort_parts: Vec<Ident>,
    /// Whether its items are created only.
    pub(crate) append_only: bool,
    /// Whether a field is the version.
    pub(crate) versioned: bool,
    /// The trait that services depend on.
    pub(crate) repository: Option<Ident>,
}

/// An access pattern, if it is known.
pub(crate) struct PatternHint {
    pub(crate) name: Ident,
    /// How many parts the partition key has.
    pub(crate) parts: usize,
    /// The parts of the sort key, in order.
    pub(crate) sort_parts: Vec<Ident>,
    /// Whether the rows are whole entities.
    pub(crate) whole: bool,
}

/// A table's stub has the indexes that entities name.
pub(crate) struct TableHint {
    pub(crate) krate: Path,
    pub(crate) indexes: Vec<Ident>,
}

/// A collection's stub has the constructor of its queries.
pub(crate) struct CollectionHint {
    pub(crate) krate: Path,
    /// The number of parts of the partition key, if it is known.
    pub(crate) partition: usize,
}

/// A value's stub needs no more than the library's path.
pub(crate) struct ValueHint {
    pub(crate) krate: Path,
}
