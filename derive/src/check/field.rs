//! Rules between the fields of one struct or variant.

use proc_macro2::Span;

use crate::diag::Diag;
use crate::marks::FieldMarks;
use crate::model::{Field, Form, Role};

pub(super) fn check(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    one_field_for_each_role(fields, marks, diag);
    rest_stands_alone(fields, marks, diag);
    skipped_fields_are_not_stored(fields, marks, diag);
    managed_fields_have_their_own_form(fields, marks, diag);
    stored_names_differ(fields, marks, diag);
}

/// The word of a role that only one field of a struct can have.
fn unique_role(role: Role) -> Option<&'static str> {
    match role {
        Role::Attribute | Role::Skip => None,
        Role::Rest => Some("rest"),
        Role::Version => Some("version"),
        Role::Ttl => Some("ttl"),
        Role::CreatedAt => Some("created_at"),
        Role::UpdatedAt => Some("updated_at"),
        Role::CreatedBy => Some("created_by"),
        Role::UpdatedBy => Some("updated_by"),
    }
}

fn role_span(field: &Field, marks: &FieldMarks) -> Span {
    marks.role.unwrap_or(field.ident.span())
}

/// Only one field is `rest`, and each managed role has only one field.
fn one_field_for_each_role(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    for (at, (field, marks)) in fields.iter().zip(marks).enumerate() {
        let Some(word) = unique_role(field.role) else {
            continue;
        };
        if let Some(first) = fields
            .iter()
            .take(at)
            .find(|other| other.role == field.role)
        {
            let message = format!(
                "`{word}` stands on the field `{}` already; one field can have it",
                first.ident
            );
            diag.at(role_span(field, marks), message);
        }
    }
}

/// The `rest` field collects attributes and has none itself, so it accepts no other option.
fn rest_stands_alone(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    for (_, marks) in fields
        .iter()
        .zip(marks)
        .filter(|(field, _)| field.role == Role::Rest)
    {
        for (word, span) in [
            ("rename", marks.rename),
            ("default", marks.default),
            ("serde` or `format", marks.form),
        ] {
            if let Some(span) = span {
                diag.at(
                    span,
                    format!("a `rest` field has no attribute of its own; remove `{word}`"),
                );
            }
        }
    }
}

/// A `skip` field has no attribute, so it has no stored name and no stored form.
fn skipped_fields_are_not_stored(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    for (_, marks) in fields
        .iter()
        .zip(marks)
        .filter(|(field, _)| field.role == Role::Skip)
    {
        for (word, span) in [("rename", marks.rename), ("serde` or `format", marks.form)] {
            if let Some(span) = span {
                diag.at(
                    span,
                    format!("a `skip` field has no attribute of its own; remove `{word}`"),
                );
            }
        }
    }
}

/// A version is a number, a ttl is epoch seconds, an actor is not a time, and no managed field uses serde. Only
/// `created_at` and `updated_at` may have a foreign time form.
fn managed_fields_have_their_own_form(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    for (field, marks) in fields.iter().zip(marks) {
        let word = match (field.role, field.form) {
            (Role::Attribute | Role::Skip | Role::Rest, _) | (_, Form::Own) => continue,
            (Role::CreatedAt | Role::UpdatedAt, Form::Serde) => "serde",
            (Role::CreatedAt | Role::UpdatedAt, _) => continue,
            (Role::Version | Role::Ttl | Role::CreatedBy | Role::UpdatedBy, Form::Serde) => "serde",
            (Role::Version | Role::Ttl | Role::CreatedBy | Role::UpdatedBy, _) => "format",
        };
        let role = unique_role(field.role).unwrap_or_default();
        let message = format!("a `{role}` field has a stored form of its own; remove `{word}`");
        diag.at(marks.form.unwrap_or(field.ident.span()), message);
    }
}

/// Two fields never share an attribute.
fn stored_names_differ(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    let stored = |field: &&Field| !matches!(field.role, Role::Skip | Role::Rest);
    for (at, (field, marks)) in fields.iter().zip(marks).enumerate() {
        let earlier = fields
            .iter()
            .take(at)
            .filter(stored)
            .find(|other| other.stored == field.stored);
        if let Some(other) = earlier
            && stored(&field)
        {
            let message = format!(
                "`{}` is the stored name of `{}` already; give `{}` another by `rename`",
                field.stored, other.ident, field.ident,
            );
            diag.at(marks.rename.unwrap_or(field.ident.span()), message);
        }
    }
}
