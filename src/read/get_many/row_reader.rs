//! How an item becomes a row.

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::plan::is_expired;
use crate::read::{FoundItem, ReadRow};

/// How an item becomes a row.
pub(super) struct RowReader<Row> {
    pub(super) read: ReadRow<Row>,
    /// Makes an error a row, if errors are rows.
    pub(super) of_error: Option<fn(Error) -> Row>,
}

impl<Row> Clone for RowReader<Row> {
    fn clone(&self) -> Self {
        RowReader {
            read: self.read.clone(),
            of_error: self.of_error,
        }
    }
}

impl<Row> RowReader<Row> {
    /// The row of the result for a key.
    pub(super) fn read_row(
        &self,
        found: FoundItem,
        ttl: Option<&'static str>,
        now: Timestamp,
    ) -> Result<Option<Row>> {
        match (found, self.of_error) {
            (Ok(Some(item)), _) if is_expired(item.row_json(), ttl, now) => Ok(None),
            (Ok(Some(item)), _) => self.read.read_row(&item).map(Some),
            (Ok(None), _) => Ok(None),
            (Err(error), Some(of_error)) => Ok(Some(of_error(error))),
            (Err(error), None) => Err(error),
        }
    }
}
