//! Throughput beyond units, and encryption, from the SDK's description of a table.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{
    IndexStatus, OnDemandThroughput, SseStatus, TableDescription, TableStatus,
};

use super::described::Throughput;
use crate::schema::{Encryption, IndexSettings, OnDemandMaximum, TableSettings, WarmThroughput};

/// `has_warmth` is whether the server is known to keep a warm throughput.
pub(super) fn found_throughput(table: &TableDescription, has_warmth: bool) -> Throughput {
    // Other servers may describe a value that never changes.
    let warm = table.warm_throughput().filter(|_| has_warmth);
    Throughput {
        maximum: found_maximum(table.on_demand_throughput()),
        warm: warm.and_then(|warm| {
            found_pair(warm.read_units_per_second(), warm.write_units_per_second())
        }),
        is_warming: warm.and_then(|warm| warm.status()) == Some(&TableStatus::Updating),
    }
}

pub(super) fn index_throughput(
    table: &TableDescription,
    has_warmth: bool,
) -> BTreeMap<String, Throughput> {
    let indexes = table.global_secondary_indexes().iter();
    let throughput = indexes.filter_map(|index| {
        let warm = index.warm_throughput().filter(|_| has_warmth);
        let throughput = Throughput {
            maximum: found_maximum(index.on_demand_throughput()),
            warm: warm.and_then(|warm| {
                found_pair(warm.read_units_per_second(), warm.write_units_per_second())
            }),
            is_warming: warm.and_then(|warm| warm.status()) == Some(&IndexStatus::Updating),
        };
        Some((index.index_name()?.to_owned(), throughput))
    });
    throughput.collect()
}

/// A maximum that was removed may be described as -1.
fn found_maximum(maximum: Option<&OnDemandThroughput>) -> (Option<u64>, Option<u64>) {
    let units = |units: Option<i64>| {
        let units = u64::try_from(units?).ok()?;
        (units > 0).then_some(units)
    };
    let reads = maximum.and_then(OnDemandThroughput::max_read_request_units);
    let writes = maximum.and_then(OnDemandThroughput::max_write_request_units);
    (units(reads), units(writes))
}

/// A server without warm throughput may describe it as 0, which DynamoDB never does.
fn found_pair(reads: Option<i64>, writes: Option<i64>) -> Option<(u64, u64)> {
    let pair = (u64::try_from(reads?).ok()?, u64::try_from(writes?).ok()?);
    (pair != (0, 0)).then_some(pair)
}

/// The throughput as settings. An index has an entry only where it differs from the table, as in a declaration.
pub(super) fn throughput_settings(table: &TableDescription, has_warmth: bool) -> TableSettings {
    let own = found_throughput(table, has_warmth).as_settings();
    let differing = |throughput: Throughput| {
        let found = throughput.as_settings();
        // An index without a maximum differs from a table that has one.
        let maximum = found
            .on_demand_maximum
            .or(own.on_demand_maximum.map(|_| OnDemandMaximum::Unlimited));
        IndexSettings {
            on_demand_maximum: maximum.filter(|_| maximum != own.on_demand_maximum),
            warm_throughput: found
                .warm_throughput
                .filter(|_| found.warm_throughput != own.warm_throughput),
            ..IndexSettings::default()
        }
    };
    let indexes = index_throughput(table, has_warmth).into_iter();
    let indexes = indexes.map(|(name, throughput)| (name, differing(throughput)));
    TableSettings {
        indexes: indexes
            .filter(|(_, settings)| *settings != IndexSettings::default())
            .collect(),
        on_demand_maximum: own.on_demand_maximum,
        warm_throughput: own.warm_throughput,
        ..TableSettings::default()
    }
}

impl Throughput {
    fn as_settings(self) -> IndexSettings {
        let (reads, writes) = self.maximum;
        IndexSettings {
            // Other tools may set one of both; a declaration contains both.
            on_demand_maximum: reads
                .zip(writes)
                .map(|(reads, writes)| OnDemandMaximum::Units { reads, writes }),
            warm_throughput: self
                .warm
                .map(|(reads, writes)| WarmThroughput { reads, writes }),
            ..IndexSettings::default()
        }
    }
}

/// Without a description, or while the encryption by another key ends, the key is that of DynamoDB. Otherwise AWS or the
/// account manages it: the description is the same for both.
pub(super) fn found_encryption(table: &TableDescription) -> Encryption {
    let described = table.sse_description();
    let is_own = described.filter(|found| {
        !matches!(
            found.status(),
            Some(SseStatus::Disabled | SseStatus::Disabling)
        )
    });
    match is_own.and_then(|found| found.kms_master_key_arn()) {
        Some(arn) => Encryption::key(arn),
        None => Encryption::AwsOwned,
    }
}

/// Whether the encryption is being changed, which the status of the table need not show. An increase of the warm
/// throughput is no such change: it can take hours, and DynamoDB makes other changes meanwhile.
pub(super) fn is_updating(table: &TableDescription) -> bool {
    let encryption = table.sse_description().and_then(|found| found.status());
    matches!(
        encryption,
        Some(SseStatus::Updating | SseStatus::Enabling | SseStatus::Disabling)
    )
}
