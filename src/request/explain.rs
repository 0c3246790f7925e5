//! `explain`: what an operation would ask of the service.

use super::call::Plan;
use crate::wire::Request;

/// What an operation would ask of the service; see [`Operation::explain`](super::Operation::explain).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The operation of DynamoDB, `UpdateItem` say. `None` where nothing is asked.
    pub operation: Option<&'static str>,
    /// The table's full name.
    pub table: String,
    /// The index, if it is not the table that is read.
    pub index: Option<String>,
    /// The body of the request, DynamoDB JSON. It holds the values.
    pub request: String,
}

impl Explanation {
    pub(super) fn of<Out>(plan: &Plan<Out>) -> Self {
        let Request {
            operation,
            table,
            body,
            ..
        } = &plan.request;
        Explanation {
            operation: Some(operation.name()),
            table: table.clone(),
            index: None,
            request: String::from_utf8_lossy(body).into_owned(),
        }
    }
}

/// Never the values: they stand in the request.
impl std::fmt::Debug for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Explanation")
            .field("operation", &self.operation)
            .field("table", &self.table)
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}
