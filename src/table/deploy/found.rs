//! A table with all that several requests tell of it.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::schema::TableSchema;
use crate::wire::Client;
use crate::wire::table::{self as service, DescribedTable, ExpiryState};

/// A table as it is. What is None is not known to the server, or nobody asks for it.
#[derive(Debug, Clone)]
pub(super) struct FoundTable {
    pub(super) described: DescribedTable,
    pub(super) expiry: Option<ExpiryState>,
    /// For how many days back it can be restored; 0 if it cannot.
    pub(super) recovery: Option<u8>,
    pub(super) labels: Option<BTreeMap<String, String>>,
}

impl FoundTable {
    /// Asks for what the description does not tell, as far as the declaration says anything of it: permissions are
    /// needed for that alone.
    pub(super) async fn complete(
        client: &Client,
        declared: &TableSchema,
        described: DescribedTable,
    ) -> Result<Self> {
        let name = &described.schema.name;
        let expiry = service::expiry(client, name).await?;
        let recovery = match declared.settings.point_in_time_recovery {
            Some(_) => service::recovery(client, name).await?,
            None => None,
        };
        let labels = match declared.settings.tags.is_empty() {
            false => service::labels(client, &described).await?,
            true => None,
        };
        Ok(FoundTable {
            described,
            expiry,
            recovery,
            labels,
        })
    }

    /// All of it as a schema, under the declared name.
    pub(super) fn schema(&self, base: &str) -> TableSchema {
        let mut schema = self.described.schema.clone();
        schema.name = base.to_owned();
        schema.ttl = self
            .expiry
            .as_ref()
            .and_then(|expiry| expiry.attribute.clone());
        schema.settings.point_in_time_recovery = self.recovery.filter(|days| *days > 0);
        schema.settings.tags = self.labels.clone().unwrap_or_default();
        schema
    }
}
