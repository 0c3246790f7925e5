//! The operations of a change on a field depend on its use in keys.

use proc_macro2::TokenStream;

use super::index::derived_parts;
use super::key_field::key_fields;
use crate::model::{Entity, Field, FieldRole};

/// A field of the library or of the primary key cannot be set. If another field changes, the keys of indexes must
/// change too.
pub(super) fn usage(entity: &Entity, at: usize) -> TokenStream {
    let field = &entity.fields[at];
    if matches!(
        field.role,
        FieldRole::Version
            | FieldRole::CreatedAt
            | FieldRole::UpdatedAt
            | FieldRole::CreatedBy
            | FieldRole::UpdatedBy
    ) || field.expiry.is_some()
    {
        return code!(__d::Kept);
    }
    if key_fields(entity).iter().any(|key| key.field == at) {
        return code!(__d::Fixed);
    }
    usage_of(field, is_part(entity, at))
}

/// A field with a default is never missing, so sums may start from it.
pub(super) fn usage_of(field: &Field, is_part: bool) -> TokenStream {
    match (is_part, field.default.is_some()) {
        (false, false) => code!(__d::Free),
        (false, true) => code!(__d::Defaulted),
        (true, false) => code!(__d::Part),
        (true, true) => code!(__d::DefaultedPart),
    }
}

/// Returns whether a change of the field must have a known result: it is in the template of an index, decides whether an
/// item is in an index, is part of a unique value, or the expiry is derived from it. A key that is the number of the field
/// needs no known result, because DynamoDB computes it too.
pub(super) fn is_part(entity: &Entity, at: usize) -> bool {
    entity.indexes.iter().any(|index| {
        let mut parts = derived_parts(index).into_iter();
        let in_key = parts.any(|(field, format)| field == at && format.is_some());
        let decides = index.when.as_ref().is_some_and(|when| when.reads(at));
        in_key || decides
    }) || is_unique(entity, at)
        || decides_expiry(entity, at)
}

/// Tells whether the expiry is derived from a field.
fn decides_expiry(entity: &Entity, at: usize) -> bool {
    let mut expiries = entity.fields.iter().flat_map(|field| &field.expiry);
    expiries.any(|expiry| expiry.source.field == at)
}

/// Tells whether a field is part of a unique value.
fn is_unique(entity: &Entity, at: usize) -> bool {
    let mut fields = entity.uniques.iter().flat_map(|unique| &unique.fields);
    fields.any(|(field, _)| *field == at)
}
