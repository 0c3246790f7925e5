//! `transact`: reads several items, decides, writes several items, and starts again if another write was made in
//! between.

mod commit;
mod unit_item;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::dynamo::{Dynamo, ItemId, ItemTurn, turn_in};
use crate::entity::{self, ChangeableEntity, DynamoEntity, HeldEntity, Key, Patterns, Version};
use crate::error::{Error, ErrorKind, OperationPlace, Result, Stage};
use crate::expr::{Node, UpdateActions};
use crate::plan::{
    ConditionFailure, Meaning, Precondition, TransactWrite, TransactionMember, check, read_raw,
};
use crate::retry::Backoff;
use crate::write::unique::item_id;
use crate::write::{Create, Delete, ItemWrite, Put, as_read, delete_as_read, revision, update_of};
use commit::{changed_since, commit_items};
use unit_item::{ReadRecord, UnitItem, of_another_entity, refuse_operation};

/// The number of attempts before the last conflict is returned.
const ATTEMPTS: u32 = 200;

/// Reads items, decides and writes items in one transaction. It runs the closure again if another write was made in
/// between.
///
/// The closure gets a [`UnitOfWork`], which records its reads: an item that is read and written is written only if it
/// is unchanged, and an item that is only read is checked. Either all of it takes effect or nothing does. If an item
/// has changed, the closure starts again with new reads, so it must not do anything that cannot be repeated. An error
/// of the closure ends the unit, and nothing is written.
///
/// ```
/// use dynamo_entity::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "counters", key(pk = name))]
/// struct Counter { name: String, last: u64 }
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "invoices", key(pk = number))]
/// struct Invoice { number: u64, customer: String }
///
/// /// Numbers without a gap: the counter and the invoice are written together.
/// async fn invoice(db: &Dynamo, customer: &str) -> Result<u64> {
///     transact(db, async |tx| {
///         let counter = tx.get(Counter::key("invoice")).await?;
///         let number = counter.map_or(0, |counter| counter.last) + 1;
///         tx.put(&Counter { name: "invoice".into(), last: number })?;
///         tx.create(&Invoice { number, customer: customer.into() })?;
///         Ok(number)
///     })
///     .await
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Counter::schema(), Invoice::schema()]).await?;
/// assert_eq!(invoice(&db, "ann").await?, 1);
/// assert_eq!(invoice(&db, "bob").await?, 2);
/// # Ok(()) }
/// ```
///
/// Each read is a strong read of one item. The transaction costs two write units for each KB of an item that is
/// written, and two for one that is only checked. A unit that writes nothing and reads at most one item sends no
/// transaction. Queries and other reads in the closure are not part of it.
///
/// Tasks of this process that lose a race for an item run one after the other from then on, so that each of many
/// tasks needs about two attempts. For conflicts with other processes there are growing random pauses.
///
/// The closure may run several times, so it cannot change or consume captured variables: count in a `Cell` or an
/// atomic, and return the results. For a closure with its own error type, use [`try_transact`].
pub async fn transact<T, Out>(db: &Dynamo, work: impl FnMut(UnitOfWork) -> Out) -> Result<T>
where
    Out: Future<Output = Result<T>>,
{
    try_transact(db, work).await
}

