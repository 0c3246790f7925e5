//! Requests, cost and duration, for the recorder of the crate `metrics`.

use metrics::{Label, Unit, counter, describe_counter, describe_histogram, histogram};

use super::RequestEvent;

const REQUESTS: &str = "dynamodb.requests";
const RESENT: &str = "dynamodb.resent";
const ROWS: &str = "dynamodb.rows";
const LOOKED_AT: &str = "dynamodb.looked_at";
const FAILED: &str = "dynamodb.failed";
const UNITS: &str = "dynamodb.units";
const DURATION: &str = "dynamodb.duration";

/// Returns an observer that reports every request to the recorder of the crate `metrics`, by its pattern. Needs the
/// feature `metrics`.
///
/// | metric | |
/// |---|---|
/// | `dynamodb.requests` | counter |
/// | `dynamodb.resent` | counter of the attempts after the first ones |
/// | `dynamodb.rows`, `dynamodb.looked_at` | counters of the returned rows and of the rows read |
/// | `dynamodb.failed` | counter, with the kind of the error as `kind` |
/// | `dynamodb.units` | histogram of the units of a request, if DynamoDB reported them; its sum is the total |
/// | `dynamodb.duration` | histogram of seconds, including pauses |
///
/// Their labels are `entity`, `pattern`, `index` (empty for the table), `operation` and `table`: names, never values.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> dynamo_entity::Result<()> {
/// # use dynamo_entity::Dynamo;
/// use dynamo_entity::observe::metrics_observer;
///
/// let db = Dynamo::connect("embedded:memory").await?.with_observer(metrics_observer());
/// # let _ = db; Ok(()) }
/// ```
pub fn metrics_observer() -> impl Fn(&RequestEvent<'_>) + Send + Sync + 'static {
    describe_counter!(REQUESTS, "Requests to DynamoDB.");
    describe_counter!(RESENT, "Attempts after the first ones.");
    describe_counter!(ROWS, "Rows and items that were returned.");
    describe_counter!(LOOKED_AT, "Rows that were looked at.");
    describe_counter!(FAILED, "Requests that failed in the end.");
    describe_histogram!(UNITS, "Units that a request consumed.");
    describe_histogram!(DURATION, Unit::Seconds, "How long a request took.");
    |seen| {
        let pattern = seen.pattern;
        let mut labels = vec![
            Label::from_static_parts("entity", pattern.entity),
            Label::from_static_parts("pattern", pattern.name),
            Label::from_static_parts("index", pattern.index.unwrap_or_default()),
            Label::from_static_parts("operation", seen.operation),
            Label::new("table", seen.table.to_owned()),
        ];
        counter!(REQUESTS, labels.clone()).increment(1);
        counter!(RESENT, labels.clone()).increment(seen.attempts.saturating_sub(1));
        counter!(ROWS, labels.clone()).increment(seen.rows);
        counter!(LOOKED_AT, labels.clone()).increment(seen.looked_at);
        histogram!(UNITS, labels.clone()).record(seen.units());
        histogram!(DURATION, labels.clone()).record(seen.duration.as_secs_f64());
        if let Some(error) = seen.error {
            labels.push(Label::new("kind", format!("{:?}", error.kind())));
            counter!(FAILED, labels.clone()).increment(1);
        }
    }
}

#[cfg(all(test, feature = "embedded"))]
mod tests;
