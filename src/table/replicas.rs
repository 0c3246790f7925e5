//! The replicas of a table beside those that are declared, and what of the model does not hold there.

use std::fmt;

use crate::dynamo::Dynamo;
use crate::schema::{ReplicaConsistency, Replicas, ReplicationGap, TableSchema};
use crate::wire::table::DescribedTable;

/// Remembers whether the table has transactions, so that one with it is rejected before it is sent.
pub(super) fn note_strong(db: &Dynamo, declared: &TableSchema, described: &DescribedTable) {
    let found = described.schema.settings.replicas.as_ref();
    let replicas = match described.knows_replicas {
        true => found,
        // Servers for tests do not know global tables, so the declaration decides there, and tests behave like AWS.
        false => found.or(declared.settings.replicas.as_ref()),
    };
    if let Some(replicas) = replicas {
        let is_strong = replicas.consistency == ReplicaConsistency::Strong;
        db.strong_tables().learn_table(&declared.name, is_strong);
    }
}

/// A global table that differs from its declaration, or in which a part of the model does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicationFinding {
    /// The global table; None if the table has no replicas.
    pub found: Option<Replicas>,
    /// The declaration by [`replicated`](TableSchema::replicated).
    pub declared: Option<Replicas>,
    /// The parts of the model that do not hold. A program that declares the table as replicated knows that conditions
    /// are checked in one region only, so this part is reported only for tables that are not declared as replicated.
    pub gaps: Vec<ReplicationGap>,
}

impl ReplicationFinding {
    /// The finding about a table that exists.
    pub(super) fn of_table(declared: &TableSchema, described: &DescribedTable) -> Option<Self> {
        let found = described.schema.settings.replicas.clone();
        let wanted = declared.settings.replicas.clone();
        let gaps = match (&found, &wanted) {
            (Some(found), None) => declared.gaps(found.consistency),
            (Some(found), Some(_)) if found.consistency == ReplicaConsistency::Strong => {
                declared.gaps(found.consistency)
            }
            _ => Vec::new(),
        };
        let is_as_declared = match (&found, &wanted) {
            (None, Some(_)) => !described.knows_replicas,
            (Some(_), None) => false,
            (found, wanted) => found == wanted,
        };
        (!is_as_declared || !gaps.is_empty()).then_some(ReplicationFinding {
            found,
            declared: wanted,
            gaps,
        })
    }

    /// The finding about a table that will be created, as far as its declaration tells.
    pub(super) fn of_new(declared: &TableSchema) -> Option<Self> {
        let wanted = declared.settings.replicas.clone()?;
        let gaps = match wanted.consistency {
            ReplicaConsistency::Strong => declared.gaps(wanted.consistency),
            ReplicaConsistency::Eventual => Vec::new(),
        };
        Some(ReplicationFinding {
            found: None,
            declared: Some(wanted),
            gaps,
        })
    }
}

impl fmt::Display for ReplicationFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.found, &self.declared) {
            (Some(found), None) => write!(
                f,
                "it is a global table, {found}: read \"Global tables\" in the guide, and declare it with \
                 `.replicated(Replicas::{}([..]))`",
                match found.consistency {
                    ReplicaConsistency::Eventual => "eventual",
                    ReplicaConsistency::Strong => "strong",
                }
            )?,
            (None, Some(declared)) => write!(
                f,
                "it has no replicas, declared: a global table, {declared}: this library adds none, so add them by AWS or \
                 by its tools"
            )?,
            (Some(found), Some(declared)) if found != declared => write!(
                f,
                "it is a global table, {found}, declared: {declared}: change the declaration, or the replicas by AWS \
                 or by its tools"
            )?,
            (Some(found), Some(_)) => write!(f, "it is a global table, {found}")?,
            (None, None) => f.write_str("it is not a global table")?,
        }
        for gap in &self.gaps {
            write!(f, "; {gap}")?;
        }
        Ok(())
    }
}
