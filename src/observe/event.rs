//! A completed request, as an observer sees it.

use std::fmt;
use std::time::Duration;

use crate::error::Error;
use crate::observe::requested_action::{RequestedAction, requested_actions};
use crate::observe::{Consumed, PartitionKey, Pattern, WirePath};
use crate::wire::{PartitionFinder, Request};

/// A completed request on a connection [`with_observer`](crate::dynamo::Dynamo::with_observer), successful or failed.
/// It shows no value of an item; only [`partition_keys`](Self::partition_keys) returns some, if you call it.
#[derive(Debug)]
#[non_exhaustive]
pub struct RequestEvent<'r> {
    /// The purpose of the request: the entity, the operation or the access pattern, and the index.
    pub pattern: &'static Pattern,
    /// The operation of DynamoDB, for example `PutItem`.
    pub operation: &'static str,
    /// The table's full name; the first one if there are several tables.
    pub table: &'r str,
    /// How long it took, including the attempts of the SDK and the pauses between them.
    pub duration: Duration,
    /// The number of attempts: more than one if an attempt failed and was repeated, 0 if the request was rejected
    /// before it was sent.
    pub attempts: u64,
    /// The number of rows in the response: for a query or scan the rows after its filter, even if they are only
    /// counted; for other reads the items that exist. 0 for writes.
    pub rows: u64,
    /// The number of rows that a query or scan read, including those that its filter dropped; for other reads the
    /// same as `rows`.
    pub looked_at: u64,
    /// The bytes of the request's body.
    pub request_bytes: usize,
    /// The bytes of the response body; 0 if the request failed.
    pub answer_bytes: usize,
    /// The ID that AWS support needs.
    pub request_id: Option<&'r str>,
    /// The consumed capacity, table by table. Empty if DynamoDB does not report it: for requests that failed, and
    /// from servers that do not count.
    pub consumed: &'r [Consumed],
    /// The error, if the request failed. A failed condition is a [`Conflict`](crate::error::ErrorKind::Conflict)
    /// here; its meaning depends on the operation.
    pub error: Option<&'r Error>,
    /// The path of the request. Most requests take [`Direct`](WirePath::Direct); for others, this contains the reason.
    pub path: &'r WirePath,
    pub(super) body: ObservedBody<'r>,
}

/// The request itself, which is parsed only if an observer requests its partitions.
#[derive(Clone, Copy)]
pub(super) struct ObservedBody<'r>(pub(super) &'r Request);

/// Never shows the values.
impl fmt::Debug for ObservedBody<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ObservedBody")
    }
}

impl RequestEvent<'_> {
    /// The units of all tables together.
    pub fn units(&self) -> f64 {
        let units = self.consumed.iter().map(|consumed| consumed.units);
        // `sum` of no floats is -0.0, which would be displayed, so this begins at 0.0.
        units.fold(0.0, |all, more| all + more)
    }
}

impl<'r> RequestEvent<'r> {
    /// The bytes that a search of a vector index has read; 0 for other requests.
    pub fn vector_bytes(&self) -> f64 {
        let bytes = self.consumed.iter().map(|consumed| consumed.vector_bytes);
        bytes.fold(0.0, |all, more| all + more)
    }

    /// The required permissions: the actions, each with its table or index. A transaction needs those of its
    /// operations, and a batch one for each table. They are parsed from the request each time you call this, so it
    /// costs nothing if you do not.
    pub fn actions(&self) -> Vec<RequestedAction<'r>> {
        requested_actions(self.body.0)
    }

    /// The partitions of the request, each once: those of the keys that it names or puts, or the one that it queries.
    /// A scan has none. They are parsed from the request each time you call this, so it costs nothing if you do not.
    ///
    /// Puts in requests for several entities and of items without a type are omitted, because nothing there
    /// identifies the partition key.
    pub fn partition_keys(&self) -> Vec<PartitionKey<'r>> {
        self.known_partitions(&|_| None)
    }

    /// The same, if the partition keys of some tables are known.
    pub(super) fn known_partitions(
        &self,
        known: &dyn Fn(&str) -> Option<&'static str>,
    ) -> Vec<PartitionKey<'r>> {
        let request = self.body.0;
        PartitionFinder { request, known }.find()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static PATTERN: Pattern = Pattern::alone("A", "put");

    fn request() -> Request {
        let (body, resend) = (crate::json::Writer::default(), crate::wire::Resend::Always);
        let operation = crate::wire::ServiceOperation::PutItem;
        Request::new(operation, &PATTERN, "a".into(), body, resend)
    }

    #[test]
    fn the_units_of_nothing_are_no_negative_zero() {
        let request = request();
        let failed = RequestEvent {
            pattern: &PATTERN,
            operation: "PutItem",
            table: "a",
            duration: Duration::ZERO,
            attempts: 1,
            rows: 0,
            looked_at: 0,
            request_bytes: 2,
            answer_bytes: 0,
            request_id: None,
            consumed: &[],
            error: None,
            path: &WirePath::Direct,
            body: ObservedBody(&request),
        };
        assert!(failed.units().is_sign_positive());
    }
}
