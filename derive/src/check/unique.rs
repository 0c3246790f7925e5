//! Rules for unique values.

use syn::ext::IdentExt as _;

use crate::check::name::TAKEN;
use crate::diag::Diag;
use crate::model::{Entity, FieldRole, Unique};

pub(super) fn check(entity: &Entity, diag: &Diag) {
    names_are_free(entity, diag);
    stored_names_differ(entity, diag);
    for unique in &entity.uniques {
        fields_are_the_users(entity, unique, diag);
        fields_differ(entity, unique, diag);
        stored_name_stays(entity, unique, diag);
    }
}

/// The keys of sentinels contain the names of attributes. While an attribute is renamed, these keys must stay the same.
/// Otherwise the value would have an owner under each name.
fn stored_name_stays(entity: &Entity, unique: &Unique, diag: &Diag) {
    let fields = unique
        .fields
        .iter()
        .filter_map(|(at, _)| entity.fields.get(*at));
    let renamed = fields.clone().filter_map(|field| field.former.as_ref());
    let mut missing =
        renamed.filter(|former| !unique.stored.split(',').any(|name| name == former.name));
    if missing.next().is_some() {
        let names = fields.map(|field| {
            let former = field.former.as_ref();
            former.map_or(field.stored.as_str(), |former| former.name.as_str())
        });
        let names: Vec<&str> = names.collect();
        let message = format!(
            "`{}` is stored under the name of an attribute that is being renamed; keep that name by `rename = \"{}\"` after \
                its fields",
            unique.name,
            names.join(",")
        );
        diag.at(unique.name.span(), message);
    }
}

/// No look-up hides another function.
fn names_are_free(entity: &Entity, diag: &Diag) {
    for (at, unique) in entity.uniques.iter().enumerate() {
        let name = &unique.name;
        let is_taken = TAKEN.iter().any(|taken| name.unraw() == taken);
        let is_pattern = entity
            .indexes
            .iter()
            .any(|index| index.name.unraw() == name.unraw());
        let is_again = entity
            .uniques
            .iter()
            .take(at)
            .any(|other| other.name.unraw() == name.unraw());
        if is_taken {
            let message = format!(
                "`{name}` is a function of every entity; choose another name, as in `by_{name}`"
            );
            diag.at(name.span(), message);
        } else if is_pattern || is_again {
            let message = format!("`{name}` names an access pattern already; choose another name");
            diag.at(name.span(), message);
        }
    }
}

/// Two look-ups never share the items that keep their values.
fn stored_names_differ(entity: &Entity, diag: &Diag) {
    for (at, unique) in entity.uniques.iter().enumerate() {
        let mut before = entity.uniques.iter().take(at);
        if let Some(other) = before.find(|other| other.stored == unique.stored) {
            let message = format!(
                "`{}` is the stored name of `{}` already; keep one of them, or give `{}` another by \
                    `rename = \"..\"`",
                unique.stored, other.name, unique.name
            );
            diag.at(unique.stored_at, message);
        }
    }
}

/// A field is not unique if the library writes it, if it has no attribute, or if many items have the same value.
fn fields_are_the_users(entity: &Entity, unique: &Unique, diag: &Diag) {
    for (field, span) in &unique.fields {
        let Some(field) = entity.fields.get(*field) else {
            continue;
        };
        let message = match field.role {
            FieldRole::Attribute if field.default.is_none() => continue,
            FieldRole::Attribute => "has a default, which many items may have; make it an `Option`",
            FieldRole::Skip | FieldRole::Flatten | FieldRole::Rest => {
                "has no attribute of its own and cannot be unique"
            }
            _ => "is kept by the library and cannot be unique; name fields of your own",
        };
        diag.at(*span, format!("`{}` {message}", field.ident));
    }
}

/// A field that is named twice adds nothing.
fn fields_differ(entity: &Entity, unique: &Unique, diag: &Diag) {
    for (at, (number, span)) in unique.fields.iter().enumerate() {
        let before = unique.fields.iter().take(at);
        if let Some(field) = entity.fields.get(*number)
            && before.into_iter().any(|(other, _)| other == number)
        {
            diag.at(*span, format!("`{}` is named twice; keep one", field.ident));
        }
    }
}
