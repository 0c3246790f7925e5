//! What requests cost: an observer of a connection is told of each, with the units it consumed.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::error::Error;
use crate::json::{CodecError, Reader, elements, member};
use crate::wire::{Failure, RETURN_CONSUMED, Reply, Request, TokenLife, Wire, units};

pub use crate::wire::{Detour, WirePath};

/// The observer of a connection; see [`Dynamo::with_observer`](crate::dynamo::Dynamo::with_observer).
#[derive(Clone)]
pub(crate) struct Observer(Arc<dyn Fn(&Observed<'_>) + Send + Sync>);

/// A request that was answered, or failed, on a connection [`with_observer`](crate::dynamo::Dynamo::with_observer). It
/// never holds a value of an item.
#[derive(Debug)]
#[non_exhaustive]
pub struct Observed<'r> {
    /// The operation of DynamoDB, for example `PutItem`.
    pub operation: &'static str,
    /// The table's full name; the first one if there are several tables.
    pub table: &'r str,
    /// How long it took, including the attempts of the SDK and the pauses between them.
    pub duration: Duration,
    /// The id by which AWS's support knows it.
    pub request_id: Option<&'r str>,
    /// What it consumed, table by table. Empty if the service does not say: for requests that failed, and from servers
    /// that count nothing.
    pub consumed: &'r [Consumed],
    /// What the service said, if it failed. A failed condition is a [`Conflict`](crate::error::ErrorKind::Conflict)
    /// here; what that means depends on the operation.
    pub error: Option<&'r Error>,
    /// The way by which it went. Most requests are [`Plain`](WirePath::Plain); if one was not, this says why.
    pub path: &'r WirePath,
}

impl Observed<'_> {
    /// The units of all tables together.
    pub fn units(&self) -> f64 {
        let units = self.consumed.iter().map(|consumed| consumed.units);
        // The sum of no floats is -0.0, so this begins at 0.0.
        units.fold(0.0, |all, more| all + more)
    }
}

/// What a request consumed of a table and its indexes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Consumed {
    /// The table's full name.
    pub table: String,
    /// Read units for a read, write units for a write.
    pub units: f64,
}

impl Observer {
    pub(crate) fn new(observer: impl Fn(&Observed<'_>) + Send + Sync + 'static) -> Self {
        Observer(Arc::new(observer))
    }

    /// Sends a request that asks for its units, and tells of it.
    pub(crate) async fn watch(
        &self,
        wire: &Wire,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<Reply, Failure> {
        let began = Instant::now();
        // What is refused before it is sent has not come that far.
        let mut path = WirePath::Sdk(Detour::NotSent);
        let outcome = wire.attempt_by(&asking(request), token, &mut path).await;
        let (consumed, request_id, error) = match &outcome {
            Ok(reply) => (consumed(&reply.body), reply.request_id.as_deref(), None),
            Err(failure) => (Vec::new(), failure.error.request_id(), Some(&failure.error)),
        };
        (self.0)(&Observed {
            operation: request.operation.name(),
            table: &request.table,
            duration: began.elapsed(),
            request_id,
            consumed: &consumed,
            error,
            path: &path,
        });
        outcome
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// The same request, which also asks what it consumes.
fn asking(request: &Request) -> Request {
    let mut request = request.clone();
    if let (false, Some(open)) = (request.is_metered, request.body.strip_suffix(b"}")) {
        let body = [open, RETURN_CONSUMED.as_bytes(), b"}"].concat();
        request.body = Bytes::from(body);
    }
    request
}

/// The capacity of one table, or of a list of them. What cannot be read is left out: the answer itself is what counts.
fn consumed(body: &[u8]) -> Vec<Consumed> {
    let found = member(body, "ConsumedCapacity").ok().flatten();
    let Some(found) = found else {
        return Vec::new();
    };
    let tables = match found.first() {
        Some(b'[') => elements(found).unwrap_or_default(),
        _ => vec![found],
    };
    tables
        .into_iter()
        .filter_map(|table| of_table(table).ok().flatten())
        .collect()
}

fn of_table(object: &[u8]) -> Result<Option<Consumed>, CodecError> {
    let Some((units, name)) = units(object).zip(member(object, "TableName")?) else {
        return Ok(None);
    };
    let table = Reader::new(name).string()?.into_owned();
    Ok(Some(Consumed { table, units }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_or_several() {
        let one = br#"{"Item":{},"ConsumedCapacity":{"TableName":"a","CapacityUnits":0.5}}"#;
        let seen = consumed(one);
        assert_eq!((seen[0].table.as_str(), seen[0].units), ("a", 0.5));
        let two = br#"{"ConsumedCapacity":[{"CapacityUnits":2,"TableName":"a"},{"TableName":"b","CapacityUnits":1.5E1}]}"#;
        let units: Vec<f64> = consumed(two).iter().map(|seen| seen.units).collect();
        assert_eq!(units, [2.0, 15.0]);
        let failed = Observed {
            operation: "PutItem",
            table: "a",
            duration: Duration::ZERO,
            request_id: None,
            consumed: &[],
            error: None,
            path: &WirePath::Plain,
        };
        assert!(failed.units().is_sign_positive());
        for nothing in [
            &b"{}"[..],
            br#"{"ConsumedCapacity":null}"#,
            br#"{"ConsumedCapacity":[1]}"#,
        ] {
            assert_eq!(consumed(nothing), []);
        }
    }
}
