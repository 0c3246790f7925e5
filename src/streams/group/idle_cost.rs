//! The requests of a group without changes.

use std::fmt;
use std::time::Duration;

use super::consumer::Consumer;
use super::settings::Settings;

const HOUR: Duration = Duration::from_secs(3_600);
/// The usual size of a row of a shard, in bytes.
const ROW_SIZE: f64 = 400.0;
/// The usual number of rows for each open shard: DynamoDB closes a shard about every four hours, and its row is kept until
/// the stream no longer has it.
const ROWS: f64 = 7.0;
/// The bytes of a strongly consistent read of one unit.
const UNIT_SIZE: f64 = 4_096.0;
/// The descriptions of the stream in an hour. The time of each is written, and the rows are read before it.
const SURVEYS: f64 = 60.0;

/// The requests that a group without changes sends in an hour; see [`Consumer::idle_cost`]. It displays as one line.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct IdleCost {
    /// The requests to the stream. DynamoDB charges each as a read unit of streams.
    pub stream_reads: f64,
    /// The read units of `LeaseTable`.
    pub read_units: f64,
    /// The write units of `LeaseTable`.
    pub write_units: f64,
}

impl IdleCost {
    fn of_group(settings: &Settings, shards: u32, workers: u32) -> Self {
        let each_hour = |period: Duration| HOUR.as_secs_f64() / period.as_secs_f64();
        let (shards, workers) = (f64::from(shards), f64::from(workers));
        let rounds = each_hour(settings.round_period());
        let row_units = (shards * ROWS * ROW_SIZE / UNIT_SIZE).ceil().max(1.0);
        IdleCost {
            stream_reads: shards * each_hour(settings.idle_pause()),
            read_units: (workers * rounds + SURVEYS) * row_units,
            // The lease of the discoverer is renewed, too.
            write_units: (shards + 1.0) * each_hour(settings.renewal_period()) + SURVEYS,
        }
    }
}

impl fmt::Display for IdleCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.0} requests to the stream, {:.0} read units and {:.0} write units an hour",
            self.stream_reads, self.read_units, self.write_units
        )
    }
}

impl<New, Old> Consumer<New, Old> {
    /// Estimates the requests of the whole group in an hour without changes, for a number of open shards and of workers. A
    /// table has about one open shard for each partition; `DescribeStream` shows them.
    ///
    /// [`Dynamo::estimate`](crate::dynamo::Dynamo::estimate) estimates the writes of a change.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = number), stream = new_and_old_images)]
    /// # struct Order { number: u32 }
    /// let cost = Order::consumer("mails").idle_cost(4, 2);
    /// assert_eq!(cost.to_string(), "2880 requests to the stream, 2340 read units and 1860 write units an hour");
    ///
    /// let slower = Order::consumer("mails").longest_pause(Duration::from_secs(30)).idle_cost(4, 2);
    /// assert_eq!(slower.stream_reads, 480.0);
    /// ```
    pub fn idle_cost(&self, shards: u32, workers: u32) -> IdleCost {
        IdleCost::of_group(self.settings(), shards, workers)
    }
}
