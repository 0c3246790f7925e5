//! Deletes a group.

use super::lease::{GroupRow, StreamGroup, StreamReader};
use crate::batch::Batch;
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::plan::Operation;
use crate::query::QueryExt;
use crate::verbs::EntityExt;

impl StreamGroup {
    /// Deletes the rows of a group, so that its next worker creates the group again, with the start of its settings. A new
    /// group starts with the oldest change by default, so changes may be handled again.
    ///
    /// All workers must have stopped. A worker that is still running ends with an error.
    pub async fn forget(group: &str, db: &Dynamo) -> Result<()> {
        // A request of a worker that has died may still create a row.
        loop {
            let rows = GroupRow::in_partition(group).consistent().all(db).await?;
            if rows.is_empty() {
                return Ok(());
            }
            let mut batch = Batch::new();
            let mut own = None;
            for row in rows {
                batch = match row {
                    GroupRow::Shard(row) => batch.with(row.key().delete()),
                    GroupRow::Roots(row) => batch.with(row.key().delete()),
                    GroupRow::Group(row) => {
                        let reader = StreamReader::key(&row.stream, group).delete();
                        own = Some(row);
                        batch.with(reader)
                    }
                };
            }
            batch.send(db).await?.complete()?;
            // The row of the group is deleted last, so that a call after a failure still finds the others.
            if let Some(row) = own {
                row.delete().send(db).await?;
            }
        }
    }
}