/// The same as [`transact`], for a closure whose error is a type of the caller. That error is returned unchanged.
///
/// ```
/// use dynamo_entity::prelude::*;
/// use dynamo_entity::transact::try_transact;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "accounts", key(pk = id))]
/// struct Account { id: String, balance: u64 }
///
/// #[derive(Debug)]
/// enum Refusal { NoAccount, TooPoor, Database(Error) }
///
/// impl From<Error> for Refusal {
///     fn from(error: Error) -> Self { Refusal::Database(error) }
/// }
///
/// async fn transfer(db: &Dynamo, from: &str, to: &str, amount: u64) -> Result<(), Refusal> {
///     try_transact(db, async |tx| {
///         let mut giver = tx.get(Account::key(from)).await?.ok_or(Refusal::NoAccount)?;
///         let mut taker = tx.get(Account::key(to)).await?.ok_or(Refusal::NoAccount)?;
///         giver.balance = giver.balance.checked_sub(amount).ok_or(Refusal::TooPoor)?;
///         taker.balance += amount;
///         tx.put(&giver)?;
///         tx.put(&taker)?;
///         Ok(())
///     })
///     .await
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Refusal> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Account::schema()]).await?;
/// # for id in ["a", "b"] { Account { id: id.into(), balance: 5 }.put().send(&db).await?; }
/// transfer(&db, "a", "b", 3).await?;
/// assert!(matches!(transfer(&db, "a", "b", 3).await, Err(Refusal::TooPoor)));
/// # Ok(()) }
/// ```
pub async fn try_transact<T, X, Out>(
    db: &Dynamo,
    mut work: impl FnMut(UnitOfWork) -> Out,
) -> Result<T, X>
where
    Out: Future<Output = Result<T, X>>,
    X: From<Error>,
{
    let mut backoff = Backoff::new();
    let mut lost = BTreeSet::new();
    let mut attempt = 1;
    loop {
        let begun = Instant::now();
        // The set is sorted, so all units take their turns in one order and cannot wait for each other.
        let turns = db.item_turns().take_all(&lost).await;
        let unit = UnitOfWork::new(db, turns);
        let out = work(unit.share_state()).await?;
        let UnitState { items, turns, .. } = unit.end_work();
        let Err(error) = commit_items(db, &items).await else {
            return Ok(out);
        };
        // The turns end before the pause, so that other tasks need not wait for it.
        drop(turns);
        let changed = changed_since(&items, &error);
        // If no read item has changed, a condition of the caller has failed, and another attempt would fail in the same
        // way.
        if changed.is_empty() || attempt >= ATTEMPTS {
            return Err(error.into());
        }
        lost.extend(changed);
        // The first race is lost to a task of this process as a rule, and the queue is the pause.
        if attempt > 1 {
            backoff.wait_longer(begun.elapsed(), None).await;
        }
        attempt += 1;
    }
}

/// Reads and writes of one attempt of a [`transact`].
///
/// You may call its methods in any order, and reads may run concurrently. An item is written once, and is not read
/// after it was written. Until the closure has returned `Ok`, only reads are sent.
pub struct UnitOfWork {
    db: Dynamo,
    state: Arc<Mutex<UnitState>>,
}

#[derive(Default)]
struct UnitState {
    items: Vec<UnitItem>,
    /// The index of each item.
    places: HashMap<ItemId, usize>,
    /// The turns of this attempt. They end with it.
    turns: Vec<ItemTurn>,
    /// Whether it has a turn, waits for one, or has waited in vain. A second turn, taken in any order, could make two
    /// units wait for each other.
    has_asked: bool,
    is_over: bool,
}

