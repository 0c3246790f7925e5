//! Rules for a derived expiry. The compiler checks later that the source is a time.

use syn::ext::IdentExt as _;

use crate::check::uses::{parts, whole};
use crate::diag::Diag;
use crate::marks::EntityMarks;
use crate::model::{Entity, Expiry, FieldRole, Form};

pub(super) fn check(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    for (field, marks) in entity.fields.iter().zip(&marks.fields) {
        let Some(expiry) = &field.expiry else {
            continue;
        };
        if let Some(fault) = source_fault(entity, expiry) {
            diag.at(expiry.from.span(), fault);
        }
        if let Some(span) = marks.default {
            let message = format!(
                "the expiry of `{}` is derived, so the library always sets it; remove `default`",
                field.ident
            );
            diag.at(span, message);
        }
    }
}

/// The source is a time that is stored, or that the key contains.
fn source_fault(entity: &Entity, expiry: &Expiry) -> Option<String> {
    let (source, name) = (&expiry.source, expiry.from.unraw());
    let not_a_time = |what: &str| {
        Some(format!(
            "`{name}` is {what}, not a time; name a time, for example the field with `created_at`"
        ))
    };
    match source.role {
        FieldRole::Ttl => Some(format!(
            "`{name}` is the expiry itself; name the time that it is derived from, for example the field with `created_at`"
        )),
        FieldRole::Rest => not_a_time("a collection of attributes"),
        FieldRole::Flatten => not_a_time("a flattened struct"),
        FieldRole::Version => not_a_time("a version"),
        FieldRole::CreatedBy | FieldRole::UpdatedBy => not_a_time("an actor"),
        FieldRole::Skip if !is_in_key(entity, source.field) => Some(format!(
            "`{name}` is not stored, so no later program could derive the expiry from it; remove its `skip`"
        )),
        _ if matches!(source.form, Form::Serde | Form::SerdeNull) => Some(format!(
            "`{name}` is stored by `serde`, so the library does not know the time in it; remove `serde`"
        )),
        FieldRole::Attribute | FieldRole::Skip | FieldRole::CreatedAt | FieldRole::UpdatedAt => {
            None
        }
    }
}

fn is_in_key(entity: &Entity, at: usize) -> bool {
    let uses = entity.primary().flat_map(parts);
    let uses: Vec<_> = uses.filter(|part| part.field == at).collect();
    whole(&uses)
}
