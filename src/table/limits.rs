//! The service's limits on tables, checked before anything is sent.

use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind, Result, Stage};
use crate::schema::{
    Billing, IndexSchema, KeyAttribute, KeyType, LISTED_ATTRIBUTES, ProjectionSchema,
    ReplicaConsistency, Replicas, TableSchema, TableSettings,
};

pub(super) const GLOBAL_INDEXES: usize = 20;
const LOCAL_INDEXES: usize = 5;
const NAME_LENGTHS: std::ops::RangeInclusive<usize> = 3..=255;
/// The limit for the partition key and for the sort key of a multi-attribute key.
const KEY_ATTRIBUTES: usize = 4;
/// For how many days back a table can be restored.
const RECOVERY_DAYS: std::ops::RangeInclusive<u8> = 1..=35;
/// Units of one table or index for each second; what an account may have is far below.
const UNITS: std::ops::RangeInclusive<u64> = 1..=1_000_000_000_000;
const TAGS: usize = 50;
const TAG_NAME: usize = 128;
const TAG_VALUE: usize = 256;

pub(super) fn check_limits(schema: &TableSchema) -> Result<()> {
    match find_problem(schema) {
        None => Ok(()),
        Some(problem) => {
            let message = format!("table `{}` cannot be created: {problem}", schema.name);
            Err(Error::new(ErrorKind::Config, Stage::Schema, message))
        }
    }
}

fn find_problem(schema: &TableSchema) -> Option<String> {
    let TableSchema {
        name,
        global_indexes: global,
        local_indexes: local,
        ..
    } = schema;
    let indexes = || global.iter().chain(local);
    bad_name("its name, prefix and all,", name)
        .or_else(|| {
            indexes().find_map(|index| {
                bad_name(&format!("the name of index `{}`", index.name), &index.name)
            })
        })
        .or_else(|| too_many(global.len(), GLOBAL_INDEXES, "global indexes"))
        .or_else(|| too_many(local.len(), LOCAL_INDEXES, "local indexes"))
        .or_else(|| {
            too_many(
                indexes().map(included_attributes).sum(),
                LISTED_ATTRIBUTES,
                "projected attributes over all indexes",
            )
        })
        .or_else(|| {
            (!local.is_empty() && schema.sk.is_none())
                .then(|| "a local index needs a table with a sort key".to_owned())
        })
        .or_else(|| indexes().find_map(bad_key))
        .or_else(|| find_duplicate(indexes().map(|index| index.name.as_str())))
        .or_else(|| two_types(schema))
        .or_else(|| bad_settings(&schema.settings))
}

/// How many projected attributes an index lists.
pub(super) fn included_attributes(index: &IndexSchema) -> usize {
    match &index.projection {
        ProjectionSchema::Include(names) => names.len(),
        _ => 0,
    }
}

fn bad_settings(settings: &TableSettings) -> Option<String> {
    if let Some(days) = settings.point_in_time_recovery
        && !RECOVERY_DAYS.contains(&days)
    {
        return Some(format!(
            "it can be restored for 1 to 35 days back, not for {days}: `point_in_time_recovery(35)`"
        ));
    }
    if let Some((reads, writes)) = settings.billing.and_then(Billing::units)
        && (!UNITS.contains(&reads) || !UNITS.contains(&writes))
    {
        return Some(format!(
            "it has {reads} read units and {writes} write units, of which one is 0 or more than a table can have"
        ));
    }
    if let Some(replicas) = &settings.replicas
        && let Some(problem) = bad_replicas(replicas)
    {
        return Some(problem);
    }
    if settings.tags.len() > TAGS {
        let tags = settings.tags.len();
        return Some(format!("it has {tags} tags, DynamoDB allows {TAGS}"));
    }
    let bad = |(name, value): (&String, &String)| {
        // DynamoDB counts characters here, and bytes in items.
        let (name_size, value_size) = (name.chars().count(), value.chars().count());
        name_size == 0 || name_size > TAG_NAME || value_size > TAG_VALUE || name.starts_with("aws:")
    };
    let name = settings
        .tags
        .iter()
        .find(|tag| bad(*tag))
        .map(|(name, _)| name)?;
    Some(format!(
        "DynamoDB does not accept the tag `{name}`: a name has 1 to {TAG_NAME} characters and does not begin with \
         `aws:`, a value has up to {TAG_VALUE}"
    ))
}

fn bad_replicas(replicas: &Replicas) -> Option<String> {
    let (count, witness) = (replicas.regions.len(), &replicas.witness);
    match replicas.consistency {
        ReplicaConsistency::Eventual if witness.is_some() => {
            Some("only a strongly consistent global table has a witness".to_owned())
        }
        ReplicaConsistency::Eventual if count < 2 => Some(format!(
            "a global table is in at least 2 regions, not in {count}"
        )),
        ReplicaConsistency::Strong if count + witness.iter().len() != 3 => Some(format!(
            "a strongly consistent global table has 3 replicas, or 2 and a witness, and not {count} and {}",
            witness.iter().len()
        )),
        _ if witness
            .as_ref()
            .is_some_and(|region| replicas.regions.contains(region)) =>
        {
            Some("the witness of a global table is in a region of its own".to_owned())
        }
        _ => None,
    }
}

fn bad_name(what: &str, name: &str) -> Option<String> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let fits = NAME_LENGTHS.contains(&name.len()) && name.bytes().all(allowed);
    let (min, max) = (NAME_LENGTHS.start(), NAME_LENGTHS.end());
    (!fits).then(|| format!("{what} must have {min} to {max} characters of A-Z a-z 0-9 _ - ."))
}

fn too_many(count: usize, limit: usize, what: &str) -> Option<String> {
    (count > limit).then(|| format!("it has {count} {what}, DynamoDB allows {limit}"))
}

fn bad_key(index: &IndexSchema) -> Option<String> {
    let name = &index.name;
    if index.pk.is_empty() {
        return Some(format!("index `{name}` has no partition key"));
    }
    let longest = index.pk.len().max(index.sk.len());
    (longest > KEY_ATTRIBUTES).then(|| {
        format!(
            "a key of index `{name}` has {longest} attributes, DynamoDB allows {KEY_ATTRIBUTES}"
        )
    })
}

fn find_duplicate<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut seen = std::collections::BTreeSet::new();
    names
        .into_iter()
        .find(|name| !seen.insert(*name))
        .map(|name| format!("index `{name}` is declared twice"))
}

fn two_types(schema: &TableSchema) -> Option<String> {
    let of_indexes = schema.indexes().flat_map(IndexSchema::keys);
    let mut types: BTreeMap<&str, KeyType> = BTreeMap::new();
    let mut attributes = schema.keys().chain(of_indexes);
    attributes.find_map(|KeyAttribute { name, ty }| {
        let first = *types.entry(name).or_insert(*ty);
        (first != *ty).then(|| format!("key attribute `{name}` is both {first:?} and {ty:?}"))
    })
}
