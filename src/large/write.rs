//! Writes of a list or a blob: the parts first, and then the head by one transaction.
//!
//! ```text
//! append    parts -> the head gets their names at its end
//! replace   parts -> the head names only these -> the former parts are deleted
//! delete             the head is deleted       -> its parts are deleted
//! ```
//!
//! DynamoDB forgets the token of a transaction after 10 minutes, and a first attempt may arrive after 15. A late replacement or delete
//! fails by its condition on the generation. A late append may name parts that were removed from the list in the meantime; therefore
//! former parts of a young head are left to a sweep.
//!
//! Outside of DynamoDB, a part is a marker, which is written first, and an object.
//!
//! Until the head names them, parts are of no effect. If a write fails or its program ends, they remain until a sweep deletes them.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt as _};

use super::condition::{has_generation, has_length, is_head, number_json, takes_parts};
use super::content::{PART_BYTES, PartContent};
use super::failed::{in_doubt, is_contention, other_length, overtaken, too_late, unsent};
use super::head::{
    GENERATION, LENGTH, LargeHead, check_parts, draw_generation, draw_name, head_item, names_json,
    owner_of, part_item, text_json, unreadable,
};
use super::place::LargePlace;
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::sentinel::MARK;
use crate::entity::{DynamoEntity, Patterns};
use crate::error::{Error, ErrorKind, Result};
use crate::expr::{Condition, Node, UpdateAction, UpdateActions, UpdateOperand};
use crate::json::Writer;
use crate::plan::{
    ConditionFailure, Explanation, Meaning, Outcome, PlannedRequest, Steps, TransactWrite,
    TransactionMember, WriteRequest, WriteVerb,
};
use crate::schema::{Pattern, SEVERAL};
use crate::write::Check;
use crate::write::large::{LargeRows, PARTS, WRITTEN};
use crate::write::part_name::PartName;

/// How many parts are written at the same time.
const CONCURRENCY: usize = 4;

/// How often a replacement begins again, because another one was faster.
const ATTEMPTS: usize = 100;

/// The time within which the head must follow its parts, in seconds. A sweep leaves parts alone for at least twice this time, so
/// it never deletes one that a head will name.
pub(super) const WRITE_WITHIN: i64 = 12 * 60 * 60;

/// The change of the head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HeadChange {
    Append,
    Replace,
    /// The same elements in other parts, as long as the head is this one.
    Compact(LargeHead),
}

/// A write of a list or a blob of an item; see [`Chunked::append`](super::Chunked::append),
/// [`Chunked::replace`](super::Chunked::replace) and [`Blob::write`](super::Blob::write).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct LargeWrite<E: DynamoEntity> {
    pub(super) place: LargePlace<E>,
    pub(super) change: HeadChange,
    pub(super) contents: Result<Vec<PartContent>>,
    pub(super) owner: Check<E>,
    /// The length that the value must have before.
    pub(super) length: Option<u64>,
}

/// The outcome of a head whose request failed.
enum Settled {
    Written,
    /// The head does not name the parts, and never will.
    Rejected(Error),
    Unknown(Error),
    /// Another program has replaced the value since the head was read.
    Overtaken,
}

impl<E: DynamoEntity> LargePlace<E> {
    /// The write of these parts, which requires that the item exists.
    pub(super) fn write(
        &self,
        change: HeadChange,
        contents: Result<Vec<PartContent>>,
    ) -> LargeWrite<E> {
        LargeWrite {
            place: self.clone(),
            change,
            contents,
            owner: Check::new(self.key.clone()).if_exists(),
            length: None,
        }
    }
}

/// A write, planned without its type.
struct PlannedLarge {
    rows: LargeRows,
    change: HeadChange,
    names: Vec<PartName>,
    /// The contents of the parts, in the same order.
    contents: Vec<PartContent>,
    /// The check that the item exists.
    owner: Vec<TransactionMember>,
    length: Option<u64>,
    began: Timestamp,
    /// The same by a clock that no program sets.
    began_steady: Instant,
}

impl<E: DynamoEntity> LargeWrite<E> {
    /// Writes only if this holds for the item, which is checked in the transaction that changes the list or the blob. Otherwise the
    /// error is a [`Conflict`](crate::error::ErrorKind::Conflict). If you call this again, both conditions must hold.
    pub fn when(mut self, condition: impl FnOnce(E::Paths) -> Condition<E>) -> Self {
        self.owner = self.owner.when(condition);
        self
    }

    /// Writes only if the list has this many elements, or the blob this many bytes; a value that does not exist has none. Otherwise
    /// the error is a [`Conflict`](crate::error::ErrorKind::Conflict).
    ///
    /// An append with the expected length takes effect once, even if you repeat it after an error of unknown outcome, unless the
    /// list becomes shorter in the meantime. See [the guide](crate::guide::large_values#unknown-outcomes).
    pub fn when_len(mut self, length: u64) -> Self {
        self.length = Some(length);
        self
    }

