//! An update or upsert before it is planned, and its planning.

mod complete;
mod edit;
mod guard;
mod source;

use std::fmt;

pub(super) use complete::{refused, stamp_fields};
pub(super) use edit::Edit;
pub(super) use source::{Source, known, split};

use super::call::{Outcome, Plan};
use super::check;
use super::upkeep::{self, Touched, Upkeep};
use crate::clock::Timestamp;
use crate::codec::Fault;
use crate::dynamo::Dynamo;
use crate::entity::{Created, DynamoEntity, Key, Known, Stamp};
use crate::error::{Error, Result};
use crate::expr::{Action, Change, Changes, Condition, Node, Update};
use crate::wire::Resend;
use complete::{check_complete, check_places, set_identity};
use guard::{expected, relied_on};
use source::{source, tell_changes};

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

    /// An UpdateItem.
    pub(super) fn plan<Out>(
        self,
        db: &Dynamo,
        returns: &'static str,
        outcome: Outcome<Out>,
    ) -> Result<Plan<Out>> {
        let now = db.now();
        let resend = self.resend;
        let stamp = Stamp::write(1, now, Created::Now).by(db.actor());
        self.edit(now, &stamp)?
            .plan(db, now, returns, resend, outcome)
    }

    /// All that is to be written and asked.
    fn edit(self, now: Timestamp, stamp: &Stamp) -> Result<Edit<E>> {
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
        let (expected, lost) = expected::<E>(&source, self.way, now)?;
        let asked = Node::all(guards.into_iter().chain([self.condition]));
        let (condition, lost) = check::with(expected, lost, asked);
        Ok(Edit {
            key: self.key,
            update,
            condition,
            lost,
        })
    }
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
