//! Our schemas as the SDK's types.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, KeySchemaElement, KeyType as KeyRole, OnDemandThroughput, Projection,
    ProjectionType, ProvisionedThroughput, ScalarAttributeType, SseSpecification, SseType,
    StreamViewType, TableClass as SdkTableClass, Tag, WarmThroughput as SdkWarmThroughput,
};

use crate::error::{Error, ErrorKind, Result, Stage};
use crate::schema::{
    Billing, Encryption, IndexSchema, KeyAttribute, KeyType, OnDemandMaximum, ProjectionSchema,
    StreamView, TableClass, TableSchema, TableSettings, VectorIndexSchema,
};

pub(super) fn table_keys(schema: &TableSchema) -> Result<Vec<KeySchemaElement>> {
    key_elements(std::slice::from_ref(&schema.pk), schema.sk.as_slice())
}

pub(super) fn key_elements(
    pk: &[KeyAttribute],
    sk: &[KeyAttribute],
) -> Result<Vec<KeySchemaElement>> {
    let roles = [(pk, KeyRole::Hash), (sk, KeyRole::Range)];
    let elements = roles.into_iter().flat_map(|(attributes, role)| {
        attributes.iter().map(move |attribute| {
            let element = KeySchemaElement::builder().attribute_name(&attribute.name);
            element
                .key_type(role.clone())
                .build()
                .map_err(incomplete_request)
        })
    });
    elements.collect()
}

/// Every key attribute once, sorted by name.
pub(super) fn attribute_definitions(
    schema: &TableSchema,
    added: Option<&IndexSchema>,
) -> Result<Vec<AttributeDefinition>> {
    let added = added.into_iter().flat_map(IndexSchema::keys);
    definitions_with(schema, added)
}

/// Those of the table and its other indexes; None if vector indexes use no others.
pub(super) fn without_vector_attributes(
    schema: &TableSchema,
) -> Result<Option<Vec<AttributeDefinition>>> {
    let others = TableSchema {
        vector_indexes: Vec::new(),
        ..schema.clone()
    };
    let is_less = others.key_types().len() < schema.key_types().len();
    is_less
        .then(|| attribute_definitions(&others, None))
        .transpose()
}

/// Every key attribute, and those of a vector index that is added.
pub(super) fn vector_definitions(
    schema: &TableSchema,
    added: &VectorIndexSchema,
) -> Result<Vec<AttributeDefinition>> {
    definitions_with(schema, added.keys())
}

fn definitions_with<'s>(
    schema: &'s TableSchema,
    added: impl Iterator<Item = &'s KeyAttribute>,
) -> Result<Vec<AttributeDefinition>> {
    let mut types = schema.key_types();
    // DynamoDB rejects a definition of an attribute that no key of the table or an index has, so
    // only these are listed.
    types.extend(added.map(|attribute| (attribute.name.as_str(), attribute.ty)));
    let definition = |(name, ty)| {
        let ty = match ty {
            KeyType::S => ScalarAttributeType::S,
            KeyType::N => ScalarAttributeType::N,
            KeyType::B => ScalarAttributeType::B,
        };
        AttributeDefinition::builder()
            .attribute_name(name)
            .attribute_type(ty)
            .build()
    };
    types
        .into_iter()
        .map(|entry| definition(entry).map_err(incomplete_request))
        .collect()
}

pub(super) fn encode_projection(projection: &ProjectionSchema) -> Projection {
    let builder = Projection::builder();
    match projection {
        ProjectionSchema::All => builder.projection_type(ProjectionType::All),
        // DynamoDB rejects `INCLUDE` with an empty list. Such an index has only keys anyway.
        ProjectionSchema::Include(names) if !names.is_empty() => builder
            .projection_type(ProjectionType::Include)
            .set_non_key_attributes(Some(names.clone())),
        _ => builder.projection_type(ProjectionType::KeysOnly),
    }
    .build()
}

