//! The limits of requests, the warm throughput and the encryption of a table, as blocks.

use crate::json::JsonTree;
use crate::schema::{Encryption, OnDemandMaximum, TableSettings, WarmThroughput};

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

fn warm_tree(settings: &TableSettings, warm: WarmThroughput) -> Option<JsonTree> {
    let (reads, writes) = settings.warmth_above_first(warm);
    (reads.is_some() || writes.is_some()).then(|| {
        JsonTree::object_of([
            ("read_units_per_second", reads.map(Into::into)),
            ("write_units_per_second", writes.map(Into::into)),
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
