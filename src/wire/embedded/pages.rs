//! Queries and scans whose pages take time in proportion to the page.
//!
//! Without a limit, the engine reads all remaining rows into memory before it ends a page at a megabyte, so reading a
//! table takes quadratic time. Therefore each request gets a limit that is a little larger than the last page of that
//! table. If the page ends before the limit, it equals the page without a limit: the same rows, counts, costs and key.
//! Only the number of scanned rows is corrected, because the engine counts the row that does not fit into the page.
//! Otherwise the page is read again with a larger limit, which later pages begin with.

use dynoxide::DynoxideError;
use dynoxide::actions::query::{self, QueryRequest, QueryResponse};
use dynoxide::actions::scan::{self, ScanRequest, ScanResponse};
use dynoxide::storage::Storage;

use super::answer::{EngineAnswer, parse_body, write_reply};
use super::page_sizes::{PageSizes, PageSource};
use super::store::{EngineStore, finish_action};

/// How much larger the limit of the next attempt is.
const GROWTH: usize = 4;
/// The engine's own largest limit.
const MOST: usize = i32::MAX as usize;

/// The common parts of the responses to queries and scans.
trait EnginePage {
    fn scanned_rows(&self) -> usize;
    fn has_more(&self) -> bool;
    /// Corrects the count of a page that was ended by its size. The engine also counts the first row of the next page,
    /// so that row would be counted twice.
    fn uncount_row(&mut self);
}

impl EnginePage for ScanResponse {
    fn scanned_rows(&self) -> usize {
        self.scanned_count
    }

    fn has_more(&self) -> bool {
        self.last_evaluated_key.is_some()
    }

    fn uncount_row(&mut self) {
        self.scanned_count -= 1;
    }
}

impl EnginePage for QueryResponse {
    fn scanned_rows(&self) -> usize {
        self.scanned_count
    }

    fn has_more(&self) -> bool {
        self.last_evaluated_key.is_some()
    }

    fn uncount_row(&mut self) {
        self.scanned_count -= 1;
    }
}

pub(super) fn scan_page(
    store: &mut EngineStore,
    body: &[u8],
) -> Result<EngineAnswer, DynoxideError> {
    let request: ScanRequest = parse_body(body)?;
    let source = (request.table_name.clone(), request.index_name.clone());
    let wanted = request.limit;
    let is_segment = request.total_segments.is_some() && request.index_name.is_none();
    let storage = &store.storage;
    let mut first = Some(request);
    let page = read_page(&mut store.pages, source, wanted, |source, limit| {
        // The engine consumes the request and it is not `Clone`, so a second attempt parses it
        // again. Most pages need one attempt.
        let mut request = first.take().map_or_else(|| parse_body(body), Ok)?;
        request.limit = Some(limit);
        let page = finish_action(scan::execute(storage, request))?;
        if is_segment && page.has_more() {
            index_segments(storage, &source.0);
        }
        Ok(page)
    })?;
    Ok(write_reply(&page))
}

pub(super) fn query_page(
    store: &mut EngineStore,
    body: &[u8],
) -> Result<EngineAnswer, DynoxideError> {
    let request: QueryRequest = parse_body(body)?;
    let source = (request.table_name.clone(), request.index_name.clone());
    let wanted = request.limit;
    let storage = &store.storage;
    let mut first = Some(request);
    let page = read_page(&mut store.pages, source, wanted, |_, limit| {
        let mut request = first.take().map_or_else(|| parse_body(body), Ok)?;
        request.limit = Some(limit);
        finish_action(query::execute(storage, request))
    })?;
    Ok(write_reply(&page))
}

/// Reads one page, with limits that grow until the page ends below one, or the limit is the caller's.
fn read_page<P: EnginePage>(
    sizes: &mut PageSizes,
    source: PageSource,
    wanted: Option<usize>,
    mut read: impl FnMut(&PageSource, usize) -> Result<P, DynoxideError>,
) -> Result<P, DynoxideError> {
    let most = wanted.unwrap_or(MOST);
    let first = sizes.page_limit(&source).min(most);
    let mut limit = first;
    loop {
        let mut page = read(&source, limit)?;
        let is_below = page.scanned_rows() < limit;
        // A page that ends below the limit and has more was ended by its size, so it shows how many
        // rows fill a page.
        if is_below && page.has_more() {
            sizes.remember_page(source, page.scanned_rows());
            page.uncount_row();
            return Ok(page);
        }
        // A page that ends exactly at our limit is cut there, and would show a continuation that
        // the caller must not see.
        if is_below || limit >= most {
            // Without this, a page between the first limit and a megabyte would take several
            // attempts each time.
            if limit > first {
                sizes.remember_rows(source, page.scanned_rows());
            }
            return Ok(page);
        }
        limit = limit.saturating_mul(GROWTH).min(most);
    }
}

/// Creates an index in the order of segments, which is a hash that the engine stores with each row. The engine has no
/// such index, and sorts the whole segment for each page. Only tables with a segment of several pages get this index,
/// because each write maintains it.
fn index_segments(storage: &Storage, table: &str) {
    let table = table.replace('"', "\"\"");
    let index = format!(
        "CREATE INDEX IF NOT EXISTS \"{table}::segments\" ON \"{table}\" (hash_prefix, pk, sk)"
    );
    // A failure is ignored: without the index, reading segments is slower and otherwise the same.
    drop(storage.conn().execute_batch(&index));
}

#[cfg(test)]
mod tests;
