//! Reads `#[dynamo(..)]` into the model. What one token or one list can show to be wrong is
//! reported here; what needs two parts side by side is left to `check`.

pub(crate) mod attribute;
pub(crate) mod collection;
pub(crate) mod entity;
mod field;
pub(crate) mod hint;
mod index;
mod key;
mod option;
mod options;
mod place;
pub(crate) mod projection;
mod rename;
mod shards;
pub(crate) mod table;
mod table_index;
pub(crate) mod template;
mod unique;
pub(crate) mod value;
mod variant;
mod when;

use syn::ext::IdentExt as _;
use syn::{Attribute, Ident, LitStr, Path, parse_quote};

use crate::diag::{Diag, did_you_mean, instead};
use crate::model::{Field, StreamView, Style};
use crate::parse::option::{Given, Opt};
use crate::parse::options::Options;

/// Where the library is found; mistakes in the attribute are reported by the full reading.
pub(crate) fn krate(attrs: &[Attribute]) -> Path {
    let unheard = Diag::new();
    let found = attribute::read(attrs, &unheard)
        .into_iter()
        .find(|opt| opt.name == "crate");
    found
        .and_then(|opt| opt.path(&unheard))
        .unwrap_or_else(|| parse_quote!(::dynamo_entity))
}

/// The field a word or a placeholder names.
fn find_field(fields: &[Field], name: &str) -> Option<usize> {
    fields.iter().position(|field| field.ident.unraw() == name)
}

fn field_names(fields: &[Field]) -> Vec<String> {
    fields
        .iter()
        .map(|field| field.ident.unraw().to_string())
        .collect()
}

/// The field a bare word names; an unknown one is reported.
fn resolve(word: &Ident, fields: &[Field], diag: &Diag) -> Option<usize> {
    let name = word.unraw().to_string();
    let found = find_field(fields, &name);
    if found.is_none() {
        let names = field_names(fields);
        let hint = did_you_mean(&name, names.iter().map(String::as_str));
        diag.at(word.span(), format!("`{name}`: no such field{hint}"));
    }
    found
}

/// A stored name: any text but none.
fn stored_name(opt: Opt, diag: &Diag) -> Option<LitStr> {
    let what = opt.name.to_string();
    let text = opt.text(diag)?;
    if text.value().is_empty() {
        diag.at(
            text.span(),
            format!("`{what}` is empty; a stored name has at least one letter"),
        );
        return None;
    }
    Some(text)
}

/// `stream = ..`
fn stream(opt: Opt, diag: &Diag) -> Option<StreamView> {
    const VIEWS: [&str; 4] = ["keys_only", "new_image", "old_image", "new_and_old_images"];
    let word = opt.word(diag)?;
    let name = word.to_string();
    match name.as_str() {
        "keys_only" => Some(StreamView::KeysOnly),
        "new_image" => Some(StreamView::NewImage),
        "old_image" => Some(StreamView::OldImage),
        "new_and_old_images" => Some(StreamView::NewAndOldImages),
        _ => {
            diag.at(
                word.span(),
                format!("`{name}` is no stream view{}", instead(&name, VIEWS)),
            );
            None
        }
    }
}

/// `verbatim` or `verbatim(delimiter = ":")`.
fn style(opt: Option<Opt>, diag: &Diag) -> Style {
    let Some(opt) = opt else {
        return Style::Escaped;
    };
    if matches!(opt.given, Given::Flag) {
        return Style::Verbatim { delimiter: '#' };
    }
    let mut options = match opt.list(diag) {
        Some(list) => Options::of(list, &place::VERBATIM, diag),
        None => return Style::Verbatim { delimiter: '#' },
    };
    let delimiter = options
        .take("delimiter")
        .and_then(|opt| delimiter(opt, diag));
    Style::Verbatim {
        delimiter: delimiter.unwrap_or('#'),
    }
}

/// One ASCII punctuation character that opens or closes no placeholder.
fn delimiter(opt: Opt, diag: &Diag) -> Option<char> {
    let text = opt.text(diag)?;
    let value = text.value();
    let mut chars = value.chars();
    match (chars.next(), chars.next()) {
        (Some(one), None) if one.is_ascii_punctuation() && !matches!(one, '{' | '}') => Some(one),
        _ => {
            let message = format!(
                "`{value}` is no delimiter; write one ASCII punctuation character, such as `:`"
            );
            diag.at(text.span(), message);
            None
        }
    }
}
