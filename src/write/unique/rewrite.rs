//! A write together with its sentinels: the item is read first, the write is retried, and the last failure becomes
//! the error.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::changes::{HeldUniqueValues, UniqueChanges};
use super::planned_write::{FailedCondition, PlannedWrite};
use super::rules::{depends_on, must_read};
use super::values::holdings_in;
use crate::clock::Timestamp;
use crate::dynamo::{Dynamo, ItemId, ItemTurn, turn_in};
use crate::entity::UntypedKey;
use crate::error::Result;
use crate::expr::{Node, UpdateActions};
use crate::json::{Names, object_members};
use crate::path::Place;
use crate::plan::own_type;
use crate::plan::{
    ConditionFailure, Explanation, Outcome, Plan, Returned, TransactionMember, WriteRequest,
    WriteVerb, check, read_raw,
};
use crate::retry::Backoff;
use crate::schema::{AttributeDef, Pattern};
use crate::write::large::head_deletes;
use crate::write::{delete_of, refuse_alone, split, update_of};

/// The maximum number of attempts.
const ATTEMPTS: u32 = 100;

/// The write of an item whose unique values are not known yet.
#[derive(Debug)]
pub(crate) struct Rewrite {
    pub(crate) pattern: &'static Pattern,
    pub(crate) key: UntypedKey,
    pub(crate) main: Main,
    /// The condition on the item, and its meaning if it does not hold.
    pub(crate) asked: (Node, ConditionFailure),
    pub(crate) now: Timestamp,
    /// Whether every attribute of the item must be unchanged, because the item is returned.
    pub(crate) returns_old: bool,
}

/// The item of a key, for the queue of tasks.
pub(crate) fn item_id(key: &UntypedKey, db: &Dynamo) -> ItemId {
    (db.table_name(key.declared.table.name), key.json().to_vec())
}

/// The position of a write among those of this process for the same item.
struct ItemLine {
    item: ItemId,
    /// It ends with the write.
    turn: Option<ItemTurn>,
    /// Whether it has requested a turn before.
    has_asked: bool,
    backoff: Backoff,
}

impl ItemLine {
    /// Queues behind waiting tasks; if none waits, there is no queue.
    async fn join(item: ItemId, db: &Dynamo) -> Self {
        let queue = db.item_turns().queue_of_others(&item);
        let has_asked = queue.is_some();
        let turn = match queue {
            Some(queue) => turn_in(queue).await,
            None => None,
        };
        ItemLine {
            item,
            turn,
            has_asked,
            backoff: Backoff::new(),
        }
    }

    /// Waits after a lost race, and returns whether the item may have changed in the meantime. The first race is
    /// usually lost to a task of this process, and the queue is the pause.
    async fn after_loss(&mut self, attempt: Duration, db: &Dynamo) -> bool {
        if self.turn.is_none() {
            let (turn, has_waited) = db.item_turns().take_one(&self.item).await;
            self.turn = turn;
            if !std::mem::replace(&mut self.has_asked, true) || has_waited {
                return has_waited;
            }
        }
        self.backoff.wait_longer(attempt, None).await;
        true
    }
}

/// The change of the item.
#[derive(Debug)]
pub(crate) enum Main {
    /// The whole item, as DynamoDB JSON.
    Put(Vec<u8>),
    Update(UpdateActions),
    Delete,
}

impl Main {
    /// The item of a put.
    pub(crate) fn item(&self) -> &[u8] {
        match self {
            Main::Put(item) => item,
            Main::Update(_) | Main::Delete => &[],
        }
    }
}

impl Rewrite {
    /// Reads the item and writes it if it is unchanged; otherwise retries. Returns the old item.
    pub(crate) async fn run_alone(&self, db: &Dynamo) -> Result<Option<Bytes>> {
        // Writers of one item in this process queue before they read, because an optimistic attempt
        // that loses costs a read and a transaction.
        let mut line = ItemLine::join(item_id(&self.key, db), db).await;
        let mut stored = read_raw(db, self.pattern, &self.key).await?;
        for _ in 1..ATTEMPTS {
            let began = Instant::now();
            let (current, error) = match self.attempt(stored.as_ref(), db).await? {
                None => return Ok(stored),
                Some(setback) => setback,
            };
            // The item is unchanged where it matters, so the condition of the caller or a taken
            // value has failed, and another attempt would fail too.
            if self.is_as_read(stored.as_ref(), current.as_ref()) {
                return Err(error);
            }
            stored = match line.after_loss(began.elapsed(), db).await {
                true => read_raw(db, self.pattern, &self.key).await?,
                // The item came with the failed condition, so no read is needed unless time has
                // passed since.
                false => current,
            };
        }
        match self.attempt(stored.as_ref(), db).await? {
            None => Ok(stored),
            Some((_, error)) => Err(error),
        }
    }

    pub(crate) fn is_delete(&self) -> bool {
        matches!(self.main, Main::Delete)
    }

    async fn attempt(
        &self,
        stored: Option<&Bytes>,
        db: &Dynamo,
    ) -> Result<Option<FailedCondition>> {
        self.plan_on(stored, db)?.send(db).await
    }

    fn unique_changes(&self, stored: Option<&Bytes>) -> Result<UniqueChanges> {
        let declared = self.key.declared;
        let before = match stored {
            Some(item) => holdings_in(item, None, &self.key)?,
            None => HeldUniqueValues::nothing(declared),
        };
        let after = match &self.main {
            Main::Put(item) => holdings_in(item, None, &self.key)?,
            // The values after an update are computed here from the stored item, because a
            // transaction cannot read its own result.
            Main::Update(update) => {
                let item = stored.map_or(&b"{}"[..], |item| item);
                holdings_in(item, Some(update), &self.key)?
            }
            Main::Delete => HeldUniqueValues::nothing(declared),
        };
        UniqueChanges::between(declared, &before, &after, matches!(self.main, Main::Put(_)))
    }

