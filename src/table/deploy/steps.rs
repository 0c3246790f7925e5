//! From a declared table and the one that is there to the changes between them. Nothing is asked here.

use std::collections::BTreeMap;

use super::super::{compare, limits};
use super::change::shown;
use super::found::FoundTable;
use super::{Deletion, PlanStep, RoughTime, TableChange};
use crate::schema::{Billing, IndexSchema, KeyContent, TableSchema, TableSettings};

/// What makes the table as it is declared, in order. A table is protected before anything else, and what is removed goes
/// last.
pub(in crate::table) fn changes(
    declared: &TableSchema,
    found: Option<&FoundTable>,
) -> Vec<TableChange> {
    let Some(found) = found else {
        return creation(declared);
    };
    let there = &found.described.schema;
    let mut changes: Vec<TableChange> = compare::obstacles(declared, there)
        .into_iter()
        .map(TableChange::Replace)
        .collect();
    changes.extend(protection(&declared.settings, &there.settings));
    changes.extend(recovery(declared, found));
    changes.extend(billing(declared, found));
    changes.extend(class(&declared.settings, &there.settings));
    let (mut added, removed) = indexes(declared, there);
    let is_full = there.global_indexes.len() + added.len() > limits::GLOBAL_INDEXES;
    let mut last = removed;
    if is_full {
        // There is no room for the new ones before.
        last.append(&mut added);
    }
    changes.append(&mut added);
    changes.extend(stream(declared, there));
    changes.extend(expiry(declared, found));
    changes.extend(tags(declared, found));
    changes.append(&mut last);
    changes
}

/// A table that is not there. What the service takes only for a table that is there follows.
fn creation(declared: &TableSchema) -> Vec<TableChange> {
    let recovery = declared.settings.point_in_time_recovery;
    [TableChange::CreateTable]
        .into_iter()
        .chain(recovery.map(TableChange::SetRecovery))
        .chain(declared.ttl.clone().map(TableChange::AddTtl))
        .collect()
}

fn protection(declared: &TableSettings, there: &TableSettings) -> Option<TableChange> {
    let wanted = declared.deletion_protection?;
    (there.deletion_protection != Some(wanted)).then_some(TableChange::SetProtection(wanted))
}

fn class(declared: &TableSettings, there: &TableSettings) -> Option<TableChange> {
    let wanted = declared.class?;
    (there.class? != wanted).then_some(TableChange::SetClass(wanted))
}

fn recovery(declared: &TableSchema, found: &FoundTable) -> Option<TableChange> {
    let wanted = declared.settings.point_in_time_recovery?;
    let there = found.recovery?;
    // A server that tells no days keeps what it keeps.
    match there.days.filter(|_| there.is_on) {
        Some(days) if days > wanted => Some(TableChange::ShortenRecovery(wanted)),
        Some(days) if days < wanted => Some(TableChange::SetRecovery(wanted)),
        _ if !there.is_on => Some(TableChange::SetRecovery(wanted)),
        _ => None,
    }
}

/// Units that others scale are not compared, but whether there are units at all.
fn billing(declared: &TableSchema, found: &FoundTable) -> Option<TableChange> {
    let wanted = declared.settings.billing?;
    let there = found.described.schema.settings.billing;
    let there = there.and_then(Billing::units);
    let is_same = match wanted {
        Billing::OnDemand => there.is_none(),
        Billing::Scaled { .. } => there.is_some(),
        Billing::Provisioned { reads, writes } => {
            let of_index = |index: &IndexSchema| found.described.index_units.get(&index.name);
            let mut indexes = declared.global_indexes.iter().filter_map(of_index);
            there == Some((reads, writes)) && indexes.all(|units| *units == (reads, writes))
        }
    };
    (!is_same).then_some(TableChange::SetBilling(wanted))
}

/// Those that are to be added, and those that are to be removed.
fn indexes(declared: &TableSchema, there: &TableSchema) -> (Vec<TableChange>, Vec<TableChange>) {
    let lacking =
        |in_schema: &TableSchema, index: &&IndexSchema| !compare::has(in_schema, &index.name);
    let added = declared
        .global_indexes
        .iter()
        .filter(|index| lacking(there, index));
    let removed = there
        .global_indexes
        .iter()
        .filter(|index| lacking(declared, index));
    (
        added
            .map(|index| TableChange::AddIndex(index.name.clone()))
            .collect(),
        removed
            .map(|index| TableChange::RemoveIndex(index.name.clone()))
            .collect(),
    )
}

/// A stream that was not declared is of others.
fn stream(declared: &TableSchema, there: &TableSchema) -> Vec<TableChange> {
    match (declared.stream, there.stream) {
        (Some(wanted), None) => vec![TableChange::AddStream(wanted)],
        (Some(wanted), Some(view)) if wanted != view => {
            vec![TableChange::RemoveStream, TableChange::AddStream(wanted)]
        }
        _ => Vec::new(),
    }
}

