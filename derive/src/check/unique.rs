//! Rules for unique values.

use syn::ext::IdentExt as _;

use crate::check::name::TAKEN;
use crate::check::uses::{parts, placeholder};
use crate::diag::Diag;
use crate::model::{Entity, FieldRole, Unique, UniqueRow};

pub(super) fn check(entity: &Entity, diag: &Diag) {
    names_are_free(entity, diag);
    stored_names_differ(entity, diag);
    for unique in &entity.uniques {
        fields_are_the_users(entity, unique, diag);
        fields_differ(entity, unique, diag);
        match unique.row() {
            None => stored_name_stays(entity, unique, diag),
            Some(row) => {
                rows_do_not_expire(entity, unique, diag);
                rows_have_no_none(entity, row, diag);
            }
        }
    }
}

/// A row of another program has no expiry, and does not name its item. So after the item has expired, nothing tells that
/// its value is free.
fn rows_do_not_expire(entity: &Entity, unique: &Unique, diag: &Diag) {
    if let Some(ttl) = entity.field_of(FieldRole::Ttl) {
        let message = format!(
            "`{}`: when DynamoDB deletes an item that has expired by `{}`, the row of its value remains, and no program could know \
             that the value is free; remove `ttl`, or write `unique({}, {})`, whose items expire with their owner",
            unique.name,
            ttl.ident,
            unique.name,
            field_names(entity, unique),
        );
        diag.at(unique.name.span(), message);
    }
}

fn field_names(entity: &Entity, unique: &Unique) -> String {
    let fields = unique
        .fields
        .iter()
        .filter_map(|(at, _)| entity.fields.get(*at));
    let names: Vec<String> = fields.map(|field| field.ident.to_string()).collect();
    names.join(", ")
}

/// An item without a value has no row, so a None has no text in its key.
fn rows_have_no_none(entity: &Entity, row: &UniqueRow, diag: &Diag) {
    for part in row.keys().flat_map(parts) {
        let (Some(format), Some(field)) = (part.format, entity.fields.get(part.field)) else {
            continue;
        };
        if format.none.is_some() {
            let message = format!(
                "{}: an item without a value has no row; write {}",
                placeholder(field, format),
                placeholder(field, format.unplaced())
            );
            diag.at(part.span, message);
        }
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
            let message = match unique.row() {
                Some(_) => format!(
                    "`{}` and `{}` have the same rows; keep one of them",
                    other.name, unique.name
                ),
                None => format!(
                    "`{}` is the stored name of `{}` already; keep one of them, or give `{}` another by \
                        `rename = \"..\"`",
                    unique.stored, other.name, unique.name
                ),
            };
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
            // The rules for parts of keys know these.
            FieldRole::Skip | FieldRole::Flatten | FieldRole::Rest if unique.row().is_some() => {
                continue;
            }
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
