//! Reads `#[derive(DynamoEntity)]`.

use quote::format_ident;
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Fields, FieldsNamed, Generics, Ident, LitStr};

use crate::diag::Diag;
use crate::marks::EntityMarks;
use crate::model::{Entity, OwnTable, TableRef};
use crate::parse::key::{self, Key};
use crate::parse::option::{Given, Opt, OptionValue};
use crate::parse::options::Options;
use crate::parse::reader::Reader;
use crate::parse::table_option::{stream, style, tenant};
use crate::parse::{
    allow, attribute, constant, field, index, krate, large, option_place, rename, second_key,
    shape, unique, vector,
};

/// The model as far as it can be read; `None` if there is no usable key or table.
pub(crate) fn read(input: DeriveInput, diag: &Diag) -> Option<(Entity, EntityMarks)> {
    let (attrs, vis, ident) = (input.attrs, input.vis, input.ident);
    let named = named_fields(input.data, &ident, diag)?;
    refuse_generics(&input.generics, diag);

    let mut options = Options::of_item(&attrs, &option_place::ENTITY, diag);
    let case = options
        .take("rename_all")
        .and_then(|opt| rename::read(opt, diag));
    let name = type_name(&mut options, &ident, diag);
    let (fields, field_marks) = field::named(named, &option_place::FIELD, case, diag);

    let table = table(&mut options, &ident, diag);
    let reader = Reader {
        fields: &fields,
        style: match &table {
            Some(TableRef::Own(own)) => Some(own.style),
            _ => None,
        },
        diag,
    };
    let key = primary_key(&mut options, &ident, &reader);
    let shared = matches!(table, Some(TableRef::Shared(_)));
    let (indexes, index_marks) =
        index::read_all(options.take_all(&["gsi", "lsi"]), shared, &reader);
    let uniques = unique::read_all(
        options.take_all(&["unique"]),
        shared.then_some(name.as_str()),
        &reader,
    );
    let constants = constant::read_all(&mut options, shared, diag);
    let type_attribute = type_attribute(&mut options, shared, diag);
    let vectors = vector::read_all(options.take_all(&["vector"]), &reader);
    let large = large::read_all(options.take_all(&["chunked", "blob"]), diag);
    let repository = options
        .take("repository")
        .and_then(|opt| repository(opt, &ident, diag));
    let append_only = options.take("append_only").and_then(|opt| opt.flag(diag));
    let shape = shape::read(&mut options, &ident, diag);
    let second_key = second_key::read(&mut options, &ident, shared, diag);
    let allows = allow::take(&mut options, diag);
    options.take("crate").and_then(|opt| opt.path(diag));

    let key = key?;
    if key.sorted && key.sk.is_none() {
        return None;
    }
    let marks = EntityMarks {
        fields: field_marks,
        indexes: index_marks,
    };
    let (table, pk, sk, krate) = (table?, key.pk?, key.sk, krate::read(&attrs));
    Some((
        Entity {
            krate,
            doc: attribute::doc(&attrs),
            vis,
            ident,
            name,
            type_attribute,
            table,
            pk,
            sk,
            indexes,
            uniques,
            vectors,
            large,
            fields,
            constants,
            append_only: append_only.is_some(),
            shape,
            second_key,
            repository,
            allows,
        },
        marks,
    ))
}

/// Reads the value of the type attribute: `rename`, else the name of the struct.
fn type_name(options: &mut Options, ident: &Ident, diag: &Diag) -> String {
    let renamed = options.take("rename");
    let renamed = renamed.and_then(|opt| opt.stored_name(diag));
    renamed.map_or_else(|| ident.unraw().to_string(), |text| text.value())
}

/// Reads `type_attribute = ".."`. Rule: only a shared table has types.
fn type_attribute(options: &mut Options, is_shared: bool, diag: &Diag) -> Option<LitStr> {
    let opt = options.take("type_attribute")?;
    if !is_shared {
        let message = "a table of one entity has no type attribute; declare the table with `#[derive(DynamoTable)]`, and name it \
            here: `table = Shop`";
        diag.at(opt.name.span(), message);
    }
    opt.stored_name(diag)
}

/// Rule: an entity is a struct with named fields.
fn named_fields(data: Data, ident: &Ident, diag: &Diag) -> Option<FieldsNamed> {
    let what = match data {
        Data::Struct(data) => match data.fields {
            Fields::Named(fields) => return Some(fields),
            Fields::Unnamed(_) => "a tuple struct",
            Fields::Unit => "a struct without fields",
        },
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    diag.at(
        ident.span(),
        format!("`{ident}` is {what}; an entity is a struct with named fields"),
    );
    None
}

/// Rule: an entity takes no parameters.
fn refuse_generics(generics: &Generics, diag: &Diag) {
    if !generics.params.is_empty() {
        let message = "an entity takes no parameters, because its keys and rows are named \
            in constants; write a struct for each type";
        diag.over(&generics.params, message);
    }
}

/// Rule: an entity names its table. `stream`, `tenant` and `verbatim` describe a table of its own
/// only.
fn table(options: &mut Options, ident: &Ident, diag: &Diag) -> Option<TableRef> {
    let [stream_opt, tenant_opt, verbatim] =
        ["stream", "tenant", "verbatim"].map(|word| options.take(word));
    let message = format!(
        "`{ident}` has no table; write `#[dynamo(table = Shop)]` for a shared one or \
            `#[dynamo(table = \"name\")]` for its own"
    );
    let opt = options.required("table", ident.span(), message, diag)?;
    if let Given::Value(OptionValue::Text(name)) = opt.given {
        let style = style(verbatim, diag);
        return Some(TableRef::Own(OwnTable {
            name,
            tenant: tenant_opt.and_then(|opt| tenant(opt, style, diag)),
            stream: stream_opt.and_then(|opt| stream(opt, diag)),
            style,
        }));
    }
    let of_tables = [stream_opt, tenant_opt, verbatim];
    for Opt { name, .. } in of_tables.into_iter().flatten() {
        diag.at(
            name.span(),
            format!("`{name}` describes a shared table; write it on the table"),
        );
    }
    opt.path(diag).map(TableRef::Shared)
}

/// `repository` names the trait after the entity, `repository = Name` gives the name.
pub(super) fn repository(opt: Opt, ident: &Ident, diag: &Diag) -> Option<Ident> {
    match opt.given {
        Given::Flag => Some(format_ident!("{}Repository", ident.unraw())),
        _ => opt.word(diag),
    }
}

/// Rule: an entity has a key.
fn primary_key(options: &mut Options, ident: &Ident, reader: &Reader<'_>) -> Option<Key> {
    let message = format!(
        "`{ident}` has no key; write `#[dynamo(key(pk = field))]` or `#[dynamo(key(pk = \
            \"TEXT#{{field}}\", sk = ..))]`"
    );
    let opt = options.required("key", ident.span(), message, reader.diag)?;
    key::primary(opt, reader)
}
