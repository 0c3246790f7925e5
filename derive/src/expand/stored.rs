//! The stored entity after a write, built from the fields one by one. Without it, every written item would be decoded
//! again, only because a few types lose something when they are stored.

use proc_macro2::TokenStream;

use super::attribute::KeyUse;
use super::codec;
use super::tokens::of;
use crate::model::{Field, FieldRole, Form};

/// Creates the fields as they are read back; `place` is an expression for a reference to one. None if this is known
/// only by reading.
pub(super) fn fields<'f>(
    fields: impl Iterator<Item = (&'f Field, Option<KeyUse>, TokenStream)>,
) -> Option<Vec<TokenStream>> {
    let values = fields.map(|(field, key, place)| {
        let (ident, value) = (&field.ident, value(field, key.as_ref(), &place)?);
        Some(code!(#ident: #value))
    });
    values.collect()
}

/// An expression for one field, which may return `None`.
fn value(field: &Field, key: Option<&KeyUse>, place: &TokenStream) -> Option<TokenStream> {
    match field.role {
        FieldRole::Attribute => attribute(field, key, place),
        FieldRole::Skip => Some(codec::value_when_absent(field)),
        FieldRole::Flatten => {
            let copy = of(&field.ty, &code!(DynamoValue), "as_stored");
            Some(code!(#copy(#place)?))
        }
        FieldRole::Rest => None,
        _ => managed(field, place),
    }
}

/// Makes a managed field. Returns None if the field has a default, because a missing attribute means the default, and
/// if it has a foreign form, because that may contain less than the field.
fn managed(field: &Field, place: &TokenStream) -> Option<TokenStream> {
    if field.default.is_some() || field.form != Form::Own {
        return None;
    }
    if field.role == FieldRole::Version {
        let stamped = of(&field.ty, &code!(VersionField), "stamped_version");
        return Some(code!(#stamped(#place, stamp)));
    }
    let stamped = codec::stamping(field)?;
    Some(code!(#stamped.ok()?))
}

fn attribute(field: &Field, key: Option<&KeyUse>, place: &TokenStream) -> Option<TokenStream> {
    let has_default = field.default.is_some();
    match (key, field.form) {
        (Some(KeyUse::Primary(_)), _) => {
            let copy = of(&field.ty, &code!(KeyValue), "to_key");
            Some(code!(#copy(#place)))
        }
        // An absent attribute means the default.
        (Some(KeyUse::Index(_)), _) if has_default => None,
        (Some(KeyUse::Index(_)), _) => {
            let copy = of(&field.ty, &code!(IndexPart), "to_index_key");
            Some(code!(#copy(#place)))
        }
        (None, Form::Own | Form::Null) => {
            let copy = of(&field.ty, &code!(DynamoField), "field_as_stored");
            let absent = of(&field.ty, &code!(DynamoField), "absent");
            let copy = code!(#copy(#place)?);
            Some(match has_default {
                true => code!(__d::unless_absent(#copy, #absent)?),
                false => copy,
            })
        }
        (None, _) => None,
    }
}
