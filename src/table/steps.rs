//! From a declared table and the one that exists to the changes between them. It sends no requests.

use std::collections::BTreeMap;

use super::change::{Deletion, PlanStep, RoughTime, TableChange, USE_OWN_KEY, view_text};
use super::compare;
use super::creation::{creation_risk, creation_settings};
use super::found::FoundTable;
use super::index_changes::index_changes;
use super::throughput::{
    change_encryption, change_maximum, raise_warm_throughput, undeclared_settings, unfit_maximum,
    unknown_throughput,
};
use super::vectors::vector_changes;
use crate::schema::{Billing, Encryption, IndexSchema, KeyContent, TableSchema, TableSettings};

/// The steps to the declared table, in order. A table is protected before anything else, and removals go
/// last, unless something needs its place.
pub(super) fn needed_changes(
    declared: &TableSchema,
    found: Option<&FoundTable>,
) -> Vec<TableChange> {
    let Some(found) = found else {
        return creation_changes(declared);
    };
    let there = &found.described.schema;
    let mut changes: Vec<TableChange> = compare::list_obstacles(declared, there)
        .into_iter()
        .map(TableChange::Replace)
        .collect();
    let indexes = index_changes(declared, there);
    let vectors = vector_changes(declared, &found.described);
    changes.extend(indexes.impossible);
    changes.extend(vectors.impossible);
    changes.extend(unfit_maximum(&declared.settings, &there.settings));
    changes.extend(change_protection(&declared.settings, &there.settings));
    changes.extend(change_recovery(declared, found));
    changes.extend(change_encryption(&declared.settings, &there.settings));
    changes.extend(change_billing(declared, found));
    changes.extend(change_maximum(declared, &found.described));
    changes.extend(change_class(&declared.settings, &there.settings));
    changes.extend(indexes.first);
    let (first, then) = match vectors.removes_first {
        true => (vectors.removed, vectors.added),
        false => (vectors.added, vectors.removed),
    };
    changes.extend(first);
    changes.extend(change_stream(declared, there));
    changes.extend(change_expiry(declared, found));
    changes.extend(change_tags(declared, found));
    changes.extend(indexes.exchanged);
    changes.extend(indexes.last);
    changes.extend(then);
    // It may take long, and nothing else depends on it.
    changes.extend(raise_warm_throughput(declared, &found.described));
    changes
}

/// A missing table. The steps that need an existing table follow.
fn creation_changes(declared: &TableSchema) -> Vec<TableChange> {
    let recovery = declared.settings.point_in_time_recovery;
    [TableChange::CreateTable]
        .into_iter()
        .chain(recovery.map(TableChange::SetRecovery))
        .chain(declared.ttl.clone().map(TableChange::AddTtl))
        .collect()
}

fn change_protection(declared: &TableSettings, there: &TableSettings) -> Option<TableChange> {
    let wanted = declared.deletion_protection?;
    (there.deletion_protection != Some(wanted)).then_some(TableChange::SetProtection(wanted))
}

fn change_class(declared: &TableSettings, there: &TableSettings) -> Option<TableChange> {
    let wanted = declared.class?;
    (there.class? != wanted).then_some(TableChange::SetClass(wanted))
}

fn change_recovery(declared: &TableSchema, found: &FoundTable) -> Option<TableChange> {
    let wanted = declared.settings.point_in_time_recovery?;
    let there = found.recovery?;
    // A server that reports no days has no number of days to change.
    match there.days.filter(|_| there.is_on) {
        Some(days) if days > wanted => Some(TableChange::ShortenRecovery(wanted)),
        Some(days) if days < wanted => Some(TableChange::SetRecovery(wanted)),
        _ if !there.is_on => Some(TableChange::SetRecovery(wanted)),
        _ => None,
    }
}