    /// The read, and the write as it would be if no item were found.
    pub(crate) fn explain_alone(&self, read: &Plan<()>, db: &Dynamo) -> Result<Explanation> {
        let write = self
            .plan_on(None, db)?
            .returning(Returned::Nothing)?
            .with_outcome(Outcome::Known(Some(())));
        Ok(Explanation::of_plan(&write).after_read(read))
    }

    /// The condition that the stored item still has the values that the changes use.
    pub(crate) fn guard(&self, stored: Option<&Bytes>) -> Node {
        let here = Place::of(self.key.declared.def.pk.attribute);
        let Some(item) = stored else {
            // The values were computed for a missing item, so an item that was created meanwhile
            // must make the write fail.
            return Node::Missing(here);
        };
        let held = object_members(item).unwrap_or_default();
        let held = Names::of_members(&held);
        let as_read = |name: String| match held.get_named(&name) {
            Some(json) => check::value_condition(name, json),
            None => Node::Missing(Place::of(name)),
        };
        let asked = self.relied_on(item).into_iter().map(as_read);
        Node::all([Node::Exists(here)].into_iter().chain(asked))
    }

    /// The attributes of unique values, and the TTL; all attributes if the item is returned.
    fn relied_on(&self, item: &[u8]) -> Vec<String> {
        let declared = self.key.declared;
        // The returned item must be the one that was deleted, so all of its attributes are
        // compared.
        if self.returns_old {
            let all = split(item).unwrap_or_default().into_iter();
            let is_key = |name: &str| {
                declared.def.pk.attribute == name
                    || declared.def.sk.is_some_and(|sk| sk.attribute == name)
            };
            return all
                .map(|(name, _)| name)
                .filter(|name| !is_key(name))
                .collect();
        }
        let attributes = declared.def.attributes.iter();
        let relied = attributes.filter(|known| depends_on(declared, known.field));
        let names = relied.flat_map(AttributeDef::names);
        names.map(ToOwned::to_owned).collect()
    }

    /// The write of the item, with another condition.
    pub(crate) fn write(&self, guard: Node, db: &Dynamo) -> Result<WriteRequest> {
        let (condition, condition_failure) = self.asked.clone();
        let asked = check::with_condition(condition, condition_failure, guard);
        match &self.main {
            Main::Put(item) => {
                let room = 1024 + item.len();
                let (verb, now) = (WriteVerb::Put, self.now);
                let mut write = WriteRequest::of_entity(
                    self.key.declared,
                    verb,
                    self.pattern,
                    room,
                    asked,
                    now,
                    db,
                );
                write.put_item(item);
                Ok(write)
            }
            Main::Delete => Ok(delete_of(self.pattern, &self.key, asked, self.now, db)),
            Main::Update(update) => {
                let update = update.clone();
                update_of(self.pattern, &self.key, update, asked, self.now, db)
            }
        }
    }

    /// The write for this stored item.
    pub(crate) fn plan_on(&self, stored: Option<&Bytes>, db: &Dynamo) -> Result<PlannedWrite> {
        // A job that was given this write reads one row for it.
        refuse_alone(self.key.declared, self.is_delete())?;
        if let Some(item) = stored {
            // The unique values of another entity are not those of this one.
            own_type::require_own(self.key.declared, item, self.now)?;
        }
        let mut beside = self
            .unique_changes(stored)?
            .members(&self.key, self.now, db)?;
        if self.is_delete() {
            let (declared, key) = (self.key.declared, self.key.json());
            beside.extend(head_deletes(
                declared.def,
                declared.table,
                key,
                self.now,
                db,
            )?);
        }
        let write = self.write(self.guard(stored), db)?;
        let main = TransactionMember::of_key(write, self.key.json())?;
        Ok(PlannedWrite::Together(main, beside))
    }

    /// Whether the values that the changes use are unchanged: then the caller's own condition failed, and no race
    /// was lost.
    pub(crate) fn is_as_read(&self, stored: Option<&Bytes>, current: Option<&Bytes>) -> bool {
        let (Some(stored), Some(current)) = (stored, current) else {
            return stored.is_none() && current.is_none();
        };
        let (Ok(before), Ok(now)) = (object_members(stored), object_members(current)) else {
            return false;
        };
        let before = Names::of_members(&before);
        let now = Names::of_members(&now);
        let same = |name: &String| before.get_named(name) == now.get_named(name);
        self.relied_on(stored).iter().all(same)
    }
}

/// The write of one item, planned as far as it can be without reading.
#[derive(Debug)]
pub(crate) enum Intent {
    Ready(PlannedWrite),
    /// The stored unique values are read first.
    Reading(Rewrite),
}

impl Intent {
    /// The write for callers who cannot read anything first.
    pub(crate) fn ready(self) -> Result<PlannedWrite> {
        let rewrite = match self {
            Intent::Ready(planned_write) => return Ok(planned_write),
            Intent::Reading(rewrite) => rewrite,
        };
        refuse_alone(rewrite.key.declared, rewrite.is_delete())?;
        let verb = match rewrite.main {
            Main::Put(_) => "put",
            Main::Update(_) => "`upsert`",
            Main::Delete => "delete",
        };
        Err(must_read(rewrite.key.declared, verb))
    }
}
