//! A function that follows the stream of a table: the records that it receives, and the handling of failures.

pub(crate) mod followed;
mod patterns;

use crate::export::consumer::followed::FollowedChange;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::export::key_text::FieldValues;
use crate::schema::TableSchema;

/// How many filters an event source mapping may have without a higher quota.
const FILTERS: usize = 5;

/// How many filters it may have with a higher quota.
const MOST_FILTERS: usize = 10;

/// How many characters a filter may have.
const LONGEST_FILTER: usize = 4096;

/// How long the name of a queue may be.
const LONGEST_QUEUE: usize = 80;

/// How long a stream keeps a record.
const DAY: u64 = 24 * 3600;

/// How long the queue of failures keeps its messages, in seconds: the longest time that a queue can.
pub(super) const QUEUE_KEEPS: u64 = 14 * DAY;

/// A Lambda function that follows the stream of a table, for [`CloudFormation`], [`Terraform`] and [`Policy`].
///
/// The templates have its event source mapping, with the settings that a handler of typed changes needs: partial
/// responses, which [`BatchResponse`] gives; batches that are split if the function ends without a response; limits of
/// attempts and age; and a queue for the positions of records that Lambda gave up. The function itself, with its
/// code and role, is not part of them.
///
/// Without [`follow`](Self::follow), the function receives every record of the table. With it, Lambda filters the
/// records, and records that are filtered out cost nothing. The filters pass every record in which `changes_of` finds a
/// followed change, and every record of the entity that cannot be read. They may pass others, for example of a write
/// that changes nothing, so the handler still has to look at the kind of the change.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::{CloudFormation, FollowedChange, StreamConsumer};
/// #[derive(DynamoTable)]
/// #[dynamo(name = "shop", pk = "pk", sk = "sk", stream = new_and_old_images, entities(User, Order))]
/// struct Shop;
///
/// #[derive(DynamoEntity)]
/// #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "INFO"))]
/// struct User { user: String }
///
/// #[derive(DynamoEntity)]
/// #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number:06}"))]
/// struct Order { user: String, number: u32 }
///
/// # fn main() -> Result<()> {
/// let invoices = StreamConsumer::new("invoices", Shop::schema()).follow("Order", [FollowedChange::Created]);
/// assert_eq!(invoices.filters()?, [concat!(
///     r#"{"dynamodb":{"NewImage":{"pk":{"S":[{"exists":true}]},"_type":{"S":["Order",{"exists":false}]}},"#,
///     r#""OldImage":{"_type":{"S":[{"anything-but":["Order"]},{"exists":false}]}}}}"#,
/// )]);
///
/// let stack = CloudFormation::new([Shop::schema()]).prefix("prod").consumer(invoices);
/// assert!(stack.template()?.contains("AWS::Lambda::EventSourceMapping"));
/// # Ok(()) }
/// ```
///
/// [`BatchResponse`]: crate::guide::streams#partial-failures
/// [`CloudFormation`]: super::CloudFormation
/// [`Terraform`]: super::Terraform
/// [`Policy`]: super::Policy
#[derive(Debug, Clone)]
pub struct StreamConsumer {
    pub(super) name: String,
    pub(super) table: TableSchema,
    pub(super) function: Option<String>,
    follows: Vec<(String, Vec<FollowedChange>)>,
    values: FieldValues,
    most_filters: usize,
    pub(super) batch: u32,
    pub(super) window: u64,
    pub(super) parallel: u32,
    pub(super) retries: u32,
    pub(super) age: u64,
    pub(super) has_queue: bool,
    is_from_latest: bool,
}

impl StreamConsumer {
    /// A consumer with this name, which follows this table.
    ///
    /// The function has the same name, with the prefix of the tables, unless [`function`](Self::function) sets
    /// another one.
    pub fn new(name: impl Into<String>, table: TableSchema) -> Self {
        StreamConsumer {
            name: name.into(),
            table,
            function: None,
            follows: Vec::new(),
            values: FieldValues::new(),
            most_filters: FILTERS,
            batch: 100,
            window: 0,
            parallel: 1,
            retries: 20,
            age: DAY / 2,
            has_queue: true,
            is_from_latest: false,
        }
    }

    /// The name of the consumer.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table whose stream the consumer follows.
    pub fn table(&self) -> &TableSchema {
        &self.table
    }

    /// The name or the ARN of the function.
    #[must_use]
    pub fn function(mut self, function: impl Into<String>) -> Self {
        self.function = Some(function.into());
        self
    }

    /// Sends these changes of an entity to the function, and no changes of entities that are not followed. An unknown
    /// entity is an error of [`filters`](Self::filters) and of the exports.
    #[must_use]
    pub fn follow(
        mut self,
        entity: impl Into<String>,
        changes: impl IntoIterator<Item = FollowedChange>,
    ) -> Self {
        let changes = changes.into_iter().collect();
        self.follows.push((entity.into(), changes));
        self
    }

    /// Sends only changes of items whose primary key has this value of a field. The value is written as it is stored.
    /// It limits a key that is the field itself, and a template in which everything before the field is known, if the
    /// field is a `String` without a format there. Without [`follow`](Self::follow), all entities are followed.
    ///
    /// A value that does not limit the keys of a followed entity is an error.
    #[must_use]
    pub fn with_value(mut self, field: impl Into<String>, value: impl Into<String>) -> Self {
        self.values.insert(field.into(), value.into());
        self
    }

    /// Allows ten filters instead of five, for an account in which this quota was raised.
    #[must_use]
    pub fn raised_filter_quota(mut self) -> Self {
        self.most_filters = MOST_FILTERS;
        self
    }