/// Units that others scale are not compared, but whether there are units at all.
fn change_billing(declared: &TableSchema, found: &FoundTable) -> Option<TableChange> {
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

/// A stream that was not declared is of others.
fn change_stream(declared: &TableSchema, there: &TableSchema) -> Vec<TableChange> {
    match (declared.stream, there.stream) {
        (Some(wanted), None) => vec![TableChange::AddStream(wanted)],
        (Some(wanted), Some(view)) if wanted != view => {
            vec![TableChange::RemoveStream, TableChange::AddStream(wanted)]
        }
        _ => Vec::new(),
    }
}

fn change_expiry(declared: &TableSchema, found: &FoundTable) -> Vec<TableChange> {
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

fn change_tags(declared: &TableSchema, found: &FoundTable) -> Option<TableChange> {
    let there = found.labels.as_ref()?;
    let differs = |(name, value): &(&String, &String)| there.get(*name) != Some(value);
    let tags = declared.settings.tags.iter().filter(differs);
    let tags: BTreeMap<String, String> = tags
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    (!tags.is_empty()).then_some(TableChange::SetTags(tags))
}

/// Whether a key attribute of one index has another type in the other.
fn has_key_of_other_type(index: &IndexSchema, other: &IndexSchema) -> bool {
    let mut keys = index.keys();
    keys.any(|key| {
        let mut others = other.keys();
        others.any(|other| other.name == key.name && other.ty != key.ty)
    })
}

/// The changes as steps of a plan.
pub(super) fn plan_steps(
    base: &str,
    declared: &TableSchema,
    found: Option<&FoundTable>,
    changes: Vec<TableChange>,
) -> Vec<PlanStep> {
    let there = found.map(|found| &found.described.schema);
    let after = losses_before(base, declared, there, &changes);
    let steps = changes.into_iter().zip(after);
    steps
        .map(|(change, after)| PlanStep {
            after,
            ..plan_step(base, declared, found, change)
        })
        .collect()
}

/// For each change, the losses that it needs: another stream, another TTL, or an index that is in the way of one.
fn losses_before(
    base: &str,
    declared: &TableSchema,
    there: Option<&TableSchema>,
    changes: &[TableChange],
) -> Vec<Vec<Deletion>> {
    let last_added = changes
        .iter()
        .rposition(|change| matches!(change, TableChange::AddIndex(_)));
    let mut removed: Vec<Deletion> = Vec::new();
    // An index that is removed for one addition may have prevented a later one too.
    let mut gone: Vec<(&IndexSchema, Deletion)> = Vec::new();
    let mut after = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        after.push(match change {
            TableChange::AddStream(_) if changes.contains(&TableChange::RemoveStream) => {
                vec![Deletion::stream(base)]
            }
            TableChange::AddTtl(_) => {
                let mut removals = changes.iter();
                let removal = removals.find(|other| matches!(other, TableChange::RemoveTtl(_)));
                removal.map(|_| Deletion::ttl(base)).into_iter().collect()
            }
            TableChange::AddIndex(name) => {
                let mut needed = std::mem::take(&mut removed);
                if let Some(index) = declared.index(name) {
                    let others = gone.iter().filter(|(old, loss)| {
                        !needed.contains(loss) && has_key_of_other_type(old, index)
                    });
                    let others: Vec<Deletion> = others.map(|(_, loss)| loss.clone()).collect();
                    needed.extend(others);
                }
                needed
            }
            _ => Vec::new(),
        });
        // After the last addition, a removal is no longer a precondition of anything.
        if let TableChange::RemoveIndex(name) = change
            && Some(at) < last_added
        {
            let loss = change.own_deletion(base);
            let old = there.and_then(|there| there.index(name));
            gone.extend(old.zip(loss.clone()));
            removed.extend(loss);
        }
    }
    after
}

/// The change as a step of a plan.
fn plan_step(
    base: &str,
    declared: &TableSchema,
    found: Option<&FoundTable>,
    change: TableChange,
) -> PlanStep {
    let deletes: Option<Deletion> = change.own_deletion(base);
    let mut needs = change.needed_actions().to_vec();
    if change == TableChange::CreateTable && !declared.settings.tags.is_empty() {
        needs.push("dynamodb:TagResource");
    }
    let is_by_own_key = matches!(declared.settings.encryption, Some(Encryption::Key(_)));
    if change == TableChange::CreateTable && is_by_own_key {
        needs.extend(USE_OWN_KEY);
    }
    let with = match change {
        TableChange::CreateTable => creation_settings(declared),
        _ => Vec::new(),
    };
    let (risk, takes) = match found {
        // A new table has no items that could be lost, and no change that another one waits for.
        None => (creation_risk(&with), RoughTime::Minutes),
        Some(FoundTable { described, .. }) => (
            other_type(declared, &described.schema, &change)
                .or_else(|| added_unfilled(declared, &change))
                .or_else(|| added_vector(declared, &change))
                .or_else(|| change.change_risk()),
            change.rough_time((described.items, described.bytes)),
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
        after: Vec::new(),
        with,
    }
}

/// The remark on an index that takes over a key attribute with another type.
fn other_type(
    declared: &TableSchema,
    there: &TableSchema,
    change: &TableChange,
) -> Option<&'static str> {
    let differs = |one: &IndexSchema, other: &IndexSchema| {
        let mut keys = one.keys();
        keys.any(|key| {
            other
                .keys()
                .any(|known| known.name == key.name && known.ty != key.ty)
        })
    };
    let (of, others, risk) = match change {
        TableChange::AddIndex(name) => (
            declared.index(name)?,
            &there.global_indexes,
            "existing items have a key attribute of another type: they are not in it until they are written again",
        ),
        TableChange::RemoveIndex(name) => (
            there.index(name)?,
            &declared.global_indexes,
            "an index that is added has a key attribute of it with another type, so this one is deleted first: until the new one is filled, neither \
             serves a query; on an attribute of another name it could be created before",
        ),
        _ => return None,
    };
    let mut others = others.iter();
    others.any(|other| differs(of, other)).then_some(risk)
}

/// The remark on an index whose key this library writes: existing items have no such key.
fn added_unfilled(declared: &TableSchema, change: &TableChange) -> Option<&'static str> {
    let TableChange::AddIndex(name) = change else {
        return None;
    };
    let patterns = declared.entities.iter().flat_map(|entity| &entity.patterns);
    let mut keys = patterns
        .filter(|pattern| pattern.index == *name)
        .flat_map(|pattern| pattern.pk.iter().chain(&pattern.sk));
    let is_written = keys.any(|key| !matches!(key.content, KeyContent::Field(_)));
    is_written.then_some(
        "existing items are not in it until they are written again, for example by update_each",
    )
}

