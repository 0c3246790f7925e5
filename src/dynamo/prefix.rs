//! The prefix of all table names.

/// The prefix of table names, with its separator; empty if none is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TablePrefix(String);

impl TablePrefix {
    /// Joined by `-` unless it ends with `-`, `_` or `.`.
    pub(crate) fn new(mut prefix: String) -> Self {
        if !prefix.is_empty() && !prefix.ends_with(['-', '_', '.']) {
            prefix.push('-');
        }
        TablePrefix(prefix)
    }

    pub(crate) fn prefix_text(&self) -> &str {
        &self.0
    }

    /// The full name of a table.
    pub(crate) fn full_name(&self, base: &str) -> String {
        format!("{}{base}", self.0)
    }
}
