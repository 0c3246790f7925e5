//! Makes the functions by which an item puts its keys into the indexes of its entity.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;

use super::attribute::{index_attribute, index_pk_role};
use super::tokens::{local, plain_name};
use super::{codec, template, when};
use crate::model::{DerivedPart, Entity, Field, FieldRole, Index, KeySource, TableRef};

/// Returns all key attributes of an index: the source of each, its key, and its position in that key.
pub(super) fn index_keys(index: &Index) -> impl Iterator<Item = (&KeySource, &'static str, usize)> {
    let numbered = |sources| std::iter::zip(sources, 0..);
    let pk = numbered(&index.pk).map(|(source, at)| (source, "pk", at));
    pk.chain(numbered(&index.sk).map(|(source, at)| (source, "sk", at)))
}

/// Returns one access pattern for each index. The patterns of an index have the same keys, so one of them writes these.
pub(super) fn distinct(entity: &Entity) -> impl Iterator<Item = &Index> {
    entity.indexes.iter().enumerate().filter_map(|(at, index)| {
        let before = &entity.indexes[..at];
        (!before.iter().any(|earlier| earlier.on == index.on)).then_some(index)
    })
}

/// Returns the pattern that writes the keys of an index for all of its patterns.
pub(super) fn distinct_of<'a>(entity: &'a Entity, index: &'a Index) -> &'a Index {
    distinct(entity)
        .find(|first| first.on == index.on)
        .unwrap_or(index)
}

/// Returns the parts of all derived keys of an index, those of the partition key first; the library counts them so.
pub(super) fn derived_parts(index: &Index) -> Vec<DerivedPart> {
    index.keys().flat_map(KeySource::derived_parts).collect()
}

/// Names the function that writes a key attribute, which other expansions call.
pub(super) fn index_writer_name(index: &Index, role: &str, at: usize) -> Ident {
    format_ident!("write_{}_{role}_{at}", plain_name(&index.name))
}

/// Creates a function for each attribute with a template; bare fields are written as fields.
pub(super) fn index_writers(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let writers = distinct(entity).flat_map(|index| {
        index_keys(index).filter_map(move |(source, role, at)| {
            let template = source.template()?;
            let attribute = index_attribute(entity, index, role, at);
            let limit = match role {
                "pk" => index_pk_role(entity, index, at),
                _ => code!(__d::Role::Sort),
            };
            let function = index_writer_name(index, role, at);
            Some(template::writer(
                entity, &function, template, &attribute, &limit,
            ))
        })
    });
    code! {
        impl #key_struct { #(#writers)* }
    }
}

