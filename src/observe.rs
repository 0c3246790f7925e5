//! The cost of requests: an observer of a connection is called for each, with the units that it consumed.

mod capacity_by_pattern;
mod histogram;
mod hot_keys;
#[cfg(feature = "metrics")]
mod recorder;
mod requested_action;
mod space_saving;
#[cfg(feature = "tracing")]
mod span;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
#[cfg(feature = "tracing")]
use tracing::Instrument;

use crate::error::Error;
use crate::json::{CodecError, Reader, array_elements, find_member, object_members};
use crate::wire::{
    Failure, PartitionFinder, RETURN_CONSUMED, Reply, Request, TokenLife, Wire, WireTrace,
    find_amount, sum_units,
};

pub use crate::schema::Pattern;
pub use crate::wire::{PartitionKey, SdkFallback, WirePath};

/// The former name of [`SdkFallback`].
#[doc(hidden)]
#[deprecated(note = "renamed to `SdkFallback`")]
pub type Detour = SdkFallback;
pub use capacity_by_pattern::{CapacityByPattern, PatternUsage};
pub use hot_keys::{HotKeys, HotPartition};
#[cfg(feature = "metrics")]
pub use recorder::metrics_observer;
pub use requested_action::RequestedAction;

type Watcher = Arc<dyn Fn(&RequestEvent<'_>) + Send + Sync>;

/// The observers of a connection, at least one; see
/// [`Dynamo::with_observer`](crate::dynamo::Dynamo::with_observer).
#[derive(Clone, Default)]
pub(crate) struct Observers {
    all: Vec<Watcher>,
    /// Whether each request has a span.
    #[cfg(feature = "tracing")]
    is_traced: bool,
}

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
    body: ObservedBody<'r>,
}

/// The request itself, which is parsed only if an observer requests its partitions.
#[derive(Clone, Copy)]
struct ObservedBody<'r>(&'r Request);

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
        requested_action::requested_actions(self.body.0)
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
    fn known_partitions(
        &self,
        known: &dyn Fn(&str) -> Option<&'static str>,
    ) -> Vec<PartitionKey<'r>> {
        let request = self.body.0;
        PartitionFinder { request, known }.find()
    }
}

/// The consumption of a request for a table and its indexes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Consumed {
    /// The table's full name.
    pub table: String,
    /// Read units for a read, write units for a write; 0 for a search of a vector index.
    pub units: f64,
    /// The bytes that a search of a vector index has read, which DynamoDB bills instead of units. It does not report the
    /// bytes that writes store in vector indexes.
    pub vector_bytes: f64,
}

