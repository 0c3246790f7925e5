//! The information in a declaration with mistakes. Nothing here reports anything, because the full parser has done
//! so.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenTree};
use syn::ext::IdentExt as _;
use syn::{Attribute, Data, DataStruct, DeriveInput, Fields, Ident};

use crate::diag::Diag;
use crate::model::hint::{CollectionHint, EntityHint, PatternHint, TableHint, ValueHint};
use crate::model::{Field, FieldRole, Form};
use crate::parse::option::{Given, Opt, OptionValue};
use crate::parse::{attribute, entity, krate};

pub(crate) fn entity(input: &DeriveInput) -> EntityHint {
    let (mut key, mut repository) = (Vec::new(), None);
    let (mut indexes, mut look_ups) = (Vec::new(), Vec::new());
    let mut append_only = false;
    for opt in options(&input.attrs) {
        match &*opt.name.to_string() {
            "append_only" => append_only = true,
            "key" => key = list(opt),
            "repository" => repository = entity::repository(opt, &input.ident, &Diag::new()),
            "gsi" | "lsi" => indexes.extend(index(opt)),
            "unique" => look_ups.extend(look_up(opt)),
            _ => {}
        }
    }
    let patterns = patterns(&key, &indexes);
    look_ups.retain(|(name, _)| patterns.iter().all(|pattern| pattern.name != *name));
    let sort_keys = std::iter::once(&key).chain(indexes.iter().map(|(_, opts)| opts));
    let sort_parts: BTreeSet<String> = sort_keys.flat_map(|opts| named_by(opts, "sk")).collect();
    let names = sort_parts.iter();
    EntityHint {
        append_only,
        repository,
        krate: krate::read(&input.attrs),
        key_parts: key.iter().flat_map(names_of).collect::<BTreeSet<_>>().len(),
        patterns,
        look_ups,
        sort_parts: names.filter_map(|name| syn::parse_str(name).ok()).collect(),
        versioned: fields(&input.data).any(|field| {
            options(&field.attrs)
                .iter()
                .any(|opt| opt.name == "version")
        }),
    }
}

pub(crate) fn table(input: &DeriveInput) -> TableHint {
    let mut indexes: Vec<Ident> = Vec::new();
    for opt in options(&input.attrs) {
        let is_index = opt.name == "gsi" || opt.name == "lsi";
        if let Some(name) = first_word(opt).filter(|_| is_index)
            && !indexes.contains(&name)
        {
            indexes.push(name);
        }
    }
    TableHint {
        krate: krate::read(&input.attrs),
        indexes,
    }
}

pub(crate) fn collection(input: &DeriveInput) -> CollectionHint {
    let mut options = options(&input.attrs).into_iter();
    // The option counts even if it is misspelt.
    let partition = options.find(|opt| opt.name.to_string().starts_with("part"));
    CollectionHint {
        krate: krate::read(&input.attrs),
        partition: partition.map_or(1, partition_parts),
    }
}

/// The number of names; one if that is not known.
fn partition_parts(partition: Opt) -> usize {
    let Some(names) = partition.group(&Diag::new()) else {
        return 1;
    };
    let names = names.tokens();
    match names.is_empty() {
        true => 0,
        false => attribute::options(names, &Diag::new()).len().max(1),
    }
}

pub(crate) fn value(input: &DeriveInput) -> ValueHint {
    ValueHint {
        krate: krate::read(&input.attrs),
    }
}

/// The fields that paths lead to: the named fields of a struct.
pub(crate) fn paths(data: Data) -> Option<Vec<Field>> {
    match data {
        Data::Struct(DataStruct {
            fields: Fields::Named(fields),
            ..
        }) => Some(fields.named.into_iter().filter_map(path).collect()),
        _ => None,
    }
}

fn options(attrs: &[Attribute]) -> Vec<Opt> {
    attribute::read(attrs, &Diag::new())
}

fn list(opt: Opt) -> Vec<Opt> {
    attribute::list(opt, &Diag::new()).unwrap_or_default()
}

/// The fields of a struct.
fn fields(data: &Data) -> impl Iterator<Item = &syn::Field> {
    let fields = match data {
        Data::Struct(data) => Some(&data.fields),
        Data::Enum(_) | Data::Union(_) => None,
    };
    fields.into_iter().flatten()
}

