//! The SDK's description of a table as our schema.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{
    BillingMode, IndexStatus, KeySchemaElement, KeyType as KeyRole, MultiRegionConsistency,
    Projection, ProvisionedThroughputDescription, ScalarAttributeType, StreamViewType,
    TableClass as SdkTableClass, TableDescription, TableStatus,
};

use super::described::{DescribedTable, Status};
use super::found_settings::{
    found_encryption, found_throughput, index_throughput, is_updating, throughput_settings,
};
use super::vectors::{changing_indexes, found_indexes, read_projection};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::schema::{
    Billing, IndexSchema, KeyAttribute, KeyType, ProjectionSchema, Replicas, StreamView,
    TableClass, TableSchema, TableSettings,
};

pub(super) fn described_table(name: &str, table: &TableDescription) -> Result<DescribedTable> {
    let types = attribute_types(table);
    let sides = |elements: &[KeySchemaElement]| {
        let side = |role: KeyRole| -> Vec<KeyAttribute> {
            let of_role = elements.iter().filter(|element| element.key_type == role);
            of_role
                .map(|element| KeyAttribute {
                    name: element.attribute_name.clone(),
                    ty: types
                        .get(element.attribute_name.as_str())
                        .copied()
                        .unwrap_or(KeyType::S),
                })
                .collect()
        };
        (side(KeyRole::Hash), side(KeyRole::Range))
    };
    let index = |name: Option<&str>, elements: &[KeySchemaElement], shown: Option<&Projection>| {
        let (pk, sk) = sides(elements);
        let name = name.unwrap_or_default().to_owned();
        IndexSchema {
            name,
            pk,
            sk,
            projection: shown.map_or(ProjectionSchema::All, read_projection),
        }
    };
    let (pk, sk) = sides(table.key_schema());
    let pk = pk.into_iter().next().ok_or_else(|| {
        let message = format!("the service describes table `{name}` without a key");
        Error::new(ErrorKind::Service, Stage::Schema, message)
    })?;
    let global = table.global_secondary_indexes();
    let local = table.local_secondary_indexes();
    let schema = TableSchema {
        sk: sk.into_iter().next(),
        global_indexes: global
            .iter()
            .map(|found| index(found.index_name(), found.key_schema(), found.projection()))
            .collect(),
        local_indexes: local
            .iter()
            .map(|found| index(found.index_name(), found.key_schema(), found.projection()))
            .collect(),
        vector_indexes: found_indexes(table, &types),
        stream: stream_view(table),
        settings: read_settings(table),
        ..TableSchema::bare(name.to_owned(), pk)
    };
    let changing = global.iter().filter(|index| {
        matches!(
            index.index_status(),
            Some(IndexStatus::Creating | IndexStatus::Deleting)
        )
    });
    Ok(DescribedTable {
        schema,
        status: table_status(table.table_status()),
        changing: changing
            .filter_map(|index| index.index_name().map(str::to_owned))
            .chain(changing_indexes(table))
            .collect(),
        created: table.creation_date_time().map(|time| time.secs()),
        is_updating: table.table_status() == Some(&TableStatus::Updating) || is_updating(table),
        items: count_of(table.item_count()),
        bytes: count_of(table.table_size_bytes()),
        arn: table.table_arn().map(str::to_owned),
        // DynamoDB Local tells no identity, but the creation time to the millisecond.
        id: table.table_id().map(str::to_owned).or_else(|| {
            let created = table.creation_date_time()?;
            Some(format!("{}.{:09}", created.secs(), created.subsec_nanos()))
        }),
        index_units: index_units(table),
        sets_index_units: sets_index_units(table),
        throughput: found_throughput(table, keeps_all_settings(table)),
        index_throughput: index_throughput(table, keeps_all_settings(table)),
        sets_index_maximum: keeps_all_settings(table),
        knows_replicas: knows_replicas(table),
        knows_vectors: !is_at(table, DYNAMODB_LOCAL) || !table.vector_indexes().is_empty(),
    })
}

pub(super) fn count_of(number: Option<i64>) -> u64 {
    number
        .and_then(|number| u64::try_from(number).ok())
        .unwrap_or_default()
}

/// The part of table names that takes the place of a region: DynamoDB Local knows no classes of tables.
const DYNAMODB_LOCAL: &str = "ddblocal";

fn is_at(table: &TableDescription, region: &str) -> bool {
    own_region(table) == Some(region)
}

/// In the embedded engine, the units of indexes never change after the creation, and a request may not name more than
/// five.
fn sets_index_units(table: &TableDescription) -> bool {
    #[cfg(feature = "embedded")]
    let is_embedded = is_at(table, crate::wire::embedded::REGION);
    #[cfg(not(feature = "embedded"))]
    let is_embedded = is_at(table, "embedded");
    !is_embedded
}

/// Whether the server is AWS, or one that names its tables like it. The engines for tests accept a key of encryption,
/// and a maximum of an index in an update, but do not keep them.
fn keeps_all_settings(table: &TableDescription) -> bool {
    let arn = table.table_arn().unwrap_or_default();
    arn.starts_with("arn:aws") && sets_index_units(table) && !is_at(table, DYNAMODB_LOCAL)
}

