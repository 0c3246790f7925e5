//! A table as a resource of a template.

use crate::export::word;
use crate::json::JsonTree;
use crate::schema::{
    Billing, DistanceFunction, Encryption, IndexSchema, KeyAttribute, OnDemandMaximum,
    ProjectionSchema, TableSchema, TableSettings, VectorIndexSchema, WarmThroughput,
};

/// The resource, which is created after the one that it waits for.
pub(super) fn table_resource(
    schema: &TableSchema,
    waits_for: Option<&str>,
    is_disposable: bool,
) -> JsonTree {
    // Both policies: one is for a resource that is removed from the template, the other for one
    // that an update replaces.
    let policy = if is_disposable { "Delete" } else { "Retain" };
    JsonTree::object_of([
        ("Type", Some("AWS::DynamoDB::Table".into())),
        ("DeletionPolicy", Some(policy.into())),
        ("UpdateReplacePolicy", Some(policy.into())),
        ("DependsOn", waits_for.map(Into::into)),
        ("Properties", Some(table_properties(schema))),
    ])
}

fn table_properties(schema: &TableSchema) -> JsonTree {
    let settings = &schema.settings;
    let units = throughput_units(settings.billing);
    let billing = match units {
        Some(_) => "PROVISIONED",
        None => "PAY_PER_REQUEST",
    };
    let global = |index: &IndexSchema| {
        let keys = key_schema(&index.pk, &index.sk);
        let maximum = settings.index_maximum(&index.name).and_then(maximum_tree);
        let warm = settings.index_warmth(&index.name);
        let throughput = [
            ("ProvisionedThroughput", units.clone()),
            ("OnDemandThroughput", maximum),
            (
                "WarmThroughput",
                warm.and_then(|warm| warm_tree(settings, warm)),
            ),
        ];
        index_tree(index, keys, throughput)
    };
    let local = |index: &IndexSchema| {
        let keys = key_schema(std::slice::from_ref(&schema.pk), &index.sk);
        index_tree(index, keys, [])
    };
    let stream = schema
        .stream
        .map(|view| single_member("StreamViewType", word::stream_word(view)));
    let own_keys = key_schema(std::slice::from_ref(&schema.pk), schema.sk.as_slice());
    JsonTree::object_of([
        ("TableName", Some((&schema.name).into())),
        ("BillingMode", Some(billing.into())),
        ("ProvisionedThroughput", units.clone()),
        (
            "OnDemandThroughput",
            settings.on_demand_maximum.and_then(maximum_tree),
        ),
        (
            "WarmThroughput",
            settings
                .warm_throughput
                .and_then(|warm| warm_tree(settings, warm)),
        ),
        ("AttributeDefinitions", Some(attribute_definitions(schema))),
        ("KeySchema", Some(own_keys)),
        (
            "GlobalSecondaryIndexes",
            list_tree(&schema.global_indexes, global),
        ),
        (
            "LocalSecondaryIndexes",
            list_tree(&schema.local_indexes, local),
        ),
        (
            "VectorIndexes",
            list_tree(&schema.vector_indexes, vector_tree),
        ),
        (
            "TimeToLiveSpecification",
            schema.ttl.as_deref().map(ttl_tree),
        ),
        ("StreamSpecification", stream),
        (
            "PointInTimeRecoverySpecification",
            settings.point_in_time_recovery.map(recovery_tree),
        ),
        (
            "TableClass",
            settings.class.map(|class| word::class_word(class).into()),
        ),
        (
            "SSESpecification",
            settings.encryption.as_ref().map(encryption_tree),
        ),
        (
            "DeletionProtectionEnabled",
            settings.deletion_protection.map(Into::into),
        ),
        ("Tags", tags_tree(schema)),
    ])
}

fn single_member(name: &str, value: &str) -> JsonTree {
    JsonTree::object_of([(name, Some(value.into()))])
}

fn list_tree<T>(values: &[T], tree: impl Fn(&T) -> JsonTree) -> Option<JsonTree> {
    (!values.is_empty()).then(|| JsonTree::list_of(values, tree))
}

/// Exactly the attributes that keys have: the service rejects others.
fn attribute_definitions(schema: &TableSchema) -> JsonTree {
    let definitions = schema.key_types().into_iter().map(|(name, ty)| {
        JsonTree::object_of([
            ("AttributeName", Some(name.into())),
            ("AttributeType", Some(word::type_letter(ty).into())),
        ])
    });
    JsonTree::List(definitions.collect())
}

/// Partition attributes by their names: their order means nothing, and a template in which it differs is another one.
fn key_schema(pk: &[KeyAttribute], sk: &[KeyAttribute]) -> JsonTree {
    let mut pk: Vec<&KeyAttribute> = pk.iter().collect();
    pk.sort_by(|a, b| a.name.cmp(&b.name));
    let sides = [(pk, "HASH"), (sk.iter().collect(), "RANGE")];
    let elements = sides.into_iter().flat_map(|(attributes, role)| {
        attributes.into_iter().map(move |attribute| {
            JsonTree::object_of([
                ("AttributeName", Some((&attribute.name).into())),
                ("KeyType", Some(role.into())),
            ])
        })
    });
    JsonTree::List(elements.collect())
}

