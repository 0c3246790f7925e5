//! Reads `#[derive(DynamoCollection)]`.

use syn::{Data, DataEnum, DeriveInput, Fields, Ident, Path, Variant};

use crate::diag::Diag;
use crate::model::{Collection, CollectionVariant, Partition};
use crate::parse::option::{Given, Opt};
use crate::parse::options::Options;
use crate::parse::{attribute, field, krate, option_place};

/// The model as far as it can be read; `None` if table or entities are missing.
pub(crate) fn read(input: DeriveInput, diag: &Diag) -> Option<Collection> {
    let DeriveInput {
        attrs,
        vis,
        ident,
        generics,
        data,
    } = input;
    let data = require_enum(data, &ident, diag)?;
    if !generics.params.is_empty() {
        diag.over(
            &generics.params,
            "a collection takes no parameters; remove them",
        );
    }
    let mut options = Options::of_item(&attrs, &option_place::COLLECTION, diag);
    let table = table(&mut options, &ident, diag);
    let index = options.take("index").and_then(|opt| opt.word(diag));
    let partition = options
        .take("partition")
        .and_then(|opt| partition(opt, diag));
    options.take("crate").and_then(|opt| opt.path(diag));
    let variants = data.variants.into_iter();
    let variants: Vec<CollectionVariant> = variants
        .filter_map(|variant| newtype(variant, diag))
        .collect();
    Some(Collection {
        krate: krate::read(&attrs),
        doc: attribute::doc(&attrs),
        vis,
        ident,
        table: table?,
        index,
        partition,
        variants,
    })
}

/// Rule: a collection is an enum, whose variants are its entities.
fn require_enum(data: Data, ident: &Ident, diag: &Diag) -> Option<DataEnum> {
    let what = match data {
        Data::Enum(data) => return Some(data),
        Data::Struct(_) => "a struct",
        Data::Union(_) => "a union",
    };
    diag.at(
        ident.span(),
        format!("`{ident}` is {what}; a collection is an enum with a variant for each entity, such as `Order(Order)`"),
    );
    None
}

/// Rule: a collection names the table of its entities, which they share.
fn table(options: &mut Options, ident: &Ident, diag: &Diag) -> Option<Path> {
    let message =
        format!("`{ident}` has no `table` for its entities; write `#[dynamo(table = Shop)]`");
    let opt = options.required("table", ident.span(), message, diag)?;
    opt.path(diag)
}

/// Rule: `partition(..)` lists the parts of the partition key by their names.
fn partition(opt: Opt, diag: &Diag) -> Option<Partition> {
    let span = opt.name.span();
    let listed = attribute::list(opt, diag)?;
    let parts = listed.into_iter().filter_map(|part| {
        let is_name = syn::parse_str::<Ident>(&part.name.to_string()).is_ok();
        if matches!(part.given, Given::Flag) && is_name {
            return Some(part.name);
        }
        let message = "`partition` lists fields of the partition key; write `partition(user_id)`";
        diag.at(part.name.span(), message);
        None
    });
    Some(Partition {
        span,
        parts: parts.collect(),
    })
}

/// Rule: each variant contains one entity, and nothing else.
fn newtype(variant: Variant, diag: &Diag) -> Option<CollectionVariant> {
    let Variant {
        attrs,
        ident,
        fields,
        ..
    } = variant;
    let mut options = Options::of_item(&attrs, &option_place::COLLECTION_VARIANT, diag);
    let other = options.take("other").and_then(|opt| opt.flag(diag));
    let what = match fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let ty = field::unnamed(fields, diag).into_iter().next()?;
            return Some(CollectionVariant { ident, ty, other });
        }
        Fields::Unnamed(fields) => format!("{} values", fields.unnamed.len()),
        Fields::Named(_) => "named fields".to_owned(),
        Fields::Unit => "nothing".to_owned(),
    };
    let fix = match other {
        Some(_) => format!("{ident}(Item)"),
        None => format!("{ident}({ident})"),
    };
    let message = format!(
        "`{ident}` holds {what}; a variant of a collection holds one entity: write `{fix}`"
    );
    diag.at(ident.span(), message);
    None
}
