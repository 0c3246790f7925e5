//! Waiting until a table has settled: it is created, and its indexes are filled.

use std::time::Duration;

use super::compare;
use super::polling::TablePolling;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::schema::TableSchema;
use crate::wire::Wire;
use crate::wire::table::{self as service, DescribedTable, Status};

/// How long a new table may take until it is usable; after that something is wrong.
const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// How long a service that has answered before, and fails now, is retried.
pub(super) const TROUBLE: Duration = Duration::from_secs(30);

/// The changes to wait for, besides the creation of a table.
pub(super) struct PendingChange<'s> {
    /// The schema whose indexes have to be ready, or None if nothing at all may be changing.
    declared: Option<&'s TableSchema>,
    /// Told at each look that finds it unfinished.
    waits: &'s (dyn Fn() + Sync),
}

impl<'s> PendingChange<'s> {
    /// Waits for all that changes.
    pub(super) fn for_all(waits: &'s (dyn Fn() + Sync)) -> Self {
        PendingChange {
            declared: None,
            waits,
        }
    }

    /// Waits for the indexes that are declared here.
    pub(super) fn of_declared(declared: &'s TableSchema, waits: &'s (dyn Fn() + Sync)) -> Self {
        PendingChange {
            declared: Some(declared),
            waits,
        }
    }

    fn is_changing(&self, found: &DescribedTable) -> bool {
        match self.declared {
            Some(schema) => {
                let mut changing = found.changing.iter();
                changing.any(|name| compare::has_index(schema, name))
            }
            None => found.is_updating || !found.changing.is_empty(),
        }
    }
}

/// The table once it has settled; `None` if there is no table. There is no time limit for filling an index.
pub(super) async fn wait_settled(
    wire: &Wire,
    name: &str,
    settling: &PendingChange<'_>,
) -> Result<Option<DescribedTable>> {
    let mut pace = TablePolling::for_patience(PATIENCE);
    let mut filling = TablePolling::without_end();
    // `None` before the first response: a service that cannot be reached is reported immediately.
    let mut trouble: Option<TablePolling> = None;
    loop {
        let found = match (service::describe_table(wire, name).await, &mut trouble) {
            (Err(error), Some(trouble)) if is_trouble(&error) => {
                trouble.wait_poll(|| error).await?;
                continue;
            }
            (found, _) => found?,
        };
        trouble = Some(TablePolling::for_patience(TROUBLE));
        let Some(found) = found else {
            return Ok(None);
        };
        let state = match &found.status {
            Status::Usable if !settling.is_changing(&found) => return Ok(Some(found)),
            Status::Usable => {
                (settling.waits)();
                filling
                    .wait_poll(|| {
                        overdue_error(name, "is being changed, or has indexes being filled")
                    })
                    .await?;
                continue;
            }
            Status::Creating => "is still being created",
            Status::Deleting => "is still being deleted",
            Status::Broken(status) => {
                let message = format!("table `{name}` cannot be used, its status is {status}");
                return Err(Error::new(ErrorKind::Unavailable, Stage::Schema, message));
            }
        };
        (settling.waits)();
        pace.wait_poll(|| overdue_error(name, state)).await?;
    }
}

/// Whether the error may be over in a moment.
pub(super) fn is_trouble(error: &Error) -> bool {
    error.is_throttled() || error.kind() == ErrorKind::Unavailable
}

fn overdue_error(table: &str, state: &str) -> Error {
    let minutes = PATIENCE.as_secs() / 60;
    let message = format!(
        "table `{table}` {state} after {minutes} minutes: call again, which resumes from there"
    );
    Error::new(ErrorKind::Unavailable, Stage::Schema, message)
}
