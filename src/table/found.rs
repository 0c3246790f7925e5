//! A table with all that several requests tell of it.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::schema::TableSchema;
use crate::wire::Wire;
use crate::wire::table::{self as service, DescribedTable, ExpiryState, RecoveryState};

/// How much is requested of a table. For each request a permission is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Probes {
    Description,
    /// TTL and recovery besides, which a creation ends with.
    Creation,
    All,
}

/// A table as it is. A value is None if the server does not know it, or if no caller needs it.
#[derive(Debug, Clone)]
pub(super) struct FoundTable {
    pub(super) described: DescribedTable,
    pub(super) expiry: Option<ExpiryState>,
    pub(super) recovery: Option<RecoveryState>,
    pub(super) labels: Option<BTreeMap<String, String>>,
}

impl FoundTable {
    /// The facts from the description alone.
    pub(super) fn of_description(described: DescribedTable) -> Self {
        FoundTable {
            described,
            expiry: None,
            recovery: None,
            labels: None,
        }
    }

    /// Requests what the description does not tell, as far as the declaration says anything of it: permissions are
    /// needed for that alone.
    pub(super) async fn complete_table(
        wire: &Wire,
        declared: &TableSchema,
        described: DescribedTable,
        asks: Probes,
    ) -> Result<Self> {
        let name = &described.schema.name;
        let expiry = match (service::expiry_state(wire, name).await?, asks) {
            // If a declared TTL is needed, the server itself rejects the operation that it does not support.
            (None, Probes::Creation) => Some(ExpiryState {
                attribute: None,
                is_changing: false,
            }),
            (expiry, _) => expiry,
        };
        let recovery = match declared.settings.point_in_time_recovery {
            Some(_) => service::recovery_state(wire, name).await?,
            None => None,
        };
        let labels = match asks == Probes::All && !declared.settings.tags.is_empty() {
            true => service::table_labels(wire, &described).await?,
            false => None,
        };
        Ok(FoundTable {
            described,
            expiry,
            recovery,
            labels,
        })
    }

    /// All of it as a schema, under the declared name.
    pub(super) fn found_schema(&self, base: &str) -> TableSchema {
        let mut schema = self.described.schema.clone();
        schema.name = base.to_owned();
        schema.ttl = self
            .expiry
            .as_ref()
            .and_then(|expiry| expiry.attribute.clone());
        schema.settings.point_in_time_recovery = self
            .recovery
            .filter(|state| state.is_on)
            .and_then(|state| state.days);
        schema.settings.tags = self.labels.clone().unwrap_or_default();
        schema
    }
}
