//! Settings that differ between environments, and are therefore set by code and not by a declaration.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::json_form::json_record;
use super::json_word::words;

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
        /// The maximum of on-demand billing, also of each global index; None leaves it to other managers of the table.
        pub on_demand_maximum: Option<OnDemandMaximum> => may,
        /// The minimum of warm throughput, also of each global index; None requires none.
        pub warm_throughput: Option<WarmThroughput> => may,
        /// The key for encryption at rest; None leaves it to other managers of the table.
        pub encryption: Option<Encryption> => may,
        /// The settings of the global indexes that differ from those of the table, by index name.
        pub indexes: BTreeMap<String, IndexSettings> => may,
        /// The safeguards that the environment demands of the table. Lints report those that are missing.
        pub demands: BTreeSet<Safeguard> => may,
    }

    /// The settings of a global index that differ from those of its table.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct IndexSettings {
        /// The maximum of on-demand billing.
        pub on_demand_maximum: Option<OnDemandMaximum> => may,
        /// The minimum of warm throughput.
        pub warm_throughput: Option<WarmThroughput> => may,
    }

    /// The read and write units per second that a table or an index can serve at once. DynamoDB never decreases them.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub struct WarmThroughput {
        /// Read units per second.
        pub reads: u64 => must,
        /// Write units per second.
        pub writes: u64 => must,
    }
}

/// The maximum of a table or an index with on-demand billing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnDemandMaximum {
    /// No maximum: only the quotas of the account limit the requests.
    Unlimited,
    /// DynamoDB throttles requests beyond these units per second.
    Units {
        /// Read request units.
        reads: u64,
        /// Write request units.
        writes: u64,
    },
}

/// The key with which DynamoDB encrypts a table at rest. Every table is encrypted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encryption {
    /// A key that DynamoDB owns. It costs nothing, and the account cannot see or use it.
    AwsOwned,
    /// The key `aws/dynamodb` of the account, which AWS manages.
    AwsManaged,
    /// A key of your own in AWS KMS, by its ARN: `arn:aws:kms:REGION:ACCOUNT:key/ID`.
    Key(String),
}

impl Encryption {
    /// A key of your own, by its ARN.
    pub fn key(arn: impl Into<String>) -> Self {
        Encryption::Key(arn.into())
    }
}

/// For example `the key arn:aws:kms:eu-west-1:111122223333:key/1234abcd`.
impl fmt::Display for Encryption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Encryption::AwsOwned => f.write_str("a key that DynamoDB owns"),
            Encryption::AwsManaged => f.write_str("the key `aws/dynamodb` of the account"),
            Encryption::Key(arn) => write!(f, "the key {arn}"),
        }
    }
}

/// A safeguard that an environment can demand of its tables, with [`demand`](super::TableSchema::demand).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Safeguard {
    /// Protection from deletion. The lint `unprotected_table` reports tables without it.
    DeletionProtection,
    /// Point-in-time recovery. The lint `unrecoverable_table` reports tables without it.
    Recovery,
    /// A limit on the costs of requests. The lint `no_spend_cap` reports tables without it.
    SpendCap,
}

impl Safeguard {
    /// All safeguards.
    pub const ALL: &'static [Safeguard] = &[
        Safeguard::DeletionProtection,
        Safeguard::Recovery,
        Safeguard::SpendCap,
    ];
}

impl TableSettings {
    /// Whether units are declared as the maximum of the table or of an index.
    pub(crate) fn limits_requests(&self) -> bool {
        let indexes = self.indexes.values();
        let of_indexes = indexes.filter_map(|index| index.on_demand_maximum);
        let mut all = self.on_demand_maximum.into_iter().chain(of_indexes);
        all.any(|maximum| matches!(maximum, OnDemandMaximum::Units { .. }))
    }

    /// The maximum that is declared for a global index: its own, or that of the table.
    pub(crate) fn index_maximum(&self, index: &str) -> Option<OnDemandMaximum> {
        let own = self.indexes.get(index);
        own.and_then(|own| own.on_demand_maximum)
            .or(self.on_demand_maximum)
    }

    /// The warm throughput that is declared for a global index: its own, or that of the table.
    pub(crate) fn index_warmth(&self, index: &str) -> Option<WarmThroughput> {
        let own = self.indexes.get(index);
        own.and_then(|own| own.warm_throughput)
            .or(self.warm_throughput)
    }

    /// The warm throughput to request for a new table or index. DynamoDB rejects values that are not above those that
    /// every new one has: its units, or those of billing by requests.
    pub(crate) fn warmth_above_first(
        &self,
        declared: WarmThroughput,
    ) -> (Option<u64>, Option<u64>) {
        let first = self.billing.and_then(Billing::units);
        let first = first.unwrap_or(WarmThroughput::FIRST);
        declared.units_above(first)
    }
}

impl WarmThroughput {
    /// The read and write units that every new table has if it is billed on demand.
    pub(crate) const FIRST: (u64, u64) = (12_000, 4_000);

    /// The reads and the writes, as far as they are above those that exist.
    pub(crate) fn units_above(self, (reads, writes): (u64, u64)) -> (Option<u64>, Option<u64>) {
        (
            Some(self.reads).filter(|units| *units > reads),
            Some(self.writes).filter(|units| *units > writes),
        )
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
    Safeguard { DeletionProtection: "deletion_protection", Recovery: "recovery", SpendCap: "spend_cap" }
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