impl UnitOfWork {
    fn new(db: &Dynamo, turns: Vec<ItemTurn>) -> Self {
        let state = UnitState {
            has_asked: !turns.is_empty(),
            turns,
            ..UnitState::default()
        };
        UnitOfWork {
            db: db.clone(),
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// The same unit, for the closure.
    fn share_state(&self) -> Self {
        UnitOfWork {
            db: self.db.clone(),
            state: self.state.clone(),
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, UnitState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the unit: later calls on a kept copy are errors.
    fn end_work(&self) -> UnitState {
        let over = UnitState {
            is_over: true,
            ..UnitState::default()
        };
        std::mem::replace(&mut *self.lock_state(), over)
    }

    /// Reads an item by a strong read. If the unit has read it before, this returns the same item without a request.
    pub async fn get<E: DynamoEntity>(&self, key: Key<E>) -> Result<Option<E>> {
        let key = key.untyped()?;
        let id = item_id(&key, &self.db);
        if let Some(record) = self.record_to_read::<E>(&id)? {
            return record.read_entity();
        }
        self.wait_for_turn(&id).await;
        let pattern = &Patterns::<E>::JOINT.transact;
        let stored = read_raw(&self.db, pattern, &key).await?;
        let read = match &stored {
            Some(item) => entity::read_live::<E>(item, self.db.now())?,
            None => None,
        };
        let record = ReadRecord {
            declared: E::ENTITY.id,
            guard: guard_of(read.as_ref(), stored.as_deref(), &self.db)?,
            live: stored.filter(|_| read.is_some()),
        };
        let asked = record.guard.clone();
        let update = UpdateActions::default();
        let write = update_of(pattern, &key, update, asked, self.db.now(), &self.db)?;
        let item = UnitItem {
            id,
            read: Some(record),
            members: vec![TransactionMember::of_key(write, key.json())?],
            is_written: false,
        };
        // Reads of one unit may run concurrently. Another one of this item may have ended meanwhile, and both must
        // return the same.
        let mut state = self.open_for(E::ENTITY.type_name)?;
        match state.record_to_read::<E>(&item.id)? {
            Some(before) => before.read_entity(),
            None => {
                state.push_item(item);
                Ok(read)
            }
        }
    }

    /// Stores an entity.
    ///
    /// If the unit has read the item, its differences to the entity are written, as in [`modify`](Key::modify), or
    /// nothing if it does not differ. If the unit has found no item, it is created. An item that the unit has not
    /// read is put with the conditions that [`put`](crate::EntityExt::put) has on its own.
    pub fn put<E: ChangeableEntity>(&self, entity: &E) -> Result<()> {
        let key = Key::of(entity).untyped()?;
        let id = item_id(&key, &self.db);
        let db = &self.db;
        let members = match self.record_to_write::<E>(&id)? {
            None => Put::<E, E::Guard>::new(HeldEntity::Borrowed(entity)).members(db)?,
            Some(ReadRecord { live: None, .. }) => {
                let message = "the entity was loaded, and this unit of work has found no live item with its key";
                check_version(entity, None, (ErrorKind::NotFound, message))?;
                Create::new(HeldEntity::Borrowed(entity)).members(db)?
            }
            Some(ReadRecord {
                live: Some(stored), ..
            }) => {
                let old: E = entity::read(&stored)?;
                let message =
                    "the entity was loaded with another version than this unit of work has read";
                check_version(entity, old.version(), (ErrorKind::Conflict, message))?;
                let pattern = Patterns::<E>::MODIFY;
                match revision(db, pattern, &key, &stored, (&old, entity))? {
                    Some(edit) => edit.members(db, db.now())?,
                    // The check of the read stays in the transaction, because nothing replaces it.
                    None => return Ok(()),
                }
            }
        };
        self.open_for(E::ENTITY.type_name)?
            .add_write(id, members, E::ENTITY.type_name)
    }

    /// Stores an entity if no live item has its key.
    pub fn create<E: DynamoEntity>(&self, entity: &E) -> Result<()> {
        let id = item_id(&Key::of(entity).untyped()?, &self.db);
        if let Some(ReadRecord { live: Some(_), .. }) = self.record_to_write::<E>(&id)? {
            let message = "an item with this key already exists: this unit of work has read it";
            let error = Error::new(ErrorKind::AlreadyExists, Stage::Request, message);
            return Err(error.of(E::ENTITY.type_name));
        }
        let members = Create::new(HeldEntity::Borrowed(entity)).members(&self.db)?;
        self.open_for(E::ENTITY.type_name)?
            .add_write(id, members, E::ENTITY.type_name)
    }

    /// Deletes an item: if the unit has read it, only if it is unchanged, and otherwise any item with this key.
    pub fn delete<E: ChangeableEntity>(&self, key: Key<E>) -> Result<()> {
        let id = item_id(&key.untyped()?, &self.db);
        let members = match self.record_to_write::<E>(&id)? {
            None => Delete::of_key(key).members(&self.db)?,
            // The check of the read stays in the transaction: the item must still be missing when the unit commits.
            Some(ReadRecord { live: None, .. }) => return Ok(()),
            Some(ReadRecord {
                live: Some(stored),
                guard,
                ..
            }) => delete_as_read(&entity::read::<E>(&stored)?, guard, &self.db)?,
        };
        self.open_for(E::ENTITY.type_name)?
            .add_write(id, members, E::ENTITY.type_name)
    }

    /// Adds any operation that fits into a [`Transaction`](crate::Transaction), with its own conditions. If the unit
    /// has read its item, the item must also be unchanged.
    pub fn with(&self, operation: impl TransactWrite) -> Result<()> {
        let name = operation.operation_name();
        let members = operation.plan_members(&self.db)?.into_iter();
        // The position among the items of the unit is known only when it commits.
        let named = OperationPlace { index: 0, name };
        let mut members: Vec<_> = members.map(|member| member.at_place(named)).collect();
        let Some(main) = members.first_mut() else {
            return Ok(());
        };
        let id = (main.write.table.clone(), main.key.to_json());
        let entity = main.write.entity;
        let mut state = self.open_for(entity)?;
        let read = state.find_item(&id).and_then(|item| item.read.as_ref());
        let declared = main.declaration_id();
        if read.is_some_and(|read| declared.is_some_and(|declared| declared != read.declared)) {
            return Err(of_another_entity(entity));
        }
        if let (Some(read), Meaning::Row(failure)) = (read, main.write.meaning) {
            main.write.add_condition(read.guard.0.clone());
            main.write.meaning = Meaning::Row(failure.or_condition());
        }
        state.add_write(id, members, entity)
    }

    async fn wait_for_turn(&self, id: &ItemId) {
        let Some(queue) = self.db.item_turns().queue_of_others(id) else {
            return;
        };
        // This is set before the wait, because reads of one unit may run concurrently.
        let has_asked = std::mem::replace(&mut self.lock_state().has_asked, true);
        if has_asked {
            return;
        }
        let turn = turn_in(queue).await;
        let mut state = self.lock_state();
        // The closure may have returned while this read waited. The turn then ends here.
        if !state.is_over {
            state.turns.extend(turn);
        }
    }

    /// The known state of an item that will be read.
    fn record_to_read<E: DynamoEntity>(&self, id: &ItemId) -> Result<Option<ReadRecord>> {
        self.open_for(E::ENTITY.type_name)?.record_to_read::<E>(id)
    }

    /// The known state of an item that will be written.
    fn record_to_write<E: DynamoEntity>(&self, id: &ItemId) -> Result<Option<ReadRecord>> {
        let state = self.open_for(E::ENTITY.type_name)?;
        match state.find_item(id) {
            Some(item) => {
                item.check_unwritten(E::ENTITY.type_name)?;
                item.record_of::<E>()
            }
            None => Ok(None),
        }
    }

    fn open_for(&self, entity: &'static str) -> Result<MutexGuard<'_, UnitState>> {
        let state = self.lock_state();
        match state.is_over {
            false => Ok(state),
            true => Err(refuse_operation(
                entity,
                "the unit of work is over: its closure has returned",
            )),
        }
    }
}

impl UnitState {
    fn find_item(&self, id: &ItemId) -> Option<&UnitItem> {
        self.items.get(*self.places.get(id)?)
    }

    fn push_item(&mut self, item: UnitItem) {
        self.places.insert(item.id.clone(), self.items.len());
        self.items.push(item);
    }

    fn record_to_read<E: DynamoEntity>(&self, id: &ItemId) -> Result<Option<ReadRecord>> {
        match self.find_item(id) {
            Some(item) if item.is_written => {
                let message = "this unit of work writes or checks the item already: read it before";
                Err(refuse_operation(E::ENTITY.type_name, message))
            }
            Some(item) => item.record_of::<E>(),
            None => Ok(None),
        }
    }

    fn add_write(
        &mut self,
        id: ItemId,
        members: Vec<TransactionMember>,
        entity: &'static str,
    ) -> Result<()> {
        let place = self.places.get(&id);
        match place.and_then(|place| self.items.get_mut(*place)) {
            Some(item) => {
                item.check_unwritten(entity)?;
                item.members = members;
                item.is_written = true;
            }
            None => self.push_item(UnitItem {
                id,
                read: None,
                members,
                is_written: true,
            }),
        }
        Ok(())
    }
}

impl fmt::Debug for UnitOfWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock_state();
        let written = state.items.iter().filter(|item| item.is_written).count();
        write!(
            f,
            "UnitOfWork({} items, {written} written)",
            state.items.len()
        )
    }
}

/// Returns an error for an entity that was loaded elsewhere with another version. A new one has no version yet.
fn check_version<E: DynamoEntity>(
    entity: &E,
    read: Option<Version>,
    (kind, message): (ErrorKind, &'static str),
) -> Result<()> {
    let number = |version: Option<Version>| version.and_then(|version| version.number());
    match number(entity.version()) {
        loaded if loaded.is_none() || loaded == number(read) => Ok(()),
        _ => Err(Error::new(kind, Stage::Request, message).of(E::ENTITY.type_name)),
    }
}

/// The condition that an item is unchanged since it was read.
fn guard_of<E: DynamoEntity>(
    read: Option<&E>,
    stored: Option<&[u8]>,
    db: &Dynamo,
) -> Result<(Node, ConditionFailure)> {
    match (read, stored) {
        (Some(read), Some(stored)) => as_read(read, stored, db),
        _ => Ok(check::build_condition(
            &E::ENTITY,
            Precondition::Missing,
            None,
            db.now(),
        )),
    }
}
