//! `put`: stores an entity and replaces an existing item.

use std::fmt;
use std::marker::PhantomData;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::guard::{Checked, Conditional, Guard, Open};
use crate::entity::{
    Created, DynamoEntity, EntityDeclaration, HasDeclaration, HeldEntity, Key, ManagedValues,
    Patterns, UntypedEntity, Version, VersionState,
};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Condition, Node};
use crate::json::CodecError;
use crate::path::Place;
use crate::plan::{
    ConditionFailure, LoadedItem, Outcome, Precondition, Returned, TransactionMember, WriteRequest,
    WriteVerb, check,
};
use crate::schema::Pattern;
use crate::write::item_write::sealed::Sealed;
use crate::write::{
    Intent, ItemWrite, Main, PlannedWrite, ReturningNew, Rewrite, WriteOutcome, WritePlan, unique,
    untyped_key,
};

/// Stores an entity and replaces an existing item; see [`EntityExt::put`](crate::verbs::EntityExt::put).
#[must_use = "nothing happens until `.send(&db)`"]
pub struct Put<'e, E: DynamoEntity, G: Guard = <E as DynamoEntity>::Guard> {
    pub(crate) entity: HeldEntity<'e, E>,
    terms: PutTerms,
    guard: PhantomData<G>,
}

/// The conditions of a put, and whether managed attributes are stored as they are.
struct PutTerms {
    expect: Precondition,
    is_as_is: bool,
    condition: Node,
}

impl PutTerms {
    fn expecting(expect: Precondition) -> Self {
        PutTerms {
            expect,
            is_as_is: false,
            condition: Node::all([]),
        }
    }
}

impl<'e, E: DynamoEntity, G: Guard> Put<'e, E, G> {
    pub(crate) fn new(entity: HeldEntity<'e, E>) -> Self {
        let expect = if G::CHECKED {
            Precondition::Loaded
        } else {
            Precondition::Anything
        };
        Put {
            entity,
            terms: PutTerms::expecting(expect),
            guard: PhantomData,
        }
    }

    fn expecting<H: Guard>(mut self, expect: Precondition) -> Put<'e, E, H> {
        self.terms.expect = expect;
        Put {
            entity: self.entity,
            terms: self.terms,
            guard: PhantomData,
        }
    }
}

impl<'e, E: DynamoEntity, G: Guard> Put<'e, E, G> {
    /// Stores only if a live item exists.
    pub fn if_exists(self) -> Put<'e, E, Conditional>
    where
        G: Open,
    {
        self.expecting(Precondition::Exists)
    }

    /// Stores only if no live item exists. [`create`](crate::verbs::EntityExt::create) does the same and renews the
    /// managed fields.
    pub fn if_missing(self) -> Put<'e, E, Conditional>
    where
        G: Open,
    {
        self.expecting(Precondition::Missing)
    }

    /// Stores only if this holds for the stored item, in addition to the other conditions. If you call this again,
    /// both must hold.
    pub fn when(self, condition: impl FnOnce(E::Paths) -> Condition<E>) -> Put<'e, E, Conditional> {
        let expect = self.terms.expect;
        let mut put = self.expecting(expect);
        put.terms
            .condition
            .narrow(condition(E::Paths::default()).into_node());
        put
    }

    /// Stores over any version. The item gets a version that no client has, see [`Version`], so that anyone who
    /// loaded it before gets a conflict. Prefer [`update`](crate::entity::Key::update) if only some attributes
    /// change.
    pub fn unchecked(self) -> Put<'e, E, E::Unguarded>
    where
        G: Checked,
    {
        self.expecting(Precondition::Anything)
    }
}

impl<'e, E: DynamoEntity> Put<'e, E> {
    /// Stores the entity exactly as it is, whatever is stored: version, timestamps and authors are those of the struct,
    /// so that a table which is exported and loaded again is the same. It fits into a [`Batch`](crate::Batch), unless
    /// the entity has unique values, which are still maintained by a transaction.
    ///
    /// It checks no version, and the item gets no new one: a program that loaded an item with the same number before
    /// does not notice that it was replaced. Therefore, load into tables that no program uses, or write rows that no
    /// program has read. A version that is new is not stored. The keys of indexes are built from the fields, and
    /// expired items are stored too.
    ///
    /// ```
    /// # use dynamo_entity::Timestamp;
    /// # use dynamo_entity::prelude::*;
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "notes", key(pk = id))]
    /// struct Note { id: String, #[dynamo(version)] version: Version, #[dynamo(updated_at)] at: Option<Timestamp> }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let (old, new) = (Dynamo::connect("embedded:memory").await?, Dynamo::connect("embedded:memory").await?);
    /// # old.create_tables([Note::schema()]).await?;
    /// # new.create_tables([Note::schema()]).await?;
    /// # Note { id: "n1".into(), version: Version::default(), at: None }.create().send(&old).await?;
    /// let notes = Note::scan().all(&old).await?;
    /// let report = Batch::new().with_all(notes.iter().map(|note| note.put().as_is())).send(&new).await?;
    /// report.complete()?;
    /// assert_eq!(Note::scan().all(&new).await?, notes); // the same versions and times
    /// # Ok(()) }
    /// ```
    pub fn as_is(mut self) -> Put<'e, E, E::Unguarded> {
        self.terms.is_as_is = true;
        self.expecting(Precondition::Anything)
    }
}

