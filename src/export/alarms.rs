//! Alarms of CloudWatch about tables and their consumers, before they are written in the terms of a tool.

use std::time::Duration;

use super::consumer::StreamConsumer;
use crate::error::{Error, Result};
use crate::schema::TableSchema;

/// How many metrics an alarm may compute with.
const METRICS: usize = 10;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

/// Alarms of CloudWatch, for [`CloudFormation`](super::CloudFormation) and [`Terraform`](super::Terraform).
///
/// There is an alarm for throttled reads and one for throttled writes of each table and of each global index, because
/// each of them has limits of its own. Each [consumer](StreamConsumer) has one for the age of its records, and one for
/// its queue of failures. With [`spend_cap`](Self::spend_cap), each table has one for its cost.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::{CloudFormation, SpendCap, TableAlarms};
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "orders", key(pk = id), gsi(by_status, pk = status, sk = id))]
/// # struct Order { id: u32, status: String }
/// # fn main() -> Result<()> {
/// let alarms = TableAlarms::new()
///     .notify("arn:aws:sns:eu-west-1:111122223333:on-call")
///     .spend_cap(SpendCap::per_hour(5.0).reads(0.1415).writes(0.7065));
/// let template = CloudFormation::new([Order::schema()]).prefix("prod-shop").alarms(alarms).template()?;
/// assert!(template.contains("\"AlarmName\": \"prod-shop-orders-by_status-write-throttles\""));
/// assert!(template.contains("\"AlarmName\": \"prod-shop-orders-spend\""));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct TableAlarms {
    topics: Vec<String>,
    throttles: u64,
    age: u64,
    cap: Option<SpendCap>,
}

impl Default for TableAlarms {
    fn default() -> Self {
        TableAlarms {
            topics: Vec::new(),
            throttles: 1,
            age: HOUR,
            cap: None,
        }
    }
}

/// The highest cost of a table in an hour, in the currency of the prices.
///
/// The cost is computed from the units that the table and its global indexes consumed, with the prices of on-demand
/// tables. Storage, backups, streams and replicas are not part of it, and provisioned tables have other costs. An alarm
/// does not stop requests: it begins some minutes after the hour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpendCap {
    cost: f64,
    reads: f64,
    writes: f64,
}

impl SpendCap {
    /// The highest cost of an hour.
    pub const fn per_hour(cost: f64) -> Self {
        SpendCap {
            cost,
            reads: 0.0,
            writes: 0.0,
        }
    }

    /// The price of a million read units in your region.
    #[must_use]
    pub const fn reads(mut self, price: f64) -> Self {
        self.reads = price;
        self
    }

    /// The price of a million write units in your region.
    #[must_use]
    pub const fn writes(mut self, price: f64) -> Self {
        self.writes = price;
        self
    }

    fn check_prices(self) -> Result<()> {
        let is_price = |price: f64| price.is_finite() && price >= 0.0;
        let is_right = self.cost.is_finite()
            && self.cost > 0.0
            && is_price(self.reads)
            && is_price(self.writes)
            && self.reads + self.writes > 0.0;
        match is_right {
            true => Ok(()),
            false => Err(Error::config(
                "a spend cap needs a cost above zero and the price of a million read or write units",
            )),
        }
    }
}

impl TableAlarms {
    /// The alarms with their usual limits.
    pub fn new() -> Self {
        TableAlarms::default()
    }

    /// Sends a message to this topic when an alarm begins, and when it ends. May be called several times.
    #[must_use]
    pub fn notify(mut self, topic: impl Into<String>) -> Self {
        self.topics.push(topic.into());
        self
    }

    /// The number of throttled requests in five minutes that is an alarm. The default is 1.
    #[must_use]
    pub fn throttles(mut self, requests: u32) -> Self {
        self.throttles = u64::from(requests.max(1));
        self
    }

    /// The age of the last record that a consumer has handled, above which there is an alarm. The default is an hour. A
    /// stream deletes records after 24 hours.
    #[must_use]
    pub fn iterator_age(mut self, age: Duration) -> Self {
        self.age = age.as_secs().max(1);
        self
    }

    /// Adds an alarm about the cost of each table. If a table has more than four global indexes, there are several alarms, each with
    /// the whole cap for a part of the indexes, because CloudWatch computes with ten metrics at most.
    #[must_use]
    pub fn spend_cap(mut self, cap: SpendCap) -> Self {
        self.cap = Some(cap);
        self
    }

    pub(super) fn notified_topics(&self) -> &[String] {
        &self.topics
    }

    /// The alarms of a table.
    pub(super) fn of_table(&self, table: &TableSchema) -> Result<Vec<Alarm>> {
        let mut alarms = Vec::new();
        let indexes = table.global_indexes.iter().map(|index| Some(&*index.name));
        let places: Vec<Option<&str>> = std::iter::once(None).chain(indexes).collect();
        for place in &places {
            for (kind, metric) in [
                ("read", "ReadThrottleEvents"),
                ("write", "WriteThrottleEvents"),
            ] {
                let of = place.map(|index| format!("index {index} of "));
                alarms.push(Alarm {
                    words: [*place, Some(kind), Some("throttles")]
                        .into_iter()
                        .flatten()
                        .map(str::to_owned)
                        .collect(),
                    owner: table.name.clone(),
                    description: format!(
                        "Throttled {kind}s of {}table {}",
                        of.unwrap_or_default(),
                        table.name
                    ),
                    source: AlarmSource::Metric(Metric::of_table(metric, &table.name, *place)),
                    statistic: "Sum",
                    period: 5 * MINUTE,
                    periods: 1,
                    threshold: self.throttles,
                });
            }
        }
        if let Some(cap) = self.cap {
            cap.check_prices()?;
            alarms.extend(spend_alarms(table, &places, cap));
        }
        Ok(alarms)
    }

