//! Reads `vector(similar, field = embedding, distance = cosine, within = org)`: a vector index.

use quote::ToTokens as _;
use syn::Ident;
use syn::ext::IdentExt as _;

use crate::diag::Diag;
use crate::model::{Distance, FieldUse, IndexProjection, VectorIndex};
use crate::parse::option::{Opt, OptionValue};
use crate::parse::options::{Options, named};
use crate::parse::reader::{Reader, known, resolve};
use crate::parse::{allow, attribute, index, option_place};

/// All vector indexes, in the order in which they were written.
pub(crate) fn read_all(opts: Vec<Opt>, reader: &Reader<'_>) -> Vec<VectorIndex> {
    opts.into_iter()
        .filter_map(|opt| one(opt, reader))
        .collect()
}

/// Rule: a vector index has a name, a field and a distance.
fn one(opt: Opt, reader: &Reader<'_>) -> Option<VectorIndex> {
    let diag = reader.diag;
    let (name, rest) = named(opt, diag)?;
    let mut options = Options::of(rest, &option_place::VECTOR, diag);
    let field = required(&mut options, "field", "`field = embedding`", &name, diag);
    let field = field.and_then(|opt| field_use(&opt.word(diag)?, reader));
    let usage = "`distance = cosine`, the distance for which its vectors were made";
    let distance = required(&mut options, "distance", usage, &name, diag);
    let distance = distance.and_then(|opt| {
        let word = opt.word(diag)?;
        known(
            &word.to_string(),
            word.span(),
            &Distance::WORDS,
            "distance",
            diag,
        )
    });
    let within = options.take("within");
    let within = within.and_then(|opt| field_use(&opt.word(diag)?, reader));
    let filters = options.take("filter");
    let filters = filters.map_or_else(Vec::new, |opt| fields(opt, reader));
    let project = options
        .take("project")
        .map(|opt| index::projection(opt, reader));
    let allows = allow::take(&mut options, diag);
    let renamed = options.take("rename").and_then(|opt| opt.stored_name(diag));
    Some(VectorIndex {
        stored_at: renamed.as_ref().map_or(name.span(), syn::LitStr::span),
        stored: renamed.map_or_else(|| name.unraw().to_string(), |text| text.value()),
        name,
        field: field?,
        distance: distance?,
        within,
        filters,
        project: project.unwrap_or(IndexProjection::All),
        allows,
    })
}

fn required(
    options: &mut Options,
    word: &str,
    usage: &str,
    name: &Ident,
    diag: &Diag,
) -> Option<Opt> {
    let message = format!("`{name}` has no `{word}`; write {usage}");
    options.required(word, name.span(), message, diag)
}

fn field_use(word: &Ident, reader: &Reader<'_>) -> Option<FieldUse> {
    let at = resolve(word, reader.fields, reader.diag)?;
    let span = word.span();
    Some(FieldUse { at, span })
}

/// `filter = field` or `filter = [field, ..]`
fn fields(opt: Opt, reader: &Reader<'_>) -> Vec<FieldUse> {
    let field = |value: OptionValue| match value {
        OptionValue::Word(word) => field_use(&word, reader),
        other => {
            let message = "`filter` takes fields; write `filter = [language, kind]`";
            reader.diag.over(other.to_token_stream(), message);
            None
        }
    };
    let values = match opt.value(reader.diag) {
        None => Vec::new(),
        Some(OptionValue::List(list)) => attribute::values(list, reader.diag),
        Some(single) => vec![single],
    };
    values.into_iter().filter_map(field).collect()
}
