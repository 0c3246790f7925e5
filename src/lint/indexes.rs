//! Rules about indexes: those that answer nothing new, and those that cost more than they need to.

use std::collections::BTreeSet;

use super::attributes::is_unbounded;
use super::finding::{Findings, LintPlace};
use crate::json::Tag;
use crate::schema::{
    EntitySchema, FieldInKey, FieldRole, IndexKind, IndexSchema, KeyContent, KeyPair, KeySchema,
    PatternSchema, PieceSchema, Presence, ProjectionSchema, TableSchema,
};

/// DynamoDB allows 20 global indexes of a table.
const MANY_INDEXES: usize = 15;
/// DynamoDB allows four attributes in each key of an index.
const KEY_ATTRIBUTES: usize = 4;
/// So many copies of an attribute without bound are worth a thought.
const MANY_COPIES: usize = 3;

pub(super) fn same_question(table: &TableSchema, findings: &mut Findings) {
    let patterns: Vec<_> = table.patterns().collect();
    for (at, (keys, pattern)) in patterns.iter().enumerate() {
        let mut others = patterns.iter().enumerate();
        let better = others.find(|(other_at, (other, kept))| {
            let is_same = keys.sort_fields().len() == other.sort_fields().len();
            keys.entity.name == other.entity.name
                && pattern.index != kept.index
                && pattern.kind == kept.kind
                && pattern.when == kept.when
                && projection(table, pattern) == projection(table, kept)
                && answers(other, keys)
                // Of two that are the same, the later one is named.
                && (!is_same || *other_at < at)
        });
        if let Some((_, (_, kept))) = better
            && !table.is_read_together(*keys, pattern)
        {
            let (name, kept) = (&pattern.name, &kept.name);
            findings.add(
                LintPlace::of_keys(keys),
                format!("`{kept}` serves the same queries as `{name}`: it has the same partitions and the same order"),
                format!("remove `{name}` and its index, and query `{kept}`"),
            );
        }
    }
}

/// Whether queries of these keys find what queries of the others do, in the same order.
fn answers(keys: &KeyPair<'_>, others: &KeyPair<'_>) -> bool {
    let (pk, other_pk) = (keys.partition_fields(), others.partition_fields());
    let (sk, other_sk) = (keys.sort_fields(), others.sort_fields());
    let place =
        |field: &FieldInKey<'_>| (field.presence().marks(), field.presence() == Presence::Ends);
    let is_like = |(a, b): (&FieldInKey<'_>, &FieldInKey<'_>)| {
        a.is_like(b) && a.leaves_items_out() == b.leaves_items_out() && place(a) == place(b)
    };
    let further = sk.iter().skip(other_sk.len());
    !pk.is_empty()
        && pk.len() == other_pk.len()
        && pk.iter().zip(&other_pk).all(is_like)
        && other_sk.len() <= sk.len()
        && sk.iter().zip(&other_sk).all(is_like)
        && further.into_iter().all(|field| !field.leaves_items_out())
}

fn projection<'s>(table: &'s TableSchema, pattern: &PatternSchema) -> Option<&'s ProjectionSchema> {
    let index = table.index(&pattern.index)?;
    Some(&index.projection)
}

pub(super) fn repeats_table(table: &TableSchema, findings: &mut Findings) {
    for (keys, pattern) in table.patterns() {
        let of_table = KeyPair::of_table(keys.entity);
        if pattern.when.is_none()
            && pattern.has_whole_rows
            && !of_table.is_spread()
            && answers_by_name(&of_table, &keys)
            && !table.is_read_together(keys, pattern)
        {
            let name = &pattern.name;
            findings.add(
                LintPlace::of_keys(&keys),
                format!("the table has the same partitions in the same order, and serves the same queries as `{name}`"),
                format!("remove `{name}` and its index, and query `in_partition`"),
            );
        }
    }
}

