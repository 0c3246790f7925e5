//! The information in a declaration with mistakes. Nothing here reports anything, because the full parser has done
//! so.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenTree};
use syn::ext::IdentExt as _;
use syn::{Attribute, Data, DataStruct, DeriveInput, Fields, Ident};

use crate::diag::Diag;
use crate::model::{Field, FieldRole, Form};
use crate::parse::option::{Given, Opt, OptionValue};
use crate::parse::{attribute, entity, field, option_place};

/// The parts of a declaration that an entity's stub needs.
pub(crate) struct EntityHint {
    /// The number of key parts, if it is known.
    pub(crate) key_parts: usize,
    /// The access patterns: that of the table first, then those of the indexes.
    pub(crate) patterns: Vec<PatternHint>,
    /// The look-ups of unique values, with the number of their parts.
    pub(crate) look_ups: Vec<(Ident, usize)>,
    /// The searches of vector indexes.
    pub(crate) searches: Vec<SearchHint>,
    /// The parts of all sort keys, each once.
    pub(crate) sort_parts: BTreeSet<Ident>,
    /// Whether its items are created only.
    pub(crate) append_only: bool,
    /// The trait that services depend on.
    pub(crate) repository: Option<Ident>,
}

/// An access pattern, if it is known.
pub(crate) struct PatternHint {
    pub(crate) name: Ident,
    /// The number of parts of the partition key.
    pub(crate) parts: usize,
    /// The parts of the sort key, in order.
    pub(crate) sort_parts: Vec<Ident>,
    /// Whether the rows are whole entities.
    pub(crate) whole: bool,
}

/// A search of a vector index.
pub(crate) struct SearchHint {
    pub(crate) name: Ident,
    /// Whether the hits are whole entities.
    pub(crate) whole: bool,
    /// Whether a larger score is nearer.
    pub(crate) by_product: bool,
}

pub(crate) fn entity(input: &DeriveInput) -> EntityHint {
    let (mut key, mut repository) = (Vec::new(), None);
    let (mut indexes, mut look_ups) = (Vec::new(), Vec::new());
    let mut searches = Vec::new();
    let mut append_only = false;
    for opt in options(&input.attrs) {
        match &*opt.name.to_string() {
            "append_only" => append_only = true,
            "key" => key = list(opt),
            "repository" => repository = entity::repository(opt, &input.ident, &Diag::new()),
            "gsi" | "lsi" => indexes.extend(function(opt)),
            "unique" => look_ups.extend(function(opt)),
            "vector" => searches.extend(function(opt)),
            _ => {}
        }
    }
    let patterns = patterns(&key, &indexes);
    look_ups.retain(|(name, _)| patterns.iter().all(|pattern| pattern.name != *name));
    look_ups.retain(|(name, _)| searches.iter().all(|(search, _)| search != name));
    let searches = search_hints(searches, &patterns);
    let is_field = |opt: &&Opt| matches!(opt.given, Given::Flag);
    let look_ups = look_ups.into_iter();
    let sort_keys = std::iter::once(&key).chain(indexes.iter().map(|(_, opts)| opts));
    EntityHint {
        append_only,
        repository,
        key_parts: key.iter().flat_map(names_of).collect::<BTreeSet<_>>().len(),
        look_ups: look_ups
            .map(|(name, opts)| (name, opts.iter().filter(is_field).count()))
            .collect(),
        searches,
        sort_parts: sort_keys.flat_map(|opts| sort_parts(opts)).collect(),
        patterns,
    }
}

/// The indexes that a table declares, each once.
pub(crate) fn indexes(input: &DeriveInput) -> Vec<Ident> {
    let mut indexes: Vec<Ident> = Vec::new();
    for opt in options(&input.attrs) {
        let is_index = opt.name == "gsi" || opt.name == "lsi";
        if let Some(name) = list(opt).into_iter().next().filter(is_name)
            && is_index
            && !indexes.contains(&name.name)
        {
            indexes.push(name.name);
        }
    }
    indexes
}

/// The number of parts of a collection's partition key; one if that is not known.
pub(crate) fn partition_parts(input: &DeriveInput) -> usize {
    let mut options = options(&input.attrs).into_iter();
    // The option counts even if it is misspelt.
    let partition = options.find(|opt| opt.name.to_string().starts_with("part"));
    let Some(names) = partition.and_then(|opt| opt.group(&Diag::new())) else {
        return 1;
    };
    let names = names.tokens();
    match names.is_empty() {
        true => 0,
        false => attribute::options(names, &Diag::new()).len().max(1),
    }
}

/// The fields that paths lead to: the named fields of a struct, with as much as a path needs.
pub(crate) fn paths(data: Data) -> Option<Vec<Field>> {
    let Data::Struct(DataStruct {
        fields: Fields::Named(fields),
        ..
    }) = data
    else {
        return None;
    };
    let (fields, _) = field::named(fields, &option_place::FIELD, None, &Diag::new());
    let path = |field: Field| Field {
        role: match field.role {
            FieldRole::Skip | FieldRole::Flatten | FieldRole::Rest | FieldRole::Version => {
                field.role
            }
            _ => FieldRole::Attribute,
        },
        form: match field.form {
            form @ (Form::Serde
            | Form::SerdeNull
            | Form::Null
            | Form::Compress
            | Form::Decompress) => form,
            _ => Form::Own,
        },
        default: None,
        former: None,
        ..field
    };
    Some(fields.into_iter().map(path).collect())
}

fn options(attrs: &[Attribute]) -> Vec<Opt> {
    attribute::read(attrs, &Diag::new())
}

fn list(opt: Opt) -> Vec<Opt> {
    attribute::list(opt, &Diag::new()).unwrap_or_default()
}

/// The name of an index or of a unique value, if it can name a function, and the options after it.
fn function(opt: Opt) -> Option<(Ident, Vec<Opt>)> {
    let mut opts = list(opt).into_iter();
    let name = opts.next().filter(is_name)?.name;
    (name != "key" && name != "in_partition").then(|| (name, opts.collect()))
}

fn is_name(opt: &Opt) -> bool {
    let is_name = syn::parse_str::<Ident>(&opt.name.to_string()).is_ok();
    matches!(opt.given, Given::Flag) && is_name
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

/// The searches, each name once.
fn search_hints(found: Vec<(Ident, Vec<Opt>)>, patterns: &[PatternHint]) -> Vec<SearchHint> {
    let mut searches: Vec<SearchHint> = Vec::new();
    for (name, opts) in found {
        let is_taken = patterns.iter().any(|pattern| pattern.name == name)
            || searches.iter().any(|search| search.name == name);
        if is_taken {
            continue;
        }
        let names = |word: &str| named_by(&opts, word);
        searches.push(SearchHint {
            whole: names("project").iter().all(|held| held == "all")
                && !opts
                    .iter()
                    .any(|opt| opt.name == "project" && names("project").is_empty()),
            by_product: names("distance").iter().any(|word| word == "dot_product"),
            name,
        });
    }
    searches
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
