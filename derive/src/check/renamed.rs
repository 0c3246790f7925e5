//! Rules for attributes that are being renamed.

use proc_macro2::Span;

use crate::check::name::derived_attributes;
use crate::check::reserved;
use crate::diag::Diag;
use crate::marks::EntityMarks;
use crate::model::{Entity, Field, FieldRole, Index, IndexProjection};

pub(super) fn check(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    for (at, (field, marks)) in entity.fields.iter().zip(&marks.fields).enumerate() {
        let (Some(former), Some(span)) = (&field.former, marks.former) else {
            continue;
        };
        let fault = role_fault(field, &former.name)
            .or_else(|| primary_key_fault(entity, at, &former.name))
            .or_else(|| index_fault(entity, at))
            .or_else(|| name_fault(entity, at, &former.name));
        match fault {
            Some(fault) => diag.at(span, fault),
            None => reserved::refuse(&former.name, span, diag),
        }
    }
}

/// The field has an attribute of its own, and the library does not manage it.
fn role_fault(field: &Field, former: &str) -> Option<String> {
    let keep = format!("keep the stored name by `rename = \"{former}\"`");
    Some(match field.role {
        FieldRole::Attribute => return None,
        FieldRole::Skip | FieldRole::Flatten | FieldRole::Rest => {
            "this field has no attribute of its own; remove `was`".to_owned()
        }
        FieldRole::Ttl => format!(
            "a table has one TTL attribute, and while it is switched to another one nothing expires; {keep}"
        ),
        managed => {
            let word = FieldRole::WORDS.word(managed).unwrap_or_default();
            format!("the library keeps a `{word}` under one name; {keep}")
        }
    })
}

/// No write changes the name of a key attribute of the table.
fn primary_key_fault(entity: &Entity, at: usize, former: &str) -> Option<String> {
    let is_key = entity.primary().any(|source| source.is_bare(at));
    is_key.then(|| {
        format!(
            "a key attribute of a table cannot be renamed; keep the stored name by `rename = \"{former}\"`, or move \
                the items into another table"
        )
    })
}

/// The attributes of an index are part of its definition, which DynamoDB does not change.
fn index_fault(entity: &Entity, at: usize) -> Option<String> {
    let is_key = |index: &&Index| index.keys().any(|source| source.is_bare(at));
    let lists = |index: &&Index| matches!(&index.project, IndexProjection::Only(fields) if fields.contains(&at));
    let mut indexes = entity.indexes.iter();
    let found = indexes.find(|index| is_key(index) || lists(index))?;
    let use_of = if is_key(&found) {
        "a key of"
    } else {
        "projected into"
    };
    Some(format!(
        "this attribute is {use_of} the index `{name}`, and DynamoDB does not change the attributes of an index; \
            declare another index with the new name beside `{name}`, on a field of its own, fill it, and switch the queries to it",
        name = found.name
    ))
}

/// No other attribute has the former name.
fn name_fault(entity: &Entity, at: usize, former: &str) -> Option<String> {
    let (field, others) = (entity.fields.get(at)?, entity.fields.iter().enumerate());
    if field.stored == former {
        return Some(format!(
            "`{former}` is the stored name of `{}` now; remove `was`, or give the field its new name",
            field.ident
        ));
    }
    let uses = |other: &Field| {
        let is_former = other
            .former
            .as_ref()
            .is_some_and(|other| other.name == former);
        other.is_stored() && (other.stored == former || is_former)
    };
    let mut others = others.filter(|(other, _)| *other != at);
    if let Some((_, other)) = others.find(|(_, other)| uses(other)) {
        return Some(format!(
            "`{former}` is a stored name of `{}` already, so `{}` cannot have been stored there; remove one of the two",
            other.ident, field.ident
        ));
    }
    let derived: Vec<(String, Span)> = derived_attributes(entity);
    let is_derived = derived.iter().any(|(name, _)| name == former);
    is_derived.then(|| {
        format!(
            "the attribute `{former}` holds the text of a key template, so `{}` cannot have been stored there; remove `was`",
            field.ident
        )
    })
}
