//! The creation of a table.

use aws_sdk_dynamodb::types::{
    BillingMode, GlobalSecondaryIndex, LocalSecondaryIndex, StreamSpecification,
};

use super::answers::hint;
use super::encode::{
    class, definitions, incomplete, keys, projection, stream_type, table_keys, tags, units,
};
use super::send::sent;
use crate::error::Result;
use crate::schema::TableSchema;
use crate::wire::call::Wire;

/// Starts to create a table that is billed on demand. It is not an error if another process does the same.
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
        // Another process creates the same table at the moment. The caller waits until it is
        // active, and compares it then.
        Err(error) if error.is_table_in_use() => Ok(()),
        Err(error) => Err(hint(error, &schema.global_indexes)),
    }
}