fn expiry(declared: &TableSchema, found: &FoundTable) -> Vec<TableChange> {
    let Some(there) = &found.expiry else {
        return Vec::new();
    };
    if declared.ttl == there.attribute {
        return Vec::new();
    }
    let removed = there.attribute.clone().map(TableChange::RemoveTtl);
    let added = declared.ttl.clone().map(TableChange::AddTtl);
    removed.into_iter().chain(added).collect()
}

fn tags(declared: &TableSchema, found: &FoundTable) -> Option<TableChange> {
    let there = found.labels.as_ref()?;
    let differs = |(name, value): &(&String, &String)| there.get(*name) != Some(value);
    let tags = declared.settings.tags.iter().filter(differs);
    let tags: BTreeMap<String, String> = tags
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    (!tags.is_empty()).then_some(TableChange::SetTags(tags))
}

/// The change as a step of a plan.
pub(super) fn step(
    base: &str,
    declared: &TableSchema,
    found: Option<&FoundTable>,
    change: TableChange,
) -> PlanStep {
    let deletes: Option<Deletion> = change.deletes(base);
    let mut needs = change.needs().to_vec();
    if change == TableChange::CreateTable && !declared.settings.tags.is_empty() {
        needs.push("dynamodb:TagResource");
    }
    let (risk, takes) = match found {
        // A new table has no items that could be lost, and no change that another one waits for.
        None => (None, RoughTime::Minutes),
        Some(FoundTable { described, .. }) => (
            added_unfilled(declared, &change).or_else(|| change.risk()),
            change.takes((described.items, described.bytes)),
        ),
    };
    PlanStep {
        table: declared.name.clone(),
        kind: change.kind(),
        deletes,
        needs,
        risk,
        takes,
        change,
    }
}

/// What is to be known of an index whose key is written by this library: items that are there have no such key.
fn added_unfilled(declared: &TableSchema, change: &TableChange) -> Option<&'static str> {
    let TableChange::AddIndex(name) = change else {
        return None;
    };
    let patterns = declared.entities.iter().flat_map(|entity| &entity.patterns);
    let mut keys = patterns
        .filter(|pattern| pattern.index == *name)
        .flat_map(|pattern| pattern.pk.iter().chain(&pattern.sk));
    let is_written = keys.any(|key| matches!(key.content, KeyContent::Template(_)));
    is_written.then_some(
        "items that are there are not in it: their keys for it are made when they are written anew, by update_each say",
    )
}

/// The replicas in other regions, of a table that is not declared to have any.
fn other_replicas(declared: &TableSchema, found: &FoundTable) -> Vec<String> {
    let there = &found.described.schema.settings.replicas;
    let (None, Some(replicas)) = (&declared.settings.replicas, there) else {
        return Vec::new();
    };
    let arn = found.described.arn.as_deref();
    let own = arn.and_then(|arn| arn.split(':').nth(3));
    let others = replicas.regions.iter();
    let others = others.filter(|region| Some(region.as_str()) != own);
    others
        .map(|region| format!("a replica in {region}"))
        .collect()
}

/// What the table has besides, that is left to others: it is neither compared nor changed.
pub(super) fn not_ours(declared: &TableSchema, found: &FoundTable) -> Vec<String> {
    let there = &found.described.schema;
    let mut notes = other_replicas(declared, found);
    notes.extend_from_slice(&found.described.others);
    if let (None, Some(view)) = (declared.stream, there.stream) {
        notes.push(format!("a stream of {}", shown(view)));
    }
    let locals = there.local_indexes.iter();
    let locals = locals.filter(|index| !compare::has(declared, &index.name));
    notes.extend(locals.map(|index| {
        format!(
            "the local index `{}`, which goes only with its table",
            index.name
        )
    }));
    if matches!(declared.settings.billing, Some(Billing::Scaled { .. })) {
        notes.push("its units, which others scale".to_owned());
    }
    notes
}

/// What was declared and cannot be looked at, since the server does not have it.
pub(super) fn unknown(declared: &TableSchema, found: &FoundTable) -> Vec<&'static str> {
    let settings = &declared.settings;
    let mut unknown = Vec::new();
    if declared.ttl.is_some() && found.expiry.is_none() {
        unknown.push("TTL");
    }
    if settings.point_in_time_recovery.is_some() && found.recovery.is_none() {
        unknown.push("recovery");
    }
    if settings.class.is_some() && found.described.schema.settings.class.is_none() {
        unknown.push("class");
    }
    let has_replicas =
        found.described.knows_replicas || found.described.schema.settings.replicas.is_some();
    if settings.replicas.is_some() && !has_replicas {
        unknown.push("replicas");
    }
    if !settings.tags.is_empty() && found.labels.is_none() {
        unknown.push("labels");
    }
    unknown
}
