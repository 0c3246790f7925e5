//! `#[derive(DynamoValue)]`.

mod data_enum;
mod fields;
mod implement;
mod newtype;
mod ordered_enum;
mod structure;
mod unit_enum;

use proc_macro2::TokenStream;

use super::tokens::hidden;
use crate::model::{Field, Value, ValueShape};

pub(crate) fn expand(value: &Value) -> TokenStream {
    let body = match &value.shape {
        ValueShape::Struct(fields) => structure::expand(value, fields),
        ValueShape::Newtype(inner) => newtype::expand(value, inner),
        ValueShape::UnitEnum(variants) => unit_enum::expand(value, variants),
        ValueShape::OrderedEnum(variants) => ordered_enum::expand(value, variants),
        ValueShape::DataEnum { tag, variants } => data_enum::expand(value, tag, variants),
    };
    hidden(&value.krate, &body)
}

/// A value with mistakes that can be used anywhere. For a struct, the paths to its fields exist.
pub(super) fn stub(value: &Value, fields: Option<&[Field]>) -> TokenStream {
    let (paths, path) = match fields {
        Some(fields) => structure::paths(value, fields),
        None => (TokenStream::new(), implement::own_path()),
    };
    let own = newtype::stub(value, &path);
    hidden(&value.krate, &code!(#paths #own))
}
