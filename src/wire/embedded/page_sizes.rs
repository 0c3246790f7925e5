//! How many rows the last pages had, so that the next one is read with a fitting limit.

use std::collections::HashMap;

/// The limit where nothing is known: rows may have 400 KB each.
const FIRST: usize = 128;

/// How many rows the last full page had, of each table and index.
#[derive(Default)]
pub(super) struct PageSizes {
    pub(super) rows: HashMap<PageSource, usize>,
}

/// A table, and the index of it that is read.
pub(super) type PageSource = (String, Option<String>);

impl PageSizes {
    /// A limit that a page of similar rows stays below.
    pub(super) fn limit(&self, source: &PageSource) -> usize {
        let known = self.rows.get(source);
        known.map_or(FIRST, |rows| rows + rows / 8 + 16)
    }

    /// Notes how many rows a full page had.
    pub(super) fn remember(&mut self, source: PageSource, rows: usize) {
        self.rows.insert(source, rows);
    }
}
