//! The stored form of a model: what is in tables and needed to read it, under stored names, and nothing else. Doc
//! comments, settings, collections and the order of declarations are no part of it.
//!
//! It is made of the types of schemas. Keys name attributes and not fields, types of values are resolved, all lists are
//! sorted by stored names, and everything else is empty.

use std::collections::BTreeMap;

use crate::schema::{
    EntitySchema, FieldRole, FieldSchema, IndexKind, IndexSchema, TableSchema, ValueSchema,
};

/// All tables of a program, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StoredModel {
    pub(super) tables: BTreeMap<String, StoredTable>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StoredTable {
    /// The parts that the service knows, and the format of key texts; its name and entities are keys of the maps.
    pub(super) head: TableSchema,
    /// By the value of the type attribute; in a table without one, by the name of the struct.
    pub(super) entities: BTreeMap<String, StoredEntity>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StoredEntity {
    pub(super) entity: EntitySchema,
    /// The declared types of its values.
    pub(super) values: Vec<ValueSchema>,
}

/// The fields of an entity or a value by the way in which they are stored.
#[derive(Debug, Default)]
pub(super) struct FieldGroups {
    /// Whether a `put` keeps attributes that no field has.
    pub(super) keeps_rest: bool,
    pub(super) attributes: Vec<FieldSchema>,
    /// Fields that are in keys alone.
    pub(super) key_only: Vec<FieldSchema>,
}

/// The indexes of both kinds, by their names.
pub(super) fn sorted_indexes(head: &TableSchema) -> BTreeMap<&str, (IndexKind, &IndexSchema)> {
    let kinds = [
        (IndexKind::Global, &head.global_indexes),
        (IndexKind::Local, &head.local_indexes),
    ];
    let indexes = kinds.into_iter().flat_map(|(kind, indexes)| {
        let named = move |index| (kind, index);
        indexes.iter().map(named)
    });
    indexes
        .map(|(kind, index)| (index.name.as_str(), (kind, index)))
        .collect()
}

/// Sorted by a name, of which each is there once: the last of them counts.
pub(super) fn sorted<T>(values: impl Iterator<Item = T>, name: impl Fn(&T) -> &String) -> Vec<T> {
    let by_name: BTreeMap<String, T> = values.map(|value| (name(&value).clone(), value)).collect();
    by_name.into_values().collect()
}

/// The condition that an attribute has one of these values, as it is declared.
pub(super) fn condition_text(attribute: &str, values: &[String]) -> String {
    match values {
        [value] => format!("{attribute} = {value}"),
        values => format!("{attribute} = [{}]", values.join(", ")),
    }
}

impl FieldGroups {
    pub(super) fn of(fields: Vec<FieldSchema>) -> FieldGroups {
        let keeps_rest = keeps_rest(&fields);
        let is_stored = |field: &FieldSchema| field.attribute.is_some();
        let (attributes, others): (Vec<_>, Vec<_>) = fields.into_iter().partition(is_stored);
        let key_only = others
            .into_iter()
            .filter(|field| field.role != FieldRole::Rest);
        FieldGroups {
            keeps_rest,
            attributes,
            key_only: key_only.collect(),
        }
    }

    /// All of them, sorted. Of the field that keeps the rest, only that it is there.
    pub(super) fn into_fields(self) -> Vec<FieldSchema> {
        let attributes = self.attributes.into_iter();
        let mut fields = sorted(attributes, |field| {
            field.attribute.as_ref().unwrap_or(&field.name)
        });
        fields.extend(sorted(self.key_only.into_iter(), |field| &field.name));
        fields.extend(self.keeps_rest.then(|| FieldSchema {
            role: FieldRole::Rest,
            ..FieldSchema::default()
        }));
        fields
    }
}

/// Whether attributes that no field has are kept.
pub(super) fn keeps_rest(fields: &[FieldSchema]) -> bool {
    fields.iter().any(|field| field.role == FieldRole::Rest)
}

/// The fields with attributes, by these.
pub(super) fn attributes(fields: &[FieldSchema]) -> BTreeMap<&str, &FieldSchema> {
    let stored = fields
        .iter()
        .filter_map(|field| Some((field.attribute.as_deref()?, field)));
    stored.collect()
}

/// The types of the fields that are in keys alone.
pub(super) fn key_only(fields: &[FieldSchema]) -> BTreeMap<&str, &str> {
    let others = fields.iter().filter(|field| field.attribute.is_none());
    let named = others.filter(|field| field.role != FieldRole::Rest);
    named
        .map(|field| (field.name.as_str(), type_text(field)))
        .collect()
}

/// Its storage; for a type that only serde knows, the type as it is written.
pub(super) fn type_text(field: &FieldSchema) -> &str {
    field.value_type.as_deref().unwrap_or_default()
}

/// Its storage, if that is not known to serde alone.
pub(super) fn seen_type(field: &FieldSchema) -> Option<&str> {
    // The values that serde stores follow its own attributes, which the declaration does not
    // contain.
    (field.form.as_deref() != Some("serde")).then(|| type_text(field))
}
