//! Global tables: where a table is replicated to, and which promises of a model do not hold there.

use std::fmt;

use super::{FieldRole, ReplicaConsistency, Replicas, TableSchema};

/// A guarantee of a model that does not hold in a global table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplicationGap {
    /// Every write of the unique value fails: it is a transaction, and strongly consistent global tables have none.
    UniqueFails {
        /// The entity.
        entity: String,
        /// The look-up of the value.
        unique: String,
    },
    /// Every write of the list or blob fails, and every delete of an item of the entity: both are transactions, and strongly consistent
    /// global tables have none.
    LargeFails {
        /// The entity.
        entity: String,
        /// The list or blob.
        value: String,
    },
    /// Items do not expire in strongly consistent global tables.
    NoTtl {
        /// The attribute.
        attribute: String,
    },
    /// Strongly consistent global tables have no local indexes.
    NoLocalIndex {
        /// The index.
        index: String,
    },
    /// Two regions can store the same unique value at once.
    UniquePerRegion {
        /// The entity.
        entity: String,
        /// The look-up of the value.
        unique: String,
    },
    /// Two regions can write the same list or blob at once, and the elements or bytes of one of them are lost.
    LargePerRegion {
        /// The entity.
        entity: String,
        /// The list or blob.
        value: String,
    },
    /// Two regions can write the same version at once, and one of the writes is lost.
    VersionPerRegion {
        /// The entity.
        entity: String,
    },
    /// Two regions can create the same item at once, and one of them is lost; the same applies to every condition.
    ConditionsPerRegion,
}

impl fmt::Display for ReplicationGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplicationGap::UniqueFails { entity, unique } => write!(
                f,
                "writes of the unique value `{unique}` of `{entity}` fail: they are transactions, which the table does not \
                 have"
            ),
            ReplicationGap::LargeFails { entity, value } => write!(
                f,
                "writes of `{value}` of `{entity}` and deletes of its items fail: they are transactions, which the table does not \
                 have"
            ),
            ReplicationGap::NoTtl { attribute } => {
                write!(f, "items do not expire by `{attribute}`: the table has no TTL")
            }
            ReplicationGap::NoLocalIndex { index } => {
                write!(f, "the local index `{index}` cannot exist there")
            }
            ReplicationGap::UniquePerRegion { entity, unique } => write!(
                f,
                "the unique value `{unique}` of `{entity}` is unique in one region only"
            ),
            ReplicationGap::LargePerRegion { entity, value } => write!(
                f,
                "writes of `{value}` of `{entity}` in two regions at once lose those of one region"
            ),
            ReplicationGap::VersionPerRegion { entity } => write!(
                f,
                "the version of `{entity}` notices writers of the same region only"
            ),
            ReplicationGap::ConditionsPerRegion => f.write_str(
                "`create` and all conditions are checked in one region only, and the last writer of an item wins",
            ),
        }
    }
}

impl TableSchema {
    /// Declares the table as a global table. The library neither adds nor removes replicas;
    /// [`plan`](crate::Dynamo::plan) and [`ready`](crate::Dynamo::ready) compare them, and the
    /// [lints](TableSchema::lints) report the parts of the model that do not hold there.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::schema::{Replicas, ReplicationGap};
    ///
    /// #[derive(DynamoEntity)]
    /// #[dynamo(table = "users", key(pk = "USER#{id}"), unique(by_email, email))]
    /// struct User { id: u32, email: String }
    ///
    /// let users = User::schema().replicated(Replicas::strong(["eu-west-1", "eu-west-2", "eu-west-3"]));
    /// let gaps = users.replication_gaps();
    /// assert!(matches!(&gaps[..], [ReplicationGap::UniqueFails { unique, .. }] if unique == "by_email"));
    /// ```
    #[must_use]
    pub fn replicated(mut self, replicas: Replicas) -> Self {
        self.settings.replicas = Some(replicas);
        self
    }

    /// The guarantees of the model that do not hold because the table is [`replicated`](Self::replicated); none if it
    /// is not.
    pub fn replication_gaps(&self) -> Vec<ReplicationGap> {
        let replicas = self.settings.replicas.as_ref();
        replicas.map_or_else(Vec::new, |replicas| self.gaps(replicas.consistency))
    }

    pub(crate) fn gaps(&self, consistency: ReplicaConsistency) -> Vec<ReplicationGap> {
        match consistency {
            ReplicaConsistency::Eventual => self.gaps_of_eventual(),
            // DynamoDB has no transactions, TTL and local indexes in such tables, but every
            // condition is checked against the newest item.
            ReplicaConsistency::Strong => self.gaps_of_strong(),
        }
    }

    fn gaps_of_strong(&self) -> Vec<ReplicationGap> {
        let uniques = self.unique_values();
        let uniques =
            uniques.map(|(entity, unique)| ReplicationGap::UniqueFails { entity, unique });
        let large = self.large_values();
        let large = large.map(|(entity, value)| ReplicationGap::LargeFails { entity, value });
        let ttl = self.ttl.clone().into_iter();
        let ttl = ttl.map(|attribute| ReplicationGap::NoTtl { attribute });
        let local = self.local_indexes.iter();
        let local = local.map(|index| ReplicationGap::NoLocalIndex {
            index: index.name.clone(),
        });
        uniques.chain(large).chain(ttl).chain(local).collect()
    }

    fn gaps_of_eventual(&self) -> Vec<ReplicationGap> {
        let uniques = self.unique_values();
        let uniques =
            uniques.map(|(entity, unique)| ReplicationGap::UniquePerRegion { entity, unique });
        let large = self.large_values();
        let large = large.map(|(entity, value)| ReplicationGap::LargePerRegion { entity, value });
        let has_version = |role: FieldRole| role == FieldRole::Version;
        let versioned = self
            .entities
            .iter()
            .filter(|entity| entity.fields.iter().any(|field| has_version(field.role)));
        let versions = versioned.map(|entity| ReplicationGap::VersionPerRegion {
            entity: entity.name.clone(),
        });
        uniques
            .chain(large)
            .chain(versions)
            .chain([ReplicationGap::ConditionsPerRegion])
            .collect()
    }

    /// The unique values, by the names of their entities and look-ups.
    fn unique_values(&self) -> impl Iterator<Item = (String, String)> {
        self.entities.iter().flat_map(|entity| {
            let uniques = entity.uniques.iter();
            uniques.map(|unique| (entity.name.clone(), unique.name.clone()))
        })
    }

    /// The lists and blobs, by the names of their entities and functions.
    fn large_values(&self) -> impl Iterator<Item = (String, String)> {
        self.entities.iter().flat_map(|entity| {
            let values = entity.large.iter();
            values.map(|value| (entity.name.clone(), value.name.clone()))
        })
    }
}
