//! The service's limits on tables, checked before anything is sent.

use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::Tag;
use crate::schema::{
    Billing, Encryption, IndexSchema, KeyAttribute, KeyType, LISTED_ATTRIBUTES, OnDemandMaximum,
    ProjectionSchema, ReplicaConsistency, Replicas, TableSchema, TableSettings, VectorIndexSchema,
    Word,
};

pub(super) const GLOBAL_INDEXES: usize = 20;
const LOCAL_INDEXES: usize = 5;
pub(super) const VECTOR_INDEXES: usize = 5;
/// The attributes by which the searches of one vector index filter.
const SEARCH_FILTERS: usize = 18;
/// The numbers of a vector.
const DIMENSIONS: std::ops::RangeInclusive<u16> = 1..=4096;
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
            // The table may exist: a plan checks the declaration before it looks.
            let message = format!(
                "DynamoDB rejects the declaration of table `{}`: {problem}",
                schema.name
            );
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
        .or_else(|| bad_vectors(schema))
        .or_else(|| {
            let vectors = schema
                .vector_indexes
                .iter()
                .map(|index| index.name.as_str());
            find_duplicate(indexes().map(|index| index.name.as_str()).chain(vectors))
        })
        .or_else(|| two_types(schema))
        .or_else(|| bad_settings(&schema.settings))
        .or_else(|| bad_throughput(schema))
        .or_else(|| bad_key_name(schema.settings.encryption.as_ref()?))
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

/// The maximum and the warm throughput of the table and its indexes.
fn bad_throughput(schema: &TableSchema) -> Option<String> {
    let settings = &schema.settings;
    if settings.limits_requests() && settings.billing.and_then(Billing::units).is_some() {
        return Some(
            "it is billed by units, and only a table that is billed by requests has a maximum on demand: remove \
             `provisioned(..)` or `scaled(..)`, or the maximum"
                .to_owned(),
        );
    }
    let mut names = settings.indexes.keys();
    let is_global = |name: &String| {
        let mut indexes = schema.global_indexes.iter();
        indexes.any(|index| index.name == *name)
    };
    if let Some(name) = names.find(|name| !is_global(name)) {
        return Some(format!(
            "its settings name the index `{name}`, which is not one of its global indexes"
        ));
    }
    let own = (settings.on_demand_maximum, settings.warm_throughput);
    let indexes = settings.indexes.values();
    let indexes = indexes.map(|index| (index.on_demand_maximum, index.warm_throughput));
    let units = std::iter::once(own)
        .chain(indexes)
        .flat_map(|(maximum, warm)| {
            let maximum = match maximum {
                Some(OnDemandMaximum::Units { reads, writes }) => Some((reads, writes)),
                _ => None,
            };
            [maximum, warm.map(|warm| (warm.reads, warm.writes))]
        });
    let mut units = units.flatten();
    let (reads, writes) =
        units.find(|(reads, writes)| !UNITS.contains(reads) || !UNITS.contains(writes))?;
    Some(format!(
        "its maximum on demand or its warm throughput is {reads} read units and {writes} write units, of which one is 0 \
         or more than a table can have"
    ))
}

