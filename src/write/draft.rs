//! An update or upsert before it is planned, and its planning.

mod builder;
mod complete;
mod edit;
mod guard;
mod reserve;
mod source;

use std::fmt;

pub(crate) use builder::draft_builder;
pub(crate) use complete::{refused, stamp_fields};
pub(crate) use edit::{Edit, update_of};
pub(crate) use guard::as_loaded;
pub(crate) use source::{UpdateOrigin, attribute_of, known, split, tell_changes};

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{Created, DynamoEntity, Key, Known, Patterns, Stamp, encode_as_is};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Change, Changes, Condition, Node, UpdateAction, UpdateActions};
use crate::json::CodecError;
use crate::plan::{
    Call, Explanation, Outcome, Plan, ReadItem, Returned, TransactionMember, check, read_raw,
};
use crate::schema::Pattern;
use crate::wire::Resend;
use crate::write::difference::{all_as_loaded, attributes, differences, merged};
use crate::write::{
    Intent, Main, PlannedWrite, Rewrite, Touched, UniqueExchange, Upkeep, unique, upkeep,
};
use complete::{check_complete, check_places, set_identity};
use guard::{expected, relied_on};
use reserve::reserve;
use source::source;

/// What the write does where there is no item, and what it does without changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpdateKind {
    /// Needs a live item; without changes it only looks.
    Update,
    /// Needs a live item, and renews what the library keeps.
    Touch,
    /// Makes the item.
    Upsert,
}

impl UpdateKind {
    fn pattern<E: DynamoEntity>(self) -> &'static Pattern {
        match self {
            UpdateKind::Update => Patterns::<E>::UPDATE,
            UpdateKind::Touch => Patterns::<E>::TOUCH,
            UpdateKind::Upsert => Patterns::<E>::UPSERT,
        }
    }
}

/// Changes of one item, and what is asked of it.
pub(crate) struct UpdateDraft<E: DynamoEntity> {
    key: Key<E>,
    way: UpdateKind,
    changes: Vec<Change<E>>,
    condition: Node,
    /// It is taken from the entity at once, because the operation may outlive the entity.
    source: Result<UpdateOrigin, CodecError>,
    /// The entity that was compared with another one, if the changes come from that.
    compared: Option<ComparedEntity>,
    resend: Resend,
}

/// A loaded entity of which the changes are the differences to another value.
struct ComparedEntity {
    /// The item that it is.
    seen: Vec<u8>,
    /// What has to hold for the changes: without a version, that the item is still the one that was compared.
    guard: Node,
}

impl<E: DynamoEntity> UpdateDraft<E> {
    pub(crate) fn of_key(key: Key<E>, way: UpdateKind) -> Self {
        UpdateDraft {
            key,
            way,
            changes: Vec::new(),
            condition: Node::all([]),
            source: Ok(UpdateOrigin::Key),
            compared: None,
            resend: Resend::UnlessAmbiguous,
        }
    }

    pub(crate) fn of_entity(entity: &E) -> Self {
        UpdateDraft {
            source: source(entity),
            ..UpdateDraft::of_key(Key::of(entity), UpdateKind::Update)
        }
    }

    /// The changes that make one value of an entity another one.
    pub(crate) fn of_difference(seen: &E, next: &E) -> Self {
        let mut draft = UpdateDraft::of_entity(seen);
        if let Err(fault) = draft.compare(seen, next) {
            draft.source = Err(fault);
        }
        draft
    }

    fn compare(&mut self, seen: &E, next: &E) -> Result<(), CodecError> {
        if Key::of(next) != self.key {
            return Err(CodecError::new(
                "the two values have different keys, so they are two items: create the one and delete the other",
            ));
        }
        let item = encode_as_is(seen)?;
        let before = split(&item)?;
        let after = merged::<E>(&before, attributes(next)?);
        let changes = differences(&before, &after).into_iter();
        let changes = changes.map(|(name, action)| Change::of_attribute(name, action));
        self.changes.extend(changes);
        let numbered = self.source.as_ref().ok().and_then(UpdateOrigin::numbered);
        let guard = match numbered {
            Some(_) => Node::all([]),
            None => all_as_loaded(&self.key, &before, &after)?,
        };
        self.compared = Some(ComparedEntity { seen: item, guard });
        Ok(())
    }

    pub(crate) fn apply(&mut self, changes: impl Changes<E>) {
        changes.add_to(&mut self.changes);
    }

    pub(crate) fn when(&mut self, condition: Condition<E>) {
        self.asking(condition.into_node());
    }

    pub(crate) fn key(&self) -> &Key<E> {
        &self.key
    }

    /// Whether nothing is to be written: the item would only be looked at, if that.
    pub(crate) fn is_look(&self) -> bool {
        self.way == UpdateKind::Update && self.changes.is_empty()
    }

