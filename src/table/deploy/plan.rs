//! The pending changes of tables, as data.

use futures_util::future::try_join_all;

use super::super::change::{Deletion, PlanStep};
use super::super::converge::look_at_table;
use super::super::declared::with_names;
use super::super::found::{FoundTable, Probes};
use super::super::replicas::{ReplicationFinding, note_strong};
use super::super::settle::PendingChange;
use super::super::steps::{needed_changes, not_ours, plan_steps, unknown_settings};
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::schema::TableSchema;
use crate::wire::Wire;

impl Dynamo {
    /// Determines the changes that make the tables match their declarations, including settings. It sends only reads;
    /// [`apply`](TablePlan::apply) makes the changes.
    ///
    /// Only declared properties are compared. A global index that is not declared is removed, but only if the caller
    /// names it ([`Deletion`]). A stream that is not declared, tags of others, and settings that the schema does not
    /// contain remain unchanged.
    ///
    /// If a table is being changed, the call waits for it. The reads need the permissions `dynamodb:DescribeTable` and
    /// `dynamodb:DescribeTimeToLive`, with a declared recovery also `dynamodb:DescribeContinuousBackups`, and with tags
    /// also `dynamodb:ListTagsOfResource`.
    pub fn plan(
        &self,
        schemas: impl IntoIterator<Item = TableSchema>,
    ) -> impl Future<Output = Result<TablePlan>> + Send {
        let schemas: Vec<TableSchema> = schemas.into_iter().collect();
        async move { make_plan(self, schemas).await }
    }
}

/// The pending changes of tables. It is data: you can read the permissions, risks and duration of each step first.
#[must_use = "nothing is changed until it is applied"]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TablePlan {
    /// The tables, in the order of their schemas.
    pub tables: Vec<PlannedTable>,
}

/// The pending changes of one table.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PlannedTable {
    /// Its full name.
    pub name: String,
    /// Whether it exists.
    pub exists: bool,
    /// The steps, in their order.
    pub steps: Vec<PlanStep>,
    /// Other settings of the table, which others manage: they are neither compared nor changed.
    pub not_ours: Vec<String>,
    /// Declared settings that the server does not know, such as TTL: they are neither compared nor changed.
    pub unknown: Vec<&'static str>,
    /// Remarks on a global table: it is not declared as it is, or a part of the model does not hold there.
    /// A plan adds and removes no replicas.
    pub replicas: Option<ReplicationFinding>,
    /// Its name without the prefix.
    pub(super) base: String,
    /// The declaration, with the full name.
    pub(super) declared: TableSchema,
    /// The table as it was found, under its declared name.
    pub(super) found: Option<TableSchema>,
}

impl TablePlan {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps().next().is_none()
    }

    /// All steps of all tables.
    pub fn steps(&self) -> impl Iterator<Item = &PlanStep> {
        self.tables.iter().flat_map(|table| &table.steps)
    }

    /// All that would be lost, which has to be [allowed](super::PlanApplication::allow).
    pub fn deletions(&self) -> impl Iterator<Item = &Deletion> {
        self.steps().filter_map(|step| step.deletes.as_ref())
    }

    /// The tables that exist, as they were found: under their declared names, with what the service tells of them.
    ///
    /// Do not declare or export them without a check: the encryption by the key that AWS manages is found as
    /// [`Encryption::Key`](crate::schema::Encryption::Key), and a warm throughput may have been increased by DynamoDB.
    pub fn found(&self) -> impl Iterator<Item = &TableSchema> {
        self.tables.iter().filter_map(|table| table.found.as_ref())
    }
}

async fn make_plan(db: &Dynamo, schemas: Vec<TableSchema>) -> Result<TablePlan> {
    let bases: Vec<String> = schemas.iter().map(|schema| schema.name.clone()).collect();
    let named = with_names(db, schemas)?;
    let wire = db.table_wire()?;
    let tables = named.into_iter().map(|declared| {
        let mut bases = bases.iter();
        let base = bases.find(|base| db.table_name(base) == declared.name);
        plan_table(db, wire, base.cloned().unwrap_or_default(), declared)
    });
    Ok(TablePlan {
        tables: try_join_all(tables).await?,
    })
}

async fn plan_table(
    db: &Dynamo,
    wire: &Wire,
    base: String,
    declared: TableSchema,
) -> Result<PlannedTable> {
    let found = look_at_table(
        wire,
        &declared,
        Probes::All,
        &PendingChange::for_all(&|| {}),
    )
    .await?;
    let changes = needed_changes(&declared, found.as_ref());
    let steps = plan_steps(&base, &declared, found.as_ref(), changes);
    if let Some(found) = &found {
        note_strong(db, &declared, &found.described);
    }
    let found_of = |list: fn(&TableSchema, &FoundTable) -> Vec<String>| {
        found
            .as_ref()
            .map(|found| list(&declared, found))
            .unwrap_or_default()
    };
    Ok(PlannedTable {
        name: declared.name.clone(),
        exists: found.is_some(),
        steps,
        not_ours: found_of(not_ours),
        unknown: found
            .as_ref()
            .map(|found| unknown_settings(&declared, found))
            .unwrap_or_default(),
        replicas: match &found {
            Some(found) => ReplicationFinding::of_table(&declared, &found.described),
            None => ReplicationFinding::of_new(&declared),
        },
        found: found.as_ref().map(|found| found.found_schema(&base)),
        base,
        declared,
    })
}
