//! The write of one item and what keeps its unique values: one request.

use std::sync::Arc;

use bytes::Bytes;

use super::sentinel::Owner;
use crate::codec::{Fault, member};
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Key};
use crate::error::{Error, Result};
use crate::expr::{Node, Place};
use crate::request::call::Plan;
use crate::request::transact::{self, Meaning, Member, Participant, subject};
use crate::request::{check, contention};
use crate::schema::EntityDef;
use crate::wire::{Operation, Request, Resend};

/// A planned write of one item, of whatever type.
pub(in crate::request) enum Joint {
    /// Which concerns no unique value.
    Alone(Plan<()>),
    /// A transaction: the write, and the operations on sentinels.
    Together(Member, Vec<Member>),
}

/// The item did not fit: as it is now, and what that means.
pub(in crate::request) type Setback = (Option<Bytes>, Error);

impl Joint {
    /// The put or the delete of the item of this key.
    pub(in crate::request) fn of<E: DynamoEntity>(
        plan: Plan<()>,
        key: &Key<E>,
        beside: Vec<Member>,
    ) -> Result<Self> {
        match beside.is_empty() {
            true => Ok(Joint::Alone(plan)),
            false => Ok(Joint::Together(Member::of(plan, key)?, beside)),
        }
    }

    fn request(&self) -> &Request {
        match self {
            Joint::Alone(plan) => &plan.request,
            Joint::Together(main, _) => &main.request,
        }
    }

    /// The same with another body of the write itself.
    pub(in crate::request) fn rewritten(
        mut self,
        rewrite: impl FnOnce(Request) -> Result<Request, Fault>,
    ) -> Result<Self> {
        let (request, entity) = match &mut self {
            Joint::Alone(plan) => (&mut plan.request, plan.entity),
            Joint::Together(main, _) => (&mut main.request, main.entity),
        };
        let rewritten = rewrite(request.clone());
        *request = rewritten.map_err(|fault| Error::encode(entity, fault))?;
        Ok(self)
    }

    /// Says that doing it twice is harmless. A transaction is known by its token anyway.
    pub(in crate::request) fn repeatable(mut self) -> Self {
        if let Joint::Alone(plan) = &mut self
            && plan.request.resend == Resend::UnlessAmbiguous
        {
            plan.request.resend = Resend::Repeatable;
        }
        self
    }

    /// The same once more.
    pub(in crate::request) fn again(&self) -> Self {
        match self {
            Joint::Alone(plan) => Joint::Alone(plan.again()),
            Joint::Together(main, beside) => {
                Joint::Together(main.again(), beside.iter().map(Member::again).collect())
            }
        }
    }

    /// Whether it is sent again whatever happens, so that a failure does not say what an earlier attempt did.
    pub(in crate::request) fn is_resent(&self) -> bool {
        matches!(self, Joint::Alone(plan) if plan.request.resend == Resend::Always)
    }

    pub(in crate::request) fn is_delete(&self) -> bool {
        self.request().operation == Operation::DeleteItem
    }

    /// What is written, as an object that holds its key attributes.
    pub(in crate::request) fn subject(&self) -> &[u8] {
        subject(self.request()).unwrap_or(b"{}")
    }

    /// What is sent, but for what an answer may change.
    pub(in crate::request) fn into_request(self) -> Result<Request> {
        match self {
            Joint::Alone(plan) => Ok(plan.request),
            Joint::Together(main, beside) => {
                let members: Vec<_> = [main].into_iter().chain(beside).collect();
                transact::request_of(&members, None)
            }
        }
    }

    /// Sends it.
    pub(in crate::request) async fn send(self, db: &Dynamo) -> Result<Option<Setback>> {
        let plan = match self {
            Joint::Alone(plan) => plan,
            Joint::Together(main, beside) => return commit(db, main, beside).await,
        };
        match plan.send(db).await {
            Ok(()) => Ok(None),
            Err(error) if error.is_lost_race() => Ok(Some((error.current_bytes(), error))),
            Err(error) => Err(error),
        }
    }
}

/// Sends the write of an item with its exchange. A value that is given up may have become another's: its row expired,
/// or it never was this one's. Then there is nothing to give up.
async fn commit(db: &Dynamo, mut main: Member, mut beside: Vec<Member>) -> Result<Option<Setback>> {
    let mut is_respelt = false;
    loop {
        let now = main.now;
        let members: Vec<_> = [&main]
            .into_iter()
            .chain(&beside)
            .map(Member::again)
            .collect();
        let request = transact::request_of(&members, None)?;
        let participants: Vec<_> = members.into_iter().map(Participant::of).collect();
        let keys = transact::keys_of(&participants);
        let Err(failure) = contention::call(db, request, keys).await else {
            return Ok(None);
        };
        let failed = |at: usize| {
            let reason = failure.reasons.get(at);
            reason.is_some_and(|reason| reason.is_condition())
        };
        let places = (0..participants.len()).filter(|at| failed(*at));
        let (others, lost): (Vec<_>, Vec<_>) =
            places.partition(|at| matches!(participants[*at].meaning(), Meaning::NotOurs));
        if lost.is_empty() && !others.is_empty() {
            let mut at = 0;
            beside.retain(|_| {
                at += 1;
                !others.contains(&at)
            });
            continue;
        }
        let first = failure.reasons.first();
        if !is_respelt && lost.first() == Some(&0) && main.respell(first) {
            is_respelt = true;
            continue;
        }
        let current = first.and_then(|reason| reason.item.clone());
        let error = transact::explain(failure, &participants, now);
        return match lost.first() {
            Some(0) => Ok(Some((current, error))),
            _ => Err(error),
        };
    }
}

/// The attributes that the unique values of an entity are made of.
pub(in crate::request) fn attributes_of(entity: &EntityDef) -> impl Iterator<Item = &'static str> {
    let fields = entity.uniques.iter().flat_map(|unique| unique.fields);
    let fields: Vec<&str> = fields.copied().collect();
    let attributes = entity.attributes.iter();
    let known = attributes.filter(move |known| fields.contains(&known.field));
    known.map(|known| known.stored)
}

/// What an item gives up when it is deleted, and the condition that it still has the same values. Only the
/// attributes of its key and of those values are looked at.
pub(in crate::request) fn given_up(
    owner: &Arc<Owner>,
    entity: &EntityDef,
    item: &[u8],
    db: &Dynamo,
) -> Result<(Vec<Member>, Node)> {
    let fail = |fault| Error::decode(entity.type_name, fault);
    let mut guards = vec![Node::Exists(Place::of(entity.pk.attribute))];
    for name in attributes_of(entity) {
        guards.push(match member(item, name).map_err(fail)? {
            Some(json) => check::is_value(name, json),
            None => Node::Missing(Place::of(name)),
        });
    }
    let sentinels = (entity.sentinels)(item).map_err(fail)?.into_iter();
    let members = sentinels.map(|key| owner.giving_up(&key, db));
    Ok((members.collect::<Result<_>>()?, Node::all(guards)))
}
