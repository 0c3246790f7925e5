//! The grants of a policy, and their actions.

use super::leading_keys::unlimited_error;
use super::partitions::Partitions;
use super::permissions::Permissions;
use super::verb::PolicyVerb;
use crate::error::{Error, Result};
use crate::export::key_text::{FieldValues, KeyReader};
use crate::schema::{
    CollectionSchema, EntitySchema, PatternSchema, TableSchema, VectorSearchSchema,
};

#[derive(Debug, Clone)]
pub(super) enum Grant {
    /// A verb of the entity of this name.
    Verb(String, PolicyVerb),
    /// The facts that patterns contain about requests: the entity or the collection, and the verb or the access pattern.
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

impl Grant {
    pub(super) fn resolve_grant(
        &self,
        schemas: &[TableSchema],
        values: &FieldValues,
        all: &mut Permissions,
    ) -> Result<()> {
        let of = Declarations { schemas, values };
        match self {
            Grant::Verb(name, verb) => allow_verb(of.entity_reader(name)?, *verb, all)?,
            Grant::Pattern(pattern) => allow_pattern(of, pattern, all)?,
            Grant::Reads => allow_reads(of, all)?,
            Grant::Writes => allow_writes(of, all)?,
            Grant::Ready if !values.is_empty() => return Err(unlimited_error("`ready`", values)),
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

    /// The actions that operations on tables need.
    fn allow_table(&self, table: &TableSchema, all: &mut Permissions) {
        let settings = &table.settings;
        let mut actions = vec!["DescribeTable", "DescribeTimeToLive"];
        match self {
            Grant::Ready => {
                actions.extend(["GetItem", "Query"]);
                for index in table.indexes() {
                    all.add_permission(
                        &table.name,
                        Some(&index.name),
                        "Query",
                        Partitions::any_partition(),
                    );
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
            // Without the TTL, which this operation does not look at.
            Grant::AddIndexes => actions = vec!["DescribeTable", "UpdateTable"],
            Grant::EnableTtl => actions.push("UpdateTimeToLive"),
            Grant::Verb(..) | Grant::Pattern(_) | Grant::Reads | Grant::Writes => actions.clear(),
        }
        for action in actions {
            all.add_permission(&table.name, None, action, Partitions::any_partition());
        }
    }
}

/// The tables of a policy, with the values of fields to which it is limited.
#[derive(Clone, Copy)]
struct Declarations<'s> {
    schemas: &'s [TableSchema],
    values: &'s FieldValues,
}

impl<'s> Declarations<'s> {
    fn key_reader(self, table: &'s TableSchema, entity: &'s EntitySchema) -> KeyReader<'s> {
        KeyReader {
            table,
            entity,
            values: self.values,
        }
    }

    /// All entities.
    fn key_readers(self) -> impl Iterator<Item = KeyReader<'s>> {
        let tables = self.schemas.iter();
        tables.flat_map(move |table| {
            let entities = table.entities.iter();
            entities.map(move |entity| self.key_reader(table, entity))
        })
    }

    /// The only entity of this name.
    fn entity_reader(self, name: &str) -> Result<KeyReader<'s>> {
        let mut named = self.key_readers().filter(|of| of.entity.name == name);
        match (named.next(), named.next()) {
            (Some(found), None) => Ok(found),
            (Some(one), Some(other)) => Err(Error::config(format!(
                "the tables `{}` and `{}` both have an entity `{name}`: make a policy of each",
                one.table.name, other.table.name
            ))),
            (None, _) => {
                let names = self.key_readers().map(|of| format!("`{}`", of.entity.name));
                Err(Error::config(format!(
                    "a policy allows something on `{name}`, which is not an entity of its tables: they have {}",
                    list_names(names)
                )))
            }
        }
    }
}

fn list_names(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

fn allow_verb(of: KeyReader<'_>, verb: PolicyVerb, all: &mut Permissions) -> Result<()> {
    let KeyReader { table, entity, .. } = of;
    if !verb.fits_entity(entity, table) {
        return Err(Error::config(format!(
            "a policy allows `{}` of `{}`, which has no such verb: it is append-only, or has unique values, lists or \
             blobs that a batch cannot keep, or is in a table with `identify_by = type`, and a batch checks no types",
            verb.name(),
            entity.name
        )));
    }
    let partitions = match verb {
        // A scan has no key that IAM could compare.
        PolicyVerb::SCAN if !of.values.is_empty() => {
            return Err(unlimited_error("`scan`", of.values));
        }
        PolicyVerb::SCAN => Partitions::any_partition(),
        _ => {
            let what = format!("`{}` of `{}`", verb.name(), entity.name);
            of.limited_partitions(&what, |of| of.of_entity())?
        }
    };
    for action in verb.needed_actions(entity) {
        all.add_permission(&table.name, None, action, partitions.clone());
    }
    Ok(())
}

fn allow_reads(declared: Declarations<'_>, all: &mut Permissions) -> Result<()> {
    for of in declared.key_readers() {
        for verb in PolicyVerb::ALL.into_iter().filter(|verb| verb.is_read()) {
            allow_verb(of, verb, all)?;
        }
        for pattern in &of.entity.patterns {
            let partitions = limited_pattern(&of, pattern)?;
            all.add_permission(&of.table.name, Some(&pattern.index), "Query", partitions);
        }
        // IAM cannot limit a search to values. Therefore a grant that is limited to values contains no searches.
        for search in of
            .entity
            .searches
            .iter()
            .filter(|_| declared.values.is_empty())
        {
            allow_search(&of.table.name, search, all);
        }
    }
    for table in declared.schemas {
        let collections = table.collections.iter();
        for collection in collections.filter(|collection| collection.partition.is_some()) {
            allow_collection(declared, table, collection, all)?;
        }
    }
    Ok(())
}

fn allow_writes(declared: Declarations<'_>, all: &mut Permissions) -> Result<()> {
    for of in declared.key_readers() {
        let verbs = PolicyVerb::ALL.into_iter();
        // A scan is neither a read nor a write here: it reads the whole table, so it must be allowed by name.
        let writes = verbs.filter(|verb| !verb.is_read() && *verb != PolicyVerb::SCAN);
        for verb in writes.filter(|verb| verb.fits_entity(of.entity, of.table)) {
            allow_verb(of, verb, all)?;
        }
    }
    Ok(())
}

fn allow_pattern(declared: Declarations<'_>, pattern: &str, all: &mut Permissions) -> Result<()> {
    let Some((owner, name)) = pattern.split_once('.') else {
        return Err(Error::config(format!(
            "`{pattern}` is not a pattern: write the name of an entity \
             and that of a verb or an access pattern, as in `Order.by_status`"
        )));
    };
    let collections = declared.schemas.iter().flat_map(|table| {
        let named = table.collections.iter().filter(|known| known.name == owner);
        named.map(move |collection| (table, collection))
    });
    for (table, collection) in collections {
        let verb = collection
            .partition
            .as_ref()
            .map_or("scan", |_| "in_partition");
        if verb == name {
            return allow_collection(declared, table, collection, all);
        }
    }
    let of = declared.entity_reader(owner)?;
    let KeyReader { table, entity, .. } = of;
    if let Some(pattern) = entity.pattern(name) {
        let partitions = limited_pattern(&of, pattern)?;
        all.add_permission(&table.name, Some(&pattern.index), "Query", partitions);
        return Ok(());
    }
    if let Some(search) = entity.searches.iter().find(|search| search.name == name) {
        if !declared.values.is_empty() {
            return Err(unlimited_error(
                &format!("the search `{name}`"),
                declared.values,
            ));
        }
        allow_search(&table.name, search, all);
        return Ok(());
    }
    let mut look_ups = entity.uniques.iter().filter(|unique| unique.row.is_none());
    if look_ups.any(|unique| unique.name == name) {
        let what = format!("the look-up `{name}` of `{}`", entity.name);
        let partitions = of.limited_partitions(&what, |of| of.of_entity())?;
        all.add_permission(&table.name, None, "GetItem", partitions);
        return Ok(());
    }
    let Some(verb) = PolicyVerb::from_name(name) else {
        return Err(unknown_pattern(entity, name));
    };
    allow_verb(of, verb, all)
}

/// A search of a vector index.
fn allow_search(table: &str, search: &VectorSearchSchema, all: &mut Permissions) {
    let partitions = Partitions::any_partition();
    all.add_permission(table, Some(&search.index), "SearchVectors", partitions);
}

/// A collection that reads its whole table is a scan, and is allowed by its name alone.
fn allow_collection(
    declared: Declarations<'_>,
    table: &TableSchema,
    collection: &CollectionSchema,
    all: &mut Permissions,
) -> Result<()> {
    let values = declared.values;
    let (action, partitions) = match collection.partition {
        Some(_) => ("Query", partitions_of(declared, table, collection)?),
        None if !values.is_empty() => {
            return Err(unlimited_error(&format!("`{}`", collection.name), values));
        }
        None => ("Scan", Partitions::any_partition()),
    };
    all.add_permission(&table.name, collection.index.as_deref(), action, partitions);
    Ok(())
}

/// Those of all its entities.
fn partitions_of(
    declared: Declarations<'_>,
    table: &TableSchema,
    collection: &CollectionSchema,
) -> Result<Partitions> {
    let of_one = |name: &String| {
        // An entity that the schema does not have could be in any partition.
        let Some(entity) = table.entity(name) else {
            return Ok(Partitions::any_partition());
        };
        let of = KeyReader {
            table,
            entity,
            values: declared.values,
        };
        of.limited_partitions(&format!("`{}`", collection.name), |of| {
            let Some(index) = &collection.index else {
                return of.of_entity();
            };
            let mut patterns = entity.patterns.iter();
            let pattern = patterns.find(|pattern| pattern.index == *index);
            pattern.map_or_else(Partitions::any_partition, |pattern| of.of_pattern(pattern))
        })
    };
    let all = collection.entities.iter().map(of_one);
    let all = all.reduce(|all, one| Ok(all?.union_with(&one?)));
    all.unwrap_or_else(|| Ok(Partitions::any_partition()))
}

/// The partitions of an access pattern.
fn limited_pattern(of: &KeyReader<'_>, pattern: &PatternSchema) -> Result<Partitions> {
    let what = format!("`{}.{}`", of.entity.name, pattern.name);
    of.limited_partitions(&what, |of| of.of_pattern(pattern))
}

fn unknown_pattern(entity: &EntitySchema, name: &str) -> Error {
    let patterns = entity.patterns.iter().map(|pattern| &pattern.name);
    let uniques = entity.uniques.iter().filter(|unique| unique.row.is_none());
    let uniques = uniques.map(|unique| &unique.name);
    let names = patterns.chain(uniques).map(|name| format!("`{name}`"));
    Error::config(format!(
        "`{name}` is neither a verb nor an access pattern of `{}`: its patterns are {}",
        entity.name,
        list_names(names)
    ))
}
