//! The plan of a table: its entities, and the items that none of them declares.

use std::collections::BTreeSet;

use super::comparison::difference;
use super::entity::{AdoptedEntity, AdoptedKey, EntityTerms};
use super::entity_plan::plan_entity;
use super::grouping::{RowGroups, groups_by_key, groups_by_type, one_group};
use super::names::{type_name, unique_name};
use super::sample::TableSample;
use super::unique_rows::plan_uniques;
use super::vocabulary::{
    ELECTRO_VERSION, TypeAttribute, UNIQUE_ROWS, constant_text, type_attribute,
};

/// The declarations for a table.
#[derive(Debug, Clone)]
pub(crate) struct AdoptedTable {
    /// The name of the struct, if several entities or names of keys need one.
    pub(crate) name: Option<String>,
    /// The attribute of the type, if items have one.
    pub(crate) type_attribute: Option<TypeAttribute>,
    pub(crate) entities: Vec<AdoptedEntity>,
    /// The items that no declaration reads, by their reasons.
    pub(crate) others: Vec<(String, usize)>,
    /// For each entity, the items that it writes as they are.
    pub(crate) kept: Vec<Vec<usize>>,
}

impl AdoptedTable {
    /// Whether only the types distinguish two entities, because they may have one key.
    pub(crate) fn needs_types(&self) -> bool {
        self.type_attribute.is_some() && has_overlap(&self.entities)
    }

    /// Whether only the keys distinguish two entities: they have one type, and one version of the model, or their types are in
    /// different attributes.
    pub(crate) fn needs_keys(&self, sample: &TableSample) -> bool {
        let identity = |entity: &AdoptedEntity| {
            let version = sample.rows.get(*entity.rows.first()?)?;
            let version = constant_text(version, ELECTRO_VERSION);
            Some((entity.type_value.clone()?, version.map(str::to_owned)))
        };
        let mut known = BTreeSet::new();
        let mut identities = self.entities.iter().filter_map(identity);
        let has_own = |entity: &AdoptedEntity| entity.type_attribute.is_some();
        self.entities.iter().any(has_own) || identities.any(|identity| !known.insert(identity))
    }
}

/// Plans the declarations.
pub(crate) fn plan_table(sample: &TableSample) -> AdoptedTable {
    let typed = type_attribute(sample);
    let groups = match &typed {
        Some(attribute) => groups_by_type(sample, attribute),
        None => groups_by_key(sample),
    };
    let planned = plan_groups(sample, groups, typed);
    if planned.entities.len() > 1 && has_overlap(&planned.entities) {
        return without_overlap(sample, planned);
    }
    planned
}

fn plan_groups(
    sample: &TableSample,
    groups: RowGroups,
    typed: Option<TypeAttribute>,
) -> AdoptedTable {
    let mut taken = BTreeSet::new();
    let is_shared = typed.is_some() || groups.groups.len() > 1;
    let mut entities = Vec::new();
    let mut needs_table = is_shared;
    for group in groups.groups {
        let name = unique_name(group.name, &mut taken);
        let plan = |any_names: bool| {
            let of_table = typed.as_ref().map(|typed| typed.name.as_str());
            let type_attribute = group.type_attribute.as_deref().or(of_table);
            let terms = EntityTerms {
                type_attribute,
                any_names,
            };
            plan_entity(
                sample,
                &group.rows,
                name.clone(),
                group.type_value.clone(),
                &terms,
            )
        };
        // Without a `DynamoTable`, nothing adds a type attribute, so names of its own are tried first.
        let mut entity = plan(is_shared);
        if !is_shared && !has_own_names(&entity, sample) {
            needs_table = true;
            entity = plan(true);
        }
        entity.type_attribute = group.type_attribute;
        entities.push(entity);
    }
    let mut others: Vec<(String, usize)> = Vec::new();
    let primary: Vec<AdoptedKey> = entities.iter().map(|entity| entity.pk.clone()).collect();
    let mut taken_rows = Vec::new();
    for (reason, mut rows) in groups.others {
        if let Some(typed) = typed.as_ref().filter(|_| reason == UNIQUE_ROWS) {
            for entity in &mut entities {
                let declared = plan_uniques(
                    entity,
                    sample,
                    &rows,
                    &typed.name,
                    &primary,
                    &mut taken_rows,
                );
                rows.retain(|row| !declared.contains(row));
            }
        }
        if !rows.is_empty() {
            others.push((reason, rows.len()));
        }
    }
    let mut kept = Vec::new();
    for entity in &mut entities {
        let (rows, reasons) = compare_rows(entity, sample);
        if let Some(reason) = reasons.first() {
            let count = reasons.len();
            entity.unsure.push(format!(
                "the sample has items that would be read or written differently ({count}): {reason}"
            ));
            others.push((
                format!("that `{}` would not write as they are", entity.name),
                count,
            ));
        }
        kept.push(rows);
    }
    let name =
        needs_table.then(|| unique_name(type_name(&format!("{} table", sample.name)), &mut taken));
    AdoptedTable {
        name,
        type_attribute: typed,
        entities,
        others,
        kept,
    }
}

