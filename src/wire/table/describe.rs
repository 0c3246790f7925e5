//! A table and its settings, from several operations.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{PointInTimeRecoveryStatus, TimeToLiveStatus};

use super::answers::missing_as_none;
use super::decode::described_table;
use super::described::DescribedTable;
use super::send::sent;
use crate::error::Result;
use crate::wire::call::Wire;

/// `None` if the table does not exist.
pub(crate) async fn describe_table(wire: &Wire, name: &str) -> Result<Option<DescribedTable>> {
    let request = wire.client().describe_table().table_name(name);
    match sent!(wire, DescribeTable in describe_table, request, name) {
        Ok(output) => output
            .table()
            .map(|table| described_table(name, table))
            .transpose(),
        Err(error) if error.is_table_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The expiry of the items of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpiryState {
    /// The attribute, None if they do not expire.
    pub(crate) attribute: Option<String>,
    /// Whether it is being switched on or off, which may take an hour.
    pub(crate) is_changing: bool,
}

/// The expiry of items; None if the server does not support it, so that nothing expires.
pub(crate) async fn expiry_state(wire: &Wire, name: &str) -> Result<Option<ExpiryState>> {
    let request = wire.client().describe_time_to_live().table_name(name);
    let output = match sent!(wire, DescribeTimeToLive in describe_time_to_live, request, name) {
        Ok(output) => output,
        Err(error) => return missing_as_none(error),
    };
    let ttl = output.time_to_live_description();
    let status = ttl.and_then(|ttl| ttl.time_to_live_status());
    let is_on = matches!(
        status,
        Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling)
    );
    let attribute = ttl.filter(|_| is_on).and_then(|ttl| ttl.attribute_name());
    Ok(Some(ExpiryState {
        attribute: attribute.map(str::to_owned),
        is_changing: matches!(
            status,
            Some(TimeToLiveStatus::Enabling | TimeToLiveStatus::Disabling)
        ),
    }))
}

/// The attribute by which items expire, `None` if they do not.
pub(crate) async fn ttl_attribute(wire: &Wire, name: &str) -> Result<Option<String>> {
    let expiry = expiry_state(wire, name).await?;
    Ok(expiry.and_then(|expiry| expiry.attribute))
}

/// Whether a table can be restored to any second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecoveryState {
    pub(crate) is_on: bool,
    /// The number of days back, if the server reports it.
    pub(crate) days: Option<u8>,
}

/// Whether the table can be restored to any second; None if the server does not support it.
pub(crate) async fn recovery_state(wire: &Wire, name: &str) -> Result<Option<RecoveryState>> {
    let request = wire.client().describe_continuous_backups().table_name(name);
    let output = match sent!(wire, DescribeContinuousBackups in describe_continuous_backups, request, name)
    {
        Ok(output) => output,
        Err(error) => return missing_as_none(error),
    };
    let backups = output.continuous_backups_description();
    let recovery = backups.and_then(|backups| backups.point_in_time_recovery_description());
    let is_on = recovery.and_then(|recovery| recovery.point_in_time_recovery_status())
        == Some(&PointInTimeRecoveryStatus::Enabled);
    let days = recovery.and_then(|recovery| recovery.recovery_period_in_days());
    Ok(Some(RecoveryState {
        is_on,
        days: days.and_then(|days| u8::try_from(days).ok()),
    }))
}

/// The labels of a table; None if the server does not support them.
pub(crate) async fn table_labels(
    wire: &Wire,
    found: &DescribedTable,
) -> Result<Option<BTreeMap<String, String>>> {
    let mut labels = BTreeMap::new();
    let mut next = None;
    loop {
        let request = wire
            .client()
            .list_tags_of_resource()
            .set_resource_arn(found.arn.clone())
            .set_next_token(next);
        let name = &found.schema.name;
        let page = match sent!(wire, ListTagsOfResource in list_tags_of_resource, request, name) {
            Ok(page) => page,
            Err(error) => return missing_as_none(error),
        };
        let tags = page.tags().iter();
        labels.extend(tags.map(|tag| (tag.key().to_owned(), tag.value().to_owned())));
        next = page.next_token;
        if next.is_none() {
            return Ok(Some(labels));
        }
    }
}
