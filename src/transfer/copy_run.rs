//! Runs a copy: checks both tables, and then reads a portion of rows, stores their items by a job, and saves the position,
//! until no rows remain.

use std::future::poll_fn;
use std::sync::atomic::Ordering;

use super::copied::{CopiedItem, CopyTarget};
use super::copy::RowCopy;
use super::copy_place::{CopyState, MASK, QUERY, TARGET_TABLE};
use super::copy_report::{CopyCounts, CopyReport};
use super::portion::{ItemOutcome, PortionItem, PortionSettings, store_items};
use super::run::{MOST_BYTES, MOST_LINES};
use crate::bulk::{Checkpoint, FailedRow, SingleWrite, too_many_failed};
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Remedy, Result, Stage};
use crate::key::json::KeyJson;
use crate::plan::Steps;
use crate::query::{Cursor, Places, RowSpot, Walk};
use crate::schema::{KeyAttribute, TableDef};
use crate::wire::table::{self as service, DescribedTable, Status};

/// The maximum number of responses without a row and of expired rows, counted together, in a portion.
const MOST_PASSED: usize = 100;

impl<'c> RowCopy<'c> {
    /// Runs the copy. `db` is the connection of the source. An error means that the copy did not begin; all later errors
    /// are in the report.
    pub fn send<'d>(self, db: &'d Dynamo) -> Steps<'d, Result<CopyReport>>
    where
        'c: 'd,
    {
        Steps(Box::pin(run_copy(self, db)))
    }
}

/// Runs a copy to its end.
async fn run_copy(mut copy: RowCopy<'_>, db: &Dynamo) -> Result<CopyReport> {
    let name = copy.target.rows_name();
    // An item without some of its attributes would look complete in the target.
    if !copy.is_whole {
        let message = "an index or a projection does not have all attributes: copy by `scan()` or with `hydrate()`";
        return Err(Error::config(message).of(name));
    }
    if copy.target.entity.is_none() && !copy.is_every_item {
        let message = "the items of an entity are copied with their unique values, which needs its type: copy a query of the entity, or \
                       all items by `scan_items()`";
        return Err(Error::config(message));
    }
    let source = *copy.rows.query_source();
    let tables = [db, &copy.other].map(|db| db.table_name(source.table.name));
    if db.is_same_server(&copy.other) && tables[0] == tables[1] {
        return Err(same_table(&tables[0]));
    }
    copy.target.check(&source)?;
    let is_random = copy
        .target
        .mask
        .as_ref()
        .is_some_and(|mask| mask.is_random());
    if is_random && copy.checkpoint.is_some() {
        let message = "the next run of a masked copy with a checkpoint needs the same secret";
        return Err(Error::config(message).with_remedies([Remedy::WithSecret]));
    }
    let [source, target] = check_tables(&copy.target, [db, &copy.other], &tables).await?;
    let binding = binding(&copy, db, &tables, &target);
    let store = copy.checkpoint.take();
    let Some(store) = store.as_deref() else {
        return CopyRunner::new(copy, db, None, binding, source)
            .run_to_end()
            .await;
    };
    let report = CopyRunner::new(copy, db, Some(store), binding, source)
        .run_to_end()
        .await;
    // Only at the end, with or without an error, so that no second copy uses the file meanwhile.
    store.release();
    report
}

fn same_table(name: &str) -> Error {
    Error::config(format!(
        "the source and the target are the same table `{name}`: copy to another connection, or to another prefix"
    ))
}

/// Returns an error if the target cannot store the items, or is the source. Returns the identities of both.
async fn check_tables(
    items: &CopyTarget,
    [db, other]: [&Dynamo; 2],
    names: &[String; 2],
) -> Result<[String; 2]> {
    let fail = |kind, message: String| Error::new(kind, Stage::Schema, message);
    let name = &names[1];
    let found = service::describe_table(other.table_wire()?, name).await?;
    let Some(target) = found else {
        let message = format!("the target has no table `{name}`");
        let error = fail(ErrorKind::TableNotFound, message);
        return Err(error.with_remedies([Remedy::CreateTargetTables]));
    };
    if target.status != Status::Usable {
        let message = format!("the table `{name}` of the target is not active: wait until it is");
        return Err(fail(ErrorKind::TableInUse, message));
    }
    let stored = [&target.schema.pk].into_iter().chain(&target.schema.sk);
    let stored: Vec<KeyAttribute> = stored.cloned().collect();
    let declared = items.primary_key();
    if declared != stored {
        let message = format!(
            "the table `{name}` of the target has the primary key {}, and the items have {}: create the table by the same schema",
            key_text(&stored),
            key_text(declared)
        );
        return Err(fail(ErrorKind::SchemaMismatch, message));
    }
    // Two clients of one server are known to be that only by what it tells about its tables.
    let source = match service::describe_table(db.table_wire()?, &names[0]).await {
        Ok(source) => source,
        // Pseudonyms must not get into the table that they are made from.
        Err(error) if items.mask.is_some() => {
            return Err(error.within(|reason| {
                format!(
                    "a masked copy describes its source, because it must not be the target: allow `DescribeTable` for `{}`: {reason}",
                    names[0]
                )
            }));
        }
        // Copied as it is, an item that is its own target is unchanged.
        Err(_) => None,
    };
    if let Some(source) = &source
        && (is_same_table(source, &target) || is_replica(source, &target))
    {
        return Err(same_table(name));
    }
    let source = source.as_ref().map(identity).unwrap_or_default();
    Ok([source, identity(&target)])
}

