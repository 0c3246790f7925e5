//! Reads the variants of a value enum.

use syn::ext::IdentExt as _;
use syn::{Expr, ExprLit, Fields, Ident, Lit, Variant};

use crate::diag::Diag;
use crate::marks::FieldMarks;
use crate::model::{DataVariant, OrderedVariant, UnitVariant, VariantShape};
use crate::parse::options::Options;
use crate::parse::rename::{self, Case, CaseAt};
use crate::parse::{attribute, field, option_place};

/// The options of a variant: its stored name, and the case of its fields' names.
fn names(variant: &Variant, case: Option<Case>, diag: &Diag) -> (String, Option<CaseAt>) {
    let mut options = Options::of_item(&variant.attrs, &option_place::VARIANT, diag);
    let rename = options.take("rename").and_then(|opt| opt.stored_name(diag));
    let own = variant.ident.unraw().to_string();
    let stored = match (rename, case) {
        (Some(text), _) => text.value(),
        (None, Some(case)) => case.of_variant(&own),
        (None, None) => own,
    };
    let fields = options
        .take("rename_all")
        .and_then(|opt| rename::read_at(opt, diag));
    (stored, fields)
}

/// Rule: `rename_all` renames named fields; a variant without them has nothing to rename.
fn no_fields_to_rename(case: Option<CaseAt>, variant: &Ident, diag: &Diag) {
    if let Some((_, span)) = case {
        let message = format!(
            "`{variant}` has no named fields for `rename_all`; write `rename = \"..\"` for the \
                variant itself"
        );
        diag.at(span, message);
    }
}

pub(crate) fn unit(variant: Variant, case: Option<Case>, diag: &Diag) -> UnitVariant {
    let (stored, fields) = names(&variant, case, diag);
    no_fields_to_rename(fields, &variant.ident, diag);
    UnitVariant {
        ident: variant.ident,
        stored,
    }
}

/// Rule: each variant of an ordered enum has its number, so that a variant that is inserted later changes no stored
/// one.
pub(crate) fn ordered(variant: Variant, diag: &Diag) -> Option<OrderedVariant> {
    const NUMBER: &str = "the number is stored: write one from 0 to 65535";
    let ident = variant.ident;
    for opt in attribute::read(&variant.attrs, diag) {
        let message = format!(
            "`{}`: an enum with `order` is stored as its numbers, not as its names; remove it",
            opt.name
        );
        diag.at(opt.name.span(), message);
    }
    let Some((_, number)) = variant.discriminant else {
        let message = format!(
            "`{ident}` has no number, by which it is stored and sorts; write `{ident} = 10`, and leave gaps for \
                variants to come"
        );
        diag.at(ident.span(), message);
        return None;
    };
    let Expr::Lit(ExprLit {
        lit: Lit::Int(literal),
        ..
    }) = &number
    else {
        diag.over(&number, NUMBER);
        return None;
    };
    match literal.base10_parse() {
        Ok(rank) => Some(OrderedVariant { ident, rank }),
        Err(_) => {
            diag.over(&number, NUMBER);
            None
        }
    }
}

pub(crate) fn data(
    variant: Variant,
    case: Option<Case>,
    diag: &Diag,
) -> (DataVariant, Vec<FieldMarks>) {
    let (stored, fields_case) = names(&variant, case, diag);
    let Variant { ident, fields, .. } = variant;
    let mut marks = Vec::new();
    let shape = match fields {
        Fields::Named(fields) => {
            let case = fields_case.map(|(case, _)| case);
            let (fields, read) = field::named(fields, &option_place::VALUE_FIELD, case, diag);
            marks = read;
            VariantShape::Struct(fields)
        }
        Fields::Unnamed(fields) => {
            no_fields_to_rename(fields_case, &ident, diag);
            if fields.unnamed.is_empty() {
                diag.at(
                    ident.span(),
                    format!("`{ident}()` holds nothing; write `{ident}`"),
                );
            }
            VariantShape::Tuple(field::unnamed(fields, diag))
        }
        Fields::Unit => {
            no_fields_to_rename(fields_case, &ident, diag);
            VariantShape::Unit
        }
    };
    (
        DataVariant {
            ident,
            stored,
            shape,
        },
        marks,
    )
}
