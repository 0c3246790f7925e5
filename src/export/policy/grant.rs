//! What a policy was told to allow, and what that needs.

use std::collections::BTreeSet;

use super::{Partitions, Permissions, PolicyVerb, leading_keys};
use crate::error::{Error, Result};
use crate::schema::{CollectionSchema, EntitySchema, TableSchema};

#[derive(Debug, Clone)]
pub(super) enum Grant {
    /// A verb of the entity of this name.
    Verb(String, PolicyVerb),
    /// What patterns tell of requests: the entity or the collection, and the verb or the access pattern.
    Pattern(String),
    /// All reads of all entities.
    Reads,
    /// All writes of all entities.
    Writes,
    Ready,
    Plan,
    CreateTables,
    AddIndexes,
    EnableTtl,
}

/// An entity of a table.
type Declared<'s> = (&'s TableSchema, &'s EntitySchema);

impl Grant {
    pub(super) fn resolve(&self, schemas: &[TableSchema], all: &mut Permissions) -> Result<()> {
        match self {
            Grant::Verb(name, verb) => allow_verb(entity(schemas, name)?, *verb, all)?,
            Grant::Pattern(pattern) => allow_pattern(schemas, pattern, all)?,
            Grant::Reads => allow_reads(schemas, all)?,
            Grant::Writes => allow_writes(schemas, all)?,
            Grant::Ready
            | Grant::Plan
            | Grant::CreateTables
            | Grant::AddIndexes
            | Grant::EnableTtl => {
                schemas
                    .iter()
                    .for_each(|table| self.allow_table(table, all));
            }
        }
        Ok(())
    }

    /// What operations on tables need.
    fn allow_table(&self, table: &TableSchema, all: &mut Permissions) {
        let settings = &table.settings;
        let mut actions = vec!["DescribeTable", "DescribeTimeToLive"];
        match self {
            Grant::Ready => {
                actions.extend(["GetItem", "Query"]);
                for index in table.indexes() {
                    all.add(&table.name, Some(&index.name), "Query", None);
                }
            }
            Grant::Plan => {
                let recovers = settings.point_in_time_recovery.is_some();
                actions.extend(recovers.then_some("DescribeContinuousBackups"));
                actions.extend((!settings.tags.is_empty()).then_some("ListTagsOfResource"));
            }
            Grant::CreateTables => {
                actions.push("CreateTable");
                actions.extend(table.ttl.as_ref().map(|_| "UpdateTimeToLive"));
                actions.extend((!settings.tags.is_empty()).then_some("TagResource"));
                if settings.point_in_time_recovery.is_some() {
                    actions.extend(["DescribeContinuousBackups", "UpdateContinuousBackups"]);
                }
            }
            Grant::AddIndexes => actions = vec!["DescribeTable", "UpdateTable"],
            Grant::EnableTtl => actions.push("UpdateTimeToLive"),
            Grant::Verb(..) | Grant::Pattern(_) | Grant::Reads | Grant::Writes => actions.clear(),
        }
        for action in actions {
            all.add(&table.name, None, action, None);
        }
    }
}

