//! Settings that differ between environments, and are therefore set by code and not by a declaration.

use std::collections::BTreeMap;

use super::{Replicas, TableSchema};

/// How a table is run: what it is billed by, and how it is protected. The methods of [`TableSchema`] say it, such as
/// [`deletion_protection`](TableSchema::deletion_protection).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableSettings {
    /// Whether the table is protected from deletion; None leaves it to DynamoDB, which then protects nothing.
    pub deletion_protection: Option<bool>,
    /// For how many days back the table can be restored to any second.
    pub point_in_time_recovery: Option<u8>,
    /// The class; None leaves it to DynamoDB, which uses the standard one.
    pub class: Option<TableClass>,
    /// How it is billed; None leaves it to other managers of the table, and a new table is billed by requests.
    pub billing: Option<Billing>,
    /// Labels, by which costs are told apart.
    pub tags: BTreeMap<String, String>,
    /// The regions of a global table; None leaves them to other managers of the table.
    pub replicas: Option<Replicas>,
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

/// The billing mode of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Billing {
    /// By requests.
    OnDemand,
    /// By units for each second, of the table and of each of its global indexes.
    Provisioned {
        /// Read units.
        reads: u64,
        /// Write units.
        writes: u64,
    },
    /// By units that others change as they need, such as the scaling of AWS; a new table begins with these.
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

impl TableSchema {
    /// Protects the table from being deleted by anybody, until that is switched off.
    #[must_use]
    pub fn deletion_protection(mut self, on: bool) -> Self {
        self.settings.deletion_protection = Some(on);
        self
    }

    /// Keeps what is needed to restore the table to any second of the last 1 to 35 days.
    #[must_use]
    pub fn point_in_time_recovery(mut self, days: u8) -> Self {
        self.settings.point_in_time_recovery = Some(days);
        self
    }

    /// Takes the table class for data that is seldom read.
    #[must_use]
    pub fn infrequent_access(mut self) -> Self {
        self.settings.class = Some(TableClass::InfrequentAccess);
        self
    }

    /// Bills the table by requests, like a new table without a setting.
    #[must_use]
    pub fn on_demand(mut self) -> Self {
        self.settings.billing = Some(Billing::OnDemand);
        self
    }

    /// Bills this number of read and write units per second, for the table and for each of its global indexes.
    #[must_use]
    pub fn provisioned(mut self, reads: u64, writes: u64) -> Self {
        self.settings.billing = Some(Billing::Provisioned { reads, writes });
        self
    }

    /// Bills by units that others change as needed, such as the auto scaling of AWS. A new table, and each of its
    /// global indexes, starts with these; for an existing table they are not compared.
    #[must_use]
    pub fn scaled(mut self, reads: u64, writes: u64) -> Self {
        self.settings.billing = Some(Billing::Scaled { reads, writes });
        self
    }

    /// Labels the table.
    #[must_use]
    pub fn tag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.tags.insert(name.into(), value.into());
        self
    }
}