fn vector_tree(index: &VectorIndexSchema) -> JsonTree {
    let element = |attribute: &KeyAttribute, role: &str| {
        JsonTree::object_of([
            ("AttributeName", Some((&attribute.name).into())),
            ("SearchSchemaElementType", Some(role.into())),
        ])
    };
    let partition = index.within.iter().map(|within| element(within, "HASH"));
    let filters = index.filters.iter();
    let filters = filters.map(|filter| element(filter, "INLINE_FILTER"));
    let elements: Vec<JsonTree> = partition.chain(filters).collect();
    let distance = match index.distance {
        DistanceFunction::Cosine => "COSINE",
        DistanceFunction::Euclidean => "EUCLIDEAN",
        DistanceFunction::DotProduct => "DOT_PRODUCT",
    };
    JsonTree::object_of([
        ("IndexName", Some((&index.name).into())),
        (
            "VectorAttribute",
            Some(single_member("AttributeName", &index.attribute)),
        ),
        ("Dimensions", Some(u64::from(index.dimensions).into())),
        ("DistanceFunction", Some(distance.into())),
        (
            "SearchSchema",
            (!elements.is_empty()).then_some(JsonTree::List(elements)),
        ),
        ("Projection", Some(projection_tree(&index.projection))),
    ])
}

fn projection_tree(projection: &ProjectionSchema) -> JsonTree {
    let (kind, names) = word::projection_words(projection);
    JsonTree::object_of([
        ("ProjectionType", Some(kind.into())),
        (
            "NonKeyAttributes",
            names.map(|names| JsonTree::list_of(names, |name| name.into())),
        ),
    ])
}

fn index_tree<const N: usize>(
    index: &IndexSchema,
    keys: JsonTree,
    throughput: [(&str, Option<JsonTree>); N],
) -> JsonTree {
    let projection = projection_tree(&index.projection);
    let members = [
        ("IndexName", Some((&index.name).into())),
        ("KeySchema", Some(keys)),
        ("Projection", Some(projection)),
    ];
    JsonTree::object_of(members.into_iter().chain(throughput))
}

fn throughput_units(billing: Option<Billing>) -> Option<JsonTree> {
    let (reads, writes) = billing.and_then(Billing::units)?;
    Some(JsonTree::object_of([
        ("ReadCapacityUnits", Some(reads.into())),
        ("WriteCapacityUnits", Some(writes.into())),
    ]))
}

/// A template without the property has no maximum.
fn maximum_tree(maximum: OnDemandMaximum) -> Option<JsonTree> {
    let OnDemandMaximum::Units { reads, writes } = maximum else {
        return None;
    };
    Some(JsonTree::object_of([
        ("MaxReadRequestUnits", Some(reads.into())),
        ("MaxWriteRequestUnits", Some(writes.into())),
    ]))
}

fn warm_tree(settings: &TableSettings, warm: WarmThroughput) -> Option<JsonTree> {
    let (reads, writes) = settings.warmth_above_first(warm);
    (reads.is_some() || writes.is_some()).then(|| {
        JsonTree::object_of([
            ("ReadUnitsPerSecond", reads.map(Into::into)),
            ("WriteUnitsPerSecond", writes.map(Into::into)),
        ])
    })
}

fn encryption_tree(encryption: &Encryption) -> JsonTree {
    let (is_of_kms, key) = match encryption {
        Encryption::AwsOwned => (false, None),
        Encryption::AwsManaged => (true, None),
        Encryption::Key(arn) => (true, Some(arn)),
    };
    JsonTree::object_of([
        ("SSEEnabled", Some(is_of_kms.into())),
        ("SSEType", is_of_kms.then(|| "KMS".into())),
        ("KMSMasterKeyId", key.map(Into::into)),
    ])
}

fn ttl_tree(attribute: &str) -> JsonTree {
    JsonTree::object_of([
        ("AttributeName", Some(attribute.into())),
        ("Enabled", Some(true.into())),
    ])
}

fn recovery_tree(days: u8) -> JsonTree {
    JsonTree::object_of([
        ("PointInTimeRecoveryEnabled", Some(true.into())),
        ("RecoveryPeriodInDays", Some(u64::from(days).into())),
    ])
}

fn tags_tree(schema: &TableSchema) -> Option<JsonTree> {
    let tags = schema.settings.tags.iter().map(|(name, value)| {
        JsonTree::object_of([("Key", Some(name.into())), ("Value", Some(value.into()))])
    });
    let tags: Vec<JsonTree> = tags.collect();
    (!tags.is_empty()).then_some(JsonTree::List(tags))
}