    fn plan(self, db: &Dynamo) -> Result<PlannedLarge> {
        let rows = self.place.rows()?;
        rows.check_storage(db)?;
        let began = db.now();
        let (contents, table) = (self.contents?, rows.table_name(db));
        let names = contents.iter();
        let names = names.map(|content| draw_name(&rows, content, &table));
        let names = names.collect::<Result<Vec<_>>>()?;
        // An element that fits into no item is an error before anything is sent. A marker always fits.
        let large = contents.iter().zip(&names);
        for (content, name) in large.filter(|(content, _)| content.size > PART_BYTES) {
            part_item(&rows, name, content, began)?;
        }
        // So is a head that could not name all parts. The names that an append finds in the head are not known yet.
        match &self.change {
            HeadChange::Append => check_parts(&rows, names.len())?,
            HeadChange::Replace | HeadChange::Compact(_) => {
                head_item(&rows, &names, began).map(drop)?
            }
        }
        let owner = self.owner.plan_members(db)?;
        Ok(PlannedLarge {
            rows,
            change: self.change,
            names,
            contents,
            owner,
            length: self.length,
            began,
            began_steady: Instant::now(),
        })
    }

    /// Returns the requests that [`send`](Self::send) would send now: those of the parts, and then the transaction with the head. The read of
    /// a former head and the deletes of its parts are not among them, because they depend on what is stored.
    pub fn explain(self, db: &Dynamo) -> Result<Explanation> {
        let planned = self.plan(db)?;
        if planned.writes_nothing() {
            let owner = PlannedRequest::of_one(planned.owner, None)?;
            return Ok(Explanation::of_requests(&[owner.request]));
        }
        let parts = planned.contents.iter().zip(&planned.names);
        let parts = parts.map(|(content, name)| planned.part_request::<E>(name, content, db));
        let all = parts.chain([planned.head_request(None, db)]);
        let all = all.map(|planned| planned.map(|planned| planned.request));
        Ok(Explanation::of_requests(&all.collect::<Result<Vec<_>>>()?))
    }

    /// Writes the parts, and then the head in a transaction which requires that the item exists; without the item, the error is
    /// [`NotFound`](crate::error::ErrorKind::NotFound). If a response is lost, the write takes effect once.
    pub fn send(self, db: &Dynamo) -> Steps<'_, Result<()>> {
        let planned = self.plan(db);
        Steps(Box::pin(async move { planned?.run::<E>(db).await }))
    }
}

impl PlannedLarge {
    /// Whether this is an append without elements.
    fn writes_nothing(&self) -> bool {
        self.change == HeadChange::Append && self.names.is_empty()
    }

    /// The request that stores a part.
    fn part_request<E: DynamoEntity>(
        &self,
        name: &PartName,
        content: &PartContent,
        db: &Dynamo,
    ) -> Result<PlannedRequest> {
        let (rows, now) = (&self.rows, db.now());
        let item = part_item(rows, name, content, now)?;
        let asked = (Node::all([]), Meaning::Row(ConditionFailure::NEVER));
        let (table, room) = (rows.table_name(db), 256 + item.len());
        let pattern = Patterns::<E>::PUT;
        let mut write = WriteRequest::new(WriteVerb::Put, table, room, pattern, now, asked);
        write.put_item(&item);
        write.into_planned()
    }

