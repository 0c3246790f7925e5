//! `explain`: what a query would ask of the service.

use super::fetch::Fetch;
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
    /// The body of the first request to each partition, DynamoDB JSON. It holds the values of the keys.
    pub requests: Vec<String>,
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
    let limit = selection.options.limit.map(|limit| limit.saturating_add(1));
    let mut explanation = Explanation {
        operation: None,
        table: db.table_name(selection.source().table.name),
        index: selection.source().index.map(|index| index.index.to_owned()),
        requests: Vec::new(),
        filters: Vec::new(),
    };
    for read in selection.reads(db, wanted)? {
        if read.frame.is_nothing {
            continue;
        }
        let fetch = Fetch::new(db.clone(), selection.entity(), read.frame).start_at(read.start);
        let (page_size, budget) = (selection.options.page_size, selection.options.max_scanned);
        let (frame, body) = fetch.looking_at(page_size, budget).preview(limit);
        explanation.operation = Some(frame.operation.name());
        explanation.filters = frame.filters;
        let body = String::from_utf8_lossy(&body).into_owned();
        explanation.requests.push(body);
    }
    Ok(explanation)
}
