//! Reads `gsi(..)` and `lsi(..)` of an entity.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::Ident;
use syn::ext::IdentExt as _;

use crate::marks::IndexMarks;
use crate::model::{Index, IndexKind, IndexProjection};
use crate::parse::index_option::{self, IndexOptions, KeyUsage};
use crate::parse::option::{Opt, OptionValue};
use crate::parse::reader::{Reader, resolve};
use crate::parse::{allow, key, option_place, shards, when};

const KEYS: KeyUsage = KeyUsage {
    pk: "`pk = field` or `pk = \"TEXT#{field}\"`",
    sk: "`sk = field` or `sk = \"{field}\"`",
    single: "one field or one template",
};

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
    let mut read = index_option::open(opt, &option_place::GSI, &option_place::LSI, diag)?;
    let on = read.options.take("on");
    let on = on.and_then(|opt| index_name(opt, reader));
    let on = on.unwrap_or_else(|| read.name.clone());
    let keys = read.keys(&KEYS, |opt| key::several(opt, reader), diag)?;
    if keys.sk.as_ref().is_some_and(Vec::is_empty) {
        return None;
    }
    let (mut pk, sk) = (keys.pk, keys.sk.unwrap_or_default());
    let IndexOptions {
        kind,
        name,
        mut options,
    } = read;
    let sharded = !options.lacks("shards");
    shards::end_partition(&mut options, &mut pk, reader);
    let read_shards = shards::read(&mut options, &pk, sharded, reader);
    let filling = options.take("filling").and_then(|opt| opt.flag(diag));
    let allows = allow::take(&mut options, diag);
    let mut marks = IndexMarks {
        rename: None,
        when: None,
        project: None,
    };
    let mut when = options.take("when").and_then(|opt| {
        marks.when = Some(opt.name.span());
        when::read(opt, reader)
    });
    if kind == IndexKind::Global && marks.when.is_none() {
        when = when::any_part(pk.iter().chain(&sk), reader);
    }
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
    let project = project.unwrap_or(IndexProjection::All);
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
            filling: filling.is_some(),
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
pub(super) fn projection(opt: Opt, reader: &Reader<'_>) -> IndexProjection<usize> {
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
    let fields = |values: Vec<_>| values.into_iter().filter_map(field).collect();
    index_option::projection(opt, "fields `[field, ..]`", fields, reader.diag)
}

/// Several access patterns may fill one index; the declaration of one of them applies to all.
fn share_declarations(indexes: &mut [Index], marks: &[IndexMarks]) {
    let (mut projects, mut names) = (Vec::new(), Vec::new());
    for (index, marks) in indexes.iter().zip(marks) {
        if marks.project.is_some() {
            projects.push((index.on.clone(), index.project.clone()));
        }
        if marks.rename.is_some() {
            names.push((index.on.clone(), index.stored.clone()));
        }
    }
    for (index, marks) in indexes.iter_mut().zip(marks) {
        let project = projects.iter().find(|(on, _)| *on == index.on);
        if let Some((_, project)) = project.filter(|_| marks.project.is_none()) {
            index.project.clone_from(project);
        }
        let name = names.iter().find(|(on, _)| *on == index.on);
        if let Some((_, name)) = name.filter(|_| marks.rename.is_none()) {
            index.stored.clone_from(name);
        }
    }
}
