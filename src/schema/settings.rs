//! Settings that differ between environments, and are therefore set by code and not by a declaration.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::json::{json_record, words};

json_record! {
    /// The operational settings of a table, such as its billing and its protection. The methods of
    /// [`TableSchema`](super::TableSchema) set them, for example
    /// [`deletion_protection`](super::TableSchema::deletion_protection).
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct TableSettings {
        /// Whether the table is protected from deletion; None leaves it to DynamoDB, which then protects nothing.
        pub deletion_protection: Option<bool> => may,
        /// The number of past days for which the table can be restored to any second.
        pub point_in_time_recovery: Option<u8> => may,
        /// The class; None leaves it to DynamoDB, which uses the standard one.
        pub class: Option<TableClass> => may,
        /// The billing mode; None leaves it to other managers of the table, and a new table is billed by requests.
        pub billing: Option<Billing> => may,
        /// Tags, for example to separate costs.
        pub tags: BTreeMap<String, String> => may,
        /// The regions of a global table; None leaves them to other managers of the table.
        pub replicas: Option<Replicas> => may,
    }
}

/// The prices of storage and requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TableClass {
    /// For most tables.
    Standard,
    /// Storage costs less and requests more.
    InfrequentAccess,
}

words! {
    ReplicaConsistency { Eventual: "eventual", Strong: "strong" }
    TableClass { Standard: "standard", InfrequentAccess: "infrequent_access" }
}

/// The billing mode of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Billing {
    /// By requests.
    OnDemand,
    /// By units per second, of the table and of each of its global indexes.
    Provisioned {
        /// Read units.
        reads: u64,
        /// Write units.
        writes: u64,
    },
    /// By units that others change as needed, such as the auto scaling of AWS; a new table starts with these.
    Scaled {
        /// Read units of a new table.
        reads: u64,
        /// Write units of a new table.
        writes: u64,
    },
}

impl Billing {
    /// The read and write units of a new table, if it is billed by units.
    pub fn units(self) -> Option<(u64, u64)> {
        match self {
            Billing::OnDemand => None,
            Billing::Provisioned { reads, writes } | Billing::Scaled { reads, writes } => {
                Some((reads, writes))
            }
        }
    }
}

json_record! {
    /// A global table: its regions, and their consistency. See
    /// [`TableSchema::replicated`](super::TableSchema::replicated).
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Replicas {
        /// How the regions agree.
        pub consistency: ReplicaConsistency => must,
        /// All regions with a replica.
        pub regions: BTreeSet<String> => must,
        /// The region that only witnesses writes, if there is one; it can neither be read nor written.
        pub witness: Option<String> => may,
    }
}

/// How the regions of a global table agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ReplicaConsistency {
    /// Each region accepts writes on its own and replicates them: the last writer of an item wins. A condition is
    /// checked in one region only.
    #[default]
    Eventual,
    /// A write is done when another region has it, and a strong read of any region sees it. There are no transactions, no
    /// TTL and no local indexes.
    Strong,
}

impl Replicas {
    /// The regions of an eventually consistent global table, including the one that programs connect to.
    pub fn eventual<R: Into<String>>(regions: impl IntoIterator<Item = R>) -> Self {
        Replicas::of(ReplicaConsistency::Eventual, regions)
    }

    /// The regions of a strongly consistent global table, including the one that programs connect to.
    pub fn strong<R: Into<String>>(regions: impl IntoIterator<Item = R>) -> Self {
        Replicas::of(ReplicaConsistency::Strong, regions)
    }

    fn of<R: Into<String>>(
        consistency: ReplicaConsistency,
        regions: impl IntoIterator<Item = R>,
    ) -> Self {
        Replicas {
            consistency,
            regions: regions.into_iter().map(Into::into).collect(),
            witness: None,
        }
    }

    /// A region that only witnesses writes, in place of the third replica of a strongly consistent table.
    #[must_use]
    pub fn with_witness(mut self, region: impl Into<String>) -> Self {
        self.witness = Some(region.into());
        self
    }
}

/// For example `strongly consistent in eu-west-1, eu-west-2, witnessed by eu-central-1`.
impl fmt::Display for Replicas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.consistency {
            ReplicaConsistency::Eventual => "eventually",
            ReplicaConsistency::Strong => "strongly",
        };
        let regions: Vec<&str> = self.regions.iter().map(String::as_str).collect();
        write!(f, "{how} consistent in {}", regions.join(", "))?;
        match &self.witness {
            Some(region) => write!(f, ", witnessed by {region}"),
            None => Ok(()),
        }
    }
}