impl<E: DynamoEntity> Put<'static, E, Conditional> {
    /// Stores an entity as it is, for imports, also if it is append-only.
    pub(crate) fn imported(entity: E, replaces: bool) -> Self {
        let expect = match replaces {
            true => Precondition::Anything,
            false => Precondition::Missing,
        };
        Put {
            entity: HeldEntity::Owned(Box::new(entity)),
            terms: PutTerms {
                is_as_is: true,
                ..PutTerms::expecting(expect)
            },
            guard: PhantomData,
        }
    }
}

impl<E: DynamoEntity, G: Guard> Put<'_, E, G> {
    /// The managed attributes after the write.
    pub(crate) fn stamp(&self, db: &Dynamo, now: Timestamp) -> Result<ManagedValues> {
        self.terms.stamp(&*self.entity, db, now)
    }

    /// The plan, and the entity as it will be stored.
    fn write(&self, db: &Dynamo) -> (Result<WritePlan>, Option<E>) {
        let entity = &*self.entity;
        let prepared = self.terms.prepare(Patterns::<E>::PUT, entity, db);
        with_stored(entity, prepared, db)
    }
}

impl<E: DynamoEntity, G: Guard> Sealed for Put<'_, E, G> {}

impl<E: DynamoEntity, G: Guard> ItemWrite for Put<'_, E, G> {
    type Entity = E;
    type Guard = G;
    type Returns = ReturningNew;
    type Out = E;

    const VERB: &'static str = "put";

    fn item_key(&self) -> Result<Vec<u8>, CodecError> {
        Key::of(&*self.entity).to_json()
    }

    fn prepare(self, db: &Dynamo) -> (Result<WritePlan>, WriteOutcome<E>) {
        let (plan, stored) = self.write(db);
        (plan, WriteOutcome(Outcome::Known(stored)))
    }

    fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        members_with_stored(&*self.entity, self.write(db))
    }
}

impl PutTerms {
    fn prepare<'e>(
        &self,
        pattern: &'static Pattern,
        entity: &'e dyn UntypedEntity,
        db: &Dynamo,
    ) -> Result<PreparedPut<'e>> {
        let (declared, now) = (entity.declaration(), db.now());
        let stamp = self.stamp(entity, db, now)?;
        let loaded = LoadedItem::of_entity(entity);
        let loaded = loaded.map_err(|fault| declared.unwritten(fault))?;
        let (condition, condition_failure) =
            check::build_condition(declared.def, self.expect, loaded.as_ref(), now);
        Ok(PreparedPut {
            pattern,
            entity,
            stamp,
            asked: check::with_condition(condition, condition_failure, self.condition.clone()),
            is_entering: self.is_entering(entity),
            now,
        })
    }

    /// Whether no live item may exist, so that no unique values are released.
    fn is_entering(&self, entity: &dyn UntypedEntity) -> bool {
        let is_new = matches!(entity.held_version(), Some(Version(VersionState::New)));
        self.expect == Precondition::Missing || self.expect == Precondition::Loaded && is_new
    }

    fn stamp(
        &self,
        entity: &dyn UntypedEntity,
        db: &Dynamo,
        now: Timestamp,
    ) -> Result<ManagedValues> {
        if self.is_as_is {
            return Ok(ManagedValues::as_is());
        }
        let held = entity.held_version();
        let created = match held {
            // A put of a loaded entity must keep the time of creation that the item already has.
            Some(Version(VersionState::New)) => Created::Now,
            _ => Created::Kept,
        };
        let version = match held {
            // The struct's next version cannot be used: another writer may already have it, and its checked write would
            // then overwrite this one.
            Some(_) if self.expect != Precondition::Loaded => Version::drawn()?,
            held => {
                let next = held.unwrap_or_default().next();
                next.map_err(|fault| entity.declaration().unwritten(fault))?
            }
        };
        Ok(ManagedValues::write(version, now, created).by(db.current_actor()))
    }
}

/// The managed attributes and conditions of a put, before its item is written; a `create` is one too.
pub(crate) struct PreparedPut<'e> {
    pub(crate) pattern: &'static Pattern,
    pub(crate) entity: &'e dyn UntypedEntity,
    pub(crate) stamp: ManagedValues,
    pub(crate) asked: (Node, ConditionFailure),
    /// Whether no live item may exist, so that no unique values are released.
    pub(crate) is_entering: bool,
    pub(crate) now: Timestamp,
}

