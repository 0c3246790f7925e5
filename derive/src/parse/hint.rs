//! What can be said about a declaration with mistakes. Nothing here reports anything, because the full reading has done
//! so.

use std::collections::BTreeSet;

use syn::ext::IdentExt as _;
use syn::{Attribute, Data, DataStruct, DeriveInput, Fields, Ident};

use crate::diag::Diag;
use crate::model::hint::{CollectionHint, EntityHint, TableHint, ValueHint};
use crate::model::{Field, Form, Role};
use crate::parse::option::{Given, Opt, OptionValue};
use crate::parse::{attribute, entity, krate};

pub(crate) fn entity(input: &DeriveInput) -> EntityHint {
    let (mut key, mut repository) = (None, None);
    for opt in options(&input.attrs) {
        match &*opt.name.to_string() {
            "key" => key = Some(opt),
            "repository" => repository = entity::repository(opt, &input.ident, &Diag::new()),
            _ => {}
        }
    }
    EntityHint {
        repository,
        krate: krate::read(&input.attrs),
        key_parts: key.map_or(0, key_parts),
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

/// How many names there are; one if that cannot be told.
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
        ("skip", Role::Skip),
        ("rest", Role::Rest),
        ("version", Role::Version),
    ];
    let role = roles.into_iter().find(|(name, _)| has(name));
    let ident = field.ident?;
    Some(Field {
        stored: ident.unraw().to_string(),
        ident,
        vis: field.vis,
        ty: field.ty,
        role: role.map_or(Role::Attribute, |(_, role)| role),
        form: if has("serde") { Form::Serde } else { Form::Own },
        default: None,
    })
}

/// The name that begins `gsi(NAME, ..)`, if it can name a constant.
fn first_word(opt: Opt) -> Option<Ident> {
    let first = list(opt).into_iter().next()?;
    let is_name = syn::parse_str::<Ident>(&first.name.to_string()).is_ok();
    (matches!(first.given, Given::Flag) && is_name).then_some(first.name)
}

/// The fields that a key names, whether they exist or not, each once.
fn key_parts(key: Opt) -> usize {
    let mut names = BTreeSet::new();
    for opt in list(key) {
        match opt.given {
            Given::Value(OptionValue::Word(word)) => {
                names.insert(word.unraw().to_string());
            }
            Given::Value(OptionValue::Text(text)) => {
                let text = text.value();
                let parts = text.split('{').skip(1);
                names.extend(parts.map(|part| {
                    let name = part.split([':', '}']).next();
                    name.unwrap_or_default().trim().to_owned()
                }));
            }
            _ => {}
        }
    }
    names.len()
}
