//! Reads `gsi(..)` and `lsi(..)` of an entity.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::Ident;
use syn::ext::IdentExt as _;

use crate::diag::did_you_mean;
use crate::marks::IndexMarks;
use crate::model::{EntityProjection, Index, IndexKind, KeySource};
use crate::parse::allow;
use crate::parse::attribute;
use crate::parse::key;
use crate::parse::option::{Given, Opt, OptionValue};
use crate::parse::options::{Options, named};
use crate::parse::reader::{Reader, resolve};
use crate::parse::{option_place, shards, when};

/// All access patterns over indexes, in the order they were written.
pub(crate) fn read_all(
    opts: Vec<Opt>,
    shared: bool,
    reader: &Reader<'_>,
) -> (Vec<Index>, Vec<IndexMarks>) {
    let mut read: (Vec<Index>, Vec<IndexMarks>) = opts
        .into_iter()
        .filter_map(|opt| one(opt, shared, reader))
        .unzip();
    share_declarations(&mut read.0, &read.1);
    read
}

fn one(opt: Opt, shared: bool, reader: &Reader<'_>) -> Option<(Index, IndexMarks)> {
    let diag = reader.diag;
    let global = opt.name == "gsi";
    let (kind, place) = if global {
        (IndexKind::Global, &option_place::GSI)
    } else {
        (IndexKind::Local, &option_place::LSI)
    };
    let (name, rest) = named(opt, diag)?;
    let mut options = Options::of(rest, place, diag);

    let on = options.take("on").and_then(|opt| index_name(opt, reader));
    let on = on.unwrap_or_else(|| name.clone());
    let (mut pk, sk) = keys(&name, kind, &mut options, reader)?;
    let sharded = !options.lacks("shards");
    shards::end_partition(&mut options, &mut pk, reader);
    let read_shards = shards::read(&mut options, &pk, sharded, reader);
    let allows = allow::take(&mut options, diag);
    let mut marks = IndexMarks {
        rename: None,
        when: None,
        project: None,
    };
    let when = options.take("when").and_then(|opt| {
        marks.when = Some(opt.name.span());
        when::read(opt, reader)
    });
    let (project, project_at) = taken(options.take("project"));
    let (rename, rename_at) = taken(options.take("rename"));
    if shared {
        declared_by_table(project_at, rename_at, reader);
    } else {
        (marks.project, marks.rename) = (project_at, rename_at);
    }
    let project = project
        .filter(|_| !shared)
        .map(|opt| projection(opt, reader));
    let rename = rename
        .filter(|_| !shared)
        .and_then(|opt| opt.stored_name(diag));
    let stored = rename.map_or_else(|| on.unraw().to_string(), |text| text.value());
    let project = project.unwrap_or(EntityProjection::All);
    Some((
        Index {
            kind,
            name,
            on,
            stored,
            pk,
            sk,
            read_shards,
            when,
            project,
            allows,
        },
        marks,
    ))
}

fn taken(opt: Option<Opt>) -> (Option<Opt>, Option<Span>) {
    let span = opt.as_ref().map(|opt| opt.name.span());
    (opt, span)
}

/// `on = gsi1`
fn index_name(opt: Opt, reader: &Reader<'_>) -> Option<Ident> {
    match opt.value(reader.diag)? {
        OptionValue::Word(word) if syn::parse2::<Ident>(word.to_token_stream()).is_ok() => {
            Some(word)
        }
        other => {
            reader.diag.over(
                other,
                "`on` takes the bare name of an index; write `on = gsi1`",
            );
            None
        }
    }
}

type IndexKeys = (Vec<KeySource>, Vec<KeySource>);