fn index_units(table: &TableDescription) -> BTreeMap<String, (u64, u64)> {
    if !sets_index_units(table) {
        return BTreeMap::new();
    }
    let indexes = table.global_secondary_indexes().iter();
    let units = indexes.filter_map(|index| {
        let units = index.provisioned_throughput().and_then(read_units)?;
        Some((index.index_name()?.to_owned(), units))
    });
    units.collect()
}

/// The settings in the description; other operations return recovery and tags.
fn read_settings(table: &TableDescription) -> TableSettings {
    let class = table
        .table_class_summary()
        .and_then(|class| class.table_class());
    TableSettings {
        // Servers that do not know the setting omit it, and protect nothing.
        deletion_protection: Some(table.deletion_protection_enabled().unwrap_or_default()),
        class: match class {
            Some(SdkTableClass::StandardInfrequentAccess) => Some(TableClass::InfrequentAccess),
            None if is_at(table, DYNAMODB_LOCAL) => None,
            _ => Some(TableClass::Standard),
        },
        billing: Some(match provisioned_units(table) {
            Some((reads, writes)) => Billing::Provisioned { reads, writes },
            None => Billing::OnDemand,
        }),
        replicas: read_replicas(table),
        encryption: keeps_all_settings(table).then(|| found_encryption(table)),
        ..throughput_settings(table, keeps_all_settings(table))
    }
}

/// The replicas, with that of the table itself, which the service does not always list.
fn read_replicas(table: &TableDescription) -> Option<Replicas> {
    let others = table.replicas().iter();
    let others: Vec<&str> = others.filter_map(|replica| replica.region_name()).collect();
    if others.is_empty() {
        return None;
    }
    let regions = others.into_iter().chain(own_region(table));
    let replicas = match table.multi_region_consistency() {
        Some(MultiRegionConsistency::Strong) => Replicas::strong(regions),
        _ => Replicas::eventual(regions),
    };
    let mut witnesses = table.global_table_witnesses().iter();
    Some(match witnesses.find_map(|witness| witness.region_name()) {
        Some(region) => replicas.with_witness(region),
        None => replicas,
    })
}

/// The region in the table's own name.
fn own_region(table: &TableDescription) -> Option<&str> {
    let arn = table.table_arn()?;
    arn.split(':').nth(3).filter(|region| !region.is_empty())
}

/// Whether the server has global tables. The engines for tests have none.
fn knows_replicas(table: &TableDescription) -> bool {
    #[cfg(feature = "embedded")]
    if is_at(table, crate::wire::embedded::REGION) {
        return false;
    }
    table.table_arn().is_some() && !is_at(table, DYNAMODB_LOCAL)
}

fn attribute_types(table: &TableDescription) -> BTreeMap<&str, KeyType> {
    let definitions = table.attribute_definitions().iter();
    let typed = definitions.map(|definition| {
        let ty = match definition.attribute_type {
            ScalarAttributeType::N => KeyType::N,
            ScalarAttributeType::B => KeyType::B,
            _ => KeyType::S,
        };
        (definition.attribute_name.as_str(), ty)
    });
    typed.collect()
}

fn stream_view(table: &TableDescription) -> Option<StreamView> {
    let stream = table
        .stream_specification()
        .filter(|stream| stream.stream_enabled)?;
    match stream.stream_view_type()? {
        StreamViewType::KeysOnly => Some(StreamView::KeysOnly),
        StreamViewType::NewImage => Some(StreamView::NewImage),
        StreamViewType::OldImage => Some(StreamView::OldImage),
        StreamViewType::NewAndOldImages => Some(StreamView::NewAndOldImages),
        _ => None,
    }
}

fn table_status(status: Option<&TableStatus>) -> Status {
    match status {
        Some(TableStatus::Creating) => Status::Creating,
        Some(TableStatus::Deleting) => Status::Deleting,
        // Reads and writes continue while a table is updated.
        None | Some(TableStatus::Active | TableStatus::Updating) => Status::Usable,
        Some(other) => Status::Broken(other.as_str().to_owned()),
    }
}

/// The read and write units; None if the table is billed on demand.
fn provisioned_units(table: &TableDescription) -> Option<(u64, u64)> {
    let mode = table
        .billing_mode_summary()
        .and_then(|summary| summary.billing_mode());
    // Tables with units may have no summary at all, and tables on demand report units of zero.
    // Therefore neither alone decides.
    if mode == Some(&BillingMode::PayPerRequest) {
        return None;
    }
    table.provisioned_throughput().and_then(read_units)
}

fn read_units(units: &ProvisionedThroughputDescription) -> Option<(u64, u64)> {
    let units = (
        count_of(units.read_capacity_units()),
        count_of(units.write_capacity_units()),
    );
    (units.0 > 0 && units.1 > 0).then_some(units)
}