fn is_same_table(source: &DescribedTable, target: &DescribedTable) -> bool {
    source.id.is_some() && (&source.id, &source.arn) == (&target.id, &target.arn)
}

/// Whether both are replicas of one global table, which contain each other's writes.
fn is_replica(source: &DescribedTable, target: &DescribedTable) -> bool {
    let place = |table: &DescribedTable| {
        let arn = table.arn.as_deref()?;
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        let [_, _, _, region, account, name] = *parts else {
            return None;
        };
        Some((region.to_owned(), account.to_owned(), name.to_owned()))
    };
    let (Some(from), Some(to)) = (place(source), place(target)) else {
        return false;
    };
    let has = |table: &DescribedTable, region: &String| {
        let replicas = table.schema.settings.replicas.as_ref();
        replicas.is_some_and(|replicas| replicas.regions.contains(region))
    };
    (&from.1, &from.2) == (&to.1, &to.2) && (has(source, &to.0) || has(target, &from.0))
}

/// The text that identifies a table. The ARN alone is not enough: engines for tests have one ARN for all tables of a name,
/// and a table that was created again has the ARN of the former one.
fn identity(table: &DescribedTable) -> String {
    let (arn, id) = (table.arn.as_deref(), table.id.as_deref());
    let parts = [arn, id].into_iter().flatten();
    parts.collect::<Vec<_>>().join(" ")
}

fn key_text(keys: &[KeyAttribute]) -> String {
    let keys = keys
        .iter()
        .map(|key| format!("`{}` ({:?})", key.name, key.ty));
    keys.collect::<Vec<_>>().join(", ")
}

/// The text by which a checkpoint recognizes its copy.
fn binding(copy: &RowCopy<'_>, db: &Dynamo, [from, to]: &[String; 2], target: &str) -> String {
    let limit = copy.rows.limit();
    let limit = limit.map_or("all rows".to_owned(), |limit| format!("{limit} rows"));
    let segments = copy.rows.segments().unwrap_or(1);
    let mode = copy.target.mode;
    // An error lists differences in this order, and a reader understands the first parts best.
    let parts = [
        ("rows", copy.target.rows_name().to_owned()),
        ("source", from.clone()),
        ("target", to.clone()),
        ("segments", segments.to_string()),
        ("limit", limit),
        ("replace", mode.replaces.to_string()),
        ("drop_unknown", mode.drops_unknown.to_string()),
        ("copy_others", mode.copies_others.to_string()),
        (MASK, copy.target.mask_name()),
        (TARGET_TABLE, target.to_owned()),
        (QUERY, copy.rows.row_places(db).query_binding().to_string()),
    ];
    let lines = parts.map(|(name, value)| format!("{name}={value}"));
    lines.join("\n")
}

struct CopyRunner<'r, 'c> {
    copy: RowCopy<'c>,
    db: &'r Dynamo,
    store: Option<&'r (dyn Checkpoint + 'c)>,
    binding: String,
    /// The identity of the source; empty if it could not be described.
    source: String,
    table: &'static TableDef,
    places: Places,
    state: CopyState,
    /// The items that earlier runs have left out, and those that this run omits besides the items that the query skips.
    omitted: u64,
    errors: Vec<FailedRow>,
}

/// A row that is being copied.
struct SourceRow {
    key: Item,
    json: Vec<u8>,
}

/// The rows of a portion.
#[derive(Default)]
struct RowPortion {
    items: Vec<PortionItem<SourceRow>>,
    /// The position after them.
    spot: RowSpot,
    is_last: bool,
    /// The error that ended the read.
    error: Option<Error>,
}

