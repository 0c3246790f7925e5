//! Deletes the rows that writes and deletes left behind when they failed or their programs ended.
//!
//! A part is deleted if it is old and no head names it, and a head if it is old and its item does not exist. Both are decided by
//! DynamoDB in the transaction of the delete, so a value that is in use is never deleted, even if a write takes place at the same
//! time.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use super::failed::is_contention;
use super::head::{GENERATION, text_json};
use super::known_heads::KnownHeads;
use super::write::WRITE_WITHIN;
use crate::dynamo::Dynamo;
use crate::entity::sentinel::MARK;
use crate::entity::{DynamoEntity, DynamoTable, HasDeclaration, Patterns};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Node, Term};
use crate::json::{CodecError, Reader, Tag, Writer, find_member};
use crate::path::Place;
use crate::plan::{
    ConditionFailure, Meaning, Outcome, PlannedRequest, Steps, TransactionMember, WriteRequest,
    WriteVerb, check, read_item,
};
use crate::query::Fetch;
use crate::schema::{EntityDef, Pattern, TableDef};
use crate::write::large::{LargeRows, NAME, PARTS, WRITTEN, key_front, part_names};
use crate::write::part_name::{PartName, PartObject};

/// The least age of a row: twice the time of a write, because the clocks of two machines may differ.
const LEAST_AGE: Duration = Duration::from_secs(2 * WRITE_WITHIN as u64);

/// How many objects may fail to be deleted before a sweep ends.
const MOST_FAILURES: usize = 10;

/// Deletes parts that no list and no blob refers to, and lists and blobs whose items no longer exist.
/// `Hall::sweep_large_values()` returns it.
///
/// Such rows remain if a program ends in the middle of a write, after deletes of items in jobs and transactions, and after items
/// were deleted by other programs. They cost only storage. Run a sweep from time to time, for example every week. It scans the
/// whole table. Do not run it while a copy or an import into the table runs: see
/// [the guide](crate::guide::large_values#sweeps).
///
/// ```
/// use dynamo_entity::prelude::*;
///
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "halls", key(pk = "HALL#{id}"), blob(plan))]
/// # struct Hall { id: u32, name: String }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Hall::schema()]).await?;
/// let report = Hall::sweep_large_values().send(&db).await?;
/// assert_eq!((report.heads_deleted, report.parts_deleted), (0, 0));
/// # Ok(()) }
/// ```
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Sweep<E> {
    age: Duration,
    entity: PhantomData<fn() -> E>,
}

/// The result of a [`Sweep`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SweepReport {
    /// The lists and blobs whose items did not exist.
    pub heads_deleted: u64,
    /// The parts that no list and no blob referred to.
    pub parts_deleted: u64,
    /// The parts that were too young to decide about.
    pub parts_young: u64,
    /// The lists and blobs without an item that were too young to be deleted, or have no time.
    pub heads_young: u64,
    /// The rows that could not be read, and the parts of heads that could not. They were not deleted.
    pub rows_unreadable: u64,
    /// The rows whose deletes always met other transactions, for example appends to a list that is written all the time. They were not
    /// deleted.
    pub rows_busy: u64,
}

impl<E: DynamoEntity> Sweep<E> {
    #[doc(hidden)]
    #[allow(clippy::new_without_default, reason = "only derives call it")]
    pub fn new() -> Self {
        Sweep {
            age: LEAST_AGE,
            entity: PhantomData,
        }
    }

    /// Sets the age from which rows are deleted: 24 hours by default and at least, because a write may take up to 12 hours.
    pub fn older_than(mut self, age: Duration) -> Self {
        self.age = age;
        self
    }

    /// Scans the table by strong reads, and deletes what nothing refers to. If it fails, run it again.
    pub fn send(self, db: &Dynamo) -> Steps<'_, Result<SweepReport>> {
        let age = self.age;
        Steps(Box::pin(async move {
            if age < LEAST_AGE {
                let message = "a sweep of parts that are younger than 24 hours could delete those of a write in progress";
                let error = Error::new(ErrorKind::Config, Stage::Request, message);
                return Err(error.of(E::ENTITY.type_name));
            }
            let declared = E::DECLARATION.def;
            if declared.large.iter().any(|value| value.outside) && db.object_storage().is_none() {
                let message = "a sweep deletes objects outside of DynamoDB, and this connection has no storage: give it one by \
                               `with_object_storage`";
                let error = Error::new(ErrorKind::Config, Stage::Request, message);
                return Err(error.of(E::ENTITY.type_name));
            }
            let run = SweepRun {
                db,
                entity: declared,
                table: &<E::Table as DynamoTable>::TABLE,
                patterns: [
                    Patterns::<E>::SCAN,
                    Patterns::<E>::GET,
                    Patterns::<E>::DELETE,
                ],
                before: db
                    .now()
                    .seconds()
                    .saturating_sub(i64::try_from(age.as_secs()).unwrap_or(i64::MAX)),
                heads: KnownHeads::default(),
                failed: None,
                report: SweepReport::default(),
            };
            run.run().await
        }))
    }
}