impl Observers {
    /// Adds one more.
    pub(crate) fn add_observer(
        &mut self,
        observer: impl Fn(&RequestEvent<'_>) + Send + Sync + 'static,
    ) {
        self.all.push(Arc::new(observer));
    }

    /// Gives each request a span.
    #[cfg(feature = "tracing")]
    pub(crate) fn enable_tracing(&mut self) {
        self.is_traced = true;
    }

    /// Sends a request that also requests its units, and calls the observers.
    #[cfg(feature = "tracing")]
    pub(crate) async fn watch_request(
        &self,
        wire: &Wire,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<Reply, Failure> {
        let span = match self.is_traced {
            true => span::begin_span(request),
            false => tracing::Span::none(),
        };
        if span.is_disabled() && self.all.is_empty() {
            return wire.attempt(request, token).await;
        }
        let mut trace = WireTrace::default();
        trace.is_traced = !span.is_disabled();
        let sent = self.tell_observers(wire, request, token, trace, |seen| {
            span::end_span(&span, seen)
        });
        sent.instrument(span.clone()).await
    }

    /// Sends a request that also requests its units, and calls the observers.
    #[cfg(not(feature = "tracing"))]
    pub(crate) async fn watch_request(
        &self,
        wire: &Wire,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<Reply, Failure> {
        self.tell_observers(wire, request, token, WireTrace::default(), |_| ())
            .await
    }

    async fn tell_observers(
        &self,
        wire: &Wire,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
        mut trace: WireTrace,
        first: impl FnOnce(&RequestEvent<'_>),
    ) -> Result<Reply, Failure> {
        let began = Instant::now();
        let asking = with_capacity_request(request);
        let outcome = wire.attempt_by(&asking, token, &mut trace).await;
        let duration = began.elapsed();
        let (body, request_id, error) = match &outcome {
            Ok(reply) => (&*reply.body, reply.request_id.as_deref(), None),
            Err(failure) => (&[][..], failure.error.request_id(), Some(&failure.error)),
        };
        let answer = AnswerCounts::read_counts(body, &request.table);
        let observed = RequestEvent {
            pattern: request.pattern,
            operation: request.operation.operation_name(),
            table: &request.table,
            duration,
            attempts: trace.attempt_count(),
            rows: answer.rows,
            looked_at: answer.looked_at,
            request_bytes: asking.body.len(),
            answer_bytes: body.len(),
            request_id,
            consumed: &answer.consumed,
            error,
            path: &trace.path,
            body: ObservedBody(request),
        };
        // The span is completed before the observers run, because they may take time or panic.
        first(&observed);
        for observer in &self.all {
            observer(&observed);
        }
        outcome
    }
}

impl fmt::Debug for Observers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Observers({})", self.all.len())
    }
}

/// The same request, which also requests its consumed capacity.
fn with_capacity_request(request: &Request) -> Request {
    let mut request = request.clone();
    // Every body of this library ends with the brace of its object, so the parameter can be added
    // without parsing.
    if let (false, Some(open)) = (request.is_metered, request.body.strip_suffix(b"}")) {
        let body = [open, RETURN_CONSUMED.as_bytes(), b"}"].concat();
        request.body = Bytes::from(body);
    }
    request
}

/// The counts of a response. Unreadable ones are omitted, because the response itself matters more.
#[derive(Default)]
struct AnswerCounts {
    consumed: Vec<Consumed>,
    rows: u64,
    looked_at: u64,
}

impl AnswerCounts {
    fn read_counts(body: &[u8], table: &str) -> Self {
        let (mut counts, mut scanned) = (AnswerCounts::default(), None);
        for (name, value) in object_members(body).unwrap_or_default() {
            match &*name {
                "ConsumedCapacity" => counts.consumed = consumed_capacity(value, table),
                "SearchResults" => {
                    counts.rows = array_elements(value).map_or(0, |rows| rows.len() as u64);
                }
                "Item" => counts.rows = 1,
                "Count" => counts.rows = count_of(value),
                "ScannedCount" => scanned = Some(count_of(value)),
                "Responses" => counts.rows = count_items(value),
                _ => {}
            }
        }
        counts.looked_at = scanned.unwrap_or(counts.rows);
        counts
    }
}

fn count_of(json: &[u8]) -> u64 {
    let text = std::str::from_utf8(json).unwrap_or_default();
    text.trim().parse().unwrap_or_default()
}

/// The items of several tables, or those of a transaction, in which a missing one is an empty object.
fn count_items(json: &[u8]) -> u64 {
    let tables = object_members(json).unwrap_or_default();
    let of_tables = tables
        .into_iter()
        .map(|(_, items)| array_elements(items).map_or(0, |items| items.len()));
    let of_reads = array_elements(json).unwrap_or_default();
    let of_reads = of_reads
        .into_iter()
        .filter(|one| find_member(one, "Item").ok().flatten().is_some());
    (of_tables.sum::<usize>() + of_reads.count()) as u64
}

/// The capacity of one table, or of a list of them.
fn consumed_capacity(found: &[u8], searched: &str) -> Vec<Consumed> {
    let tables = match found.first() {
        // Requests for several tables report a list, and others a single object.
        Some(b'[') => array_elements(found).unwrap_or_default(),
        _ => vec![found],
    };
    tables
        .into_iter()
        .filter_map(|table| of_search(table, searched).or_else(|| of_table(table).ok().flatten()))
        .collect()
}

/// The consumption of a search, which names no table.
fn of_search(object: &[u8], searched: &str) -> Option<Consumed> {
    Some(Consumed {
        table: searched.to_owned(),
        units: 0.0,
        vector_bytes: find_amount(object, "VectorSearchRequestBytes")?,
    })
}

fn of_table(object: &[u8]) -> Result<Option<Consumed>, CodecError> {
    let Some((units, name)) = sum_units(object).zip(find_member(object, "TableName")?) else {
        return Ok(None);
    };
    let table = Reader::new(name).string()?.into_owned();
    Ok(Some(Consumed {
        table,
        units,
        vector_bytes: 0.0,
    }))
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
    fn one_table_or_several() {
        let one = br#"{"Item":{},"ConsumedCapacity":{"TableName":"a","CapacityUnits":0.5}}"#;
        let seen = AnswerCounts::read_counts(one, "t");
        assert_eq!(
            (seen.consumed[0].table.as_str(), seen.consumed[0].units),
            ("a", 0.5)
        );
        let two = br#"{"ConsumedCapacity":[{"CapacityUnits":2,"TableName":"a"},{"TableName":"b","CapacityUnits":1.5E1}]}"#;
        let seen = AnswerCounts::read_counts(two, "t").consumed;
        let units: Vec<f64> = seen.iter().map(|seen| seen.units).collect();
        assert_eq!(units, [2.0, 15.0]);
        for nothing in [
            &b"{}"[..],
            b"",
            b"7",
            br#"{"ConsumedCapacity":null}"#,
            br#"{"ConsumedCapacity":[1]}"#,
            br#"{"Count":"x","ScannedCount":{},"Responses":3}"#,
        ] {
            let seen = AnswerCounts::read_counts(nothing, "t");
            assert_eq!((seen.consumed, seen.rows, seen.looked_at), (vec![], 0, 0));
        }
    }

    #[test]
    fn rows_of_every_answer() {
        for (answer, counts) in [
            (r#"{"Item":{"id":{"S":"a"}}}"#, (1, 1)),
            (r#"{"Items":[],"Count":2,"ScannedCount":9}"#, (2, 9)),
            (r#"{"Count":7,"ScannedCount":7}"#, (7, 7)),
            (
                r#"{"Responses":{"a":[{},{}],"b":[{}]},"UnprocessedKeys":{}}"#,
                (3, 3),
            ),
            (
                r#"{"Responses":[{"Item":{}},{},{"Item":{"id":{"S":"a"}}}]}"#,
                (2, 2),
            ),
            (r#"{"Attributes":{"id":{"S":"a"}}}"#, (0, 0)),
        ] {
            let seen = AnswerCounts::read_counts(answer.as_bytes(), "t");
            assert_eq!((seen.rows, seen.looked_at), counts, "{answer}");
        }
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