/// As `answers`, where the other keys are those of an index: these have all items, so the others cannot have more.
fn answers_by_name(keys: &KeyPair<'_>, others: &KeyPair<'_>) -> bool {
    let same = |a: Vec<FieldInKey<'_>>, b: Vec<FieldInKey<'_>>, all: bool| {
        (a.len() == b.len() || (!all && b.len() <= a.len()))
            && a.iter().zip(&b).all(|(a, b)| a.is_like(b))
    };
    !others.partition_fields().is_empty()
        && same(keys.partition_fields(), others.partition_fields(), true)
        && same(keys.sort_fields(), others.sort_fields(), false)
}

/// The fields whose values the partition key holds as they are.
fn whole_fields<'s>(keys: &KeyPair<'s>) -> BTreeSet<&'s str> {
    let fields = keys.partition_fields().into_iter();
    fields
        .filter(|field| field.cut().is_none())
        .map(|field| field.name)
        .collect()
}

pub(super) fn index_of_unique(table: &TableSchema, findings: &mut Findings) {
    for (keys, pattern) in table.patterns() {
        let partition = whole_fields(&keys);
        let is_all = partition.len() == keys.partition_fields().len();
        let mut uniques = keys.entity.uniques.iter();
        let found = uniques.find(|unique| {
            let fields: BTreeSet<&str> = unique.fields.iter().map(String::as_str).collect();
            // A row of another program has no look-up.
            unique.row.is_none() && !fields.is_empty() && fields == partition
        });
        if let Some(unique) = found.filter(|_| is_all)
            && !table.is_read_together(keys, pattern)
        {
            let (name, look_up) = (&pattern.name, &unique.name);
            findings.add(
                LintPlace::of_keys(&keys),
                format!("the unique value `{look_up}` finds the same item, and `{name}` pays for an index"),
                format!("remove `{name}` and its index, and use `{look_up}`"),
            );
        }
    }
}

pub(super) fn one_row_partitions(table: &TableSchema, findings: &mut Findings) {
    for (keys, pattern) in table.patterns() {
        let own = KeyPair::of_table(keys.entity);
        let (mut id, partition) = (own.partition_fields(), whole_fields(&keys));
        id.extend(own.sort_fields());
        let is_held = |field: &FieldInKey<'_>| partition.contains(field.name);
        if !id.is_empty() && id.iter().all(is_held) && !table.is_read_together(keys, pattern) {
            let (name, entity) = (&pattern.name, &keys.entity.name);
            findings.add(
                LintPlace::of_keys(&keys),
                format!("the partition key of `{name}` holds the whole key of an item, so each partition has one row"),
                format!("remove `{name}` and its index, and use `{entity}::key(..).get()`"),
            );
        }
    }
}

pub(super) fn empty_index(table: &TableSchema, findings: &mut Findings) {
    for (keys, pattern) in table.patterns() {
        let Some((name, 1)) = pattern.pinned() else {
            continue;
        };
        let mut fields = keys.partition_fields();
        fields.extend(keys.sort_fields());
        let needs = |field: &&FieldInKey<'_>| field.name == name && field.leaves_items_out();
        let is_none = pattern
            .when
            .as_deref()
            .is_some_and(|when| when.ends_with(" = None"));
        if is_none && fields.iter().any(|field| needs(&field)) {
            let pattern = &pattern.name;
            findings.add(
                LintPlace::of_keys(&keys),
                format!("`{pattern}` contains the items whose `{name}` is None, and its key needs `{name}`: the index is always empty"),
                format!("remove `{name}` from the key"),
            );
        }
    }
}

pub(super) fn unasked_index(table: &TableSchema, findings: &mut Findings) {
    if table.entities.is_empty() {
        return;
    }
    for index in table.indexes() {
        if table.filling(index).next().is_none() {
            let name = &index.name;
            findings.add(
                LintPlace::of_index(table, index),
                format!("no access pattern queries the index `{name}`, but every write that fills it pays for it"),
                format!("remove it, or query it: `gsi(.., on = {name}, ..)` of an entity"),
            );
        }
    }
}

