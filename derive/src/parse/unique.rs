//! Reads `unique(by_email, email)`: fields whose values no two items share.

use crate::model::{Format, Piece, Template, Unique};
use crate::parse::key::Reader;
use crate::parse::option::{Given, Opt};
use crate::parse::options::named;
use crate::parse::resolve;

const USAGE: &str = "`unique` takes a name and fields; write `unique(by_email, email)`";

/// All unique values, in the order they were written.
pub(crate) fn read_all(opts: Vec<Opt>, entity: &str, reader: &Reader<'_>) -> Vec<Unique> {
    opts.into_iter()
        .filter_map(|opt| one(opt, entity, reader))
        .collect()
}

/// Rule: a name, and at least one field.
fn one(opt: Opt, entity: &str, reader: &Reader<'_>) -> Option<Unique> {
    let (name, rest) = named(opt, reader.diag)?;
    if rest.is_empty() {
        reader.diag.at(name.span(), USAGE);
        return None;
    }
    let mut fields = Vec::new();
    for word in rest {
        if !matches!(word.given, Given::Flag) {
            reader.diag.at(word.name.span(), USAGE);
            return None;
        }
        fields.push((
            resolve(&word.name, reader.fields, reader.diag)?,
            word.name.span(),
        ));
    }
    let template = template(entity, &name, &fields);
    Some(Unique {
        name,
        fields,
        template,
    })
}

/// The key of the sentinel. No key of an entity holds a `$`.
fn template(entity: &str, name: &syn::Ident, fields: &[(usize, proc_macro2::Span)]) -> Template {
    let name_text = syn::ext::IdentExt::unraw(name);
    let front = format!("$UNIQUE#{}#{name_text}", escaped(entity));
    let mut pieces = vec![Piece::Literal(front)];
    for (at, (field, _)) in fields.iter().enumerate() {
        match (at, pieces.last_mut()) {
            (0, Some(Piece::Literal(front))) => front.push('#'),
            _ => pieces.push(Piece::Literal("#".to_owned())),
        }
        pieces.push(Piece::Part {
            field: *field,
            format: Format::Plain,
        });
    }
    Template {
        span: name.span(),
        pieces,
        shards: None,
    }
}

/// As parts of keys are written, so that no name ends early.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        match char {
            low if low <= '%' => out.push_str(&format!("%{:02X}", u32::from(low))),
            other => out.push(other),
        }
    }
    out
}