    /// The alarms of a consumer, whose function and queue have these names in metrics.
    pub(super) fn of_consumer(
        &self,
        consumer: &StreamConsumer,
        owner: &str,
        function: &str,
        queue: &str,
    ) -> Vec<Alarm> {
        let metric = |namespace, name, dimension, value: &str| {
            AlarmSource::Metric(Metric {
                namespace,
                name,
                dimensions: vec![(dimension, value.to_owned())],
            })
        };
        let age = Alarm {
            words: vec!["iterator".to_owned(), "age".to_owned()],
            owner: owner.to_owned(),
            description: format!("{owner} is behind the stream of its table"),
            source: metric("AWS/Lambda", "IteratorAge", "FunctionName", function),
            statistic: "Maximum",
            period: MINUTE,
            periods: 5,
            // The metric counts milliseconds.
            threshold: self.age.saturating_mul(1000),
        };
        let failures = consumer.has_queue.then(|| Alarm {
            words: vec!["failures".to_owned()],
            owner: owner.to_owned(),
            description: format!("{owner} has given up records of the stream"),
            source: metric(
                "AWS/SQS",
                "ApproximateNumberOfMessagesVisible",
                "QueueName",
                queue,
            ),
            statistic: "Maximum",
            period: 5 * MINUTE,
            periods: 1,
            threshold: 1,
        });
        [age].into_iter().chain(failures).collect()
    }
}

/// An alarm that begins when its value is the threshold or more in a number of periods. Missing values are no alarm.
pub(super) struct Alarm {
    /// Its subject, as words of its name.
    pub(super) words: Vec<String>,
    /// The table or the consumer.
    pub(super) owner: String,
    pub(super) description: String,
    pub(super) source: AlarmSource,
    pub(super) statistic: &'static str,
    /// In seconds.
    pub(super) period: u64,
    pub(super) periods: u64,
    pub(super) threshold: u64,
}

impl Alarm {
    /// Its name in CloudWatch.
    pub(super) fn alarm_name(&self) -> String {
        format!("{}-{}", self.owner, self.words.join("-"))
    }
}

/// Where its value comes from.
pub(super) enum AlarmSource {
    Metric(Metric),
    /// An expression, and the metrics in it with their ids.
    Computed(String, Vec<(String, Metric)>),
}

/// A metric.
pub(super) struct Metric {
    pub(super) namespace: &'static str,
    pub(super) name: &'static str,
    pub(super) dimensions: Vec<(&'static str, String)>,
}

impl Metric {
    fn of_table(name: &'static str, table: &str, index: Option<&str>) -> Self {
        let table = Some(("TableName", table.to_owned()));
        let index = index.map(|index| ("GlobalSecondaryIndexName", index.to_owned()));
        Metric {
            namespace: "AWS/DynamoDB",
            name,
            dimensions: table.into_iter().chain(index).collect(),
        }
    }
}

/// The cost of an hour, as a share of the cap.
fn spend_alarms(table: &TableSchema, places: &[Option<&str>], cap: SpendCap) -> Vec<Alarm> {
    let groups = places.chunks(METRICS / 2);
    let is_one = groups.len() == 1;
    let alarm = |(at, places): (usize, &[Option<&str>])| {
        let mut metrics = Vec::new();
        for (letter, name) in [
            ('r', "ConsumedReadCapacityUnits"),
            ('w', "ConsumedWriteCapacityUnits"),
        ] {
            for (number, place) in places.iter().enumerate() {
                let metric = Metric::of_table(name, &table.name, *place);
                metrics.push((format!("{letter}{number}"), metric));
            }
        }
        let sum = |letter: char| {
            let ids = metrics.iter().map(|(id, _)| id);
            let ids = ids.filter(|id| id.starts_with(letter));
            let filled: Vec<String> = ids.map(|id| format!("FILL({id}, 0)")).collect();
            filled.join(" + ")
        };
        let expression = format!(
            "(({}) * {} + ({}) * {}) / {} / 10000",
            sum('r'),
            cap.reads,
            sum('w'),
            cap.writes,
            cap.cost
        );
        let number = (!is_one).then(|| (at + 1).to_string());
        Alarm {
            words: std::iter::once("spend".to_owned()).chain(number).collect(),
            owner: table.name.clone(),
            description: format!(
                "Cost of table {} in an hour, in percent of the cap of {}",
                table.name, cap.cost
            ),
            source: AlarmSource::Computed(expression, metrics),
            statistic: "Sum",
            period: HOUR,
            periods: 1,
            threshold: 100,
        }
    };
    groups.enumerate().map(alarm).collect()
}