    /// Adds a condition.
    pub(crate) fn asking(&mut self, node: Node) {
        let before = std::mem::replace(&mut self.condition, Node::all([]));
        self.condition = before.and(node);
    }

    pub(crate) fn leave_version(&mut self) {
        if let Ok(UpdateOrigin::Entity { checks_version, .. }) = &mut self.source {
            *checks_version = false;
        }
    }

    pub(crate) fn repeatable(&mut self) {
        self.resend = Resend::Repeatable;
    }

    /// An UpdateItem, or a transaction with what keeps unique values.
    pub(crate) fn plan<Out>(
        self,
        db: &Dynamo,
        returned: Returned,
        read: ReadItem<Out>,
    ) -> Result<Plan<Out>> {
        let work = self.work(db)?;
        if work.must_read {
            return Err(unique::must_read::<E>("`upsert`"));
        }
        if work.edit.exchange.is_empty() {
            return work.plan(db, returned, read);
        }
        check_returns::<E>(returned)?;
        let outcome = Outcome::Returned(returned, read);
        crate::plan::plan_of_one(work.edit.members(db, work.now)?, None, outcome)
    }

    /// Sends the write, which may take several steps.
    pub(crate) fn send<'d, Out: Send + 'static>(
        self,
        db: &'d Dynamo,
        returned: Returned,
        read: ReadItem<Out>,
    ) -> Call<'d, Out> {
        let work = match self.work(db) {
            Ok(work) => work,
            Err(error) => return Call::failed(error),
        };
        if work.edit.exchange.is_empty() && !work.must_read {
            let plan = work.plan(db, returned, read);
            return plan.map_or_else(Call::failed, |plan| plan.send(db));
        }
        match check_returns::<E>(returned) {
            Ok(()) => Call::of(Box::pin(work.finish(db, returned, read))),
            Err(error) => Call::failed(error),
        }
    }

    /// The write for callers who send it themselves and take no answer.
    pub(crate) fn intent(self, db: &Dynamo) -> Result<Intent> {
        let work = self.work(db)?;
        match work.must_read {
            true => Ok(Intent::Reading(Box::new(work.rewrite()))),
            false => work.edit.planned_write(db, work.now).map(Intent::from),
        }
    }

    /// The write for callers who cannot read anything first.
    pub(crate) fn planned_write(self, db: &Dynamo) -> Result<PlannedWrite> {
        match self.intent(db)? {
            Intent::Ready(planned_write) => Ok(*planned_write),
            Intent::Reading(_) => Err(unique::must_read::<E>("`upsert`")),
        }
    }

    /// What it would ask of the service.
    pub(crate) fn explain(self, db: &Dynamo, returned: Returned) -> Result<Explanation> {
        let nothing = Outcome::Known(Some(()));
        let work = self.work(db)?;
        if work.must_read {
            return work.rewrite().explain(db);
        }
        let plan = match work.edit.exchange.is_empty() {
            true => work.plan(db, returned, |_, _| Ok(()))?,
            false => crate::plan::plan_of_one(work.edit.members(db, work.now)?, None, nothing)?,
        };
        Ok(Explanation::of(&plan))
    }

    /// The update in a transaction, where nothing can be read first.
    pub(crate) fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
        let work = self.work(db)?;
        match work.must_read {
            true => Err(unique::must_read::<E>("`upsert`")),
            false => work.edit.members(db, work.now),
        }
    }

    fn work(self, db: &Dynamo) -> Result<PlannedUpdate<E>> {
        let now = db.now();
        let stamp = Stamp::write(1, now, Created::Now).by(db.actor());
        self.edit(now, &stamp)
    }

    /// Everything that is to be written and asked.
    fn edit(self, now: Timestamp, stamp: &Stamp) -> Result<PlannedUpdate<E>> {
        let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
        let source = self.source.map_err(fail)?;
        let mut update = UpdateActions::default();
        for change in self.changes {
            update.add(change).map_err(fail)?;
        }
        check_places::<E>(&update)?;
        let creates = self.way == UpdateKind::Upsert;
        let mut guards = update.take_guards();
        // Two values that are the same leave nothing to write. A condition of the caller is asked all the same.
        let mut same = None;
        if let Some(ComparedEntity { seen, guard }) = self.compared {
            match update.is_empty() {
                true if self.condition.is_always() => same = Some(seen),
                true => {}
                false => guards.push(guard),
            }
        }
        if !update.is_empty() || self.way != UpdateKind::Update {
            stamp_fields::<E>(&mut update, &source, creates, stamp).map_err(fail)?;
        }
        if creates {
            set_identity(&mut update, &self.key).map_err(fail)?;
            check_complete::<E>(&update)?;
        }
        let known = known::<E>(&source, &self.condition, &self.key).map_err(fail)?;
        let (upkeep, changed) = keep_up::<E>(&mut update, known, creates)?;
        let relied = relied_on::<E>(&upkeep, &source, &self.condition, &self.key, &changed);
        guards.extend(relied.map_err(fail)?);
        let touches = changed.iter().any(|field| unique::depends_on::<E>(field));
        let mut exchange = UniqueExchange::default();
        if touches && !creates {
            let (relied, reserved) =
                reserve::<E>(&update, &source, &self.condition, &self.key, &changed)?;
            guards.push(relied);
            exchange = reserved;
        }
        let (expected, condition_failure) = expected::<E>(&source, self.way, now)?;
        let asked = Node::all(guards.into_iter().chain([self.condition]));
        Ok(PlannedUpdate {
            edit: Edit {
                pattern: self.way.pattern::<E>(),
                key: self.key,
                update,
                asked: check::with(expected, condition_failure, asked),
                exchange,
                resend: self.resend,
            },
            now,
            must_read: touches && creates,
            same,
        })
    }
}