/// A named field, with as much as its path needs.
fn path(field: syn::Field) -> Option<Field> {
    let options = options(&field.attrs);
    let has = |name: &str| options.iter().any(|opt| opt.name == name);
    let roles = [
        ("skip", FieldRole::Skip),
        ("rest", FieldRole::Rest),
        ("version", FieldRole::Version),
    ];
    let role = roles.into_iter().find(|(name, _)| has(name));
    let ident = field.ident?;
    Some(Field {
        stored: ident.unraw().to_string(),
        ident,
        vis: field.vis,
        ty: field.ty,
        role: role.map_or(FieldRole::Attribute, |(_, role)| role),
        form: if has("serde") { Form::Serde } else { Form::Own },
        doc: String::new(),
        default: None,
        allows: Vec::new(),
    })
}

/// The name that begins `gsi(NAME, ..)`, if it can name a constant.
fn first_word(opt: Opt) -> Option<Ident> {
    let first = list(opt).into_iter().next()?;
    let is_name = syn::parse_str::<Ident>(&first.name.to_string()).is_ok();
    (matches!(first.given, Given::Flag) && is_name).then_some(first.name)
}

/// The name of an index, and its options.
fn index(opt: Opt) -> Option<(Ident, Vec<Opt>)> {
    let mut opts = list(opt).into_iter();
    let name = opts.next().filter(names_a_function)?.name;
    Some((name, opts.collect()))
}

/// The name of a unique value, and how many fields it has.
fn look_up(opt: Opt) -> Option<(Ident, usize)> {
    let mut opts = list(opt).into_iter();
    let name = opts.next().filter(names_a_function)?.name;
    Some((
        name,
        opts.filter(|opt| matches!(opt.given, Given::Flag)).count(),
    ))
}

fn names_a_function(opt: &Opt) -> bool {
    let is_name = syn::parse_str::<Ident>(&opt.name.to_string()).is_ok();
    matches!(opt.given, Given::Flag) && is_name && opt.name != "key" && opt.name != "in_partition"
}

/// The access patterns, each name once. An index without a `pk` has the table's.
fn patterns(key: &[Opt], indexes: &[(Ident, Vec<Opt>)]) -> Vec<PatternHint> {
    let parts = named_by(key, "pk").len();
    let mut patterns = vec![PatternHint {
        name: Ident::new("in_partition", Span::call_site()),
        parts,
        sort_parts: sort_parts(key),
        whole: true,
    }];
    for (name, opts) in indexes {
        if patterns.iter().any(|pattern| pattern.name == *name) {
            continue;
        }
        let has = |word: &str| opts.iter().any(|opt| opt.name == word);
        patterns.push(PatternHint {
            name: name.clone(),
            parts: if has("pk") {
                named_by(opts, "pk").len()
            } else {
                parts
            },
            sort_parts: sort_parts(opts),
            whole: !has("project"),
        });
    }
    patterns
}

/// The fields of a sort key that can be names of methods.
fn sort_parts(opts: &[Opt]) -> Vec<Ident> {
    let names = named_by(opts, "sk").into_iter();
    names
        .filter_map(|name| syn::parse_str(&name).ok())
        .collect()
}

/// The fields that the key of this word names, each once and in order.
fn named_by(opts: &[Opt], word: &str) -> Vec<String> {
    let keys = opts.iter().filter(|opt| opt.name == word);
    let mut names: Vec<String> = Vec::new();
    for name in keys.flat_map(names_of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The fields that an option names, whether they exist or not.
fn names_of(opt: &Opt) -> Vec<String> {
    let Given::Value(value) = &opt.given else {
        return Vec::new();
    };
    match value {
        OptionValue::Word(word) => vec![word.unraw().to_string()],
        OptionValue::Text(text) => {
            let text = text.value();
            let parts = text.split('{').skip(1);
            parts
                .map(|part| {
                    let name = part.split([':', '}']).next();
                    name.unwrap_or_default().trim().to_owned()
                })
                .collect()
        }
        OptionValue::List(list) => {
            let words = list.tokens().into_iter();
            let words = words.filter_map(|token| match token {
                TokenTree::Ident(word) => Some(word.unraw().to_string()),
                _ => None,
            });
            words.collect()
        }
        OptionValue::Path(_) | OptionValue::Expr(_) => Vec::new(),
    }
}