    /// The maximum number of records in an event, 1 to 10,000. The default is 100.
    #[must_use]
    pub fn batch_size(mut self, records: u32) -> Self {
        self.batch = records;
        self
    }

    /// How long Lambda waits until an event is full, at most 300 seconds. By default, it does not wait.
    #[must_use]
    pub fn batch_window(mut self, window: Duration) -> Self {
        self.window = window.as_secs();
        self
    }

    /// The number of events of one shard that are handled at once, 1 to 10. Records of one item stay in order. The
    /// default is 1.
    #[must_use]
    pub fn parallel(mut self, events: u32) -> Self {
        self.parallel = events;
        self
    }

    /// How often Lambda repeats a failed event, at most 10,000 times. The default is 20. It should be more than the
    /// attempts of `park_after`, so that the handler parks the record before Lambda gives it up.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// The age at which Lambda gives a record up: one minute to 24 hours, after which the stream deletes it. The
    /// default is 12 hours. The queue of failures has only the positions of records, so you can read a record only
    /// during the rest of the 24 hours.
    #[must_use]
    pub fn record_age(mut self, age: Duration) -> Self {
        self.age = age.as_secs();
        self
    }

    /// Omits the queue of failures: records that Lambda gives up leave no trace.
    #[must_use]
    pub fn without_queue(mut self) -> Self {
        self.has_queue = false;
        self
    }

    /// Begins with the changes after the mapping was created. By default, it begins with the oldest change of the
    /// stream.
    #[must_use]
    pub fn from_latest(mut self) -> Self {
        self.is_from_latest = true;
        self
    }

    /// The patterns of the filters, each as the JSON for `Pattern` of an event source mapping. Lambda passes a record
    /// if one of them matches. The list is empty if every record is passed.
    ///
    /// Returns an error of kind [`Config`](crate::error::ErrorKind::Config) that names an unknown entity or field, or
    /// that more filters would be necessary than a mapping may have.
    pub fn filters(&self) -> Result<Vec<String>> {
        if let Some((name, _)) = self.follows.iter().find(|(_, changes)| changes.is_empty()) {
            return Err(self.unfit_error(&format!("follows `{name}`, but none of its changes")));
        }
        let filters = patterns::record_patterns(&self.table, &self.follows, &self.values)?;
        if filters
            .iter()
            .any(|filter| filter.chars().count() > LONGEST_FILTER)
        {
            return Err(self.unfit_error(&format!(
                "has a filter of more than {LONGEST_FILTER} characters: follow fewer entities"
            )));
        }
        if filters.len() > self.most_filters {
            return Err(self.unfit_error(&format!(
                "needs {} filters, and a mapping may have {}: follow fewer entities, or more of their changes{}",
                filters.len(),
                self.most_filters,
                match self.most_filters {
                    FILTERS => ", or raise the quota of the account and say so by `raised_filter_quota()`",
                    _ => "",
                }
            )));
        }
        Ok(filters)
    }

    /// The name of the function in these tables, or its ARN.
    pub(super) fn function_name(&self, prefix: impl Fn(&str) -> String) -> String {
        let own = || prefix(&self.name);
        self.function.clone().unwrap_or_else(own)
    }

    /// The name of the function without the first parts of its ARN, as in metrics.
    pub(super) fn metric_name(&self, prefix: impl Fn(&str) -> String) -> String {
        let name = self.function_name(prefix);
        let name = match name.split_once(":function:") {
            Some((_, name)) => name,
            None => &name,
        };
        name.split(':').next().unwrap_or_default().to_owned()
    }

    /// The position at which the mapping begins to read, in the words of AWS.
    pub(super) fn starting_position(&self) -> &'static str {
        match self.is_from_latest {
            true => "LATEST",
            false => "TRIM_HORIZON",
        }
    }

    /// The name of the queue of failures.
    pub(super) fn queue_name(&self, prefix: impl Fn(&str) -> String) -> String {
        // A prefix may contain dots, but the name of a queue cannot.
        prefix(&format!("{}-failures", self.name)).replace('.', "_")
    }

    /// Rejects settings that AWS does not accept, in tables with this prefix.
    pub(super) fn check_consumer(&self, prefix: impl Fn(&str) -> String) -> Result<()> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if self.name.is_empty() || self.name.len() > 64 || !self.name.bytes().all(is_letter) {
            return Err(self.unfit_error("has no name of 1 to 64 letters, digits, `-` and `_`"));
        }
        if self.table.stream.is_none() {
            return Err(self.unfit_error(&format!(
                "follows table `{}`, which has no stream: declare `stream = new_and_old_images`",
                self.table.name
            )));
        }
        let queue = self.queue_name(prefix);
        if self.has_queue && queue.len() > LONGEST_QUEUE {
            return Err(self.unfit_error(&format!(
                "has the queue `{queue}`, and a queue has at most {LONGEST_QUEUE} characters in its name"
            )));
        }
        let ranges = [
            ("batch_size", u64::from(self.batch), 1, 10_000),
            ("batch_window", self.window, 0, 300),
            ("parallel", u64::from(self.parallel), 1, 10),
            ("retries", u64::from(self.retries), 0, 10_000),
            ("record_age", self.age, 60, DAY),
        ];
        match ranges
            .into_iter()
            .find(|(_, value, least, most)| value < least || value > most)
        {
            Some((setting, value, least, most)) => Err(self.unfit_error(&format!(
                "has {value} as its `{setting}`, which must be between {least} and {most}"
            ))),
            None => Ok(()),
        }
    }

    #[cold]
    pub(super) fn unfit_error(&self, why: &str) -> Error {
        Error::config(format!("the consumer `{}` {why}", self.name))
    }
}