pub(super) fn many_indexes(table: &TableSchema, findings: &mut Findings) {
    let indexes = table.global_indexes.len();
    if indexes > MANY_INDEXES {
        findings.add(
            LintPlace::of_table(table),
            format!("it has {indexes} global indexes, and DynamoDB allows 20: there is little room for a new access pattern"),
            "let patterns of different entities share an index by `on = ..`",
        );
    }
}

pub(super) fn local_index(table: &TableSchema, findings: &mut Findings) {
    for index in &table.local_indexes {
        let mut filling = table.filling(index).peekable();
        let is_spread = filling.peek().is_some()
            && filling.all(|keys| KeyPair::of_table(keys.entity).is_spread());
        if !is_spread {
            let name = &index.name;
            findings.add(
                LintPlace::of_index(table, index),
                format!(
                    "with the local index `{name}` a partition of the table, with its index rows, never grows beyond \
                     10 GB, and it can be neither added nor removed later"
                ),
                "use a `gsi` with the same partition key; `allow` it if partitions stay small and reads have to be \
                 consistent",
            );
        }
    }
}

pub(super) fn listed_everything(table: &TableSchema, findings: &mut Findings) {
    for index in table.indexes() {
        let ProjectionSchema::Include(listed) = &index.projection else {
            continue;
        };
        let mut filling = table.filling(index).peekable();
        let holds_all = |keys: KeyPair<'_>| is_listed(table, index, listed, keys.entity);
        if filling.peek().is_some() && filling.all(holds_all) {
            let name = &index.name;
            findings.add(
                LintPlace::of_index(table, index),
                format!("the index `{name}` lists all attributes: it costs what `project = all` costs, and its rows are not whole"),
                "write `project = all`",
            );
        }
    }
}

/// Whether the index holds all attributes of the entity.
fn is_listed(
    table: &TableSchema,
    index: &IndexSchema,
    listed: &[String],
    entity: &EntitySchema,
) -> bool {
    let keys = table.keys().chain(index.keys());
    let keys: Vec<&str> = keys.map(|key| key.name.as_str()).collect();
    let has_rest = entity
        .fields
        .iter()
        .any(|field| field.role == FieldRole::Rest);
    let mut attributes = entity
        .fields
        .iter()
        .filter_map(|field| field.attribute.as_ref());
    // Key attributes of other indexes are not in it, and no row needs them.
    !has_rest && attributes.all(|name| keys.contains(&name.as_str()) || listed.contains(name))
}

pub(super) fn many_copies(table: &TableSchema, findings: &mut Findings) {
    for entity in table.entities.iter() {
        let copying = entity
            .patterns
            .iter()
            .filter(|pattern| pattern.has_whole_rows);
        let whole = |index: &str| {
            let index = table.vector_index(index);
            index.is_some_and(|index| index.projection == ProjectionSchema::All)
        };
        let searched = entity.searches.iter().map(|search| search.index.as_str());
        let copying = copying.map(|pattern| pattern.index.as_str());
        let copies: BTreeSet<&str> = copying
            .chain(searched.filter(|index| whole(index)))
            .collect();
        if copies.len() < MANY_COPIES {
            continue;
        }
        for field in entity.fields.iter().filter(|field| is_unbounded(field)) {
            let (name, copies) = (&field.name, copies.len());
            findings.add(
                LintPlace::of_field(entity, field),
                format!("`{name}` can be large, and {copies} indexes hold a copy of it, which every write of it pays for"),
                "let indexes whose rows need not be whole project less, for example `project = keys`",
            );
        }
    }
}

