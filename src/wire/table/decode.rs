//! The SDK's description of a table as our schema.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{
    BillingMode, IndexStatus, KeySchemaElement, KeyType as KeyRole, Projection, ProjectionType,
    ScalarAttributeType, StreamViewType, TableDescription, TableStatus,
};

use super::{DescribedTable, Status};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::schema::{
    IndexSchema, KeyAttribute, KeyType, ProjectionSchema, StreamView, TableSchema,
};

pub(super) fn found(name: &str, table: &TableDescription) -> Result<DescribedTable> {
    let types = types(table);
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
            projection: shown.map_or(ProjectionSchema::All, projected),
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
        stream: stream(table),
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
        status: status(table.table_status()),
        changing: changing
            .filter_map(|index| index.index_name().map(str::to_owned))
            .collect(),
        created: table.creation_date_time().map(|time| time.secs()),
        provisioned: provisioned(table),
    })
}

fn types(table: &TableDescription) -> BTreeMap<&str, KeyType> {
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

fn projected(projection: &Projection) -> ProjectionSchema {
    match projection.projection_type() {
        Some(ProjectionType::KeysOnly) => ProjectionSchema::Keys,
        Some(ProjectionType::Include) => {
            ProjectionSchema::Include(projection.non_key_attributes().to_vec())
        }
        _ => ProjectionSchema::All,
    }
}

fn stream(table: &TableDescription) -> Option<StreamView> {
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

fn status(status: Option<&TableStatus>) -> Status {
    match status {
        Some(TableStatus::Creating) => Status::Creating,
        Some(TableStatus::Deleting) => Status::Deleting,
        // Reads and writes go on while a table is updated.
        None | Some(TableStatus::Active | TableStatus::Updating) => Status::Usable,
        Some(other) => Status::Broken(other.as_str().to_owned()),
    }
}

fn provisioned(table: &TableDescription) -> Option<(i64, i64)> {
    let mode = table
        .billing_mode_summary()
        .and_then(|summary| summary.billing_mode());
    if mode == Some(&BillingMode::PayPerRequest) {
        return None;
    }
    let units = table.provisioned_throughput()?;
    let units = (units.read_capacity_units()?, units.write_capacity_units()?);
    (units.0 > 0 && units.1 > 0).then_some(units)
}
