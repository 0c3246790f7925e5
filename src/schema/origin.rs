//! Where a schema comes from.

use std::fmt;

/// The source of a schema, which is not part of its value: two schemas with the same data are equal.
#[derive(Clone, Copy)]
pub(crate) struct Origin<T>(pub(crate) Option<T>);

impl<T> Default for Origin<T> {
    fn default() -> Self {
        Origin(None)
    }
}

impl<T> PartialEq for Origin<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Origin<T> {}

impl<T> fmt::Debug for Origin<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "declared"
        } else {
            "not declared"
        })
    }
}

/// The declaration of a table: a table of several entities, or an entity with its own table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declaration {
    /// Module path and name.
    pub(crate) id: &'static str,
    /// Whether it lists its entities, and is not an entity itself.
    pub(crate) is_shared: bool,
}
