//! Rules between the fields of one struct or variant.

use proc_macro2::Span;

use crate::diag::Diag;
use crate::marks::FieldMarks;
use crate::model::{Field, FieldRole, Form};

pub(super) fn check(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    one_field_for_each_role(fields, marks, diag);
    unstored_fields_have_no_form(fields, marks, diag);
    managed_fields_have_their_own_form(fields, marks, diag);
    null_has_no_default(fields, marks, diag);
    stored_names_differ(fields, marks, diag);
    personal_fields_can_be_masked(fields, marks, diag);
}

/// The word of a role that only one field of a struct can have.
fn unique_role(role: FieldRole) -> Option<&'static str> {
    let word = FieldRole::WORDS.word(role);
    word.filter(|_| !matches!(role, FieldRole::Skip | FieldRole::Flatten))
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
                "the field `{}` already has `{word}`; only one field can have it",
                first.ident
            );
            diag.at(role_span(field, marks), message);
        }
    }
}

/// The `rest` field collects attributes and has none itself, so it accepts no other option. A `skip` field has no
/// attribute, so it has no stored name and no stored form.
fn unstored_fields_have_no_form(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    for role in [FieldRole::Rest, FieldRole::Skip, FieldRole::Flatten] {
        let fields = fields.iter().zip(marks);
        for (field, marks) in fields.filter(|(field, _)| field.role == role) {
            let has_default = role == FieldRole::Skip;
            let word = FieldRole::WORDS.word(role).unwrap_or_default();
            for (option, span) in [
                ("rename", marks.rename),
                ("default", marks.default.filter(|_| !has_default)),
                (form_word(field.form), marks.form),
            ] {
                if let Some(span) = span {
                    diag.at(
                        span,
                        format!("a `{word}` field has no attribute of its own; remove `{option}`"),
                    );
                }
            }
        }
    }
}

/// A version is a number, a ttl is epoch seconds, an actor is not a time, and no managed field uses serde. Only
/// `created_at` and `updated_at` may have a foreign time form.
fn managed_fields_have_their_own_form(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    for (field, marks) in fields.iter().zip(marks) {
        let word = match (field.role, field.form) {
            (role, form @ (Form::Null | Form::Compress | Form::Decompress))
                if unique_role(role).is_some() && role != FieldRole::Rest =>
            {
                form_word(form)
            }
            (FieldRole::Attribute | FieldRole::Skip | FieldRole::Flatten | FieldRole::Rest, _)
            | (_, Form::Own) => {
                continue;
            }
            (FieldRole::CreatedAt | FieldRole::UpdatedAt, Form::Serde | Form::SerdeNull) => "serde",
            (FieldRole::CreatedAt | FieldRole::UpdatedAt, _) => continue,
            (
                FieldRole::Version | FieldRole::Ttl | FieldRole::CreatedBy | FieldRole::UpdatedBy,
                Form::Serde | Form::SerdeNull,
            ) => "serde",
            (
                FieldRole::Version | FieldRole::Ttl | FieldRole::CreatedBy | FieldRole::UpdatedBy,
                _,
            ) => "format",
        };
        let role = unique_role(field.role).unwrap_or_default();
        let message = format!("a `{role}` field has a stored form of its own; remove `{word}`");
        diag.at(marks.form.unwrap_or(field.ident.span()), message);
    }
}

/// The option of a form.
pub(super) fn form_word(form: Form) -> &'static str {
    match form {
        Form::Serde | Form::SerdeNull => "serde",
        Form::Null => "null",
        Form::Compress => "compress",
        Form::Decompress => "decompress",
        _ => "format",
    }
}

/// A default is the meaning of NULL, so a None that was written as NULL would not be read as None.
fn null_has_no_default(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    for (field, marks) in fields.iter().zip(marks) {
        if let (Form::Null | Form::SerdeNull, Some(span)) = (field.form, marks.default) {
            let message = "`default` is the meaning of NULL, so the None that `null` writes would be read as the \
                           default; keep one";
            diag.at(span, message);
        }
    }
}

/// A masked copy replaces the attribute of a personal field, and the library needs the values of managed fields.
fn personal_fields_can_be_masked(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    for (field, marks) in fields.iter().zip(marks) {
        let Some(span) = marks.personal else { continue };
        let word = FieldRole::WORDS.word(field.role).unwrap_or_default();
        let message = match field.role {
            FieldRole::Flatten => {
                "a `flatten` field has no attribute of its own; write `personal` at the fields of its struct".to_owned()
            }
            FieldRole::Skip => {
                "a `skip` field has no attribute that a masked copy could replace; remove `skip` or `personal`"
                    .to_owned()
            }
            FieldRole::Version | FieldRole::Ttl | FieldRole::CreatedAt | FieldRole::UpdatedAt => {
                format!("the library needs the value of a `{word}` field, so a copy cannot mask it; remove `personal`")
            }
            _ => continue,
        };
        diag.at(span, message);
    }
}

/// Two fields never share an attribute.
fn stored_names_differ(fields: &[Field], marks: &[FieldMarks], diag: &Diag) {
    for (at, (field, marks)) in fields.iter().zip(marks).enumerate() {
        let mut earlier = fields.iter().take(at).filter(|other| other.is_stored());
        if let Some(other) = earlier.find(|other| other.stored == field.stored)
            && field.is_stored()
        {
            let message = format!(
                "`{}` is the stored name of `{}` already; give `{}` another by `rename`",
                field.stored, other.ident, field.ident,
            );
            diag.at(marks.rename.unwrap_or(field.ident.span()), message);
        }
    }
}