/// An update that is planned, except for what has to be read first.
struct PlannedUpdate<E: DynamoEntity> {
    edit: Edit<E>,
    now: Timestamp,
    /// Whether the item may be there with unique values that nobody knows.
    must_read: bool,
    /// The item, if it is known that nothing of it changes and nothing is asked.
    same: Option<Vec<u8>>,
}

impl<E: DynamoEntity> PlannedUpdate<E> {
    /// The plan of the UpdateItem alone.
    fn plan<Out>(self, db: &Dynamo, returned: Returned, read: ReadItem<Out>) -> Result<Plan<Out>> {
        let (now, same) = (self.now, self.same);
        let mut plan = self.edit.write(db, now)?.returning(returned, read)?;
        if let Some(item) = same {
            let item = (returned != Returned::Changed).then_some(&*item);
            plan.outcome = Outcome::Nothing(read(item, now)?);
        }
        Ok(plan)
    }

    fn rewrite(self) -> Rewrite<E> {
        Rewrite {
            pattern: self.edit.pattern,
            key: self.edit.key,
            main: Main::Update(self.edit.update),
            asked: self.edit.asked,
            now: self.now,
            returns_old: false,
        }
    }

    /// Writes the item and what keeps its unique values, and reads it back, since a transaction returns nothing.
    async fn finish<Out>(
        self,
        db: &Dynamo,
        returned: Returned,
        read: ReadItem<Out>,
    ) -> Result<Out> {
        let (pattern, key, now) = (self.edit.pattern, self.edit.key.clone(), self.now);
        if self.must_read {
            self.rewrite().run(db).await?;
        } else {
            self.edit.commit(db, now).await?;
        }
        let item = match returned {
            Returned::Nothing => None,
            _ => Some(read_back(db, pattern, &key).await?),
        };
        read(item.as_deref(), now)
    }
}

/// Reads the item after a transaction. If that fails, the write has taken effect all the same, and the error says so.
pub(crate) async fn read_back<E: DynamoEntity>(
    db: &Dynamo,
    pattern: &'static Pattern,
    key: &Key<E>,
) -> Result<Bytes> {
    let took_effect = |message| {
        let error = Error::new(ErrorKind::TookEffect, Stage::Service, message);
        error
            .of(E::ENTITY.type_name)
            .declared_as(Some(E::ENTITY.id))
    };
    let read = read_raw(db, pattern, key).await.map_err(|error| {
        let message = "the write took effect, and the item could not be read back: read it again";
        took_effect(message).with_source(error)
    })?;
    read.ok_or_else(|| took_effect("the write took effect, and the item was deleted since"))
}

/// Refuses what a transaction cannot return.
fn check_returns<E: DynamoEntity>(returned: Returned) -> Result<()> {
    if matches!(returned, Returned::Nothing | Returned::New) {
        return Ok(());
    }
    let message = "this update changes unique values, so it is a transaction, which returns no old and no changed \
                   attributes: leave out `.returning_old()` or `.returning_changed()`";
    Err(refused::<E>(message.to_owned()))
}

/// Adds the keys of indexes to an update. Returns the fields that were relied on, and those that change.
pub(crate) fn keep_up<E: DynamoEntity>(
    update: &mut UpdateActions,
    mut known: Known,
    creates: bool,
) -> Result<(Upkeep, Vec<&'static str>)> {
    let fields = tell_changes::<E>(update, &mut known);
    let touched = Touched {
        fields: &fields,
        creates,
    };
    let mut upkeep = upkeep::plan::<E>(&touched, &known)?;
    for (attribute, json) in upkeep.keys.drain(..) {
        update.set(
            attribute,
            json.map_or(UpdateAction::Remove, UpdateAction::Set),
        );
    }
    Ok((upkeep, fields))
}

/// Prints the names of what is changed, never the values.
impl<E: DynamoEntity> fmt::Debug for UpdateDraft<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {:?}", self.key, self.changes)
    }
}
