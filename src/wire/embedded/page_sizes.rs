//! The number of rows of the last pages, so that the next one is read with a fitting limit.

use std::collections::HashMap;

/// The limit if nothing is known yet: rows may have 400 KB each.
const FIRST: usize = 128;

/// The number of rows of the last full page, or of the largest one if none was full, for each table and index.
#[derive(Default)]
pub(super) struct PageSizes {
    pub(super) rows: HashMap<PageSource, usize>,
}

/// A table, and the index of it that is read.
pub(super) type PageSource = (String, Option<String>);

impl PageSizes {
    /// A limit that a page of similar rows stays below.
    pub(super) fn page_limit(&self, source: &PageSource) -> usize {
        let known = self.rows.get(source);
        // An eighth more, because a page that ends at the limit is read a second time, and rows
        // vary in size.
        known.map_or(FIRST, |rows| rows + rows / 8 + 16)
    }

    /// Notes the number of rows of a full page.
    pub(super) fn remember_page(&mut self, source: PageSource, rows: usize) {
        self.rows.insert(source, rows);
    }

    /// Notes that a page has room for this number of rows.
    pub(super) fn remember_rows(&mut self, source: PageSource, rows: usize) {
        let known = self.rows.entry(source).or_default();
        *known = rows.max(*known);
    }
}