struct SweepRun<'d> {
    db: &'d Dynamo,
    entity: &'static EntityDef,
    table: &'static TableDef,
    /// Those of the scan, of reads and of deletes.
    patterns: [&'static Pattern; 3],
    /// Only rows that were written before this time are deleted.
    before: i64,
    heads: KnownHeads,
    /// The first failure of the storage, and the number of failures.
    failed: Option<(Error, usize)>,
    report: SweepReport,
}

impl SweepRun<'_> {
    async fn run(mut self) -> Result<SweepReport> {
        let [scan, ..] = self.patterns;
        let fronts = self.entity.large.iter();
        let fronts = fronts.map(|value| {
            let front = key_front(self.entity, self.table, value);
            Node::StartsWith(Place::of(self.table.pk), text_json(&front))
        });
        let keys = self.table.key_names();
        let names: Vec<&str> = keys
            .chain([MARK, NAME, WRITTEN, GENERATION, PARTS])
            .collect();
        let table = self.db.table_name(self.table.name);
        let filter = Some(Node::any(fronts));
        let rows = Fetch::for_rows(self.db.clone(), scan, &table, &names, filter);
        let mut rows = rows.map_err(|fault| Error::encode(self.entity.type_name, fault))?;
        while !rows.is_done() {
            for row in rows.next_rows().await? {
                self.judge(row.row_json()).await?;
            }
        }
        match self.failed {
            Some((error, _)) => Err(error),
            None => Ok(self.report),
        }
    }

    /// Deletes a row if nothing needs it.
    async fn judge(&mut self, row: &[u8]) -> Result<()> {
        match self.facts_of(row) {
            Ok(None) => Ok(()),
            Ok(Some((rows, facts))) => match &facts.name {
                Some(name) if facts.is_older_than(self.before) => {
                    let name = PartName(name.clone());
                    self.judge_part(&rows, &name).await
                }
                Some(_) => {
                    self.report.parts_young += 1;
                    Ok(())
                }
                None => {
                    // The scan reads the whole head anyway, so its parts need no further read of it.
                    self.heads.keep(rows.head_key(), named_parts(row).ok());
                    self.judge_head(&rows, &facts).await
                }
            },
            // One row that another program has damaged must not keep all others.
            Err(_) => {
                self.report.rows_unreadable += 1;
                Ok(())
            }
        }
    }

    /// The list or blob of a row, and the attributes that decide about it.
    fn facts_of(&self, row: &[u8]) -> Result<Option<(LargeRows, RowFacts)>, CodecError> {
        let Some(rows) = self.rows_of(row)? else {
            return Ok(None);
        };
        let text = |name| match find_member(row, name)? {
            Some(json) => Reader::new(json).text().map(|text| Some(text.into_owned())),
            None => Ok(None),
        };
        let written = find_member(row, WRITTEN)?.map(|json| Reader::new(json).digits());
        let written = written.transpose()?.map(|digits| {
            let number = digits.parse();
            number.map_err(|_| CodecError::new("not a time").at(WRITTEN))
        });
        let facts = RowFacts {
            name: text(NAME)?,
            generation: text(GENERATION)?,
            written: written.transpose()?,
        };
        Ok(Some((rows, facts)))
    }

    /// The list or blob that a row belongs to. `None` for a row that this library has not written.
    fn rows_of(&self, row: &[u8]) -> Result<Option<LargeRows>, CodecError> {
        let pk = find_member(row, self.table.pk)?.map(|json| Reader::new(json).text());
        let pk = pk.transpose()?.unwrap_or_default();
        let mut values = self.entity.large.iter();
        let value = values.find(|value| pk.starts_with(&key_front(self.entity, self.table, value)));
        let owner = match find_member(row, MARK)? {
            Some(mark) => find_member(mark, "M")?,
            None => None,
        };
        let Some((value, owner)) = value.zip(owner) else {
            return Ok(None);
        };
        // The key must follow from the owner, so that a row of another program is never taken for one of this library.
        let rows = LargeRows::of_item(self.entity, self.table, value, owner);
        Ok(rows.ok().filter(|rows| rows.holds_key(&pk)))
    }

    async fn judge_head(&mut self, rows: &LargeRows, facts: &RowFacts) -> Result<()> {
        let [_, get, _] = self.patterns;
        let table = rows.table_name(self.db);
        if read_item(self.db, get, &table, &rows.owner)
            .await?
            .is_some()
        {
            return Ok(());
        }
        // The item may still arrive, for example by an import in another order.
        let (Some(written), Some(generation)) = (facts.written, &facts.generation) else {
            self.report.heads_young += 1;
            return Ok(());
        };
        if !facts.is_older_than(self.before) {
            self.report.heads_young += 1;
            return Ok(());
        }
        // The item may have been created since it was read, and the list may have been written.
        let missing = Node::Missing(Place::of(self.table.pk));
        let mut time = Writer::with_capacity(32);
        time.write_integer(written);
        let unchanged = Node::all([
            check::value_condition(GENERATION, &text_json(generation)),
            check::value_condition(WRITTEN, &time.into_bytes()),
        ]);
        let head = rows.head_key();
        if self
            .delete_if(&rows.owner, missing, &head, unchanged)
            .await?
        {
            self.report.heads_deleted += 1;
            // Its parts that the scan has not returned yet are deleted too.
            self.heads.keep(head, Some(Vec::new()));
        }
        Ok(())
    }

    async fn judge_part(&mut self, rows: &LargeRows, name: &PartName) -> Result<()> {
        // Most old parts are in use, and one read of a head tells this for all of its parts.
        let head = rows.head_key();
        match self.is_named(rows, &head, name).await? {
            // The head may name the part.
            None => {
                self.report.rows_unreadable += 1;
                return Ok(());
            }
            Some(true) => return Ok(()),
            Some(false) => {}
        }
        if let Some(object) = name.object()
            && !self.delete_object(rows, name, &object).await?
        {
            return Ok(());
        }
        let unnamed = Node::any([
            Node::Missing(Place::of(self.table.pk)),
            Node::all([
                Node::IsType(Place::of(PARTS), Tag::L),
                Node::Contains(Place::of(PARTS), Term::Value(text_json(&name.0))).not(),
            ]),
        ]);
        let part = rows.part_key(name.id());
        if self.delete_if(&head, unnamed, &part, Node::all([])).await? {
            self.report.parts_deleted += 1;
        }
        Ok(())
    }

    /// Deletes the object of a part that no head names. Returns whether its marker can be deleted too.
    async fn delete_object(
        &mut self,
        rows: &LargeRows,
        name: &PartName,
        object: &PartObject<'_>,
    ) -> Result<bool> {
        // The remembered names may be hours old, and the delete of an object cannot have a condition.
        let [_, get, _] = self.patterns;
        let head = rows.read_head(get, self.db).await?;
        let names = head.map_or(Ok(Vec::new()), |head| named_parts(&head));
        if names.map_or(true, |names| names.contains(name)) {
            return Ok(false);
        }
        match rows.delete_object(object, self.db).await {
            Ok(()) => Ok(true),
            // The marker stays, so the next sweep finds the object. One object must not keep all others.
            Err(error) => {
                let count = self.failed.as_ref().map_or(1, |(_, count)| count + 1);
                if count >= MOST_FAILURES {
                    return Err(error);
                }
                self.failed.get_or_insert((error, 0)).1 = count;
                Ok(false)
            }
        }
    }

    /// Whether a head names a part; `None` if the head cannot be read. It may have changed since it was read, so this only shows
    /// that a part is in use.
    async fn is_named(
        &mut self,
        rows: &LargeRows,
        key: &[u8],
        name: &PartName,
    ) -> Result<Option<bool>> {
        if let Some(known) = self.heads.is_named(key, name) {
            return Ok(known);
        }
        let [_, get, _] = self.patterns;
        let head = rows.read_head(get, self.db).await?;
        let names = head.map_or(Some(Vec::new()), |head| named_parts(&head).ok());
        self.heads.keep(key.to_vec(), names);
        Ok(self.heads.is_named(key, name).flatten())
    }

    /// Deletes a row if this holds for another item in the same transaction. Returns whether it did.
    async fn delete_if(
        &mut self,
        checked: &[u8],
        condition: Node,
        deleted: &[u8],
        unchanged: Node,
    ) -> Result<bool> {
        let [.., pattern] = self.patterns;
        let member = |verb, key: &[u8], condition| {
            let asked = (condition, Meaning::Row(ConditionFailure::UNTYPED));
            let table = self.db.table_name(self.table.name);
            let now = self.db.now();
            let mut write = WriteRequest::new(verb, table, 256, pattern, now, asked);
            write.entity = self.entity.type_name;
            write.at_key(key);
            TransactionMember::in_table(self.table, write, key)
        };
        let members = vec![
            member(WriteVerb::Check, checked, condition)?,
            member(WriteVerb::Delete, deleted, unchanged)?,
        ];
        let delete = PlannedRequest::of_one(members, None)?.with_outcome(Outcome::Known(Some(())));
        match delete.send_plan(self.db).await {
            Ok(()) => Ok(true),
            Err(error) if error.is_conflict() => Ok(false),
            // One list that is written all the time must not keep all others.
            Err(error) if is_contention(&error) => {
                self.report.rows_busy += 1;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

/// The attributes of a row that decide about it.
struct RowFacts {
    /// The name of a part; `None` for a head.
    name: Option<String>,
    generation: Option<String>,
    written: Option<i64>,
}

impl RowFacts {
    fn is_older_than(&self, time: i64) -> bool {
        self.written.is_some_and(|written| written < time)
    }
}

/// The names in a head that exists, which always has a list of them.
fn named_parts(head: &[u8]) -> Result<Vec<PartName>, CodecError> {
    match find_member(head, PARTS)? {
        Some(_) => part_names(head),
        None => Err(CodecError::new("a head without names of parts").at(PARTS)),
    }
}

impl<E: DynamoEntity> fmt::Debug for Sweep<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sweep<{}>({:?})", E::ENTITY.type_name, self.age)
    }
}

crate::awaited::unsent!([E: DynamoEntity] Sweep<E> => SweepReport);