pub(super) fn stream_type(view: StreamView) -> StreamViewType {
    match view {
        StreamView::KeysOnly => StreamViewType::KeysOnly,
        StreamView::NewImage => StreamViewType::NewImage,
        StreamView::OldImage => StreamViewType::OldImage,
        StreamView::NewAndOldImages => StreamViewType::NewAndOldImages,
    }
}

/// The units of a table and of each global index; None on demand.
pub(super) fn throughput_units(billing: Option<Billing>) -> Result<Option<ProvisionedThroughput>> {
    let Some((reads, writes)) = billing.and_then(Billing::units) else {
        return Ok(None);
    };
    pair_units((reads, writes)).map(Some)
}

pub(super) fn pair_units((reads, writes): (u64, u64)) -> Result<ProvisionedThroughput> {
    let throughput = ProvisionedThroughput::builder()
        .read_capacity_units(sdk_units(reads))
        .write_capacity_units(sdk_units(writes));
    throughput.build().map_err(incomplete_request)
}

/// The limits of units were checked before, so the conversion never reaches its fallback.
fn sdk_units(units: u64) -> i64 {
    i64::try_from(units).unwrap_or(i64::MAX)
}

/// The maximum of a new table or index that is billed on demand. DynamoDB accepts the value for no maximum only in an
/// update.
pub(super) fn first_maximum(maximum: Option<OnDemandMaximum>) -> Option<OnDemandThroughput> {
    match maximum? {
        OnDemandMaximum::Unlimited => None,
        units @ OnDemandMaximum::Units { .. } => Some(maximum_update(units)),
    }
}

/// The maximum in an update.
pub(super) fn maximum_update(maximum: OnDemandMaximum) -> OnDemandThroughput {
    let (reads, writes) = match maximum {
        OnDemandMaximum::Unlimited => (-1, -1),
        OnDemandMaximum::Units { reads, writes } => (sdk_units(reads), sdk_units(writes)),
    };
    OnDemandThroughput::builder()
        .max_read_request_units(reads)
        .max_write_request_units(writes)
        .build()
}

/// The warm throughput to request; None if nothing is to be increased.
pub(super) fn warm_throughput(units: (Option<u64>, Option<u64>)) -> Option<SdkWarmThroughput> {
    let (reads, writes) = units;
    (reads.is_some() || writes.is_some()).then(|| {
        SdkWarmThroughput::builder()
            .set_read_units_per_second(reads.map(sdk_units))
            .set_write_units_per_second(writes.map(sdk_units))
            .build()
    })
}

pub(super) fn encryption_key(encryption: &Encryption) -> SseSpecification {
    let request = SseSpecification::builder();
    match encryption {
        Encryption::AwsOwned => request.enabled(false),
        Encryption::AwsManaged => request.enabled(true).sse_type(SseType::Kms),
        Encryption::Key(arn) => request
            .enabled(true)
            .sse_type(SseType::Kms)
            .kms_master_key_id(arn),
    }
    .build()
}

pub(super) fn table_class(class: TableClass) -> SdkTableClass {
    match class {
        TableClass::Standard => SdkTableClass::Standard,
        TableClass::InfrequentAccess => SdkTableClass::StandardInfrequentAccess,
    }
}

pub(super) fn table_tags(settings: &TableSettings) -> Result<Option<Vec<Tag>>> {
    let tags = settings.tags.iter().map(|(name, value)| {
        let tag = Tag::builder().key(name).value(value);
        tag.build().map_err(incomplete_request)
    });
    let tags: Vec<Tag> = tags.collect::<Result<_>>()?;
    Ok((!tags.is_empty()).then_some(tags))
}

pub(super) fn incomplete_request(error: BuildError) -> Error {
    let message = "a schema that the SDK does not accept";
    Error::new(ErrorKind::Config, Stage::Schema, message).with_source(error)
}
