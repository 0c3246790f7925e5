//! Vector indexes as the SDK's types, and back.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{
    CreateVectorIndexAction, DeleteVectorIndexAction, IndexStatus, Projection, ProjectionType,
    SearchSchemaElement, SearchSchemaElementType, TableDescription, VectorAttributeDefinition,
    VectorDistanceFunction, VectorIndex as SdkVectorIndex, VectorIndexDescription,
    VectorIndexUpdate,
};

use super::encode::{encode_projection, incomplete_request};
use crate::error::Result;
use crate::schema::{DistanceFunction, KeyAttribute, KeyType, ProjectionSchema, VectorIndexSchema};

/// An index of a new table.
pub(super) fn new_index(index: &VectorIndexSchema) -> Result<SdkVectorIndex> {
    SdkVectorIndex::builder()
        .index_name(&index.name)
        .vector_attribute(vector_attribute(index)?)
        .set_search_schema(search_schema(index)?)
        .projection(encode_projection(&index.projection))
        .dimensions(index.dimensions.into())
        .distance_function(encode_distance(index.distance))
        .build()
        .map_err(incomplete_request)
}

/// An index that is added to a table.
pub(super) fn added_index(index: &VectorIndexSchema) -> Result<VectorIndexUpdate> {
    let action = CreateVectorIndexAction::builder()
        .index_name(&index.name)
        .vector_attribute(vector_attribute(index)?)
        .set_search_schema(search_schema(index)?)
        .projection(encode_projection(&index.projection))
        .dimensions(index.dimensions.into())
        .distance_function(encode_distance(index.distance));
    let action = action.build().map_err(incomplete_request)?;
    Ok(VectorIndexUpdate::builder().create(action).build())
}

pub(super) fn removed_index(name: &str) -> Result<VectorIndexUpdate> {
    let action = DeleteVectorIndexAction::builder().index_name(name).build();
    let action = action.map_err(incomplete_request)?;
    Ok(VectorIndexUpdate::builder().delete(action).build())
}

fn vector_attribute(index: &VectorIndexSchema) -> Result<VectorAttributeDefinition> {
    let attribute = VectorAttributeDefinition::builder().attribute_name(&index.attribute);
    attribute.build().map_err(incomplete_request)
}

/// None without conditions, because DynamoDB rejects an empty list.
fn search_schema(index: &VectorIndexSchema) -> Result<Option<Vec<SearchSchemaElement>>> {
    let element = |attribute: &KeyAttribute, role| {
        SearchSchemaElement::builder()
            .attribute_name(&attribute.name)
            .search_schema_element_type(role)
            .build()
            .map_err(incomplete_request)
    };
    let partition = index.within.iter();
    let partition = partition.map(|within| element(within, SearchSchemaElementType::Hash));
    let filters = index.filters.iter();
    let filters = filters.map(|filter| element(filter, SearchSchemaElementType::InlineFilter));
    let elements: Vec<_> = partition.chain(filters).collect::<Result<_>>()?;
    Ok((!elements.is_empty()).then_some(elements))
}

fn encode_distance(distance: DistanceFunction) -> VectorDistanceFunction {
    match distance {
        DistanceFunction::Cosine => VectorDistanceFunction::Cosine,
        DistanceFunction::Euclidean => VectorDistanceFunction::Euclidean,
        DistanceFunction::DotProduct => VectorDistanceFunction::DotProduct,
    }
}

/// The indexes of a described table.
pub(super) fn found_indexes(
    table: &TableDescription,
    types: &BTreeMap<&str, KeyType>,
) -> Vec<VectorIndexSchema> {
    let indexes = table.vector_indexes().iter();
    indexes.map(|index| found_index(index, types)).collect()
}

/// The indexes that are being added or removed.
pub(super) fn changing_indexes(table: &TableDescription) -> impl Iterator<Item = String> + '_ {
    let changing = table.vector_indexes().iter().filter(|index| {
        matches!(
            index.index_status(),
            Some(IndexStatus::Creating | IndexStatus::Deleting)
        )
    });
    changing.filter_map(|index| index.index_name().map(str::to_owned))
}

fn found_index(
    index: &VectorIndexDescription,
    types: &BTreeMap<&str, KeyType>,
) -> VectorIndexSchema {
    let of_role = |role: SearchSchemaElementType| {
        let elements = index.search_schema().iter();
        let elements = elements.filter(move |found| found.search_schema_element_type == role);
        elements.map(|found| KeyAttribute {
            name: found.attribute_name.clone(),
            ty: types
                .get(&*found.attribute_name)
                .copied()
                .unwrap_or(KeyType::S),
        })
    };
    let attribute = index.vector_attribute();
    VectorIndexSchema {
        name: index.index_name().unwrap_or_default().to_owned(),
        attribute: attribute.map_or_else(String::new, |found| found.attribute_name.clone()),
        dimensions: index
            .dimensions()
            .and_then(|count| u16::try_from(count).ok())
            .unwrap_or_default(),
        distance: match index.distance_function() {
            Some(VectorDistanceFunction::Euclidean) => DistanceFunction::Euclidean,
            Some(VectorDistanceFunction::DotProduct) => DistanceFunction::DotProduct,
            _ => DistanceFunction::Cosine,
        },
        within: of_role(SearchSchemaElementType::Hash).next(),
        filters: of_role(SearchSchemaElementType::InlineFilter).collect(),
        projection: index.projection().map(read_projection).unwrap_or_default(),
    }
}

pub(super) fn read_projection(projection: &Projection) -> ProjectionSchema {
    match projection.projection_type() {
        Some(ProjectionType::KeysOnly) => ProjectionSchema::Keys,
        Some(ProjectionType::Include) => {
            ProjectionSchema::Include(projection.non_key_attributes().to_vec())
        }
        _ => ProjectionSchema::All,
    }
}
