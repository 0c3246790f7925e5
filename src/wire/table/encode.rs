//! Our schemas as the SDK's types.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, KeySchemaElement, KeyType as KeyRole, Projection, ProjectionType,
    ScalarAttributeType, StreamViewType,
};

use crate::error::{Error, ErrorKind, Result, Stage};
use crate::schema::{
    IndexSchema, KeyAttribute, KeyType, ProjectionSchema, StreamView, TableSchema,
};

pub(super) fn table_keys(schema: &TableSchema) -> Result<Vec<KeySchemaElement>> {
    keys(std::slice::from_ref(&schema.pk), schema.sk.as_slice())
}

pub(super) fn keys(pk: &[KeyAttribute], sk: &[KeyAttribute]) -> Result<Vec<KeySchemaElement>> {
    let roles = [(pk, KeyRole::Hash), (sk, KeyRole::Range)];
    let elements = roles.into_iter().flat_map(|(attributes, role)| {
        attributes.iter().map(move |attribute| {
            let element = KeySchemaElement::builder().attribute_name(&attribute.name);
            element.key_type(role.clone()).build().map_err(incomplete)
        })
    });
    elements.collect()
}

/// Every key attribute once, sorted by name.
pub(super) fn definitions(
    schema: &TableSchema,
    added: Option<&IndexSchema>,
) -> Result<Vec<AttributeDefinition>> {
    let indexes = schema
        .global_indexes
        .iter()
        .chain(&schema.local_indexes)
        .chain(added);
    let of_indexes = indexes.flat_map(|index| index.pk.iter().chain(&index.sk));
    let attributes = std::iter::once(&schema.pk)
        .chain(&schema.sk)
        .chain(of_indexes);
    let types: BTreeMap<&str, KeyType> = attributes.map(|a| (a.name.as_str(), a.ty)).collect();
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
        .map(|entry| definition(entry).map_err(incomplete))
        .collect()
}

pub(super) fn projection(projection: &ProjectionSchema) -> Projection {
    let builder = Projection::builder();
    match projection {
        ProjectionSchema::All => builder.projection_type(ProjectionType::All),
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

pub(super) fn incomplete(error: BuildError) -> Error {
    let message = "a schema that the SDK does not accept";
    Error::new(ErrorKind::Config, Stage::Schema, message).with_source(error)
}
