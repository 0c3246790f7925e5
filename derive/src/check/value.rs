//! Rules for a value.

use proc_macro2::Span;
use syn::Ident;

use crate::check::field;
use crate::diag::Diag;
use crate::marks::ValueMarks;
use crate::model::{DataVariant, Value, ValueShape, VariantShape};

pub(super) fn check(value: &Value, marks: &ValueMarks, diag: &Diag) {
    match &value.shape {
        ValueShape::Newtype(_) | ValueShape::OrderedEnum(_) => {}
        ValueShape::Struct(fields) => {
            if let Some(marks) = marks.fields.first() {
                field::check(fields, marks, diag);
            }
        }
        ValueShape::UnitEnum(variants) => {
            let names = variants
                .iter()
                .map(|variant| (&variant.ident, variant.stored.as_str()));
            variant_names_differ(names, diag);
        }
        ValueShape::DataEnum { tag, variants } => {
            let names = variants
                .iter()
                .map(|variant| (&variant.ident, variant.stored.as_str()));
            variant_names_differ(names, diag);
            for (variant, fields) in variants.iter().zip(&marks.fields) {
                if let VariantShape::Struct(members) = &variant.shape {
                    field::check(members, fields, diag);
                }
                tag_is_free(tag, marks.tag, variant, diag);
            }
        }
    }
}

/// No two variants have the same stored name.
fn variant_names_differ<'a>(variants: impl Iterator<Item = (&'a Ident, &'a str)>, diag: &Diag) {
    let mut seen: Vec<(&Ident, &str)> = Vec::new();
    for (ident, stored) in variants {
        if let Some((other, _)) = seen.iter().find(|(_, name)| *name == stored) {
            let message = format!(
                "`{stored}` is the stored name of `{other}` already; give `{ident}` another by \
                    `rename`"
            );
            diag.at(ident.span(), message);
        }
        seen.push((ident, stored));
    }
}

/// The tag is stored beside the variant's fields, so no field may have its name.
fn tag_is_free(tag: &str, written: Option<Span>, variant: &DataVariant, diag: &Diag) {
    match &variant.shape {
        VariantShape::Unit => {}
        // The fields of a tuple have no names, so their data is stored under this one.
        VariantShape::Tuple(_) if tag == "value" => {
            let message = format!(
                "`value` holds the content of `{}`; choose another `tag`",
                variant.ident
            );
            diag.at(written.unwrap_or(variant.ident.span()), message);
        }
        VariantShape::Tuple(_) => {}
        VariantShape::Struct(fields) => {
            let stored = fields.iter().filter(|field| field.is_stored());
            for field in stored.filter(|field| field.stored == tag) {
                let message = format!(
                    "`{tag}` is the tag of this enum and a field of `{}`; choose another `tag`, \
                        or `rename` the field",
                    variant.ident
                );
                diag.at(written.unwrap_or(field.ident.span()), message);
            }
        }
    }
}