impl<'r, 'c> CopyRunner<'r, 'c> {
    fn new(
        copy: RowCopy<'c>,
        db: &'r Dynamo,
        store: Option<&'r (dyn Checkpoint + 'c)>,
        binding: String,
        source: String,
    ) -> Self {
        CopyRunner {
            table: copy.rows.query_source().table,
            places: copy.rows.row_places(db),
            copy,
            db,
            store,
            binding,
            state: CopyState {
                source: source.clone(),
                ..CopyState::default()
            },
            source,
            omitted: 0,
            errors: Vec::new(),
        }
    }

    async fn run_to_end(mut self) -> Result<CopyReport> {
        if let Some(store) = self.store
            && let Some(state) = CopyState::load(store, &self.binding, &self.source).await?
        {
            if state.is_finished {
                return Ok(self.report_of(state.counts, None, true));
            }
            if let Some(position) = &state.position {
                self.copy.rows.resume_at(position.parse::<Cursor>()?);
                self.places = self.copy.rows.row_places(self.db);
            }
            // In a copy of a table, rows that a mask omits are rows too.
            let omitted = match self.copy.target.entity {
                Some(_) => 0,
                None => state.counts.left_out,
            };
            self.copy.rows.leave_out(state.counts.read + omitted);
            self.omitted = state.counts.left_out;
            self.state = state;
            if !self.source.is_empty() {
                self.state.source.clone_from(&self.source);
            }
        }
        let mut walk = self.copy.rows.start_walk(self.db, self.copy.budget)?;
        let stopped = self.run_portions(&mut walk).await.err();
        self.count_left_out();
        let counts = self.state.counts;
        Ok(self.report_of(counts, stopped, false))
    }

    fn report_of(self, counts: CopyCounts, stopped: Option<Error>, is_over: bool) -> CopyReport {
        CopyReport {
            counts,
            errors: self.errors,
            stopped,
            was_finished: is_over,
        }
    }

    async fn run_portions(&mut self, walk: &mut Walk) -> Result<()> {
        let mut spot = self.places.first_spot();
        loop {
            let portion = self.read_portion(walk, spot).await;
            spot = portion.spot;
            self.store_portion(portion.items).await?;
            self.count_left_out();
            // The position moves when the whole portion is decided. A crash before that repeats the portion, and its items
            // are then found unchanged.
            let place = self
                .places
                .cursor_at(&spot)
                .map(|cursor| cursor.to_string());
            self.state.position = place.or(self.state.position.take());
            self.state.is_finished = portion.is_last && !walk.is_spent();
            if let Some(store) = self.store {
                self.state.save(store, &self.binding).await?;
            }
            if let Some(tell) = &mut self.copy.progress {
                tell(&self.state.counts);
            }
            if let Some(error) = portion.error {
                return Err(error);
            }
            // After the save, so that the failed rows are not read again by the next run.
            if self.errors.len() > self.copy.failures {
                let first = self.errors.first();
                let first = first.map(|row| (row.name(), row.error()));
                return Err(too_many_failed("rows", self.errors.len(), first));
            }
            if portion.is_last {
                return Ok(());
            }
        }
    }

    fn count_left_out(&mut self) {
        let skipped = self.copy.left_out.load(Ordering::Relaxed);
        self.state.counts.left_out = self.omitted + skipped;
    }

    /// Reads the next rows, and reports those that cannot be copied.
    async fn read_portion(&mut self, walk: &mut Walk, spot: RowSpot) -> RowPortion {
        let (mut bytes, mut count, mut passed) = (0_u64, 0, 0);
        let mut portion = RowPortion {
            spot,
            ..RowPortion::default()
        };
        // Responses without a row end a portion too, so that a long search for rows saves its position.
        while bytes < MOST_BYTES && count < MOST_LINES && passed < MOST_PASSED {
            let step = match poll_fn(|cx| walk.poll_next(cx)).await {
                Some(Ok(step)) => step,
                Some(Err(error)) => {
                    portion.error = Some(error);
                    break;
                }
                None => {
                    portion.is_last = true;
                    break;
                }
            };
            portion.spot.pass_row(step.mark);
            let Some(row) = step.item else {
                passed += 1;
                continue;
            };
            count += 1;
            bytes += row.len() as u64;
            let key = KeyJson::object_in(self.table, &row);
            let key = key.and_then(|key| Item::from_dynamo_json(&key).ok());
            let key = key.unwrap_or_default();
            match self.copy.target.copied_item(&row) {
                Ok(None) => self.omitted += 1,
                Ok(Some(CopiedItem { stored, write })) => portion.items.push(PortionItem {
                    origin: SourceRow {
                        key,
                        json: row.to_vec(),
                    },
                    stored,
                    write: Some(write),
                }),
                Err(error) => add_failure(&mut self.state.counts, &mut self.errors, key, error),
            }
        }
        portion
    }

    async fn store_portion(&mut self, items: Vec<PortionItem<SourceRow>>) -> Result<()> {
        let CopyRunner {
            copy,
            state,
            errors,
            ..
        } = self;
        let settings = PortionSettings {
            concurrency: copy.concurrency,
            rate: copy.rate,
            budget: copy.budget,
            replaces: copy.target.mode.replaces,
            existing: copy.target.remedy_for_existing(),
        };
        let target = &copy.target;
        let rewrite =
            |row: &SourceRow| -> Result<Box<dyn SingleWrite>> { target.rewrite(&row.json) };
        store_items(&copy.other, settings, items, rewrite, |row, outcome| {
            match outcome {
                ItemOutcome::Written => state.counts.written += 1,
                ItemOutcome::Unchanged => state.counts.unchanged += 1,
                ItemOutcome::Failed(error) => {
                    add_failure(&mut state.counts, errors, row.key, error);
                    return;
                }
            }
            state.counts.read += 1;
        })
        .await
    }
}

fn add_failure(counts: &mut CopyCounts, errors: &mut Vec<FailedRow>, key: Item, error: Error) {
    counts.read += 1;
    match error.kind() {
        ErrorKind::AlreadyExists => counts.existing += 1,
        _ => counts.failed += 1,
    }
    errors.push(FailedRow::of_key(key, error));
}

crate::awaited::unsent!([] RowCopy<'_> => CopyReport);