/// The remark on a vector index.
fn added_vector(declared: &TableSchema, change: &TableChange) -> Option<&'static str> {
    let TableChange::AddIndex(name) = change else {
        return None;
    };
    declared.vector_index(name)?;
    Some(
        "filling it reads all items; one whose vector has another length stays out of it, and so does one without the attribute \
         of `within`; DynamoDB rejects searches for some minutes after the index is filled",
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

/// Other settings of the table, which others manage: they are neither compared nor changed.
pub(super) fn not_ours(declared: &TableSchema, found: &FoundTable) -> Vec<String> {
    let there = &found.described.schema;
    let mut notes = other_replicas(declared, found);
    notes.extend(undeclared_settings(declared, &found.described));
    if let (None, Some(view)) = (declared.stream, there.stream) {
        notes.push(format!("a stream of {}", view_text(view)));
    }
    let locals = there.local_indexes.iter();
    let locals = locals.filter(|index| !compare::has_index(declared, &index.name));
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

/// The declared settings that cannot be compared, because the server does not have them.
pub(super) fn unknown_settings(declared: &TableSchema, found: &FoundTable) -> Vec<&'static str> {
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
    if !declared.vector_indexes.is_empty() && !found.described.knows_vectors {
        unknown.push("vector indexes");
    }
    unknown.extend(unknown_throughput(declared, &found.described));
    unknown
}

/// Whether the change is of something that the server does not have, so that nothing came of it.
pub(super) fn is_unknown(change: &TableChange, found: &FoundTable) -> bool {
    match change {
        TableChange::SetRecovery(_) | TableChange::ShortenRecovery(_) => found.recovery.is_none(),
        TableChange::AddTtl(_) | TableChange::RemoveTtl(_) => found.expiry.is_none(),
        TableChange::SetTags(_) => found.labels.is_none(),
        TableChange::SetClass(_) => found.described.schema.settings.class.is_none(),
        TableChange::SetEncryption(_) => found.described.schema.settings.encryption.is_none(),
        TableChange::RaiseWarmThroughput { index, .. } => {
            let there = &found.described;
            let throughput = match index {
                None => Some(&there.throughput),
                Some(name) => there.index_throughput.get(name),
            };
            throughput.is_none_or(|throughput| throughput.warm.is_none())
        }
        TableChange::SetOnDemandMaximum { index, .. } => {
            index.is_some() && !found.described.sets_index_maximum
        }
        _ => false,
    }
}
