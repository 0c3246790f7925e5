//! `explain`: what a query would ask of the service.

use super::selection::{Filter, Selection, Wanted};
use crate::dynamo::Dynamo;
use crate::error::Result;

/// What a query would ask of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The operation of DynamoDB, `Query` say. `None`: the range is empty, so nothing is asked.
    pub operation: Option<&'static str>,
    /// The table's full name.
    pub table: String,
    /// The index, if it is not the table that is read.
    pub index: Option<String>,
    /// The body of the first request, DynamoDB JSON. It holds the values of the keys.
    pub request: String,
    /// Why the service drops rows that it has read and counted, if it does.
    pub filters: Vec<Filter>,
}

impl Explanation {
    /// Whether items are read, and paid for, that are not returned.
    pub fn is_filtering(&self) -> bool {
        !self.filters.is_empty()
    }
}

pub(super) fn explain(selection: Selection, db: &Dynamo, wanted: Wanted) -> Result<Explanation> {
    let frame = selection.frame(db, wanted)?;
    let is_nothing = frame.is_nothing;
    let limit = selection.options.limit.map(|limit| limit.saturating_add(1));
    let (frame, body) = selection.fetch(db, frame).preview(limit);
    Ok(Explanation {
        operation: (!is_nothing).then(|| frame.operation.name()),
        table: frame.table,
        index: frame.index.map(str::to_owned),
        request: String::from_utf8_lossy(&body).into_owned(),
        filters: frame.filters,
    })
}
