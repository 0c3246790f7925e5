//! Rules about partition keys: how writes spread, and what queries find.

use super::finding::{Findings, LintPlace};
use crate::json::Tag;
use crate::schema::{
    EntitySchema, FieldInKey, FieldRole, FieldSchema, IdentifyBy, KeyPair, TableSchema,
    TimePrecision, ValueKind,
};

/// So many values are as good as one.
const FEW_VALUES: usize = 10;
/// More partitions than a read should query.
const MANY_SHARDS: u16 = 100;

pub(super) fn constant_partition(table: &TableSchema, findings: &mut Findings) {
    for keys in table.partitions() {
        let is_constant = keys.partition_fields().is_empty() && !keys.pk.is_empty();
        if is_constant && !keys.is_spread() && !KeyPair::of_table(keys.entity).is_one_item() {
            let key = keys.partition_text();
            findings.add(
                LintPlace::of_keys(&keys),
                format!(
                    "all its rows are in one partition, {key}, which takes about 1000 writes and 3000 reads a second"
                ),
                "put a field into the partition key, or spread it, `shards = 10`",
            );
        }
    }
}

pub(super) fn few_partitions(table: &TableSchema, findings: &mut Findings) {
    for keys in table.partitions() {
        let fields = keys.partition_fields();
        let is_item = keys.pattern.is_none() && keys.sort_fields().is_empty();
        if fields.is_empty() || keys.is_spread() || is_item {
            continue;
        }
        let mut each = fields.iter().map(|field| few_values(&keys, field));
        let values = each.try_fold(1usize, |all, values| Some(all.saturating_mul(values?)));
        if let Some(values) = values.filter(|values| *values < FEW_VALUES) {
            let key = keys.partition_text();
            let partitions = match values {
                1 => "one partition".to_owned(),
                _ => format!("{values} partitions"),
            };
            findings.add(
                LintPlace::of_keys(&keys),
                format!(
                    "all its rows are in {partitions}, {key}, and each takes about 1000 writes and 3000 reads a second"
                ),
                "put another field into the partition key, or spread it, `shards = 10`",
            );
        }
    }
}

/// How many values the field has in a partition key, if they are known to be few.
fn few_values(keys: &KeyPair<'_>, field: &FieldInKey<'_>) -> Option<usize> {
    keys.values_by_when(field.name)
        .or_else(|| field.is_flag().then_some(2))
}

/// The time in the partition key, if it contains little else.
fn time_of(keys: &KeyPair<'_>) -> Option<TimePrecision> {
    let fields = keys.partition_fields();
    let times: Vec<TimePrecision> = fields.iter().filter_map(FieldInKey::time).collect();
    let others = fields.iter().filter(|field| field.time().is_none());
    let is_alone = others
        .into_iter()
        .all(|field| few_values(keys, field).is_some());
    match times.contains(&TimePrecision::Moment) {
        _ if times.is_empty() || !is_alone => None,
        true => Some(TimePrecision::Moment),
        false => Some(TimePrecision::Period),
    }
}

pub(super) fn time_partition(table: &TableSchema, findings: &mut Findings) {
    for keys in table.partitions() {
        if time_of(&keys) == Some(TimePrecision::Period) && !keys.is_spread() {
            let key = keys.partition_text();
            findings.add(
                LintPlace::of_keys(&keys),
                format!("the partition key {key} grows with time: all current writes go to one partition"),
                "put another field into the partition key, or spread it, `shards = 10`",
            );
        }
    }
}

pub(super) fn moment_partition(table: &TableSchema, findings: &mut Findings) {
    for keys in table.partitions() {
        if time_of(&keys) == Some(TimePrecision::Moment) {
            let key = keys.partition_text();
            findings.add(
                LintPlace::of_keys(&keys),
                format!("the partition key {key} is a point in time, and no query finds a range of partitions"),
                "use a partition key that the query knows, and put the time into the sort key",
            );
        }
    }
}

pub(super) fn many_shards(table: &TableSchema, findings: &mut Findings) {
    for keys in table.partitions() {
        let written = keys.pk.iter().filter_map(|key| key.shards()).max();
        let read = keys.pattern.and_then(|pattern| pattern.read_shards);
        if let Some(shards) = written.max(read).filter(|shards| *shards > MANY_SHARDS) {
            findings.add(
                LintPlace::of_keys(&keys),
                format!("each read of it queries {shards} partitions, and pays for each of them"),
                "a shard accepts about 1000 writes a second: use as many as the writes need",
            );
        }
    }
}

pub(super) fn extra_read_shards(table: &TableSchema, findings: &mut Findings) {
    for (keys, pattern) in table.patterns() {
        let written = keys.pk.iter().filter_map(|key| key.shards()).max();
        if let (Some(written), Some(read)) = (written, pattern.read_shards)
            && read > written
        {
            findings.add(
                LintPlace::of_keys(&keys),
                format!("each read queries {read} shards, but {written} are written"),
                format!("once no row is in a shard from {written} on, remove `read_shards`"),
            );
        }
    }
}

pub(super) fn one_counter(table: &TableSchema, findings: &mut Findings) {
    let entities = table.entities.iter();
    for entity in entities.filter(|entity| KeyPair::of_table(entity).is_one_item()) {
        if let Some(field) = counter(entity) {
            let name = &entity.name;
            findings.add(
                LintPlace::of_keys(&KeyPair::of_table(entity)),
                format!(
                    "there is one item of `{name}`, and all that change its `{field}` write it: an item takes about \
                     1000 writes a second"
                ),
                format!(
                    "count in slices, `{{slice}}` in the key, and add them up; `allow` it if `{field}` rarely changes"
                ),
            );
        }
    }
}

pub(super) fn unneeded_type_checks(table: &TableSchema, findings: &mut Findings) {
    let entities = &table.entities;
    // A table with one entity has the option because of the rows of other programs.
    if table.identify_by != Some(IdentifyBy::Type) || entities.len() < 2 {
        return;
    }
    let mut pairs = entities
        .iter()
        .enumerate()
        .flat_map(|(at, one)| entities[..at].iter().map(move |other| (one, other)));
    if pairs.any(|(one, other)| may_have_one_key(one, other)) {
        return;
    }
    findings.add(
        LintPlace::of_table(table),
        "no two entities can have the same key, so the type check of each write protects nothing, and no put or delete fits \
         into a batch"
            .to_owned(),
        "remove `identify_by = type`; `allow` it if other programs store items of other types under these keys",
    );
}

/// Whether two entities may have one key, as far as the literals at the beginning show.
fn may_have_one_key(one: &EntitySchema, other: &EntitySchema) -> bool {
    one.keys().zip(other.keys()).all(|(one, other)| {
        let [one, other] = [one, other].map(|key| key.front().unwrap_or_default());
        one.starts_with(other) || other.starts_with(one)
    })
}

fn counter(entity: &EntitySchema) -> Option<&str> {
    let is_number = |field: &&FieldSchema| {
        field.role == FieldRole::Attribute
            && field.stored == Some(Tag::N)
            && matches!(field.kind(), Some(ValueKind::Integer { .. }))
    };
    let found = entity.fields.iter().find(is_number);
    found
        .filter(|_| !entity.append_only)
        .map(|field| field.name.as_str())
}