/// The only entity of this name.
fn entity<'s>(schemas: &'s [TableSchema], name: &str) -> Result<Declared<'s>> {
    let mut named = schemas
        .iter()
        .filter_map(|table| Some((table, table.entity(name)?)));
    match (named.next(), named.next()) {
        (Some(found), None) => Ok(found),
        (Some((one, _)), Some((other, _))) => Err(Error::config(format!(
            "the tables `{}` and `{}` both have an entity `{name}`: make a policy of each",
            one.name, other.name
        ))),
        (None, _) => {
            let entities = schemas.iter().flat_map(|table| &table.entities);
            let names = entities.map(|entity| format!("`{}`", entity.name));
            Err(Error::config(format!(
                "a policy allows something of `{name}`, which is no entity of its tables: there are {}",
                listed(names)
            )))
        }
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

fn allow_verb(
    (table, entity): Declared<'_>,
    verb: PolicyVerb,
    all: &mut Permissions,
) -> Result<()> {
    if !verb.fits(entity) {
        return Err(Error::config(format!(
            "a policy allows `{}` of `{}`, which has no such verb: it is append-only, or has unique values that a batch \
             cannot keep",
            verb.name(),
            entity.name
        )));
    }
    let partitions = match verb {
        PolicyVerb::SCAN => None,
        _ => leading_keys::of_entity(table, entity),
    };
    for action in verb.actions(entity) {
        all.add(&table.name, None, action, partitions.clone());
    }
    Ok(())
}

fn allow_reads(schemas: &[TableSchema], all: &mut Permissions) -> Result<()> {
    for table in schemas {
        for entity in &table.entities {
            for verb in PolicyVerb::ALL.into_iter().filter(|verb| verb.reads()) {
                allow_verb((table, entity), verb, all)?;
            }
            for pattern in &entity.patterns {
                let partitions = leading_keys::of_pattern(entity, pattern);
                all.add(&table.name, Some(&pattern.index), "Query", partitions);
            }
        }
        let collections = table.collections.iter();
        for collection in collections.filter(|collection| collection.partition.is_some()) {
            allow_collection(table, collection, all);
        }
    }
    Ok(())
}

fn allow_writes(schemas: &[TableSchema], all: &mut Permissions) -> Result<()> {
    for table in schemas {
        for entity in &table.entities {
            let verbs = PolicyVerb::ALL.into_iter();
            let writes = verbs.filter(|verb| !verb.reads() && *verb != PolicyVerb::SCAN);
            for verb in writes.filter(|verb| verb.fits(entity)) {
                allow_verb((table, entity), verb, all)?;
            }
        }
    }
    Ok(())
}

fn allow_pattern(schemas: &[TableSchema], pattern: &str, all: &mut Permissions) -> Result<()> {
    let Some((owner, name)) = pattern.split_once('.') else {
        return Err(Error::config(format!(
            "`{pattern}` is no pattern: it has the name of an entity and that of a verb or an access pattern, as \
             `Order.by_status`"
        )));
    };
    let collections = schemas.iter().flat_map(|table| {
        let named = table.collections.iter().filter(|known| known.name == owner);
        named.map(move |collection| (table, collection))
    });
    for (table, collection) in collections {
        let verb = collection
            .partition
            .as_ref()
            .map_or("scan", |_| "in_partition");
        if verb == name {
            allow_collection(table, collection, all);
            return Ok(());
        }
    }
    let (table, entity) = entity(schemas, owner)?;
    if let Some(pattern) = entity.pattern(name) {
        let partitions = leading_keys::of_pattern(entity, pattern);
        all.add(&table.name, Some(&pattern.index), "Query", partitions);
        return Ok(());
    }
    if entity.uniques.iter().any(|unique| unique.name == name) {
        let partitions = leading_keys::of_entity(table, entity);
        all.add(&table.name, None, "GetItem", partitions);
        return Ok(());
    }
    let Some(verb) = PolicyVerb::from_name(name) else {
        return Err(unknown_pattern(entity, name));
    };
    allow_verb((table, entity), verb, all)
}

/// A collection that reads its whole table is a scan, and is allowed by its name alone.
fn allow_collection(table: &TableSchema, collection: &CollectionSchema, all: &mut Permissions) {
    let action = match collection.partition {
        Some(_) => "Query",
        None => "Scan",
    };
    let partitions = match collection.partition {
        Some(_) => partitions_of(table, collection),
        None => None,
    };
    all.add(&table.name, collection.index.as_deref(), action, partitions);
}

/// Those of all its entities.
fn partitions_of(table: &TableSchema, collection: &CollectionSchema) -> Partitions {
    let mut all = BTreeSet::new();
    for name in &collection.entities {
        let entity = table.entity(name)?;
        let of_index = |index: &String| {
            let mut patterns = entity.patterns.iter();
            let pattern = patterns.find(|pattern| pattern.index == *index)?;
            leading_keys::of_pattern(entity, pattern)
        };
        all.extend(match &collection.index {
            Some(index) => of_index(index)?,
            None => leading_keys::of_entity(table, entity)?,
        });
    }
    Some(all)
}

fn unknown_pattern(entity: &EntitySchema, name: &str) -> Error {
    let patterns = entity.patterns.iter().map(|pattern| &pattern.name);
    let uniques = entity.uniques.iter().map(|unique| &unique.name);
    let names = patterns.chain(uniques).map(|name| format!("`{name}`"));
    Error::config(format!(
        "`{name}` is neither a verb nor an access pattern of `{}`: its patterns are {}",
        entity.name,
        listed(names)
    ))
}
