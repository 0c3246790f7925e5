//! Changes of an existing table.

use aws_sdk_dynamodb::operation::update_table::builders::UpdateTableFluentBuilder;
use aws_sdk_dynamodb::types::builders::UpdateGlobalSecondaryIndexActionBuilder;
use aws_sdk_dynamodb::types::{
    BillingMode, CreateGlobalSecondaryIndexAction, DeleteGlobalSecondaryIndexAction,
    GlobalSecondaryIndexUpdate, PointInTimeRecoverySpecification, StreamSpecification,
    TimeToLiveSpecification, UpdateGlobalSecondaryIndexAction,
};

use super::answers::hint_indexes;
use super::described::DescribedTable;
use super::encode::{
    attribute_definitions, encode_projection, encryption_key, first_maximum, incomplete_request,
    key_elements, maximum_update, pair_units, stream_type, table_class, table_tags,
    throughput_units, vector_definitions, warm_throughput,
};
use super::send::sent;
use super::vectors::{added_index, removed_index};
use crate::error::Result;
use crate::schema::{
    Billing, Encryption, IndexSchema, OnDemandMaximum, StreamView, TableClass, TableSchema,
    TableSettings, VectorIndexSchema,
};
use crate::wire::call::Wire;

/// One change, because DynamoDB accepts one at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TableUpdate<'u> {
    /// With the settings of the declared table, which a new index has too.
    AddIndex(&'u IndexSchema, &'u TableSettings),
    RemoveIndex(&'u str),
    AddVectorIndex(&'u VectorIndexSchema),
    RemoveVectorIndex(&'u str),
    Stream(Option<StreamView>),
    Protection(bool),
    Class(TableClass),
    /// With the declared table: indexes that it does not contain keep their units.
    Billing(Billing, &'u TableSchema),
    /// Of the table, or of the index of this name.
    Maximum(Option<&'u str>, OnDemandMaximum),
    /// The read and write units to which the warm throughput of the table, or of the index of this name, is increased.
    Warm(Option<&'u str>, (Option<u64>, Option<u64>)),
    Encryption(&'u Encryption),
}

/// Starts to change the table.
pub(crate) async fn update_table(
    wire: &Wire,
    found: &DescribedTable,
    update: TableUpdate<'_>,
) -> Result<()> {
    let name = &found.schema.name;
    let request = wire.client().update_table().table_name(name);
    let request = match update {
        TableUpdate::AddIndex(index, settings) => add_index(request, found, index, settings)?,
        TableUpdate::RemoveIndex(index) => {
            let action = DeleteGlobalSecondaryIndexAction::builder().index_name(index);
            let action = action.build().map_err(incomplete_request)?;
            let change = GlobalSecondaryIndexUpdate::builder().delete(action).build();
            request.global_secondary_index_updates(change)
        }
        TableUpdate::AddVectorIndex(index) => request
            .set_attribute_definitions(Some(vector_definitions(&found.schema, index)?))
            .vector_index_updates(added_index(index)?),
        TableUpdate::RemoveVectorIndex(index) => {
            request.vector_index_updates(removed_index(index)?)
        }
        TableUpdate::Stream(view) => {
            let stream = StreamSpecification::builder().stream_enabled(view.is_some());
            let stream = stream.set_stream_view_type(view.map(stream_type));
            request.stream_specification(stream.build().map_err(incomplete_request)?)
        }
        TableUpdate::Protection(on) => request.deletion_protection_enabled(on),
        TableUpdate::Class(wanted) => request.table_class(table_class(wanted)),
        TableUpdate::Billing(billing, declared) => {
            change_billing(request, found, billing, declared)?
        }
        TableUpdate::Maximum(None, maximum) => {
            request.on_demand_throughput(maximum_update(maximum))
        }
        TableUpdate::Maximum(Some(index), maximum) => {
            let action = UpdateGlobalSecondaryIndexAction::builder().index_name(index);
            update_index(
                request,
                action.on_demand_throughput(maximum_update(maximum)),
            )?
        }
        TableUpdate::Warm(None, units) => request.set_warm_throughput(warm_throughput(units)),
        TableUpdate::Warm(Some(index), units) => {
            let action = UpdateGlobalSecondaryIndexAction::builder().index_name(index);
            update_index(request, action.set_warm_throughput(warm_throughput(units)))?
        }
        TableUpdate::Encryption(encryption) => {
            request.sse_specification(encryption_key(encryption))
        }
    };
    match (
        sent!(wire, UpdateTable in update_table, request, name),
        update,
    ) {
        (Ok(_), _) => Ok(()),
        (Err(error), TableUpdate::AddIndex(index, _)) => {
            Err(hint_indexes(error, std::slice::from_ref(index)))
        }
        (Err(error), _) => Err(error),
    }
}

/// A new index of a table that is billed by units has the units of the table, and another one has its maximum.
fn add_index(
    request: UpdateTableFluentBuilder,
    found: &DescribedTable,
    index: &IndexSchema,
    settings: &TableSettings,
) -> Result<UpdateTableFluentBuilder> {
    let billing = found.schema.settings.billing;
    let maximum = settings.index_maximum(&index.name);
    let maximum = maximum.filter(|_| billing.and_then(Billing::units).is_none());
    let warm = settings.index_warmth(&index.name);
    let warm = warm
        .and_then(|declared| warm_throughput(found.schema.settings.warmth_above_first(declared)));
    let action = CreateGlobalSecondaryIndexAction::builder()
        .index_name(&index.name)
        .set_key_schema(Some(key_elements(&index.pk, &index.sk)?))
        .projection(encode_projection(&index.projection))
        .set_provisioned_throughput(throughput_units(billing)?)
        .set_on_demand_throughput(first_maximum(maximum))
        .set_warm_throughput(warm);
    let action = action.build().map_err(incomplete_request)?;
    let change = GlobalSecondaryIndexUpdate::builder().create(action).build();
    Ok(request
        .set_attribute_definitions(Some(attribute_definitions(&found.schema, Some(index))?))
        .global_secondary_index_updates(change))
}

/// Sends only the differences, because DynamoDB rejects units that are unchanged.
fn change_billing(
    request: UpdateTableFluentBuilder,
    found: &DescribedTable,
    billing: Billing,
    declared: &TableSchema,
) -> Result<UpdateTableFluentBuilder> {
    let Some(wanted) = billing.units() else {
        return Ok(request.billing_mode(BillingMode::PayPerRequest));
    };
    let before = found.schema.settings.billing.and_then(Billing::units);
    let mut request = match before {
        Some(_) => request,
        None => request.billing_mode(BillingMode::Provisioned),
    };
    if before != Some(wanted) {
        request = request.provisioned_throughput(pair_units(wanted)?);
    }
    let indexes = found.schema.global_indexes.iter();
    for index in indexes.filter(|_| found.sets_index_units) {
        let is_as_wanted = found.index_units.get(&index.name) == Some(&wanted);
        // A change from on-demand billing must name the units of every index, also of those that no
        // declaration contains.
        if before.is_some() && (is_as_wanted || declared.index(&index.name).is_none()) {
            continue;
        }
        let action = UpdateGlobalSecondaryIndexAction::builder()
            .index_name(&index.name)
            .provisioned_throughput(pair_units(wanted)?);
        request = update_index(request, action)?;
    }
    Ok(request)
}

fn update_index(
    request: UpdateTableFluentBuilder,
    action: UpdateGlobalSecondaryIndexActionBuilder,
) -> Result<UpdateTableFluentBuilder> {
    let action = action.build().map_err(incomplete_request)?;
    let change = GlobalSecondaryIndexUpdate::builder().update(action).build();
    Ok(request.global_secondary_index_updates(change))
}

/// Enables or disables the expiry of items by this attribute.
pub(crate) async fn set_ttl(wire: &Wire, name: &str, attribute: &str, is_on: bool) -> Result<()> {
    let ttl = TimeToLiveSpecification::builder()
        .enabled(is_on)
        .attribute_name(attribute);
    let ttl = ttl.build().map_err(incomplete_request)?;
    let request = wire
        .client()
        .update_time_to_live()
        .table_name(name)
        .time_to_live_specification(ttl);
    sent!(wire, UpdateTimeToLive in update_time_to_live, request, name).map(drop)
}

/// Enables recovery, so that the table can be restored to any second of the last days.
pub(crate) async fn enable_recovery(wire: &Wire, name: &str, days: u8) -> Result<()> {
    let recovery = PointInTimeRecoverySpecification::builder()
        .point_in_time_recovery_enabled(true)
        .recovery_period_in_days(days.into());
    let request = wire
        .client()
        .update_continuous_backups()
        .table_name(name)
        .point_in_time_recovery_specification(recovery.build().map_err(incomplete_request)?);
    sent!(wire, UpdateContinuousBackups in update_continuous_backups, request, name).map(drop)
}

/// Adds these labels to those of the table.
pub(crate) async fn tag_table(
    wire: &Wire,
    found: &DescribedTable,
    settings: &TableSettings,
) -> Result<()> {
    let request = wire
        .client()
        .tag_resource()
        .set_resource_arn(found.arn.clone())
        .set_tags(table_tags(settings)?);
    sent!(wire, TagResource in tag_resource, request, &found.schema.name).map(drop)
}
