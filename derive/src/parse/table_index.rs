//! Reads `gsi(..)` and `lsi(..)` of a table.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::{Ident, LitStr};

use crate::diag::{Diag, did_you_mean};
use crate::marks::TableIndexMarks;
use crate::model::{IndexKind, TableIndex, TableProjection};
use crate::parse::option::{Given, Opt, OptionValue};
use crate::parse::options::{Options, named};
use crate::parse::{allow, attribute, option_place};

/// `gsi(NAME, pk = .., sk = ..)` or `lsi(NAME, sk = ..)`
pub(crate) fn read(opt: Opt, diag: &Diag) -> Option<(TableIndex, TableIndexMarks)> {
    let (kind, place) = if opt.name == "gsi" {
        (IndexKind::Global, &option_place::TABLE_GSI)
    } else {
        (IndexKind::Local, &option_place::TABLE_LSI)
    };
    let (ident, rest) = named(opt, diag)?;
    let mut options = Options::of(rest, place, diag);
    let (pk, sk) = keys(&ident, kind, &mut options, diag)?;
    let rename = options.take("rename").and_then(|opt| opt.stored_name(diag));
    let (project, project_marks) = match options.take("project") {
        Some(opt) => projection(opt, diag),
        None => (TableProjection::All, Vec::new()),
    };
    let allows = allow::take(&mut options, diag);
    let marks = TableIndexMarks {
        rename: rename.as_ref().map(LitStr::span),
        pk: pk.iter().map(LitStr::span).collect(),
        sk: sk.iter().map(LitStr::span).collect(),
        project: project_marks,
    };
    let stored = rename.map_or_else(|| ident.unraw().to_string(), |text| text.value());
    let (pk, sk) = (texts(pk), texts(sk));
    Some((
        TableIndex {
            kind,
            ident,
            stored,
            pk,
            sk,
            project,
            allows,
        },
        marks,
    ))
}

fn texts(all: Vec<LitStr>) -> Vec<String> {
    all.iter().map(LitStr::value).collect()
}

type TableIndexKeys = (Vec<LitStr>, Vec<LitStr>);

/// Rules: a gsi has a `pk`; an lsi has an `sk`, no `pk` and no list.
fn keys(
    ident: &Ident,
    kind: IndexKind,
    options: &mut Options,
    diag: &Diag,
) -> Option<TableIndexKeys> {
    let (no_pk, no_sk) = (options.lacks("pk"), options.lacks("sk"));
    let (pk, sk) = (options.take("pk"), options.take("sk"));
    let say = |span: Span, message: &str| diag.at(span, format!("`{ident}` {message}"));
    if kind == IndexKind::Local {
        if let Some(pk) = &pk {
            let fix = if no_sk { "write `sk`" } else { "remove `pk`" };
            let message = format!(
                "is an lsi, whose partition key is that of the table; {fix}, or write `gsi`"
            );
            say(pk.name.span(), &message);
        } else if no_sk {
            say(
                ident.span(),
                "lacks its `sk`; an lsi orders the partition anew: write `sk = \"attribute\"`",
            );
        }
        let sk = sk?;
        if let Given::Value(OptionValue::List(list)) = &sk.given {
            say(
                list.span(),
                "is an lsi, which takes one attribute; lists are for a gsi",
            );
            return None;
        }
        let sk = attribute_names(sk, diag);
        return (!sk.is_empty()).then_some((Vec::new(), sk));
    }
    if no_pk {
        say(ident.span(), "lacks its `pk`; write `pk = \"attribute\"`");
    }
    let sk = sk.map(|opt| attribute_names(opt, diag)).unwrap_or_default();
    let pk = attribute_names(pk?, diag);
    (!pk.is_empty()).then_some((pk, sk))
}

/// `"a"` or `["a", "b"]`
///
/// Rule: a list contains at least one name, and only names.
fn attribute_names(opt: Opt, diag: &Diag) -> Vec<LitStr> {
    let name = opt.name.clone();
    let Some(value) = opt.value(diag) else {
        return Vec::new();
    };
    let OptionValue::List(list) = value else {
        return strings(vec![value], diag);
    };
    if list.tokens().is_empty() {
        let message =
            format!("the list of `{name}` is empty; write `{name} = [\"attribute\", ..]`");
        diag.at(list.span(), message);
    }
    strings(attribute::values(list, diag), diag)
}

fn strings(values: Vec<OptionValue>, diag: &Diag) -> Vec<LitStr> {
    let string = |value| match value {
        OptionValue::Text(text) if text.value().is_empty() => {
            diag.at(
                text.span(),
                "this name is empty; a stored name has at least one letter",
            );
            None
        }
        OptionValue::Text(text) => Some(text),
        other => {
            let word = other.to_token_stream().to_string();
            diag.over(
                other,
                format!("`{word}`: a table names attributes by strings; write `\"{word}\"`"),
            );
            None
        }
    };
    values.into_iter().filter_map(string).collect()
}

/// `project = all`, `keys` or `["attribute", ..]`
fn projection(opt: Opt, diag: &Diag) -> (TableProjection, Vec<Span>) {
    const USAGE: &str = "`project` takes `all`, `keys` or a list of names `[\"attribute\", ..]`";
    match opt.value(diag) {
        None => {}
        Some(OptionValue::Word(word)) if word == "all" => {}
        Some(OptionValue::Word(word)) if word == "keys" => {
            return (TableProjection::Keys, Vec::new());
        }
        Some(OptionValue::List(list)) => {
            let names = strings(attribute::values(list, diag), diag);
            let marks = names.iter().map(LitStr::span).collect();
            return (TableProjection::Attributes(texts(names)), marks);
        }
        Some(other) => {
            let hint = did_you_mean(&other.to_token_stream().to_string(), ["all", "keys"]);
            diag.over(other, format!("{USAGE}{hint}"));
        }
    }
    (TableProjection::All, Vec::new())
}
