//! Rules about unique values, each of which makes a write a transaction.

use std::collections::BTreeSet;

use super::finding::{Findings, LintPlace};
use crate::schema::{EntitySchema, FieldSchema, KeyPair, PatternSchema, TableSchema, UniqueSchema};

fn place(entity: &EntitySchema, unique: &UniqueSchema) -> LintPlace {
    LintPlace::Unique {
        entity: entity.name.clone(),
        unique: unique.name.clone(),
    }
}

fn fields(unique: &UniqueSchema) -> BTreeSet<&str> {
    unique.fields.iter().map(String::as_str).collect()
}

/// All unique values with their entities. Those in rows of another program are omitted, because that program decides about
/// them.
fn uniques<'s>(
    table: &'s TableSchema,
) -> impl Iterator<Item = (&'s EntitySchema, &'s UniqueSchema)> + use<'s> {
    let entities = table.entities.iter();
    let all = entities.flat_map(|entity| entity.uniques.iter().map(move |unique| (entity, unique)));
    all.filter(|(_, unique)| unique.row.is_none())
}

pub(super) fn needless_unique(table: &TableSchema, findings: &mut Findings) {
    for (entity, unique) in uniques(table) {
        let keys = KeyPair::of_table(entity);
        let (mut id, fields) = (keys.partition_fields(), fields(unique));
        id.extend(keys.sort_fields());
        let is_id = !id.is_empty() && id.iter().all(|part| fields.contains(part.name));
        if is_id {
            findings.add(
                place(entity, unique),
                "it contains all fields of the primary key, which no two items share anyway"
                    .to_owned(),
                format!("remove it; `{}::key(..).get()` finds the item", entity.name),
            );
        }
    }
}

pub(super) fn implied_unique(table: &TableSchema, findings: &mut Findings) {
    for (entity, unique) in uniques(table) {
        let all = fields(unique);
        let is_within = |other: &&UniqueSchema| {
            let other = fields(other);
            !other.is_empty() && other.len() < all.len() && other.is_subset(&all)
        };
        let mut own = entity.uniques.iter().filter(|other| other.row.is_none());
        if let Some(other) = own.find(is_within) {
            let other = &other.name;
            findings.add(
                place(entity, unique),
                format!("`{other}` is already unique, so this is too, and it is paid for twice"),
                format!("keep one: remove it, or `{other}` if only all of it together is unique"),
            );
        }
    }
}

pub(super) fn few_unique_values(table: &TableSchema, findings: &mut Findings) {
    for (entity, unique) in uniques(table) {
        let mut named = unique.fields.iter();
        let is_flags = named.all(|name| entity.field(name).is_some_and(FieldSchema::is_flag));
        if is_flags && !unique.fields.is_empty() {
            let shift = u32::try_from(unique.fields.len()).unwrap_or(u32::MAX);
            let items = 1u64.checked_shl(shift).unwrap_or(u64::MAX);
            findings.add(
                place(entity, unique),
                format!(
                    "its fields are yes or no, so there can be {items} items of `{}`",
                    entity.name
                ),
                "add the field within which it is unique",
            );
        }
    }
}

pub(super) fn changing_unique(table: &TableSchema, findings: &mut Findings) {
    for (entity, unique) in uniques(table) {
        let mut states = entity.patterns.iter().filter_map(PatternSchema::pinned);
        let state = states.find(|(name, _)| unique.fields.iter().any(|field| field == name));
        if let Some((name, _)) = state {
            findings.add(
                place(entity, unique),
                format!(
                    "`{name}` is a state, because `when` depends on it, and each change \
                     of it is a transaction that releases one value and takes another"
                ),
                format!(
                    "keep values that are unique among the items of one state in an entity of its own, and remove `{name}` from this one"
                ),
            );
        }
    }
}
