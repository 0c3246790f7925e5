//! An update or upsert before it is planned, and its planning.

mod complete;
mod edit;
mod guard;
mod reserve;
mod source;

use std::fmt;

pub(super) use complete::{refused, stamp_fields};
pub(super) use edit::Edit;
pub(super) use guard::as_loaded;
pub(super) use source::{Source, attribute_of, known, split, tell_changes};

use bytes::Bytes;

use super::call::{Call, Outcome, Plan};
use super::check;
use super::explain::Explanation;
use super::get::read_raw;
use super::transact::{self, Member};
use super::unique::{self, Exchange, Intent, Joint, Main, Rewrite};
use super::upkeep::{self, Touched, Upkeep};
use crate::clock::Timestamp;
use crate::codec::Fault;
use crate::dynamo::Dynamo;
use crate::entity::{Created, DynamoEntity, Key, Known, Stamp};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Action, Change, Changes, Condition, Node, Update};
use crate::wire::{Reply, Resend};
use complete::{check_complete, check_places, set_identity};
use guard::{expected, relied_on};
use reserve::reserve;
use source::source;

/// What the write is to do where no item is, and without changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Needs a live item; without changes it only looks.
    Update,
    /// Needs a live item, and renews what the library keeps.
    Touch,
    /// Makes the item.
    Upsert,
}

/// Changes of one item, and what is asked of it.
pub(super) struct Draft<E: DynamoEntity> {
    key: Key<E>,
    way: Way,
    changes: Vec<Change<E>>,
    condition: Node,
    /// Taken from the entity at once: the operation may outlive it.
    source: Result<Source, Fault>,
    resend: Resend,
}

impl<E: DynamoEntity> Draft<E> {
    pub(super) fn of_key(key: Key<E>, way: Way) -> Self {
        Draft {
            key,
            way,
            changes: Vec::new(),
            condition: Node::all([]),
            source: Ok(Source::Key),
            resend: Resend::UnlessAmbiguous,
        }
    }

    pub(super) fn of_entity(entity: &E) -> Self {
        Draft {
            source: source(entity),
            ..Draft::of_key(entity.key(), Way::Update)
        }
    }

    pub(super) fn apply(&mut self, changes: impl Changes<E>) {
        changes.add_to(&mut self.changes);
    }

    pub(super) fn when(&mut self, condition: Condition<E>) {
        self.asking(condition.into_node());
    }

    pub(super) fn key(&self) -> &Key<E> {
        &self.key
    }

    /// Whether nothing is to be written: the item would only be looked at.
    pub(super) fn is_look(&self) -> bool {
        self.way == Way::Update && self.changes.is_empty()
    }

    /// Only if this holds too.
    pub(super) fn asking(&mut self, node: Node) {
        let before = std::mem::replace(&mut self.condition, Node::all([]));
        self.condition = before.and(node);
    }

    pub(super) fn leave_version(&mut self) {
        if let Ok(Source::Entity { checks_version, .. }) = &mut self.source {
            *checks_version = false;
        }
    }

    pub(super) fn repeatable(&mut self) {
        self.resend = Resend::Repeatable;
    }

    /// An UpdateItem, or a transaction with what keeps unique values.
    pub(super) fn plan<Out>(
        self,
        db: &Dynamo,
        returns: &'static str,
        outcome: Outcome<Out>,
    ) -> Result<Plan<Out>> {
        let resend = self.resend;
        let work = self.work(db)?;
        if work.must_read {
            return Err(unique::must_read::<E>("`upsert`"));
        }
        if work.edit.exchange.is_empty() {
            return work.edit.plan(db, work.now, returns, resend, outcome);
        }
        check_returns::<E>(returns)?;
        transact::plan_of_one(work.edit.members(db, work.now)?, None, outcome)
    }

