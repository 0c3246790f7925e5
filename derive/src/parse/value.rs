//! Reads `#[derive(DynamoValue)]`.

use proc_macro2::Span;
use syn::{Data, DataEnum, DataStruct, DeriveInput, Fields, GenericParam, Generics, Ident, LitStr};

use crate::diag::Diag;
use crate::marks::ValueMarks;
use crate::model::{Value, ValueShape};
use crate::parse::option::Opt;
use crate::parse::options::Options;
use crate::parse::rename::{self, Case, CaseAt};
use crate::parse::{attribute, field, krate, option_place, variant};

/// The model as far as it can be read; `None` if the item is no value at all.
pub(crate) fn read(input: DeriveInput, diag: &Diag) -> Option<(Value, ValueMarks)> {
    let DeriveInput {
        attrs,
        vis,
        ident,
        generics,
        data,
        ..
    } = input;
    refuse_generics(&generics, diag);
    let mut options = Options::of_item(&attrs, &option_place::VALUE, diag);
    let case = options
        .take("rename_all")
        .and_then(|opt| rename::read_at(opt, diag));
    let tag = options.take("tag");
    let order = options.take("order").and_then(|opt| opt.flag(diag));
    options.take("crate").and_then(|opt| opt.path(diag));
    let (shape, marks) = match data {
        Data::Struct(data) => {
            no_tag(tag, diag);
            no_order(order, diag);
            structure(data, case, &ident, diag)?
        }
        Data::Enum(data) => match order {
            Some(_) if is_plain(&data) => {
                no_tag(tag, diag);
                ordered(data, case, diag)
            }
            order => {
                no_order(order, diag);
                enumeration(data, case.map(|(case, _)| case), tag, &ident, diag)?
            }
        },
        Data::Union(_) => {
            diag.at(
                ident.span(),
                format!("`{ident}` is a union; a value is a struct or an enum"),
            );
            return None;
        }
    };
    Some((
        Value {
            krate: krate::read(&attrs),
            doc: attribute::doc(&attrs),
            vis,
            ident,
            generics,
            shape,
        },
        marks,
    ))
}

/// Rule: a value owns its content, and its only parameters are types.
fn refuse_generics(generics: &Generics, diag: &Diag) {
    for param in &generics.params {
        match param {
            GenericParam::Lifetime(param) => {
                let message = format!(
                    "`{}`: a value owns what it holds; write `String` for `&str` and `Vec` for a \
                        slice",
                    param.lifetime
                );
                diag.at(param.lifetime.span(), message);
            }
            GenericParam::Const(param) => {
                let message = format!(
                    "`{}`: a value takes no const parameters; write a newtype for each number",
                    param.ident
                );
                diag.at(param.ident.span(), message);
            }
            GenericParam::Type(_) => {}
        }
    }
}

/// Rule: a tag tells variants apart, so it belongs to an enum whose variants hold data.
fn no_tag(tag: Option<Opt>, diag: &Diag) {
    if let Some(tag) = tag {
        diag.at(
            tag.name.span(),
            "`tag` is for enums whose variants hold data; remove it",
        );
    }
}

/// Rule: only an enum without data has an order.
fn no_order(order: Option<Span>, diag: &Diag) {
    if let Some(span) = order {
        diag.at(
            span,
            "`order` is for enums whose variants hold no data; remove it",
        );
    }
}

/// Whether it has variants, and none of them holds data.
fn is_plain(data: &DataEnum) -> bool {
    let mut fields = data.variants.iter().map(|variant| &variant.fields);
    !data.variants.is_empty() && fields.all(|fields| matches!(fields, Fields::Unit))
}

type Shape = (ValueShape, ValueMarks);

/// Rule: an enum with an order is stored as its numbers, so its names are not.
fn ordered(data: DataEnum, case: Option<CaseAt>, diag: &Diag) -> Shape {
    if let Some((_, span)) = case {
        diag.at(
            span,
            "an enum with `order` is stored as its numbers, not as its names; remove `rename_all`",
        );
    }
    let read = |variant| variant::ordered(variant, diag);
    let variants = data.variants.into_iter().filter_map(read).collect();
    (ValueShape::OrderedEnum(variants), ValueMarks::default())
}

/// Rule: a value struct has named fields, or is a newtype with one unnamed field.
fn structure(data: DataStruct, case: Option<CaseAt>, ident: &Ident, diag: &Diag) -> Option<Shape> {
    let what = match data.fields {
        Fields::Named(fields) => {
            let case = case.map(|(case, _)| case);
            let (fields, marks) = field::named(fields, &option_place::VALUE_FIELD, case, diag);
            let marks = ValueMarks {
                tag: None,
                fields: vec![marks],
            };
            return Some((ValueShape::Struct(fields), marks));
        }
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            if let Some((_, span)) = case {
                diag.at(
                    span,
                    format!("`{ident}` has no named fields for `rename_all`; remove it"),
                );
            }
            let inner = field::unnamed(fields, diag).into_iter().next()?;
            return Some((ValueShape::Newtype(inner), ValueMarks::default()));
        }
        Fields::Unnamed(fields) => format!("a tuple struct of {} fields", fields.unnamed.len()),
        Fields::Unit => "a struct without fields".to_owned(),
    };
    let message = format!("`{ident}` is {what}; write named fields, or one unnamed field");
    diag.at(ident.span(), message);
    None
}

/// Rule: an enum has variants.
fn enumeration(
    data: DataEnum,
    case: Option<Case>,
    tag: Option<Opt>,
    ident: &Ident,
    diag: &Diag,
) -> Option<Shape> {
    if data.variants.is_empty() {
        let message = format!("`{ident}` has no variants, so there is nothing to store; add one");
        diag.at(ident.span(), message);
        return None;
    }
    if is_plain(&data) {
        no_tag(tag, diag);
        let unit = |variant| variant::unit(variant, case, diag);
        let variants = data.variants.into_iter().map(unit).collect();
        return Some((ValueShape::UnitEnum(variants), ValueMarks::default()));
    }
    let tag = tag.and_then(|opt| opt.stored_name(diag));
    let read = |variant| variant::data(variant, case, diag);
    let (variants, fields) = data.variants.into_iter().map(read).unzip();
    let marks = ValueMarks {
        tag: tag.as_ref().map(LitStr::span),
        fields,
    };
    let tag = tag.map_or_else(|| "type".to_owned(), |text| text.value());
    Some((ValueShape::DataEnum { tag, variants }, marks))
}
