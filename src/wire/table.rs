//! Operations on tables: turns our plain schemas into the SDK's types and back.

mod decode;
mod encode;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    BillingMode, CreateGlobalSecondaryIndexAction, GlobalSecondaryIndex,
    GlobalSecondaryIndexUpdate, LocalSecondaryIndex, PointInTimeRecoverySpecification,
    PointInTimeRecoveryStatus, ProvisionedThroughput, StreamSpecification, TimeToLiveSpecification,
    TimeToLiveStatus,
};

use super::failure::{Site, from_sdk};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{IndexSchema, TableSchema};
use decode::found;
use encode::{
    class, definitions, incomplete, keys, projection, stream_type, table_keys, tags, units,
};

/// A table as the service describes it.
#[derive(Debug, Clone)]
pub(crate) struct DescribedTable {
    /// The schema without the TTL, which another operation tells.
    pub(crate) schema: TableSchema,
    pub(crate) status: Status,
    /// The indexes that are being added or removed.
    pub(crate) changing: Vec<String>,
    /// Unix seconds, by the service's clock.
    pub(crate) created: Option<i64>,
    /// The read and write units; None if the table is billed on demand.
    provisioned: Option<(i64, i64)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Status {
    /// Reads and writes work.
    Usable,
    Creating,
    Deleting,
    /// Neither reads nor writes work, and waiting does not help.
    Broken(String),
}

/// `None` if there is no such table.
pub(crate) async fn describe(client: &Client, name: &str) -> Result<Option<DescribedTable>> {
    match client.describe_table().table_name(name).send().await {
        Ok(output) => output.table().map(|table| found(name, table)).transpose(),
        Err(error) => {
            let error = from_sdk(error, Site::harmless("DescribeTable", name)).error;
            if error.is_table_not_found() {
                Ok(None)
            } else {
                Err(error)
            }
        }
    }
}

/// Starts to create a table that is billed on demand. It is no error if somebody else does the same.
pub(crate) async fn create(client: &Client, schema: &TableSchema) -> Result<()> {
    let name = &schema.name;
    let settings = &schema.settings;
    let units = units(settings.billing)?;
    let mut request = client
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
    match request.send().await {
        Ok(_) => Ok(()),
        Err(error) => {
            let error = from_sdk(error, Site::harmless("CreateTable", name)).error;
            if error.is_table_in_use() {
                Ok(())
            } else {
                Err(hint(error, &schema.global_indexes))
            }
        }
    }
}

/// Starts to add a global index to a table.
pub(crate) async fn add_index(
    client: &Client,
    found: &DescribedTable,
    index: &IndexSchema,
) -> Result<()> {
    let name = &found.schema.name;
    let mut action = CreateGlobalSecondaryIndexAction::builder()
        .index_name(&index.name)
        .set_key_schema(Some(keys(&index.pk, &index.sk)?))
        .projection(projection(&index.projection));
    if let Some((read, write)) = found.provisioned {
        let units = ProvisionedThroughput::builder()
            .read_capacity_units(read)
            .write_capacity_units(write);
        action = action.provisioned_throughput(units.build().map_err(incomplete)?);
    }
    let action = action.build().map_err(incomplete)?;
    let request = client
        .update_table()
        .table_name(name)
        .set_attribute_definitions(Some(definitions(&found.schema, Some(index))?))
        .global_secondary_index_updates(
            GlobalSecondaryIndexUpdate::builder().create(action).build(),
        );
    match request.send().await {
        Ok(_) => Ok(()),
        Err(error) => {
            let error = from_sdk(error, Site::harmless("UpdateTable", name)).error;
            Err(hint(error, std::slice::from_ref(index)))
        }
    }
}

/// The attribute by which items expire, `None` if they do not.
pub(crate) async fn ttl(client: &Client, name: &str) -> Result<Option<String>> {
    let output = match client.describe_time_to_live().table_name(name).send().await {
        Ok(output) => output,
        Err(error) => {
            let error = from_sdk(error, Site::harmless("DescribeTimeToLive", name)).error;
            // On a server without the operation, nothing expires.
            return lacking(error).map(|()| None);
        }
    };
    let Some(ttl) = output.time_to_live_description() else {
        return Ok(None);
    };
    Ok(match ttl.time_to_live_status() {
        Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling) => {
            ttl.attribute_name().map(str::to_owned)
        }
        _ => None,
    })
}

pub(crate) async fn enable_ttl(client: &Client, name: &str, attribute: &str) -> Result<()> {
    let ttl = TimeToLiveSpecification::builder()
        .enabled(true)
        .attribute_name(attribute);
    let ttl = ttl.build().map_err(incomplete)?;
    let request = client
        .update_time_to_live()
        .table_name(name)
        .time_to_live_specification(ttl);
    match request.send().await {
        Ok(_) => Ok(()),
        Err(error) => Err(from_sdk(error, Site::harmless("UpdateTimeToLive", name)).error),
    }
}

/// Keeps what is needed to restore the table to any second of the last days. A server without that, such as one for
/// tests, has nothing to restore.
pub(crate) async fn enable_recovery(client: &Client, name: &str, days: u8) -> Result<()> {
    let recovery = PointInTimeRecoverySpecification::builder()
        .point_in_time_recovery_enabled(true)
        .recovery_period_in_days(days.into());
    let request = client
        .update_continuous_backups()
        .table_name(name)
        .point_in_time_recovery_specification(recovery.build().map_err(incomplete)?);
    match request.send().await {
        Ok(_) => Ok(()),
        Err(error) => {
            lacking(from_sdk(error, Site::harmless("UpdateContinuousBackups", name)).error)
        }
    }
}

/// Whether the table can be restored to any second; None if the server does not know of that.
pub(crate) async fn recovers(client: &Client, name: &str) -> Result<Option<bool>> {
    let request = client.describe_continuous_backups().table_name(name);
    let output = match request.send().await {
        Ok(output) => output,
        Err(error) => {
            let site = Site::harmless("DescribeContinuousBackups", name);
            return lacking(from_sdk(error, site).error).map(|()| None);
        }
    };
    let backups = output.continuous_backups_description();
    let recovery = backups.and_then(|backups| backups.point_in_time_recovery_description());
    let status = recovery.and_then(|recovery| recovery.point_in_time_recovery_status());
    Ok(Some(status == Some(&PointInTimeRecoveryStatus::Enabled)))
}

/// Whether the service is not yet ready to keep backups of a new table.
pub(crate) fn keeps_no_backups_yet(error: &Error) -> bool {
    error.code() == Some("ContinuousBackupsUnavailableException")
}

/// Passes over an operation that the server does not have.
fn lacking(error: Error) -> Result<()> {
    match error.code() {
        Some("UnknownOperationException") => Ok(()),
        _ => Err(error),
    }
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
