//! The creation of a table.

use aws_sdk_dynamodb::types::{
    BillingMode, GlobalSecondaryIndex, LocalSecondaryIndex, StreamSpecification,
};

use super::answers::hint_indexes;
use super::encode::{
    attribute_definitions, encode_projection, encryption_key, first_maximum, incomplete_request,
    key_elements, stream_type, table_class, table_keys, table_tags, throughput_units,
    warm_throughput, without_vector_attributes,
};
use super::send::sent;
use super::vectors::new_index;
use crate::error::{ErrorKind, Result};
use crate::schema::{TableSchema, WarmThroughput};
use crate::wire::call::Wire;

/// Starts to create a table that is billed on demand. It is not an error if another process does the same.
pub(crate) async fn create_table(wire: &Wire, schema: &TableSchema) -> Result<()> {
    let name = &schema.name;
    let settings = &schema.settings;
    let units = throughput_units(settings.billing)?;
    let warm = |declared: Option<WarmThroughput>| {
        declared.and_then(|declared| warm_throughput(settings.warmth_above_first(declared)))
    };
    let mut request = wire
        .client()
        .create_table()
        .table_name(name)
        .billing_mode(match units {
            Some(_) => BillingMode::Provisioned,
            None => BillingMode::PayPerRequest,
        })
        .set_provisioned_throughput(units.clone())
        .set_on_demand_throughput(first_maximum(settings.on_demand_maximum))
        .set_warm_throughput(warm(settings.warm_throughput))
        .set_sse_specification(settings.encryption.as_ref().map(encryption_key))
        .set_deletion_protection_enabled(settings.deletion_protection)
        .set_table_class(settings.class.map(table_class))
        .set_tags(table_tags(settings)?)
        .set_key_schema(Some(table_keys(schema)?))
        .set_attribute_definitions(Some(attribute_definitions(schema, None)?));
    for index in &schema.global_indexes {
        let keys = Some(key_elements(&index.pk, &index.sk)?);
        let builder = GlobalSecondaryIndex::builder()
            .index_name(&index.name)
            .set_provisioned_throughput(units.clone())
            .set_on_demand_throughput(first_maximum(settings.index_maximum(&index.name)))
            .set_warm_throughput(warm(settings.index_warmth(&index.name)))
            .set_key_schema(keys);
        let index = builder
            .projection(encode_projection(&index.projection))
            .build()
            .map_err(incomplete_request)?;
        request = request.global_secondary_indexes(index);
    }
    for index in &schema.local_indexes {
        let keys = Some(key_elements(std::slice::from_ref(&schema.pk), &index.sk)?);
        let builder = LocalSecondaryIndex::builder()
            .index_name(&index.name)
            .set_key_schema(keys);
        let index = builder
            .projection(encode_projection(&index.projection))
            .build()
            .map_err(incomplete_request)?;
        request = request.local_secondary_indexes(index);
    }
    for index in &schema.vector_indexes {
        request = request.vector_indexes(new_index(index)?);
    }
    if let Some(view) = schema.stream {
        let stream = StreamSpecification::builder().stream_enabled(true);
        let stream = stream
            .stream_view_type(stream_type(view))
            .build()
            .map_err(incomplete_request)?;
        request = request.stream_specification(stream);
    }
    let created = match sent!(wire, CreateTable in create_table, request.clone(), name) {
        // DynamoDB Local drops vector indexes, and then rejects the definitions of the attributes that only they use.
        Err(error) if error.kind() == ErrorKind::Rejected => {
            match without_vector_attributes(schema)? {
                Some(attributes) => {
                    let request = request.set_attribute_definitions(Some(attributes));
                    let retried = sent!(wire, CreateTable in create_table, request, name);
                    retried.map_err(|_| error)
                }
                None => Err(error),
            }
        }
        created => created,
    };
    match created {
        Ok(_) => Ok(()),
        // Another process creates the same table at the moment. The caller waits until it is
        // active, and compares it then.
        Err(error) if error.is_table_in_use() => Ok(()),
        Err(error) => Err(hint_indexes(error, &schema.global_indexes)),
    }
}
