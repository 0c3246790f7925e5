//! `explain`: what a query would ask of the service.

use super::fetch::Fetch;
use super::hydrate::PAGE;
use super::selection::{Selection, Wanted};
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::request::Explanation;

pub(super) fn explain(selection: Selection, db: &Dynamo, wanted: Wanted) -> Result<Explanation> {
    let hydrates = selection.options.hydration.is_some();
    let limit = selection.options.limit.or(hydrates.then_some(PAGE));
    let limit = limit.map(|limit| limit.saturating_add(1));
    let mut explanation = Explanation {
        operation: None,
        table: db.table_name(selection.source().table.name),
        index: selection.source().index.map(|index| index.index.to_owned()),
        requests: Vec::new(),
        filters: Vec::new(),
        items: selection.options.hydration.as_ref().map(|_| {
            let request = selection.items(db).form();
            String::from_utf8_lossy(&request.body).into_owned()
        }),
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