/// The items that the entity writes as they are, and the reasons for the others.
fn compare_rows(entity: &AdoptedEntity, sample: &TableSample) -> (Vec<usize>, Vec<String>) {
    let mut kept = Vec::new();
    let mut reasons = Vec::new();
    for number in &entity.rows {
        match sample
            .rows
            .get(*number)
            .and_then(|item| difference(entity, sample, item))
        {
            None => kept.push(*number),
            Some(reason) => reasons.push(reason),
        }
    }
    (kept, reasons)
}

/// Whether the templates of the primary key are stored where an entity of its own table stores them.
fn has_own_names(entity: &AdoptedEntity, sample: &TableSample) -> bool {
    let fits =
        |key: &AdoptedKey, column: &str, own: &str| key.template().is_none() || column == own;
    let sk = entity.sk.as_ref().zip(sample.sk.as_ref());
    fits(&entity.pk, &sample.pk.name, "pk")
        && sk.is_none_or(|(key, column)| fits(key, &column.name, "sk"))
}

/// Whether two keys of these entities could be equal.
fn may_meet(one: &AdoptedEntity, other: &AdoptedEntity) -> bool {
    let pairs = one.primary().zip(other.primary());
    pairs.into_iter().all(|pair| match pair {
        (AdoptedKey::Template(one), AdoptedKey::Template(other)) => !one.is_apart(other),
        _ => true,
    })
}

fn has_overlap(entities: &[AdoptedEntity]) -> bool {
    let mut pairs = entities
        .iter()
        .enumerate()
        .flat_map(|(at, one)| entities[..at].iter().map(move |other| (one, other)));
    pairs.any(|(one, other)| may_meet(one, other))
}

/// Whether each entity has a type of its own, in the attribute of the table, so that `identify_by = type` distinguishes
/// them. If no known program writes the attribute, its texts must look like names of classes: others may be plain values.
fn has_own_types(planned: &AdoptedTable, sample: &TableSample) -> bool {
    let Some(typed) = &planned.type_attribute else {
        return false;
    };
    let is_class = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.contains(|other: char| other.is_ascii_lowercase())
    };
    let mut types = planned.entities.iter().map(|entity| &entity.type_value);
    let is_type = |name: &Option<String>| {
        name.as_deref()
            .is_some_and(|name| typed.is_known || is_class(name))
    };
    !planned.needs_keys(sample) && types.all(is_type)
}

/// Entities of one key space cannot be declared together, unless each has a type of its own. If all of them
/// overlap, they become one entity that has the type as a field; otherwise the largest ones are declared.
fn without_overlap(sample: &TableSample, planned: AdoptedTable) -> AdoptedTable {
    if has_own_types(&planned, sample) {
        return planned;
    }
    let entities = &planned.entities;
    // If only some overlap, the type attribute is needed for the others.
    let all_meet = entities
        .iter()
        .enumerate()
        .all(|(at, one)| entities[..at].iter().all(|other| may_meet(one, other)));
    if all_meet {
        let mut table = plan_groups(sample, one_group(sample), None);
        if let (Some(typed), [entity]) = (&planned.type_attribute, table.entities.as_mut_slice()) {
            entity.unsure.push(format!(
                "`{}` may be the type of several entities with the same keys, which are one struct here: if it is, declare an \
                 entity for each type, and `identify_by = type` on the table",
                typed.name.escape_debug()
            ));
        }
        return table;
    }
    let mut by_size: Vec<usize> = (0..entities.len()).collect();
    by_size.sort_by_key(|at| (std::cmp::Reverse(entities[*at].rows.len()), *at));
    let mut declared: Vec<usize> = Vec::new();
    for at in by_size {
        if declared
            .iter()
            .all(|other| !may_meet(&entities[at], &entities[*other]))
        {
            declared.push(at);
        }
    }
    let mut others = planned.others.clone();
    for (at, entity) in entities
        .iter()
        .enumerate()
        .filter(|(at, _)| !declared.contains(at))
    {
        let count = planned.kept.get(at).map_or(entity.rows.len(), Vec::len);
        others.push((
            format!(
                "of `{}`, whose keys could be those of another entity",
                entity.name
            ),
            count,
        ));
    }
    declared.sort_unstable();
    let pick = |at: &usize| {
        (
            planned.entities.get(*at).cloned(),
            planned.kept.get(*at).cloned(),
        )
    };
    let (entities, kept): (Vec<_>, Vec<_>) = declared.iter().map(pick).unzip();
    AdoptedTable {
        entities: entities.into_iter().flatten().collect(),
        kept: kept.into_iter().flatten().collect(),
        others,
        ..planned
    }
}
