//! Rules for the names of an entity: those stored, and those that become methods.

use proc_macro2::Span;
use syn::ext::IdentExt as _;

use crate::check::reserved;
use crate::check::service::{index_name, key_attribute, resource_name};
use crate::check::uses::parts;
use crate::diag::Diag;
use crate::marks::EntityMarks;
use crate::model::{Entity, KeySource, OwnTable};

/// Generated or provided functions of an entity.
pub(super) const TAKEN: [&str; 7] = [
    "key",
    "in_partition",
    "get_many",
    "scan",
    "schema",
    "from_item",
    "key_from_item",
];

/// The verbs of a query; a method of the same name would hide them.
const VERBS: [&str; 31] = [
    "all",
    "page",
    "stream",
    "first",
    "one",
    "count",
    "exists",
    "limit",
    "filter",
    "resume",
    "descending",
    "consistent",
    "page_size",
    "max_scanned",
    "read_units_per_second",
    "on_progress",
    "update_each",
    "delete_each",
    "lenient",
    "select",
    "hydrate",
    "send",
    "explain",
    "explain_count",
    "each",
    "query",
    "by_partition",
    "include_expired",
    "backwards",
    "into",
    "clone",
];

pub(super) fn check(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    table_name_is_valid(entity, diag);
    index_names_are_valid(entity, marks, diag);
    derived_attributes_are_free(entity, marks, diag);
    no_name_is_reserved(entity, marks, diag);
    key_attributes_are_short(entity, marks, diag);
    pattern_names_differ(entity, diag);
    pattern_names_are_free(entity, diag);
    sort_fields_are_no_verbs(entity, diag);
}

/// DynamoDB would reject the table otherwise.
fn table_name_is_valid(entity: &Entity, diag: &Diag) {
    if let Some(OwnTable { name, .. }) = entity.own_table() {
        resource_name(
            "a table",
            &name.value(),
            name.span(),
            "choose another",
            diag,
        );
    }
}

/// DynamoDB would reject the index otherwise. An index of a shared table is declared and checked there.
fn index_names_are_valid(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    if entity.own_table().is_none() {
        return;
    }
    for (index, marks) in entity.indexes.iter().zip(&marks.indexes) {
        let span = marks.rename.unwrap_or(index.on.span());
        index_name(&index.stored, span, diag);
    }
}

/// The attributes that templates fill, if the entity names them itself.
pub(super) fn derived_attributes(entity: &Entity) -> Vec<(String, Span)> {
    if entity.own_table().is_none() {
        return Vec::new();
    }
    let mut all = Vec::new();
    let mut add = |source: Option<&KeySource>, name: String| match source {
        Some(KeySource::Template(template)) => all.push((name, template.span)),
        Some(KeySource::Number { span, .. }) => all.push((name, *span)),
        Some(KeySource::Field { .. }) | None => {}
    };
    add(Some(&entity.pk), "pk".to_owned());
    add(entity.sk.as_ref(), "sk".to_owned());
    for index in &entity.indexes {
        add(index.pk.first(), format!("{}_pk", index.stored));
        add(index.sk.first(), format!("{}_sk", index.stored));
    }
    all
}

/// No field is stored in the attribute of a key template.
fn derived_attributes_are_free(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    let derived = derived_attributes(entity);
    for (field, marks) in entity.fields.iter().zip(&marks.fields) {
        if field.is_stored() && derived.iter().any(|(name, _)| *name == field.stored) {
            let message = format!(
                "the attribute `{}` holds the text of a key template; store `{}` under another \
                    name by `rename`",
                field.stored, field.ident,
            );
            diag.at(marks.rename.unwrap_or(field.ident.span()), message);
        }
    }
}

/// No attribute has a reserved name.
fn no_name_is_reserved(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    for (field, marks) in entity.fields.iter().zip(&marks.fields) {
        if field.is_stored() {
            let span = marks.rename.unwrap_or(field.ident.span());
            reserved::refuse(&field.stored, span, diag);
        }
    }
    for (name, span) in derived_attributes(entity) {
        reserved::refuse(&name, span, diag);
    }
}

/// DynamoDB would reject a longer key attribute.
fn key_attributes_are_short(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    for (name, span) in derived_attributes(entity) {
        key_attribute(&name, span, diag);
    }
    for source in entity.keys() {
        if let KeySource::Field { field, span } = source
            && let Some(named) = entity.fields.get(*field)
        {
            let written = marks.fields.get(*field).and_then(|marks| marks.rename);
            key_attribute(&named.stored, written.unwrap_or(*span), diag);
        }
    }
}

/// Each access pattern is a function with a name of its own.
fn pattern_names_differ(entity: &Entity, diag: &Diag) {
    for (at, index) in entity.indexes.iter().enumerate() {
        if entity
            .indexes
            .iter()
            .take(at)
            .any(|other| other.name.unraw() == index.name.unraw())
        {
            let message = format!(
                "`{}` names an access pattern already; choose another name and keep the index by \
                    `on = ..`",
                index.name
            );
            diag.at(index.name.span(), message);
        }
    }
}

/// No access pattern hides a function that every entity has.
fn pattern_names_are_free(entity: &Entity, diag: &Diag) {
    for index in &entity.indexes {
        if TAKEN.iter().any(|taken| index.name.unraw() == taken) {
            let message = format!(
                "`{0}` is a function of every entity; choose another name, as in `by_{0}`",
                index.name
            );
            diag.at(index.name.span(), message);
        }
    }
}

/// The fields of a sort key become methods of a query, beside its verbs.
fn sort_fields_are_no_verbs(entity: &Entity, diag: &Diag) {
    let mut seen = Vec::new();
    let sources = entity
        .sk
        .iter()
        .chain(entity.indexes.iter().flat_map(|index| &index.sk));
    for part in sources.flat_map(parts) {
        let Some(field) = entity.fields.get(part.field) else {
            continue;
        };
        // An inherent method would win over that of the trait, and its caller would silently get
        // something else.
        let verb = VERBS.iter().any(|verb| field.ident.unraw() == verb);
        if verb && !seen.contains(&part.field) {
            seen.push(part.field);
            let message = format!(
                "`{}` is a verb of every query and cannot name a part of a sort key; rename the \
                    field and keep its attribute by `rename`",
                field.ident,
            );
            diag.at(field.ident.span(), message);
        }
    }
}