/// Returns the place of the value of a field after a write. For a managed field that is a variable, because the
/// library creates the value.
fn stored_value(field: &Field) -> TokenStream {
    let ident = &field.ident;
    match field.role {
        FieldRole::Ttl
        | FieldRole::CreatedAt
        | FieldRole::UpdatedAt
        | FieldRole::CreatedBy
        | FieldRole::UpdatedBy => {
            let stamped = local(&format!("stamped_{}", plain_name(ident)));
            code!(#stamped)
        }
        FieldRole::Attribute
        | FieldRole::Skip
        | FieldRole::Flatten
        | FieldRole::Rest
        | FieldRole::Version => {
            code!(self.#ident)
        }
    }
}

/// Declares variables for the managed fields that index keys are made of, or depend on.
pub(super) fn stamped_in_indexes(entity: &Entity) -> impl Iterator<Item = TokenStream> {
    let in_keys = entity.indexes.iter().flat_map(derived_parts);
    let in_keys = in_keys.map(|(field, _)| field);
    let in_conditions = entity
        .indexes
        .iter()
        .filter_map(|index| index.when.as_ref())
        .flat_map(|when| when.fields.iter().map(|(field, _)| *field));
    let used: std::collections::BTreeSet<usize> = in_keys.chain(in_conditions).collect();
    used.into_iter().filter_map(|field| {
        let field = &entity.fields[field];
        let (variable, value) = (stored_value(field), codec::stamped(field)?);
        Some(code!(let #variable = #value;))
    })
}

/// Writes the keys of an index. Its texts exist together, if all of their parts do, and each number exists if its field
/// does; an item without one of them is not in the index.
pub(super) fn encode_index(entity: &Entity, index: &Index, key_struct: &Ident) -> TokenStream {
    let when = index.when.as_ref().map(|when| {
        when::holds(entity, when, |field, _| {
            let place = stored_value(&entity.fields[field]);
            code!(&#place)
        })
    });
    let numbers = encode_numbers(entity, index, when.as_ref());
    let mut missing = Vec::new();
    let mut writes = Vec::new();
    for (source, role, at) in index_keys(index) {
        let Some(template) = source.template() else {
            continue;
        };
        let function = index_writer_name(index, role, at);
        let skip = already_written(entity, index, role, at);
        let shard = template::shard(template, &code!(__d::Shard::Of(hash)));
        let mut arguments = Vec::new();
        for part in template.parts() {
            let value = stored_value(&entity.fields[part.0]);
            let is_there = template::index_question(entity, part, "is_there");
            missing.push(code!(!#is_there(&#value)));
            arguments.push(template::index_part_of(entity, part, &code!(&#value)));
        }
        writes.push(code! {
            if !(#skip) {
                #key_struct::#function(__d::KeyTarget::attribute(writer) #shard #(, #arguments)*)?;
            }
        });
    }
    if writes.is_empty() {
        return numbers;
    }
    let when = when.map(|holds| code!(!#holds));
    let absent: Vec<_> = when.into_iter().chain(missing).collect();
    let absent = (!absent.is_empty()).then(|| {
        code! {
            if #(#absent)||* {
                break 'index false;
            }
        }
    });
    let written = written_flag(index, None);
    code! {
        #numbers
        let #written = 'index: {
            #absent
            #(#writes)*
            true
        };
    }
}

/// Writes the keys that are numbers of fields.
fn encode_numbers(entity: &Entity, index: &Index, when: Option<&TokenStream>) -> TokenStream {
    let writes = index_keys(index).filter_map(|(source, role, at)| {
        let KeySource::Number { field, .. } = source else {
            return None;
        };
        let value = stored_value(&entity.fields[*field]);
        let is_there = template::derived_item(entity, (*field, None), "is_there");
        let exists = [Some(code!(#is_there(&#value))), when.cloned()];
        let exists = exists.iter().flatten();
        let attribute = index_attribute(entity, index, role, at);
        let write = template::write_number(entity, *field, &code!(&#value), &attribute);
        let (written, skip) = (
            written_flag(index, Some((role, at))),
            already_written(entity, index, role, at),
        );
        Some(code! {
            let #written = #(#exists)&&*;
            if #written && !(#skip) {
                #write?;
            }
        })
    });
    code!(#(#writes)*)
}

/// Checks whether an earlier index has written the attribute already, since an item cannot have it twice.
fn already_written(entity: &Entity, index: &Index, role: &str, at: usize) -> TokenStream {
    if matches!(entity.table, TableRef::Own(_)) {
        return code!(false);
    }
    let mine = index_attribute(entity, index, role, at);
    let mut earlier = vec![
        code!(__d::same_text(#mine, __PK)),
        code!(__d::same_text(#mine, __SK)),
    ];
    for other in entity
        .indexes
        .iter()
        .take_while(|other| other.name != index.name)
    {
        if other.on == index.on {
            continue;
        }
        for (source, role, at) in index_keys(other) {
            let flag = match source {
                KeySource::Field { .. } => continue,
                KeySource::Template(_) => written_flag(other, None),
                KeySource::Number { .. } => written_flag(other, Some((role, at))),
            };
            let theirs = index_attribute(entity, other, role, at);
            earlier.push(code!((#flag && __d::same_text(#mine, #theirs))));
        }
    }
    code!(#(#earlier)||*)
}

/// Names the variable that tells later indexes whether the texts of this one were written, or one of its numbers.
fn written_flag(index: &Index, number: Option<(&str, usize)>) -> Ident {
    let on = plain_name(&index.on);
    local(&match number {
        None => format!("complete_{on}"),
        Some((role, at)) => format!("number_{on}_{role}_{at}"),
    })
}
