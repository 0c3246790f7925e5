//! Operations on tables: turns our plain schemas into the SDK's types and back.

mod decode;
mod described;
mod encode;
mod send;
mod update;

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{
    BillingMode, GlobalSecondaryIndex, LocalSecondaryIndex, PointInTimeRecoveryStatus,
    StreamSpecification, TimeToLiveStatus,
};

use super::Wire;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{IndexSchema, TableSchema};
use decode::found;
pub(crate) use described::{DescribedTable, Status};
use encode::{
    class, definitions, incomplete, keys, projection, stream_type, table_keys, tags, units,
};
use send::sent;
pub(crate) use update::{TableUpdate, enable_recovery, set_ttl, tag, update};

/// `None` if there is no such table.
pub(crate) async fn describe(wire: &Wire, name: &str) -> Result<Option<DescribedTable>> {
    let request = wire.client().describe_table().table_name(name);
    match sent!(wire, DescribeTable in describe_table, request, name) {
        Ok(output) => output.table().map(|table| found(name, table)).transpose(),
        Err(error) if error.is_table_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Starts to create a table that is billed on demand. It is no error if someone else does the same.
pub(crate) async fn create(wire: &Wire, schema: &TableSchema) -> Result<()> {
    let name = &schema.name;
    let settings = &schema.settings;
    let units = units(settings.billing)?;
    let mut request = wire
        .client()
        .create_table()
        .table_name(name)
        .billing_mode(match units {
            Some(_) => BillingMode::Provisioned,
            None => BillingMode::PayPerRequest,
        })
        .set_provisioned_throughput(units.clone())
        .set_deletion_protection_enabled(settings.deletion_protection)
        .set_table_class(settings.class.map(class))
        .set_tags(tags(settings)?)
        .set_key_schema(Some(table_keys(schema)?))
        .set_attribute_definitions(Some(definitions(schema, None)?));
    for index in &schema.global_indexes {
        let keys = Some(keys(&index.pk, &index.sk)?);
        let builder = GlobalSecondaryIndex::builder()
            .index_name(&index.name)
            .set_provisioned_throughput(units.clone())
            .set_key_schema(keys);
        let index = builder
            .projection(projection(&index.projection))
            .build()
            .map_err(incomplete)?;
        request = request.global_secondary_indexes(index);
    }
    for index in &schema.local_indexes {
        let keys = Some(keys(std::slice::from_ref(&schema.pk), &index.sk)?);
        let builder = LocalSecondaryIndex::builder()
            .index_name(&index.name)
            .set_key_schema(keys);
        let index = builder
            .projection(projection(&index.projection))
            .build()
            .map_err(incomplete)?;
        request = request.local_secondary_indexes(index);
    }
    if let Some(view) = schema.stream {
        let stream = StreamSpecification::builder().stream_enabled(true);
        let stream = stream
            .stream_view_type(stream_type(view))
            .build()
            .map_err(incomplete)?;
        request = request.stream_specification(stream);
    }
    match sent!(wire, CreateTable in create_table, request, name) {
        Ok(_) => Ok(()),
        Err(error) if error.is_table_in_use() => Ok(()),
        Err(error) => Err(hint(error, &schema.global_indexes)),
    }
}

/// How items of a table expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpiryState {
    /// The attribute, None if they do not expire.
    pub(crate) attribute: Option<String>,
    /// Whether it is being switched on or off, which may take an hour.
    pub(crate) is_changing: bool,
}

/// How items expire; None if the server does not know of that, so that nothing does.
pub(crate) async fn expiry(wire: &Wire, name: &str) -> Result<Option<ExpiryState>> {
    let request = wire.client().describe_time_to_live().table_name(name);
    let output = match sent!(wire, DescribeTimeToLive in describe_time_to_live, request, name) {
        Ok(output) => output,
        Err(error) => return lacking(error),
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
pub(crate) async fn ttl(wire: &Wire, name: &str) -> Result<Option<String>> {
    let expiry = expiry(wire, name).await?;
    Ok(expiry.and_then(|expiry| expiry.attribute))
}

/// Whether a table can be restored to any second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecoveryState {
    pub(crate) is_on: bool,
    /// For how many days back, if the server tells that.
    pub(crate) days: Option<u8>,
}

/// Whether the table can be restored to any second; None if the server does not know of that.
pub(crate) async fn recovery(wire: &Wire, name: &str) -> Result<Option<RecoveryState>> {
    let request = wire.client().describe_continuous_backups().table_name(name);
    let output = match sent!(wire, DescribeContinuousBackups in describe_continuous_backups, request, name)
    {
        Ok(output) => output,
        Err(error) => return lacking(error),
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

/// The labels of a table; None if the server knows none.
pub(crate) async fn labels(
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
            Err(error) => return lacking(error),
        };
        let tags = page.tags().iter();
        labels.extend(tags.map(|tag| (tag.key().to_owned(), tag.value().to_owned())));
        next = page.next_token;
        if next.is_none() {
            return Ok(Some(labels));
        }
    }
}

/// Whether the service is not yet ready to keep backups of a new table.
pub(crate) fn keeps_no_backups_yet(error: &Error) -> bool {
    error.code() == Some("ContinuousBackupsUnavailableException")
}

/// Passes over an operation that the server does not have.
fn lacking<T>(error: Error) -> Result<Option<T>> {
    match is_lacking(&error) {
        true => Ok(None),
        false => Err(error),
    }
}

/// Whether the server, such as one for tests, does not have the operation.
pub(crate) fn is_lacking(error: &Error) -> bool {
    error.code() == Some("UnknownOperationException")
}

/// Whether another change has to end first.
pub(crate) fn is_busy(error: &Error) -> bool {
    error.is_table_in_use() || error.is_limit_exceeded()
}

/// Adds a hint, because some servers lack what AWS has, and their own words rarely say so.
fn hint(error: Error, indexes: &[IndexSchema]) -> Error {
    let several = |index: &&IndexSchema| index.pk.len() > 1 || index.sk.len() > 1;
    match indexes.iter().find(several) {
        Some(index) if error.kind() == ErrorKind::Rejected => {
            let message = format!(
                "{error}. Index `{}` has a key of several attributes, which AWS, the embedded \
                 engine and DynamoDB Local 3.3.1 know; older ones and other servers may not",
                index.name
            );
            error.with_kind(ErrorKind::Rejected, message)
        }
        _ => error,
    }
}
