//! The limits of requests, the warm throughput and the encryption of a table, as blocks.

use crate::json::JsonTree;
use crate::schema::{Billing, Encryption, OnDemandMaximum, TableSettings, WarmThroughput};

pub(super) fn table_maximum(settings: &TableSettings) -> Option<JsonTree> {
    settings.on_demand_maximum.and_then(maximum_tree)
}

pub(super) fn index_maximum(settings: &TableSettings, index: &str) -> Option<JsonTree> {
    settings.index_maximum(index).and_then(maximum_tree)
}

pub(super) fn table_warmth(settings: &TableSettings) -> Option<JsonTree> {
    let warm = settings.warm_throughput?;
    warm_tree(settings, warm)
}

pub(super) fn index_warmth(settings: &TableSettings, index: &str) -> Option<JsonTree> {
    let warm = settings.index_warmth(index)?;
    warm_tree(settings, warm)
}

/// The provider removes a maximum by -1, which DynamoDB rejects for a new table, so no maximum is no block.
fn maximum_tree(maximum: OnDemandMaximum) -> Option<JsonTree> {
    let OnDemandMaximum::Units { reads, writes } = maximum else {
        return None;
    };
    Some(JsonTree::object_of([
        ("max_read_request_units", Some(reads.into())),
        ("max_write_request_units", Some(writes.into())),
    ]))
}

/// The provider demands both members, and rejects values below those of a new table that is billed on demand, also for a
/// table that is billed by units.
fn warm_tree(settings: &TableSettings, warm: WarmThroughput) -> Option<JsonTree> {
    let (first_reads, first_writes) = WarmThroughput::FIRST;
    let has_units = settings.billing.and_then(Billing::units).is_some();
    let is_possible = !has_units || (warm.reads >= first_reads && warm.writes >= first_writes);
    let is_above = warm.units_above(WarmThroughput::FIRST) != (None, None);
    (is_possible && (is_above || has_units)).then(|| {
        JsonTree::object_of([
            (
                "read_units_per_second",
                Some(warm.reads.max(first_reads).into()),
            ),
            (
                "write_units_per_second",
                Some(warm.writes.max(first_writes).into()),
            ),
        ])
    })
}

pub(super) fn encryption_tree(encryption: &Encryption) -> JsonTree {
    let key = match encryption {
        Encryption::Key(arn) => Some(JsonTree::from(arn)),
        Encryption::AwsOwned | Encryption::AwsManaged => None,
    };
    JsonTree::object_of([
        (
            "enabled",
            Some((*encryption != Encryption::AwsOwned).into()),
        ),
        ("kms_key_arn", key),
    ])
}
