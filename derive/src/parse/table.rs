//! Reads `#[derive(DynamoTable)]`.

use syn::{Data, DeriveInput, Fields, Ident, LitStr, Path};

use crate::diag::Diag;
use crate::model::Table;
use crate::parse::options::Options;
use crate::parse::table_option::{identify_by, stream, style, tenant};
use crate::parse::{allow, attribute, krate, option_place, table_index};

/// The model as far as it can be read; `None` if name, key or entities are missing.
pub(crate) fn read(input: DeriveInput, diag: &Diag) -> Option<Table> {
    let DeriveInput {
        attrs,
        vis,
        ident,
        generics,
        data,
    } = input;
    require_unit_struct(&data, &ident, diag)?;
    if !generics.params.is_empty() {
        diag.over(&generics.params, "a table takes no parameters; remove them");
    }
    let mut options = Options::of_item(&attrs, &option_place::TABLE, diag);
    let name = required(&mut options, "name", "name = \"shop\"", &ident, diag);
    let pk = required(&mut options, "pk", "pk = \"pk\"", &ident, diag);
    let sk = options.take("sk").and_then(|opt| opt.stored_name(diag));
    let type_attribute = options
        .take("type_attribute")
        .and_then(|opt| opt.stored_name(diag));
    let entities = entities(&mut options, &ident, diag);
    let identify_by = options
        .take("identify_by")
        .and_then(|opt| identify_by(opt, diag));
    let stream = options.take("stream").and_then(|opt| stream(opt, diag));
    let style = style(options.take("verbatim"), diag);
    let tenant = options
        .take("tenant")
        .and_then(|opt| tenant(opt, style, diag));
    let indexes = options.take_all(&["gsi", "lsi"]);
    let indexes = indexes
        .into_iter()
        .filter_map(|opt| table_index::read(opt, diag))
        .collect();
    let allows = allow::take(&mut options, diag);
    options.take("crate").and_then(|opt| opt.path(diag));

    Some(Table {
        krate: krate::read(&attrs),
        doc: attribute::doc(&attrs),
        vis,
        ident,
        name: name?,
        pk: pk?,
        sk,
        type_attribute,
        identify_by,
        tenant,
        stream,
        style,
        entities: entities?,
        indexes,
        allows,
    })
}

/// Rule: a table is a unit struct, since no value of it is ever made.
fn require_unit_struct(data: &Data, ident: &Ident, diag: &Diag) -> Option<()> {
    if let Data::Struct(data) = data
        && matches!(data.fields, Fields::Unit)
    {
        return Some(());
    }
    diag.at(
        ident.span(),
        format!("a table is a struct without fields; write `struct {ident};`"),
    );
    None
}

/// Rule: a table has a `name` and a `pk`.
fn required(
    options: &mut Options,
    word: &str,
    usage: &str,
    ident: &Ident,
    diag: &Diag,
) -> Option<LitStr> {
    let message = format!("`{ident}` has no `{word}`; write `#[dynamo({usage})]`");
    let opt = options.required(word, ident.span(), message, diag)?;
    opt.stored_name(diag)
}

/// Rule: a table lists its entities, at least one.
fn entities(options: &mut Options, ident: &Ident, diag: &Diag) -> Option<Vec<Path>> {
    let message = format!("`{ident}` lists no entities; write `#[dynamo(entities(User, Order))]`");
    let opt = options.required("entities", ident.span(), &message, diag)?;
    let list = opt.group(diag)?;
    if list.tokens().is_empty() {
        diag.at(list.span(), &message);
    }
    Some(attribute::paths(list, diag))
}
