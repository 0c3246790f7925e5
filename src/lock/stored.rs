//! The stored form of a table: a schema that contains only the data in the table and everything needed to read it,
//! under stored names. Doc comments, settings, collections and the order of declarations are not part of it.
//!
//! Keys name attributes and not fields, types of values are resolved, all lists are sorted by stored names, and everything
//! else is empty. Each entity is identified by its stored name, and has the declared types that it stores.

use std::collections::BTreeMap;

use crate::schema::{EntitySchema, FieldRole, FieldSchema, IndexKind, IndexSchema, TableSchema};

/// The table of this name.
pub(super) fn table<'m>(tables: &'m [TableSchema], name: &str) -> Option<&'m TableSchema> {
    tables.iter().find(|table| table.name == name)
}

/// The entity that is stored under this name.
pub(super) fn entity<'m>(table: &'m TableSchema, name: &str) -> Option<&'m EntitySchema> {
    let mut entities = table.entities.iter();
    entities.find(|entity| entity.stored_name == name)
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

/// Sorts by a name. If several values have the same name, the last one is kept.
pub(super) fn sorted<T>(values: impl Iterator<Item = T>, name: impl Fn(&T) -> &String) -> Vec<T> {
    let by_name: BTreeMap<String, T> = values.map(|value| (name(&value).clone(), value)).collect();
    by_name.into_values().collect()
}

/// The condition that an attribute has one of these values, in the form of the declaration.
pub(super) fn condition_text(attribute: &str, values: &[String]) -> String {
    match values {
        [value] => format!("{attribute} = {value}"),
        values => format!("{attribute} = [{}]", values.join(", ")),
    }
}

/// The fields of an entity or a value: attributes, then fields that only keys contain, then the field that keeps the
/// rest.
pub(super) fn sorted_fields(fields: impl Iterator<Item = FieldSchema>) -> Vec<FieldSchema> {
    let by_place = fields.map(|field| {
        let name = field.attribute.as_ref().unwrap_or(&field.name).clone();
        let place = (field.role == FieldRole::Rest, field.attribute.is_none());
        ((place, name), field)
    });
    let by_place: BTreeMap<_, FieldSchema> = by_place.collect();
    by_place.into_values().collect()
}

/// The field that keeps the rest. Only its existence is part of the stored form.
pub(super) fn rest_field() -> FieldSchema {
    FieldSchema {
        role: FieldRole::Rest,
        ..FieldSchema::default()
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
    (!matches!(field.form.as_deref(), Some("serde" | "serde_null"))).then(|| type_text(field))
}
