//! What the stub of a declaration with mistakes needs to know.

use syn::{Ident, Path};

/// An entity's stub has a key, and guards where there is a version.
pub(crate) struct EntityHint {
    pub(crate) krate: Path,
    /// How many parts the key has, as far as it can be told.
    pub(crate) key_parts: usize,
    /// The ways to ask for rows: those of the indexes, and first that of the table.
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

/// A way to ask for rows, as far as it can be told.
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
    /// How many parts the partition key has, as far as it can be told.
    pub(crate) partition: usize,
}

/// A value's stub needs no more than the library's path.
pub(crate) struct ValueHint {
    pub(crate) krate: Path,
}