/// Rules: a gsi has a `pk`; an lsi has an `sk` and no `pk`. `None` if a key attribute is missing
/// or could not be read.
fn keys(
    name: &Ident,
    kind: IndexKind,
    options: &mut Options,
    reader: &Reader<'_>,
) -> Option<IndexKeys> {
    let (no_pk, no_sk) = (options.lacks("pk"), options.lacks("sk"));
    let (pk, sk) = (options.take("pk"), options.take("sk"));
    let say = |span, message: &str| reader.diag.at(span, format!("`{name}` {message}"));
    if kind == IndexKind::Local {
        if let Some(pk) = &pk {
            let fix = if no_sk { "write `sk`" } else { "remove `pk`" };
            let message = format!(
                "is an lsi, whose partition key is that of the table; {fix}, or write `gsi`"
            );
            say(pk.name.span(), &message);
        } else if no_sk {
            say(
                name.span(),
                "lacks its `sk`; an lsi orders the partition anew: write `sk = field` or `sk = \
                    \"{field}\"`",
            );
        }
        let sk = sk?;
        if let Given::Value(OptionValue::List(list)) = &sk.given {
            say(
                list.span(),
                "is an lsi, which takes one field or one template; lists are for a gsi",
            );
            return None;
        }
        let sk = key::several(sk, reader);
        return (!sk.is_empty()).then_some((Vec::new(), sk));
    }
    if no_pk {
        say(
            name.span(),
            "lacks its `pk`; write `pk = field` or `pk = \"TEXT#{field}\"`",
        );
    }
    let sorted = sk.is_some();
    let sk = sk.map(|opt| key::several(opt, reader)).unwrap_or_default();
    let pk = key::several(pk?, reader);
    (!pk.is_empty() && sorted != sk.is_empty()).then_some((pk, sk))
}

/// Rule: the table declares what an index of a shared table projects, and how it is stored.
fn declared_by_table(project: Option<Span>, rename: Option<Span>, reader: &Reader<'_>) {
    for (word, span) in [("project", project), ("rename", rename)] {
        if let Some(span) = span {
            reader.diag.at(
                span,
                format!("`{word}`: the table declares this index; write `{word}` there"),
            );
        }
    }
}

/// `project = all`, `keys` or `[field, ..]`
fn projection(opt: Opt, reader: &Reader<'_>) -> EntityProjection {
    const USAGE: &str = "`project` takes `all`, `keys` or a list of fields `[field, ..]`";
    let Some(value) = opt.value(reader.diag) else {
        return EntityProjection::All;
    };
    match value {
        OptionValue::Word(word) if word == "all" => EntityProjection::All,
        OptionValue::Word(word) if word == "keys" => EntityProjection::Keys,
        OptionValue::List(list) => {
            let field = |value| match value {
                OptionValue::Word(word) => resolve(&word, reader.fields, reader.diag),
                other => {
                    reader.diag.over(
                        other,
                        "this list holds bare fields only; write the field's name",
                    );
                    None
                }
            };
            let values = attribute::values(list, reader.diag);
            EntityProjection::Fields(values.into_iter().filter_map(field).collect())
        }
        other => {
            let text = other.to_token_stream().to_string();
            let hint = did_you_mean(&text, ["all", "keys"]);
            reader.diag.over(other, format!("{USAGE}{hint}"));
            EntityProjection::All
        }
    }
}

/// Several access patterns may fill one index; the declaration of one of them applies to all.
fn share_declarations(indexes: &mut [Index], marks: &[IndexMarks]) {
    let (mut projects, mut names) = (Vec::new(), Vec::new());
    for (index, marks) in indexes.iter().zip(marks) {
        if marks.project.is_some() {
            projects.push((index.on.clone(), copy(&index.project)));
        }
        if marks.rename.is_some() {
            names.push((index.on.clone(), index.stored.clone()));
        }
    }
    for (index, marks) in indexes.iter_mut().zip(marks) {
        let project = projects.iter().find(|(on, _)| *on == index.on);
        if let Some((_, project)) = project.filter(|_| marks.project.is_none()) {
            index.project = copy(project);
        }
        let name = names.iter().find(|(on, _)| *on == index.on);
        if let Some((_, name)) = name.filter(|_| marks.rename.is_none()) {
            index.stored.clone_from(name);
        }
    }
}

fn copy(project: &EntityProjection) -> EntityProjection {
    match project {
        EntityProjection::All => EntityProjection::All,
        EntityProjection::Keys => EntityProjection::Keys,
        EntityProjection::Fields(fields) => EntityProjection::Fields(fields.clone()),
    }
}
