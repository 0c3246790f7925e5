//! Reads `shards = n` of a key or a gsi, and the `read_shards` of a gsi.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::LitInt;
use syn::ext::IdentExt as _;

use crate::diag::Diag;
use crate::model::KeySource;
use crate::parse::option::Opt;
use crate::parse::options::Options;
use crate::parse::reader::Reader;

/// With more shards, a read of all of them would be slower than a scan.
const MOST_SHARDS: u16 = 1000;

/// A number, and where it was written.
struct Count {
    number: u16,
    span: Span,
}

/// Rule: there are 1 to 1000 shards.
fn count(opt: Opt, diag: &Diag) -> Option<Count> {
    let (name, usage) = (opt.name.to_string(), opt.usage);
    let value = opt.value(diag)?;
    let literal = syn::parse2::<LitInt>(value.to_token_stream()).ok();
    match literal.and_then(|text| Some((text.base10_parse().ok()?, text.span()))) {
        Some((number @ 1..=MOST_SHARDS, span)) => Some(Count { number, span }),
        _ => {
            let message = format!("`{name}` is a number from 1 to {MOST_SHARDS}; write `{usage}`");
            diag.over(value, message);
            None
        }
    }
}

/// Takes `shards` from the options and ends the partition key with it.
pub(crate) fn end_partition(options: &mut Options, pk: &mut [KeySource], reader: &Reader<'_>) {
    let count = options
        .take("shards")
        .and_then(|opt| count(opt, reader.diag));
    let Some(count) = count else { return };
    match pk {
        [KeySource::Template(template)] => template.shards = Some(count.number),
        fields => refuse_bare(fields, reader),
    }
}

/// Rule: a shard is the last part of a template, so bare fields have none.
fn refuse_bare(fields: &[KeySource], reader: &Reader<'_>) {
    let named = fields.iter().filter_map(|source| match source {
        KeySource::Field { field, span } | KeySource::Number { field, span } => {
            Some((reader.fields.get(*field)?, *span))
        }
        KeySource::Template(_) => None,
    });
    let named: Vec<_> = named
        .map(|(field, span)| (field.ident.unraw().to_string(), span))
        .collect();
    let parts: Vec<_> = named
        .iter()
        .map(|(name, _)| format!("{{{name}}}"))
        .collect();
    let message = match named.as_slice() {
        [] => return,
        [(name, _)] if fields.iter().any(KeySource::is_derived) => format!(
            "a number has no shards, because they are a part of a template; write `pk = \"{}#{{{name}}}\"`",
            name.to_uppercase()
        ),
        [(name, _)] => format!(
            "`{name}` is a key attribute itself, and `shards` adds a part to a template; write \
                `pk = \"{}#{{{name}}}\"`",
            name.to_uppercase()
        ),
        _ => format!(
            "`shards` adds a part to a template, which a list is not; write `pk = \"{}\"`",
            parts.join("#")
        ),
    };
    if let Some((_, span)) = named.first() {
        reader.diag.at(*span, message);
    }
}

/// The number of shards that are read: `read_shards`, otherwise as many as are written.
///
/// Rule: reads visit at least the shards that writes fill.
pub(crate) fn read(
    options: &mut Options,
    pk: &[KeySource],
    written: bool,
    reader: &Reader<'_>,
) -> Option<u16> {
    let shards = pk.first().and_then(KeySource::shards);
    let Some(opt) = options.take("read_shards") else {
        return shards;
    };
    let span = opt.name.span();
    let count = count(opt, reader.diag)?;
    if !written {
        let message = format!(
            "`read_shards` goes with `shards`, the number that is written; write \
                `shards = {0}, read_shards = {0}`",
            count.number
        );
        reader.diag.at(span, message);
        return None;
    }
    let shards = shards?;
    if count.number < shards {
        let message = format!(
            "reads have to visit all shards that are written; write `read_shards = {shards}` or more"
        );
        reader.diag.at(count.span, message);
        return None;
    }
    Some(count.number)
}
