//! `explain`: the requests of an operation or a query.

use super::planned::{Plan, PlannedRequest};
use crate::schema::Pattern;
use crate::wire::Request;

/// The requests of an operation or a query; see [`Operation::explain`](crate::plan::Operation::explain) and
/// [`QueryExt::explain`](crate::query::QueryExt::explain).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The purpose, as an [observer](crate::Dynamo::with_observer) receives it: the entity, the operation or the
    /// access pattern, and the index. `None` if nothing would be sent, because nothing was given.
    pub pattern: Option<&'static Pattern>,
    /// The operation of DynamoDB, for example `UpdateItem`. `None` if nothing would be sent, because the range is
    /// empty or nothing was given.
    pub operation: Option<&'static str>,
    /// The table's full name.
    pub table: String,
    /// The index, if it is not the table that is read.
    pub index: Option<String>,
    /// The bodies of the requests in DynamoDB JSON; for a query, the first one to each partition. They contain the
    /// values. If unique values are read before they are released, the `GetItem` comes first, and the write is the one
    /// for an item that does not exist.
    pub requests: Vec<String>,
    /// The reasons why DynamoDB drops rows that it has read and counted, if it does.
    pub filters: Vec<Filter>,
    /// The form of the `BatchGetItem` that then fetches the items of the rows, for a query with
    /// [`hydrate`](crate::query::QueryExt::hydrate). Its keys are not known yet.
    pub items: Option<String>,
}

impl Explanation {
    /// Explains an operation of one request.
    pub(crate) fn of_plan<Out>(plan: &Plan<Out>) -> Self {
        Explanation::of_planned(&plan.planned)
    }

    fn of_planned(planned: &PlannedRequest) -> Self {
        match planned.is_needless {
            true => Explanation::of_requests(&[]),
            false => Explanation::of_requests(std::slice::from_ref(&planned.request)),
        }
    }

    /// Explains requests of one operation; there may be none. The table is that of the first.
    pub(crate) fn of_requests(requests: &[Request]) -> Self {
        let first = requests.first();
        let bodies = requests.iter();
        let bodies = bodies.map(|request| String::from_utf8_lossy(&request.body).into_owned());
        Explanation {
            pattern: first.map(|request| request.pattern),
            operation: first.map(|request| request.operation.operation_name()),
            table: first.map_or_else(String::new, |request| request.table.clone()),
            index: None,
            requests: bodies.collect(),
            filters: Vec::new(),
            items: None,
        }
    }

    /// Adds a read that comes first. Its operation differs from the named one.
    pub(crate) fn after_read<Out>(mut self, read: &Plan<Out>) -> Self {
        let body = String::from_utf8_lossy(&read.planned.request.body).into_owned();
        self.requests.insert(0, body);
        self
    }

    /// Whether DynamoDB reads items, and charges for them, that are not returned.
    pub fn is_filtering(&self) -> bool {
        !self.filters.is_empty()
    }
}

/// Shows the requests too, because that is their purpose. They contain values, so do not log them.
impl std::fmt::Debug for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Explanation")
            .field("pattern", &self.pattern)
            .field("operation", &self.operation)
            .field("table", &self.table)
            .field("index", &self.index)
            .field("requests", &self.requests)
            .field("filters", &self.filters)
            .field("items", &self.items)
            .finish()
    }
}

/// The reason for which rows are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Filter {
    /// The range may contain rows of other entities.
    Type,
    /// Expired rows are hidden.
    Expired,
    /// `filter(..)`
    Condition,
}
