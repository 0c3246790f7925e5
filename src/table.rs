//! Creating tables, adding indexes and switching TTL on, without ever changing an existing table otherwise.
//!
//! ```text
//! schemas -> declared, limits (nothing is sent that must fail)
//!         -> describe -> there:  compare, every difference in one error
//!                     -> absent: create, wait, compare what came of it
//!         -> TTL, which the service takes only for a table that is there
//! ```

mod change;
mod compare;
mod converge;
mod creation;
mod declared;
pub mod deploy;
mod found;
mod goals;
mod index_changes;
mod index_room;
mod limits;
mod polling;
mod readiness;
pub mod ready;
mod replicas;
mod settle;
mod steps;
#[cfg(test)]
mod tests;
mod throughput;
mod vectors;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Remedy, Result, Stage};
use crate::schema::TableSchema;
use crate::wire::Wire;
use crate::wire::table::{self as service, DescribedTable};
#[cfg(feature = "export")]
pub(crate) use change::USE_OWN_KEY;
#[cfg(feature = "export")]
pub(crate) use compare::list_obstacles as obstacles_to_change;
use converge::{Convergence, TableGoal, join_errors};
pub(crate) use declared::check_schemas as check_declarations;
#[cfg(feature = "export")]
pub(crate) use declared::named_by;
use declared::with_names;
use found::Probes;
use goals::{CreationGoal, IndexGoal, RecoveryGoal, TtlGoal};
use polling::TablePolling;
use settle::{PendingChange, TROUBLE, wait_settled};
#[cfg(feature = "export")]
pub(crate) use vectors::list_vector_differences as differences_of_vectors;

/// Until this age a table without its TTL may still be in creation by someone else.
const YOUNG: i64 = 10 * 60;
/// How long its creator may take to switch TTL on.
const SETTLING: Duration = Duration::from_secs(5);

impl Dynamo {
    /// Creates the tables that do not exist, and waits until they can be used.
    ///
    /// An existing table is never changed: if it matches its declaration, nothing happens; if it differs, the error of
    /// kind [`SchemaMismatch`](crate::error::ErrorKind::SchemaMismatch) names every difference and its remedy. Indexes
    /// that are not declared are ignored. You may call it at every start, in many processes at once. If it is dropped
    /// before its end, some of the tables may exist; call it again.
    ///
    /// The settings of a schema, such as [`deletion_protection`](TableSchema::deletion_protection), apply to the tables
    /// that are created, and are not compared with those of existing tables. A server that does not support one of
    /// them, such as the embedded engine, creates the table without it.
    ///
    /// A table has one declaration. Two declarations of one name, such as `table = "shop"` on two entities, are rejected
    /// before anything is sent, with an error of kind [`Config`](crate::error::ErrorKind::Config), so pass all
    /// schemas of a program at once. The same schema may be passed twice.
    pub fn create_tables(
        &self,
        schemas: impl IntoIterator<Item = TableSchema>,
    ) -> impl Future<Output = Result<()>> + Send {
        let schemas: Vec<TableSchema> = schemas.into_iter().collect();
        async move { create(self, schemas).await }
    }

    /// Adds the missing global indexes of the tables, one after the other, and waits until each is filled; with much
    /// data, that takes long. Nothing else is changed. If DynamoDB fails in the meantime, the request is retried for
    /// half a minute.
    ///
    /// An index of the same name with another key or projection is an error of kind
    /// [`SchemaMismatch`](crate::error::ErrorKind::SchemaMismatch). If this is dropped before its end, DynamoDB still
    /// completes the index that it has begun; call it again for the others.
    pub fn add_indexes(
        &self,
        schemas: impl IntoIterator<Item = TableSchema>,
    ) -> impl Future<Output = Result<()>> + Send {
        let schemas: Vec<TableSchema> = schemas.into_iter().collect();
        async move { add_indexes(self, schemas).await }
    }

    /// Enables the declared TTL of existing tables that have none. Nothing else is changed or compared; tables without
    /// a declared TTL are skipped.
    ///
    /// DynamoDB then deletes expired items, including those that exist already. A table whose items expire by another
    /// attribute is an error of kind [`SchemaMismatch`](crate::error::ErrorKind::SchemaMismatch): a [plan](Self::plan)
    /// can change the attribute.
    pub fn enable_ttl(
        &self,
        schemas: impl IntoIterator<Item = TableSchema>,
    ) -> impl Future<Output = Result<()>> + Send {
        let schemas: Vec<TableSchema> = schemas.into_iter().collect();
        async move { enable(self, schemas).await }
    }
}

/// Switches TTL on where it is declared and off.
async fn enable(db: &Dynamo, schemas: Vec<TableSchema>) -> Result<()> {
    let mut schemas = with_names(db, schemas)?;
    schemas.retain(|schema| schema.ttl.is_some());
    let wire = db.table_wire()?;
    require(wire, &schemas).await?;
    let tables = schemas
        .iter()
        .map(|schema| of(wire, schema, Probes::Creation, &TtlGoal));
    in_turn(&tables.collect::<Vec<_>>()).await
}

/// Changes one table after the other, and none where one of them cannot be.
async fn in_turn<G: TableGoal>(tables: &[Convergence<'_, G>]) -> Result<()> {
    let mut mismatches = Vec::new();
    for table in tables {
        mismatches.extend(table.look_first().await.err());
    }
    join_errors(mismatches)?;
    for table in tables {
        table.run_changes().await?;
    }
    Ok(())
}

fn of<'c, G>(
    wire: &'c Wire,
    declared: &'c TableSchema,
    asks: Probes,
    goal: &'c G,
) -> Convergence<'c, G> {
    Convergence {
        wire,
        declared,
        asks,
        goal,
    }
}