    /// The same where it may take several steps.
    pub(super) fn send<'d, Out: Send + 'static>(
        self,
        db: &'d Dynamo,
        returns: &'static str,
        outcome: Outcome<Out>,
    ) -> Call<'d, Out> {
        let resend = self.resend;
        let work = match self.work(db) {
            Ok(work) => work,
            Err(error) => return Call::failed(error),
        };
        if work.edit.exchange.is_empty() && !work.must_read {
            let plan = work.edit.plan(db, work.now, returns, resend, outcome);
            return plan.map_or_else(Call::failed, |plan| plan.send(db));
        }
        match check_returns::<E>(returns) {
            Ok(()) => Call::of(Box::pin(work.finish(db, returns, outcome))),
            Err(error) => Call::failed(error),
        }
    }

    /// To be sent by others, who take no answer.
    pub(super) fn intent(self, db: &Dynamo) -> Result<Intent> {
        let resend = self.resend;
        let work = self.work(db)?;
        match work.must_read {
            true => Ok(Intent::Reading(Box::new(work.rewrite()))),
            false => work.edit.joint(db, work.now, resend).map(Intent::from),
        }
    }

    /// The same, where nothing can be read first.
    pub(super) fn joint(self, db: &Dynamo) -> Result<Joint> {
        match self.intent(db)? {
            Intent::Ready(joint) => Ok(*joint),
            Intent::Reading(_) => Err(unique::must_read::<E>("`upsert`")),
        }
    }

    /// What it would ask of the service.
    pub(super) fn explain(self, db: &Dynamo, returns: &'static str) -> Result<Explanation> {
        let nothing = Outcome::Known(Some(()));
        let resend = self.resend;
        let work = self.work(db)?;
        if work.must_read {
            return work.rewrite().explain(db);
        }
        let plan = match work.edit.exchange.is_empty() {
            true => work.edit.plan(db, work.now, returns, resend, nothing)?,
            false => transact::plan_of_one(work.edit.members(db, work.now)?, None, nothing)?,
        };
        Ok(Explanation::of(&plan))
    }

    /// In a transaction, where nothing can be read first.
    pub(super) fn members(self, db: &Dynamo) -> Result<Vec<Member>> {
        let work = self.work(db)?;
        match work.must_read {
            true => Err(unique::must_read::<E>("`upsert`")),
            false => work.edit.members(db, work.now),
        }
    }

    fn work(self, db: &Dynamo) -> Result<Work<E>> {
        let now = db.now();
        let stamp = Stamp::write(1, now, Created::Now).by(db.actor());
        self.edit(now, &stamp)
    }

    /// All that is to be written and asked.
    fn edit(self, now: Timestamp, stamp: &Stamp) -> Result<Work<E>> {
        let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
        let source = self.source.map_err(fail)?;
        let mut update = Update::default();
        for change in self.changes {
            update.add(change).map_err(fail)?;
        }
        check_places::<E>(&update)?;
        let creates = self.way == Way::Upsert;
        let mut guards = update.take_guards();
        if !update.is_empty() || self.way != Way::Update {
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
        let mut exchange = Exchange::default();
        if touches && !creates {
            let (relied, reserved) =
                reserve::<E>(&update, &source, &self.condition, &self.key, &changed)?;
            guards.push(relied);
            exchange = reserved;
        }
        let (expected, lost) = expected::<E>(&source, self.way, now)?;
        let asked = Node::all(guards.into_iter().chain([self.condition]));
        let (condition, lost) = check::with(expected, lost, asked);
        Ok(Work {
            edit: Edit {
                key: self.key,
                update,
                condition,
                lost,
                exchange,
            },
            now,
            must_read: touches && creates,
        })
    }
}

/// An update that is planned but for what has to be read first.
struct Work<E: DynamoEntity> {
    edit: Edit<E>,
    now: Timestamp,
    /// The item may be there with unique values that nobody knows.
    must_read: bool,
}

impl<E: DynamoEntity> Work<E> {
    fn rewrite(self) -> Rewrite<E> {
        Rewrite {
            key: self.edit.key,
            main: Main::Update(self.edit.update),
            condition: self.edit.condition,
            lost: self.edit.lost,
            now: self.now,
            returns_old: false,
        }
    }

    /// Writes the item and what keeps its unique values, and reads it back, since a transaction returns nothing.
    async fn finish<Out>(
        self,
        db: &Dynamo,
        returns: &'static str,
        mut outcome: Outcome<Out>,
    ) -> Result<Out> {
        let (key, now) = (self.edit.key.clone(), self.now);
        if self.must_read {
            self.rewrite().run(db).await?;
        } else {
            self.edit.commit(db, now).await?;
        }
        let reply = match returns {
            "NONE" => Reply {
                body: Bytes::from_static(b"{}"),
                request_id: None,
            },
            _ => read_back(db, &key).await?,
        };
        outcome.read(&reply, now)
    }
}

/// The item after a transaction, in the form of an answer to an UpdateItem. Where it cannot be had, the write has
/// taken effect all the same, and the error says so.
pub(super) async fn read_back<E: DynamoEntity>(db: &Dynamo, key: &Key<E>) -> Result<Reply> {
    let took_effect = |message| {
        let error = Error::new(ErrorKind::TookEffect, Stage::Service, message);
        error
            .of(E::ENTITY.type_name)
            .declared_as(Some(E::ENTITY.id))
    };
    let read = read_raw(db, key).await.map_err(|error| {
        let message = "the write took effect, and the item could not be read back: read it again";
        took_effect(message).with_source(error)
    })?;
    let item =
        read.ok_or_else(|| took_effect("the write took effect, and the item was deleted since"))?;
    let body = [&b"{\"Attributes\":"[..], &item, b"}"].concat();
    Ok(Reply {
        body: Bytes::from(body),
        request_id: None,
    })
}

/// A transaction returns nothing.
fn check_returns<E: DynamoEntity>(returns: &str) -> Result<()> {
    if matches!(returns, "NONE" | "ALL_NEW") {
        return Ok(());
    }
    let message = "this update changes unique values, so it is a transaction, which returns no old and no changed \
                   attributes: leave out `.returning_old()` or `.returning_changed()`";
    Err(refused::<E>(message.to_owned()))
}

/// Adds the keys of indexes to an update. Returns what was relied on, and the fields that change.
pub(super) fn keep_up<E: DynamoEntity>(
    update: &mut Update,
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
        update.set(attribute, json.map_or(Action::Remove, Action::Set));
    }
    Ok((upkeep, fields))
}

/// The names of what is changed, never the values.
impl<E: DynamoEntity> fmt::Debug for Draft<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {:?}", self.key, self.changes)
    }
}