    async fn run<E: DynamoEntity>(self, db: &Dynamo) -> Result<()> {
        if self.writes_nothing() {
            return self.check_only::<E>(db).await;
        }
        // Until the head names them, no reader finds the parts, so they can be written in any order and more than once.
        let parts = self.contents.iter().zip(&self.names);
        let (begun, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let sent = parts.map(|(content, name)| async {
            if has_failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            begun.fetch_add(1, Ordering::Relaxed);
            let part = self.part_request::<E>(name, content, db)?;
            let plan = part.with_outcome(Outcome::Known(Some(())));
            let sent = match plan.send_plan(db).await {
                Ok(()) => self.store_content(name, content, db).await,
                Err(error) => Err(error),
            };
            has_failed.fetch_or(sent.is_err(), Ordering::Relaxed);
            sent
        });
        let sent: Vec<_> = sent.collect();
        // After a failure, the requests under way are awaited: a part that arrived after the deletes below would remain.
        let sent = stream::iter(sent).buffer_unordered(CONCURRENCY);
        let sent: Vec<Result<()>> = sent.collect().await;
        if let Err(error) = sent.into_iter().collect::<Result<()>>() {
            // No head was sent, so no head will ever name the parts.
            let begun = begun.load(Ordering::Relaxed);
            let error = self.drop_parts::<E>(error, begun, db).await;
            return Err(unsent(&self.rows, error));
        }
        for _ in 0..ATTEMPTS {
            let former = match &self.change {
                HeadChange::Append => None,
                HeadChange::Replace => self.stored_head::<E>(db).await?,
                HeadChange::Compact(head) => Some(head.clone()),
            };
            // A sweep may delete parts that no head names, but only old ones. A head that comes too late could name a deleted part.
            if self.is_late(db) {
                let all = self.names.len();
                return Err(self.drop_parts::<E>(too_late(&self.rows), all, db).await);
            }
            let sent = self.head_request(former.as_ref(), db)?;
            let sent = sent.with_outcome(Outcome::Known(Some(())));
            if let Err(error) = sent.send_plan(db).await {
                match self.settle::<E>(error, former.as_ref(), db).await {
                    Settled::Written => {}
                    Settled::Overtaken => continue,
                    Settled::Unknown(error) => return Err(error),
                    Settled::Rejected(error) => {
                        return Err(self.drop_parts::<E>(error, self.names.len(), db).await);
                    }
                }
            }
            // Those of an append in between are left to a sweep.
            let former = former.map(|head| head.into_settled_parts(db.now()));
            let former = former.unwrap_or_default();
            self.rows
                .delete_parts(former, Patterns::<E>::DELETE, db)
                .await;
            return Ok(());
        }
        let all = self.names.len();
        Err(self.drop_parts::<E>(overtaken(&self.rows), all, db).await)
    }

    /// An append of nothing, which only checks the item and the length.
    async fn check_only<E: DynamoEntity>(self, db: &Dynamo) -> Result<()> {
        let owner = PlannedRequest::of_one(self.owner, None)?;
        owner
            .with_outcome(Outcome::Known(Some(())))
            .send_plan(db)
            .await?;
        let Some(expected) = self.length else {
            return Ok(());
        };
        let head = read_head_of(&self.rows, Patterns::<E>::GET, db).await?;
        match head.map_or(0, |head| head.length) {
            found if found == expected => Ok(()),
            found => Err(other_length(&self.rows, expected, found)),
        }
    }

    /// Stores the content of a part outside of DynamoDB, whose marker was written before.
    async fn store_content(
        &self,
        name: &PartName,
        content: &PartContent,
        db: &Dynamo,
    ) -> Result<()> {
        let Some(object) = name.object() else {
            return Ok(());
        };
        // A sweep deletes old markers. An upload that begins too late could leave an object without one.
        if self.is_late(db) {
            return Err(too_late(&self.rows));
        }
        let content = content.content.clone();
        self.rows.store_object(&object, content, db).await
    }

    fn is_late(&self, db: &Dynamo) -> bool {
        let passed = db.now().seconds().saturating_sub(self.began.seconds());
        // The clock of the connection may have been set, or may be one that the program gave to it.
        passed > WRITE_WITHIN
            || self.began_steady.elapsed() > Duration::from_secs(WRITE_WITHIN as u64)
    }

    async fn stored_head<E: DynamoEntity>(&self, db: &Dynamo) -> Result<Option<LargeHead>> {
        read_head_of(&self.rows, Patterns::<E>::GET, db).await
    }

    /// Decides about a head whose response was lost: the names of its parts occur in no other write.
    async fn settle<E: DynamoEntity>(
        &self,
        error: Error,
        former: Option<&LargeHead>,
        db: &Dynamo,
    ) -> Settled {
        // A condition of the head fails too if it names the parts already, and those must not be deleted then.
        if !error.is_outcome_unknown() && !error.is_conflict() {
            return Settled::Rejected(error);
        }
        let is_ours = |head: &LargeHead| {
            let last = self.names.last();
            last.is_some_and(|last| head.parts.contains(last))
        };
        let head = match self.stored_head::<E>(db).await {
            Ok(Some(head)) if is_ours(&head) => return Settled::Written,
            Ok(head) => head,
            Err(_) => return Settled::Unknown(in_doubt(&self.rows, error)),
        };
        if error.is_outcome_unknown() {
            // The attempt may still arrive.
            return Settled::Unknown(in_doubt(&self.rows, error));
        }
        // Only the check of the item has a declaration. Its failure is the reason, even if the list has changed too.
        if error.declared().is_some() {
            return Settled::Rejected(error);
        }
        let (named, length) = head
            .as_ref()
            .map_or((0, 0), |head| (head.parts.len(), head.length));
        if let Some(expected) = self.length.filter(|expected| *expected != length) {
            return Settled::Rejected(other_length(&self.rows, expected, length));
        }
        let generations = [former, head.as_ref()].map(|head| head.map(|head| &head.generation));
        if self.change == HeadChange::Replace && generations[0] != generations[1] {
            return Settled::Overtaken;
        }
        let is_full = check_parts(&self.rows, named + self.names.len());
        match (&self.change, is_full) {
            (HeadChange::Append, Err(full)) => Settled::Rejected(full),
            _ => Settled::Rejected(error),
        }
    }

    /// Deletes the first of the parts that were written in vain, and returns the error.
    async fn drop_parts<E: DynamoEntity>(
        &self,
        error: Error,
        written: usize,
        db: &Dynamo,
    ) -> Error {
        // A service that does not respond would not delete them either, and an overloaded one should get no further requests.
        let is_down = matches!(
            error.kind(),
            ErrorKind::Unavailable | ErrorKind::Throttled | ErrorKind::Storage
        );
        if is_down && !is_contention(&error) {
            return error;
        }
        let own: Vec<PartName> = self.names.iter().take(written).cloned().collect();
        self.rows.delete_parts(own, Patterns::<E>::DELETE, db).await;
        error
    }

    /// The transaction that checks the owner and changes the head.
    fn head_request(&self, former: Option<&LargeHead>, db: &Dynamo) -> Result<PlannedRequest> {
        let owner = self.owner.iter().map(TransactionMember::copy_member);
        let members = owner.chain([self.head_member(former, db)?]).collect();
        PlannedRequest::of_one(members, None)
    }

    fn head_member(&self, former: Option<&LargeHead>, db: &Dynamo) -> Result<TransactionMember> {
        // The time of the request, and not that of the parts: it decides when the parts of this head can be deleted.
        let (rows, now) = (&self.rows, db.now());
        let (key, table) = (rows.head_key(), rows.table_name(db));
        let (verb, condition) = match &self.change {
            HeadChange::Replace => (WriteVerb::Put, has_generation(former)),
            HeadChange::Append => (WriteVerb::Update, takes_parts(rows, &self.names)),
            HeadChange::Compact(head) => (WriteVerb::Put, is_head(head)),
        };
        let condition = Node::all([condition].into_iter().chain(self.length.map(has_length)));
        let asked = (condition, Meaning::Row(ConditionFailure::UNTYPED));
        let room = 512 + 64 * self.names.len();
        let mut write = WriteRequest::new(verb, table, room, &SEVERAL.transact, now, asked);
        write.entity = rows.entity.type_name;
        match &self.change {
            HeadChange::Replace | HeadChange::Compact(_) => {
                write.put_item(&head_item(rows, &self.names, now)?)
            }
            HeadChange::Append => {
                write.at_key(&key);
                write.encode_change(appended(rows, &self.names, now)?)?;
            }
        }
        TransactionMember::in_table(rows.table, write, &key)
    }
}

/// The change of a head that names more parts, or of one that does not exist yet.
fn appended(rows: &LargeRows, names: &[PartName], now: Timestamp) -> Result<UpdateActions> {
    let mut update = UpdateActions::default();
    if let Some(attribute) = rows.table.type_attribute {
        update.set_action(attribute, UpdateAction::Set(text_json(MARK)));
    }
    let owner = owner_of(rows, now).map_json();
    update.set_action(MARK, UpdateAction::Set(owner));
    // A reader that has begun goes on after an append, so only a new head gets a generation.
    let generation = UpdateOperand::Json(text_json(&draw_generation()?));
    update.set_action(GENERATION, UpdateAction::SetIfAbsent(generation));
    let added = UpdateOperand::Json(names_json(names));
    update.set_action(PARTS, UpdateAction::Append(added));
    let count = names.iter().map(PartName::count).sum();
    let added = UpdateAction::Add {
        start: number_json(0),
        delta: UpdateOperand::Json(number_json(count)),
        minus: false,
    };
    update.set_action(LENGTH, added);
    let mut written = Writer::with_capacity(32);
    written.write_integer(now.seconds());
    update.set_action(WRITTEN, UpdateAction::Set(written.into_bytes()));
    Ok(update)
}

/// The head of a value, if it exists.
pub(super) async fn read_head_of(
    rows: &LargeRows,
    pattern: &'static Pattern,
    db: &Dynamo,
) -> Result<Option<LargeHead>> {
    let head = rows.read_head(pattern, db).await?;
    let head = head.map(|head| LargeHead::read(&head)).transpose();
    head.map_err(|fault| unreadable(rows, fault))
}

impl<E: DynamoEntity> fmt::Debug for LargeWrite<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LargeWrite({:?}, {:?})", self.change, self.place)
    }
}

crate::awaited::unsent!([E: DynamoEntity] LargeWrite<E> => ());