/// DynamoDB describes the key of a table by its ARN, which could not be compared with another name of the key.
fn bad_key_name(encryption: &Encryption) -> Option<String> {
    let Encryption::Key(name) = encryption else {
        return None;
    };
    let parts: Vec<&str> = name.splitn(6, ':').collect();
    let is_arn = matches!(
        *parts,
        ["arn", _, "kms", region, account, key]
            if !region.is_empty() && !account.is_empty() && key.starts_with("key/")
    );
    (!is_arn).then(|| {
        format!(
            "its key `{name}` is not the ARN of a key, `arn:aws:kms:REGION:ACCOUNT:key/ID`. DynamoDB accepts an alias or an \
             ID too, but describes the table by the ARN, so a plan could not compare them"
        )
    })
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

/// Vector indexes: their number, their vectors, and the billing of their table.
fn bad_vectors(schema: &TableSchema) -> Option<String> {
    let vectors = &schema.vector_indexes;
    if let Some(problem) = too_many(vectors.len(), VECTOR_INDEXES, "vector indexes") {
        return Some(problem);
    }
    let mut named = vectors.iter();
    let problem = named.find_map(|index| {
        let name = &index.name;
        let filters = format!("filters of the vector index `{name}`, that of the type included,");
        bad_name(&format!("the name of index `{name}`"), name)
            .or_else(|| too_many(index.filters.len(), SEARCH_FILTERS, &filters))
    });
    if problem.is_some() {
        return problem;
    }
    let first = vectors.first()?;
    if schema.settings.billing.and_then(Billing::units).is_some() {
        return Some(format!(
            "it has the vector index `{}`, but only a table that is billed by requests can have one: remove `provisioned(..)` or \
             `scaled(..)`, or the vector index",
            first.name
        ));
    }
    if let Some(index) = vectors
        .iter()
        .find(|index| !DIMENSIONS.contains(&index.dimensions))
    {
        let (name, dimensions) = (&index.name, index.dimensions);
        return Some(format!(
            "the vector index `{name}` has vectors of {dimensions} numbers, DynamoDB allows 1 to 4096"
        ));
    }
    let mut lengths: BTreeMap<&str, u16> = BTreeMap::new();
    let other = vectors.iter().find(|index| {
        let known = lengths.entry(&index.attribute).or_insert(index.dimensions);
        *known != index.dimensions
    });
    if let Some(index) = other {
        let attribute = &index.attribute;
        return Some(format!(
            "two vector indexes read vectors of different lengths from `{attribute}`: store one of them in an attribute of \
             another name"
        ));
    }
    let types = schema.key_types();
    let is_key = |index: &&VectorIndexSchema| types.contains_key(&*index.attribute);
    let key = vectors.iter().find(is_key).map(|index| {
        format!(
            "`{}` is both a key of an index and the vector of `{}`",
            index.attribute, index.name
        )
    });
    key.or_else(|| {
        vectors
            .iter()
            .find_map(|index| bad_neighbour(schema, index))
    })
}

/// An entity that stores another type in an attribute of the index: DynamoDB would reject its writes.
fn bad_neighbour(schema: &TableSchema, index: &VectorIndexSchema) -> Option<String> {
    let vector = std::iter::once((index.attribute.as_str(), Tag::L.word()));
    let keys = index.keys();
    let keys = keys.map(|key| (key.name.as_str(), key.ty.word()));
    vector.chain(keys).find_map(|(name, wanted)| {
        let mut entities = schema.entities.iter();
        let (other, stored) = entities.find_map(|entity| {
            let field = entity.attribute(name)?;
            let stored = field.stored?.word();
            let length = field.fixed_length();
            let is_other = length.is_some_and(|length| length != usize::from(index.dimensions));
            match length {
                Some(length) if is_other && name == index.attribute => {
                    Some((&entity.name, format!("{stored} with {length} elements")))
                }
                _ => (stored != wanted).then(|| (&entity.name, stored.to_owned())),
            }
        })?;
        let mut owners = schema.entities.iter();
        let owner = owners.find(|entity| {
            let mut searches = entity.searches.iter();
            searches.any(|search| search.index == index.name)
        });
        let owner = owner.map_or("another entity", |entity| entity.name.as_str());
        let wanted = match name == index.attribute {
            true => format!("{wanted} with {} numbers", index.dimensions),
            false => wanted.to_owned(),
        };
        Some(format!(
            "the vector index `{}` of `{owner}` needs the type {wanted} in the attribute `{name}`, and `{other}` stores {stored} \
             there, which DynamoDB would reject: store one of them in an attribute of another name",
            index.name
        ))
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
    let of_vectors = schema
        .vector_indexes
        .iter()
        .flat_map(VectorIndexSchema::keys);
    let mut attributes = schema.keys().chain(of_indexes).chain(of_vectors);
    attributes.find_map(|KeyAttribute { name, ty }| {
        let first = *types.entry(name).or_insert(*ty);
        (first != *ty).then(|| format!("key attribute `{name}` is both {first:?} and {ty:?}"))
    })
}
