//! `explain` and `explain_count`: the requests of a query.

use super::row_source::PAGE;
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::plan::Explanation;
use crate::query::request::{Selection, Wanted};

pub(crate) fn explain_query(
    selection: Selection,
    db: &Dynamo,
    wanted: Wanted,
) -> Result<Explanation> {
    let is_page = wanted == Wanted::Items;
    let hydrates = is_page && selection.options.hydration.is_some();
    let limit = selection.options.limit.or(hydrates.then_some(PAGE));
    // A page reads one more row than its limit, to find out whether another page exists.
    let limit = limit.map(|limit| limit.saturating_add(usize::from(is_page)));
    let mut explanation = Explanation {
        pattern: Some(selection.query_source().pattern),
        operation: None,
        table: db.table_name(selection.query_source().table.name),
        index: selection
            .query_source()
            .index
            .map(|index| index.index.to_owned()),
        requests: Vec::new(),
        filters: Vec::new(),
        items: hydrates.then(|| {
            let request = selection.item_reader(db).form_request();
            String::from_utf8_lossy(&request.body).into_owned()
        }),
    };
    let allowance = selection.options.max_scanned;
    for read in selection.lane_reads(db, wanted)? {
        let Some(frame) = read.frames.first() else {
            continue;
        };
        explanation.operation = Some(frame.operation.operation_name());
        explanation.filters.clone_from(&frame.filters);
        let mut fetch = selection.start_fetch(db, read, wanted);
        fetch.allow_rows(allowance);
        let body = fetch.preview_request(limit).unwrap_or_default();
        let body = String::from_utf8_lossy(&body).into_owned();
        explanation.requests.push(body);
    }
    Ok(explanation)
}