impl PreparedPut<'_> {
    /// Writes the item. Returns its managed attributes too.
    fn plan(self, db: &Dynamo) -> Result<(WritePlan, ManagedValues)> {
        let (entity, pattern, now) = (self.entity, self.pattern, self.now);
        let (declared, verb) = (entity.declaration(), WriteVerb::Put);
        let mut write = WriteRequest::of_entity(declared, verb, pattern, 2048, self.asked, now, db);
        write.put_entity(entity, &self.stamp)?;
        let intent = intent_of(write, entity, self.is_entering, db)?;
        Ok((WritePlan::new(intent, Returned::Nothing), self.stamp))
    }
}

/// The put of an item exactly as it is, which was read as this entity from another table.
pub(crate) fn copied_put(
    entity: &dyn UntypedEntity,
    item: &[u8],
    replaces: bool,
    pattern: &'static Pattern,
    db: &Dynamo,
) -> Result<Intent> {
    let (declared, now) = (entity.declaration(), db.now());
    let expect = match replaces {
        true => Precondition::Anything,
        false => Precondition::Missing,
    };
    let (mut condition, mut failure) = check::build_condition(declared.def, expect, None, now);
    if !replaces {
        // An expired item is there too: a copy replaces nothing that it was not told to.
        condition = Node::Missing(Place::of(declared.def.pk.attribute));
        failure = failure.or_expired();
    }
    let asked = (condition, failure);
    let (verb, room) = (WriteVerb::Put, 512 + item.len());
    let mut write = WriteRequest::of_entity(declared, verb, pattern, room, asked, now, db);
    write.put_item(item);
    intent_of(write, entity, !replaces, db)
}

/// The put of a written item. If the item may replace another one, the unique values of that are read first.
fn intent_of(
    write: WriteRequest,
    entity: &dyn UntypedEntity,
    is_entering: bool,
    db: &Dynamo,
) -> Result<Intent> {
    let declared = entity.declaration();
    if !declared.put_concerns_others {
        return Ok(Intent::Ready(PlannedWrite::Alone(write)));
    }
    let (is_doubled, key) = (declared.has_two_rows(false), untyped_key(entity)?);
    // No item exists before, so nothing is released, and the sentinels are known without a read.
    if is_entering && !is_doubled {
        let beside = unique::entering(&write, &key)?.members(&key, write.now, db)?;
        return Ok(Intent::Ready(PlannedWrite::of(write, key.json(), beside)?));
    }
    Ok(Intent::Reading(Rewrite {
        pattern: write.pattern,
        key,
        main: Main::Put(write.subject_json().to_vec()),
        asked: (write.condition.clone(), write.condition_failure()),
        now: write.now,
        returns_old: is_doubled,
    }))
}

/// A put of this entity, and the entity as it will be stored.
pub(crate) fn with_stored<E: DynamoEntity>(
    entity: &E,
    prepared: Result<PreparedPut<'_>>,
    db: &Dynamo,
) -> (Result<WritePlan>, Option<E>) {
    let (mut plan, stamp) = match planned(prepared, db) {
        Ok(planned) => planned,
        Err(error) => return (Err(error), None),
    };
    if let Some(stored) = entity.as_stored(&stamp) {
        return (Ok(plan), Some(stored));
    }
    // Decoding the item detects a type that writes values which it cannot read, before anything is stored.
    match crate::entity::read(plan.item()) {
        Ok(stored) => (Ok(plan), Some(stored)),
        Err(error) => (Err(unreadable(E::DECLARATION, &error)), None),
    }
}

/// The put in a transaction.
pub(crate) fn members_with_stored<E: DynamoEntity>(
    entity: &E,
    (plan, stored): (Result<WritePlan>, Option<E>),
) -> Result<Vec<TransactionMember>> {
    let (plan, key) = (plan?, Key::of(entity).to_json());
    let key = key.map_err(|fault| E::DECLARATION.unwritten(fault))?;
    plan.members(stored.map(|stored| (key, Box::new(stored) as _)))
}

fn planned(prepared: Result<PreparedPut<'_>>, db: &Dynamo) -> Result<(WritePlan, ManagedValues)> {
    prepared?.plan(db)
}

#[cold]
fn unreadable(declared: &EntityDeclaration, error: &Error) -> Error {
    let message = format!("it could not be read back, so nothing was sent: {error}");
    Error::new(ErrorKind::InvalidValue, Stage::Encode, message).of(declared.def.type_name)
}

impl<E: DynamoEntity, G: Guard> fmt::Debug for Put<'_, E, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Put<{}>({:?})", E::ENTITY.type_name, self.terms.expect)
    }
}

crate::awaited::unsent!([E: DynamoEntity, G: Guard] Put<'_, E, G> => E);