/// Rejects tables that do not exist.
async fn require(wire: &Wire, schemas: &[TableSchema]) -> Result<()> {
    for schema in schemas {
        if service::describe_table(wire, &schema.name).await?.is_none() {
            return Err(missing(&schema.name));
        }
    }
    Ok(())
}

pub(crate) async fn create(db: &Dynamo, schemas: Vec<TableSchema>) -> Result<()> {
    let schemas = with_names(db, schemas)?;
    let wire = db.table_wire()?;
    let mut absent = Vec::new();
    let mut lacking_ttl = Vec::new();
    let mut young = Vec::new();
    let mut mismatches = Vec::new();
    for schema in &schemas {
        match settle_declared(wire, schema).await? {
            Some(found) => match differences(wire, schema, &found).await? {
                Differences {
                    list,
                    lacks_ttl: true,
                } if list.is_empty() => lacking_ttl.push(schema),
                Differences { list, .. } if list.is_empty() => {
                    // Whoever created it may have died before the last step.
                    young.extend(is_young(found.created).then_some(schema));
                }
                Differences { list, .. } => mismatches.push(mismatch(&schema.name, &list)),
            },
            None => absent.push(schema),
        }
    }
    refuse(mismatches)?;
    for schema in lacking_ttl {
        await_ttl(wire, schema).await?;
        young.push(schema);
    }
    for schema in young {
        complete_recovery(wire, schema).await?;
    }
    for schema in &absent {
        begin(wire, schema).await?;
    }
    for schema in &absent {
        finish(wire, schema).await?;
    }
    Ok(())
}

/// Waits for a table that was requested, and makes it as declared. Another creator may have made it.
async fn finish(wire: &Wire, schema: &TableSchema) -> Result<()> {
    of(wire, schema, Probes::Creation, &CreationGoal)
        .run_changes()
        .await
}

/// Sees to it that a young table can be restored, if that is declared. Its creator may have done it, or have died before.
async fn complete_recovery(wire: &Wire, schema: &TableSchema) -> Result<()> {
    match schema.settings.point_in_time_recovery {
        Some(_) => {
            of(wire, schema, Probes::Creation, &RecoveryGoal)
                .run_changes()
                .await
        }
        None => Ok(()),
    }
}

pub(crate) async fn add_indexes(db: &Dynamo, schemas: Vec<TableSchema>) -> Result<()> {
    let schemas = with_names(db, schemas)?;
    let wire = db.table_wire()?;
    require(wire, &schemas).await?;
    let tables = schemas
        .iter()
        .map(|schema| of(wire, schema, Probes::Description, &IndexGoal));
    in_turn(&tables.collect::<Vec<_>>()).await
}

/// Begins one table, as soon as no more tables are being made than the service makes at once. It says the same of an account
/// that has all the tables it may have, so no one waits for long.
async fn begin(wire: &Wire, schema: &TableSchema) -> Result<()> {
    let mut crowd = TablePolling::for_patience(TROUBLE);
    loop {
        match service::create_table(wire, schema).await {
            Err(error) if error.is_limit_exceeded() => crowd.wait_poll(|| error).await?,
            done => return done,
        }
    }
}

/// The table once it and its declared indexes are created; `None` if there is no table.
async fn settle_declared(wire: &Wire, schema: &TableSchema) -> Result<Option<DescribedTable>> {
    wait_settled(
        wire,
        &schema.name,
        &PendingChange::of_declared(schema, &|| {}),
    )
    .await
}

struct Differences {
    list: Vec<String>,
    /// Whether only the TTL is missing, because the creation is not finished: that is no difference.
    lacks_ttl: bool,
}

async fn differences(
    wire: &Wire,
    schema: &TableSchema,
    found: &DescribedTable,
) -> Result<Differences> {
    let mut list = compare::list_differences(schema, &found.schema);
    if found.knows_vectors {
        list.extend(vectors::list_missing_vectors(schema, &found.schema));
    }
    let ttl = service::ttl_attribute(wire, &schema.name).await?;
    let lacks_ttl = ttl.is_none() && schema.ttl.is_some() && is_young(found.created);
    if !lacks_ttl {
        list.extend(compare::compare_ttl(schema.ttl.as_deref(), ttl.as_deref()));
    }
    Ok(Differences { list, lacks_ttl })
}

/// Waits for the TTL of another creator's table: its creator switches that on, and an existing table is never changed.
async fn await_ttl(wire: &Wire, schema: &TableSchema) -> Result<()> {
    let mut pace = TablePolling::for_patience(SETTLING);
    loop {
        let found = service::ttl_attribute(wire, &schema.name).await?;
        let list = compare::compare_ttl(schema.ttl.as_deref(), found.as_deref());
        if list.is_none() {
            return Ok(());
        }
        let differs = || {
            let list: Vec<String> = list.into_iter().collect();
            Error::new(
                ErrorKind::SchemaMismatch,
                Stage::Schema,
                mismatch(&schema.name, &list),
            )
        };
        pace.wait_poll(differs).await?;
    }
}

fn is_young(created: Option<i64>) -> bool {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    created.is_some_and(|created| now.saturating_sub(created) < YOUNG)
}

fn mismatch(table: &str, differences: &[String]) -> String {
    format!(
        "table `{table}` exists with another schema:\n- {}",
        differences.join("\n- ")
    )
}

fn refuse(mismatches: Vec<String>) -> Result<()> {
    if mismatches.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::SchemaMismatch,
        Stage::Schema,
        mismatches.join("\n"),
    ))
}

fn missing(table: &str) -> Error {
    let message = format!("table `{table}` does not exist");
    Error::new(ErrorKind::TableNotFound, Stage::Schema, message)
        .with_remedies([Remedy::CreateTables])
}
