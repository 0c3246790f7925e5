//! Reads `unique(by_email, email)`, with `rename = ".."` and `filling`: fields whose values no two items share. Those in rows of
//! another program have a file of their own.

use proc_macro2::Span;

use crate::diag::Diag;
use crate::model::{Field, Format, Piece, Template, Unique, UniqueKept};
use crate::parse::allow;
use crate::parse::option::{Given, Opt};
use crate::parse::options::named;
use crate::parse::reader::{Reader, resolve};
use crate::parse::unique_row;

const USAGE: &str = "`unique` takes a name and fields; write `unique(by_email, email)`";

/// All unique values, in the order in which they were written. An entity of a shared table is named by the value of its
/// type attribute; one that has its table alone needs no name.
pub(crate) fn read_all(opts: Vec<Opt>, entity: Option<&str>, reader: &Reader<'_>) -> Vec<Unique> {
    opts.into_iter()
        .filter_map(|opt| one(opt, entity, reader))
        .collect()
}

/// Rule: a unique value has a name, and at least one field.
fn one(opt: Opt, entity: Option<&str>, reader: &Reader<'_>) -> Option<Unique> {
    let (name, rest) = named(opt, reader.diag)?;
    if rest.is_empty() {
        reader.diag.at(name.span(), USAGE);
        return None;
    }
    if rest.iter().any(unique_row::is_word) {
        return unique_row::read(name, rest, entity.is_some(), reader);
    }
    let mut fields = Vec::new();
    let mut renamed = None;
    let mut allows = Vec::new();
    let mut filling = false;
    for word in rest {
        if word.name == "rename" && !matches!(word.given, Given::Flag) {
            renamed = Some(word.stored_name(reader.diag)?);
            continue;
        }
        if word.name == "allow" && !matches!(word.given, Given::Flag) {
            allow::read(word, &mut allows, reader.diag);
            continue;
        }
        if !matches!(word.given, Given::Flag) {
            reader.diag.at(word.name.span(), USAGE);
            return None;
        }
        // If the entity has a field of this name, the word means that field.
        if word.name == "filling" && !reader.fields.iter().any(|field| field.ident == "filling") {
            filling = true;
            continue;
        }
        fields.push((
            resolve(&word.name, reader.fields, reader.diag)?,
            word.name.span(),
        ));
    }
    if fields.is_empty() {
        reader.diag.at(name.span(), USAGE);
        return None;
    }
    let (order, stored, stored_at) = match renamed {
        Some(text) => {
            let (order, stored) = by_old_name(&fields, &text, reader.diag)?;
            (order, stored, text.span())
        }
        None => {
            let order = by_stored_name(&fields, reader.fields);
            let stored = joined(&order, reader.fields);
            (order, stored, name.span())
        }
    };
    let template = sentinel_key(entity, &stored, &order, name.span());
    Some(Unique {
        name,
        fields,
        stored,
        stored_at,
        kept: UniqueKept::Sentinel(template),
        filling,
        allows,
    })
}

/// Rule: each field has one old name. The values are stored in the order of the old names, as they were when these
/// were the names of their attributes, so both may be given in any order.
fn by_old_name(
    fields: &[(usize, Span)],
    text: &syn::LitStr,
    diag: &Diag,
) -> Option<(Vec<usize>, String)> {
    let joined = text.value();
    let mut pairs: Vec<(&str, usize)> = joined
        .split(',')
        .zip(fields.iter().map(|(field, _)| *field))
        .collect();
    let names = joined.split(',').count();
    if names != fields.len() {
        diag.at(
            text.span(),
            format!(
                "`rename` has {names} of the old names and the value {} fields; give one for each field, in their order, as in \
                 `unique(by_handle, team, handle, rename = \"circle,handle\")`",
                fields.len()
            ),
        );
        return None;
    }
    pairs.sort_by_key(|(old, _)| *old);
    let old: Vec<&str> = pairs.iter().map(|(old, _)| *old).collect();
    let order = pairs.iter().map(|(_, field)| *field).collect();
    Some((order, old.join(",")))
}

/// The order of the values in the key: that of their attributes, so that the order in Rust is not stored.
fn by_stored_name(fields: &[(usize, Span)], declared: &[Field]) -> Vec<usize> {
    let mut order: Vec<usize> = fields.iter().map(|(field, _)| *field).collect();
    order.sort_by_key(|field| declared.get(*field).map(|field| &field.stored));
    order
}

/// The name if none is given: the names of the attributes.
fn joined(order: &[usize], declared: &[Field]) -> String {
    let fields = order.iter().filter_map(|field| declared.get(*field));
    let names: Vec<&str> = fields.map(|field| field.stored.as_str()).collect();
    names.join(",")
}

/// The key of the sentinel, built only from stored names and values. No key of an entity contains a `$`.
fn sentinel_key(entity: Option<&str>, stored: &str, order: &[usize], span: Span) -> Template {
    let entity = entity.map(|name| format!("{}#", escaped(name)));
    let front = format!("$UNIQUE#{}{}", entity.unwrap_or_default(), escaped(stored));
    let mut pieces = vec![Piece::Literal(front)];
    for (at, field) in order.iter().enumerate() {
        match (at, pieces.last_mut()) {
            (0, Some(Piece::Literal(front))) => front.push('#'),
            _ => pieces.push(Piece::Literal("#".to_owned())),
        }
        pieces.push(Piece::Part {
            field: *field,
            format: Format::PLAIN,
        });
    }
    Template {
        span,
        pieces,
        shards: None,
    }
}

/// Escapes the text as parts of keys are escaped, so that no name ends early.
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
