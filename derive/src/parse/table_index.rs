//! Reads `gsi(..)` and `lsi(..)` of a table.

use quote::ToTokens as _;
use syn::LitStr;
use syn::ext::IdentExt as _;

use crate::diag::Diag;
use crate::model::{IndexProjection, TableIndex};
use crate::parse::index_option::{self, IndexOptions, KeyUsage};
use crate::parse::option::{Opt, OptionValue};
use crate::parse::{allow, attribute, option_place};

const KEYS: KeyUsage = KeyUsage {
    pk: "`pk = \"attribute\"`",
    sk: "`sk = \"attribute\"`",
    single: "one attribute",
};

/// `gsi(NAME, pk = .., sk = ..)` or `lsi(NAME, sk = ..)`
pub(crate) fn read(opt: Opt, diag: &Diag) -> Option<TableIndex> {
    let mut read = index_option::open(
        opt,
        &option_place::TABLE_GSI,
        &option_place::TABLE_LSI,
        diag,
    )?;
    let keys = read.keys(&KEYS, |opt| attribute_names(opt, diag), diag)?;
    let IndexOptions {
        kind,
        name: ident,
        mut options,
    } = read;
    let rename = options.take("rename").and_then(|opt| opt.stored_name(diag));
    let project = options.take("project").map(|opt| {
        let names = |values| strings(values, diag);
        index_option::projection(opt, "names `[\"attribute\", ..]`", names, diag)
    });
    let name = || LitStr::new(&ident.unraw().to_string(), ident.span());
    Some(TableIndex {
        kind,
        stored: rename.unwrap_or_else(name),
        pk: keys.pk,
        sk: keys.sk.unwrap_or_default(),
        project: project.unwrap_or(IndexProjection::All),
        allows: allow::take(&mut options, diag),
        ident,
    })
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
