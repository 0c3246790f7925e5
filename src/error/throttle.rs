//! The reasons for throttling, if DynamoDB reports them.

use std::fmt;

/// One reason why DynamoDB rejected a request because of load: the resource, the kind of load, and the limit. See
/// [`Error::throttle`](super::Error::throttle).
///
/// ```
/// # use dynamo_entity::prelude::*;
/// use dynamo_entity::error::{ThrottleLimit, ThrottledLoad};
///
/// fn advice(error: &Error) -> Option<String> {
///     let throttle = error.throttle()?;
///     let what = throttle.index().or(throttle.table())?;
///     match (throttle.limit(), throttle.load()) {
///         (ThrottleLimit::KeyRange, Some(ThrottledLoad::Writes)) => Some(format!("one key of {what} is hot: shard it")),
///         _ => throttle.advice().map(|advice| format!("{what}: {advice}")),
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Throttle {
    reason: String,
    resource: Option<String>,
}

/// The kind of load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ThrottledLoad {
    /// Reads.
    Reads,
    /// Writes.
    Writes,
}

/// The limit that was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ThrottleLimit {
    /// The throughput that was provisioned for a table or index.
    Provisioned,
    /// The highest throughput that was allowed for a table or index that is billed on demand.
    OnDemandMaximum,
    /// The throughput of one partition: a partition key, or a few neighbouring ones, receive nearly all of the
    /// requests.
    KeyRange,
    /// The throughput that the account may use for one table in this region.
    Account,
    /// A limit that this version of the library does not know; [`reason`](Throttle::reason) names it.
    Other,
}

impl Throttle {
    /// A reason of DynamoDB, with the name of its resource.
    pub(crate) fn new(reason: String, resource: Option<String>) -> Self {
        Throttle { reason, resource }
    }

    /// The reason as DynamoDB names it: `TableWriteKeyRangeThroughputExceeded`.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The ARN of the resource.
    pub fn resource(&self) -> Option<&str> {
        self.resource.as_deref()
    }

    /// The full name of the table.
    pub fn table(&self) -> Option<&str> {
        // The resource is an ARN, `..:table/NAME`, with `/index/NAME` behind it for an index.
        let mut names = self.resource()?.split('/');
        names.nth(1)
    }

    /// The index, if the resource is not the table itself.
    pub fn index(&self) -> Option<&str> {
        let mut names = self.resource()?.split('/').skip(2);
        names.next().filter(|word| *word == "index")?;
        names.next()
    }

    /// Whether the resource is an index, and not the table itself.
    pub fn is_index(&self) -> bool {
        self.reason.starts_with("Index")
    }

    /// The kind of load that exceeded the limit: reads or writes.
    pub fn load(&self) -> Option<ThrottledLoad> {
        self.words().0
    }

    /// The limit that was exceeded.
    pub fn limit(&self) -> ThrottleLimit {
        match self.words().1 {
            "ProvisionedThroughputExceeded" => ThrottleLimit::Provisioned,
            "MaxOnDemandThroughputExceeded" => ThrottleLimit::OnDemandMaximum,
            "KeyRangeThroughputExceeded" => ThrottleLimit::KeyRange,
            "AccountLimitExceeded" => ThrottleLimit::Account,
            _ => ThrottleLimit::Other,
        }
    }

    /// The remedy.
    pub fn advice(&self) -> Option<&'static str> {
        Some(match self.limit() {
            ThrottleLimit::Provisioned => {
                "raise its provisioned capacity, let it scale by itself, or bill it on demand"
            }
            ThrottleLimit::OnDemandMaximum => "raise its configured maximum for on-demand requests",
            ThrottleLimit::KeyRange if self.load() == Some(ThrottledLoad::Writes) => {
                "one partition key takes nearly all writes: spread it with shards"
            }
            ThrottleLimit::KeyRange => {
                "one partition key takes nearly all reads: spread it with shards, or read it less often"
            }
            ThrottleLimit::Account => {
                "request a higher quota for this account in this region from AWS"
            }
            ThrottleLimit::Other => return None,
        })
    }

    /// The kind of load and the limit: the words after `Table` or `Index`.
    fn words(&self) -> (Option<ThrottledLoad>, &str) {
        let of_table = self.reason.strip_prefix("Table");
        let reason = of_table.or_else(|| self.reason.strip_prefix("Index"));
        let reason = reason.unwrap_or(&self.reason);
        if let Some(limit) = reason.strip_prefix("Read") {
            (Some(ThrottledLoad::Reads), limit)
        } else if let Some(limit) = reason.strip_prefix("Write") {
            (Some(ThrottledLoad::Writes), limit)
        } else {
            (None, reason)
        }
    }
}

/// The table or index, the reason, and what helps.
impl fmt::Display for Throttle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.table(), self.index()) {
            (Some(table), Some(index)) => write!(f, "index `{index}` of table `{table}`: ")?,
            (Some(table), None) => write!(f, "table `{table}`: ")?,
            _ => {}
        }
        f.write_str(&self.reason)?;
        match self.advice() {
            Some(advice) => write!(f, ", {advice}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All reasons that the service documents.
    #[test]
    fn every_documented_reason_is_read() {
        let limits = [
            ("ProvisionedThroughputExceeded", ThrottleLimit::Provisioned),
            ("AccountLimitExceeded", ThrottleLimit::Account),
            ("KeyRangeThroughputExceeded", ThrottleLimit::KeyRange),
            (
                "MaxOnDemandThroughputExceeded",
                ThrottleLimit::OnDemandMaximum,
            ),
        ];
        let loads = [
            ("Read", ThrottledLoad::Reads),
            ("Write", ThrottledLoad::Writes),
        ];
        for (limit_word, limit) in limits {
            for (load_word, load) in loads {
                for target in ["Table", "Index"] {
                    let arn = match target {
                        "Table" => "arn:aws:dynamodb:eu-west-1:1:table/live-orders".to_owned(),
                        _ => {
                            "arn:aws:dynamodb:eu-west-1:1:table/live-orders/index/by_day".to_owned()
                        }
                    };
                    let throttle =
                        Throttle::new(format!("{target}{load_word}{limit_word}"), Some(arn));
                    assert_eq!(throttle.limit(), limit);
                    assert_eq!(throttle.load(), Some(load));
                    assert_eq!(throttle.is_index(), target == "Index");
                    assert_eq!(throttle.table(), Some("live-orders"));
                    let index = (target == "Index").then_some("by_day");
                    assert_eq!(throttle.index(), index);
                    assert!(throttle.advice().is_some());
                    let text = throttle.to_string();
                    assert!(
                        text.contains("live-orders") && text.contains(limit_word),
                        "{text}"
                    );
                    assert!(!text.contains("arn:"), "{text}");
                }
            }
        }
    }

    #[test]
    fn others_are_kept_as_they_are() {
        let throttle = Throttle::new("MoonExceeded".into(), None);
        assert_eq!(
            (throttle.limit(), throttle.load()),
            (ThrottleLimit::Other, None)
        );
        assert_eq!((throttle.table(), throttle.index()), (None, None));
        assert_eq!(throttle.to_string(), "MoonExceeded");
        let odd = Throttle::new(String::new(), Some("arn:aws:dynamodb:x:1:table".into()));
        assert_eq!(
            (odd.table(), odd.index(), odd.is_index()),
            (None, None, false)
        );
    }
}