pub(super) fn joined_key(table: &TableSchema, findings: &mut Findings) {
    if table.is_shared() {
        return;
    }
    for (keys, pattern) in table.patterns() {
        let index = table.index(&pattern.index);
        let is_alone = index.is_some_and(|index| table.filling(index).count() == 1);
        // Only global indexes have keys of several attributes, and `when` needs a derived key that can be absent.
        if pattern.kind != IndexKind::Global || pattern.when.is_some() || !is_alone {
            continue;
        }
        let (pk, sk) = (
            whole_fields_of(keys.entity, &pattern.pk),
            whole_fields_of(keys.entity, &pattern.sk),
        );
        let (Some(pk), Some(sk)) = (pk, sk) else {
            continue;
        };
        let is_joined = pk.len() > 1 || sk.len() > 1;
        let is_distinct = pk.iter().all(|field| !sk.contains(field));
        if pattern.pk.len() == 1 && pattern.sk.len() < 2 && is_joined && is_distinct {
            let name = &pattern.name;
            let keys_of_its_own = match sk.as_slice() {
                [] => format!("pk = {}", list(&pk)),
                _ => format!("pk = {}, sk = {}", list(&pk), list(&sk)),
            };
            findings.add(
                LintPlace::of_keys(&keys),
                format!("the keys of `{name}` only join fields by `#`, and DynamoDB can index the fields themselves"),
                format!(
                    "write `{keys_of_its_own}`; if the table is in use, add it as a new index and remove this one later"
                ),
            );
        }
    }
}

/// The fields that the keys consist of, whole and by themselves, if each of them can be a key attribute.
fn whole_fields_of<'s>(entity: &'s EntitySchema, keys: &'s [KeySchema]) -> Option<Vec<&'s str>> {
    let mut fields = Vec::new();
    for key in keys {
        match &key.content {
            KeyContent::Field(name) | KeyContent::Number(name) => fields.push(name.as_str()),
            KeyContent::Template(pieces) => {
                for piece in pieces {
                    match piece {
                        PieceSchema::Text(text) if text == "#" => {}
                        PieceSchema::Part(part) if part.format.is_none() => {
                            fields.push(key_attribute(entity, &part.field)?);
                        }
                        _ => return None,
                    }
                }
            }
        }
    }
    (fields.len() <= KEY_ATTRIBUTES).then_some(fields)
}

/// The name of a field whose attribute can be one of a key.
fn key_attribute<'s>(entity: &'s EntitySchema, name: &str) -> Option<&'s str> {
    let field = entity.field(name)?;
    let is_key_type = matches!(field.stored, Some(Tag::S | Tag::N | Tag::B));
    (field.attribute.is_some() && is_key_type).then_some(field.name.as_str())
}

/// Fields as `#[dynamo(..)]` takes them.
fn list(fields: &[&str]) -> String {
    match fields {
        [field] => (*field).to_owned(),
        _ => format!("[{}]", fields.join(", ")),
    }
}

pub(super) fn index_of_sentinels(table: &TableSchema, findings: &mut Findings) {
    let has_large = table.entities.iter().any(|entity| !entity.large.is_empty());
    for index in table.indexes().filter(|_| has_large) {
        let own = [Some(&table.pk), table.sk.as_ref()].map(|key| key.map(|key| &key.name));
        // Each part has the same sort key, which is the partition key of such an index.
        let is_inverted = index.pk.iter().all(|key| own[1] == Some(&key.name));
        if is_inverted && index.sk.iter().all(|key| own.contains(&Some(&key.name))) {
            let name = &index.name;
            findings.add(
                LintPlace::of_index(table, index),
                format!(
                    "each part of a list or blob has the keys of the table, so the index `{name}` contains all of them in one partition, \
                     and its write capacity limits their writes"
                ),
                "declare the entities with lists and blobs in a table of their own, or give the index key attributes of its own",
            );
        }
    }
    let has_uniques =
        |entity: &EntitySchema| entity.uniques.iter().any(|unique| unique.row.is_none());
    if !table.entities.iter().any(has_uniques) {
        return;
    }
    for (keys, pattern) in table.patterns() {
        let mut all = keys.pk.iter().chain(keys.sk);
        let is_ttl = all.all(|key| {
            matches!(key.content, KeyContent::Field(_))
                && table.ttl.as_ref() == Some(&key.attribute)
        });
        if is_ttl && !keys.pk.is_empty() {
            let index = &pattern.index;
            findings.add(
                LintPlace::of_keys(&keys),
                format!("the items that keep unique values have the TTL too, so the index `{index}` holds them beside the rows"),
                "write the partition key as a template, or give the index another key attribute",
            );
        }
    }
}
