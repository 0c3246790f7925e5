//! Rules about global tables, by the setting [`replicated`](crate::schema::TableSchema::replicated).

use super::finding::{Findings, LintPlace};
use crate::schema::{FieldRole, IndexSchema, ReplicaConsistency, ReplicationGap, TableSchema};

/// The declarations of the model that do not hold in a global table of this kind.
fn gaps(table: &TableSchema, consistency: ReplicaConsistency) -> Vec<ReplicationGap> {
    let replicas = table.settings.replicas.as_ref();
    match replicas.filter(|replicas| replicas.consistency == consistency) {
        Some(_) => table.replication_gaps(),
        None => Vec::new(),
    }
}

pub(super) fn eventual_replicas(table: &TableSchema, findings: &mut Findings) {
    for gap in gaps(table, ReplicaConsistency::Eventual) {
        let (place, fix) = match &gap {
            ReplicationGap::UniquePerRegion { entity, unique } => (
                LintPlace::Unique {
                    entity: entity.clone(),
                    unique: unique.clone(),
                },
                "write each value in one region, by its hash or by its tenant for example",
            ),
            ReplicationGap::LargePerRegion { entity, value } => (
                large_place(entity, value),
                "write the list or blob of each item in one region, that of its owner for example",
            ),
            ReplicationGap::VersionPerRegion { entity } => {
                let Some(place) = place_of_role(table, entity, FieldRole::Version) else {
                    continue;
                };
                (
                    place,
                    "write each item in one region, that of its owner for example",
                )
            }
            _ => continue,
        };
        findings.add(place, gap.to_string(), fix);
    }
}

pub(super) fn strong_replicas(table: &TableSchema, findings: &mut Findings) {
    for gap in gaps(table, ReplicaConsistency::Strong) {
        let (place, fix) = match &gap {
            ReplicationGap::UniqueFails { entity, unique } => (
                LintPlace::Unique {
                    entity: entity.clone(),
                    unique: unique.clone(),
                },
                "make the value the key of an entity of its own, which `create` guards, or keep the entity in a table \
                 without replicas",
            ),
            ReplicationGap::LargeFails { entity, value } => (
                large_place(entity, value),
                "keep the entity in a table without replicas, or in an eventually consistent one",
            ),
            ReplicationGap::NoTtl { .. } => (
                LintPlace::of_table(table),
                "delete what has expired by a job, `query.delete_each()` for example, and remove the TTL",
            ),
            ReplicationGap::NoLocalIndex { index } => {
                let index = local_index(table, index);
                let Some(index) = index else { continue };
                (LintPlace::of_index(table, index), "declare a global index")
            }
            _ => continue,
        };
        findings.add(place, gap.to_string(), fix);
    }
}

fn large_place(entity: &str, value: &str) -> LintPlace {
    LintPlace::Large {
        entity: entity.to_owned(),
        value: value.to_owned(),
    }
}

fn local_index<'s>(table: &'s TableSchema, name: &str) -> Option<&'s IndexSchema> {
    table.local_indexes.iter().find(|index| index.name == name)
}

fn place_of_role(table: &TableSchema, entity: &str, role: FieldRole) -> Option<LintPlace> {
    let entity = table.entities.iter().find(|known| known.name == entity)?;
    let field = entity.fields.iter().find(|field| field.role == role)?;
    Some(LintPlace::of_field(entity, field))
}
