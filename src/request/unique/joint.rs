//! The write of one item and what keeps its unique values: one request.

use bytes::Bytes;

use super::sentinel::Owner;
use crate::codec::{Fault, member};
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, DynamoTable};
use crate::error::{Error, Result};
use crate::expr::{Node, Place};
use crate::request::call::Plan;
use crate::request::transact::{self, Meaning, Member, Participant, subject};
use crate::request::{check, contention};
use crate::schema::{EntityDef, TableDef};
use crate::wire::{Operation, Request, Resend};

/// A planned write of one item, of whatever type, and the operations on its sentinels.
pub(in crate::request) struct Joint {
    main: Plan<()>,
    table: &'static TableDef,
    beside: Vec<Member>,
}

/// The item did not fit: as it is now, and what that means.
pub(in crate::request) type Setback = (Option<Bytes>, Error);

impl Joint {
    pub(in crate::request) fn of<E: DynamoEntity>(main: Plan<()>, beside: Vec<Member>) -> Self {
        Joint::with(&<E::Table as DynamoTable>::TABLE, main, beside)
    }

    /// A write of whatever stands in the table.
    pub(in crate::request) fn with(
        table: &'static TableDef,
        main: Plan<()>,
        beside: Vec<Member>,
    ) -> Self {
        Joint {
            main,
            table,
            beside,
        }
    }

    /// The same with another body of the write itself.
    pub(in crate::request) fn rewritten(
        mut self,
        rewrite: impl FnOnce(Request) -> Result<Request, Fault>,
    ) -> Result<Self> {
        let request = rewrite(self.main.request.clone());
        self.main.request = request.map_err(|fault| Error::encode(self.main.entity, fault))?;
        Ok(self)
    }

    /// Says that doing it twice is harmless. A transaction is known by its token anyway.
    pub(in crate::request) fn repeatable(mut self) -> Self {
        let resend = &mut self.main.request.resend;
        if *resend == Resend::UnlessAmbiguous {
            *resend = Resend::Repeatable;
        }
        self
    }

    /// The same once more.
    pub(in crate::request) fn again(&self) -> Self {
        Joint {
            main: self.main.again(),
            table: self.table,
            beside: self.beside.iter().map(Member::again).collect(),
        }
    }

    /// Whether it is sent again whatever happens, so that a failure does not say what an earlier attempt did.
    pub(in crate::request) fn is_resent(&self) -> bool {
        self.beside.is_empty() && self.main.request.resend == Resend::Always
    }

    pub(in crate::request) fn is_delete(&self) -> bool {
        self.main.request.operation == Operation::DeleteItem
    }

    /// What is written, as an object that holds its key attributes.
    pub(in crate::request) fn subject(&self) -> &[u8] {
        subject(&self.main.request).unwrap_or(b"{}")
    }

    /// Sends it: a single write where no unique value is concerned, else a transaction.
    pub(in crate::request) async fn send(self, db: &Dynamo) -> Result<Option<Setback>> {
        if !self.beside.is_empty() {
            return self.commit(db).await;
        }
        match self.main.send(db).await {
            Ok(()) => Ok(None),
            Err(error) if error.is_lost_race() => Ok(Some((error.current_bytes(), error))),
            Err(error) => Err(error),
        }
    }

    /// Sends it as a transaction. A value that is given up may have become another's: its row expired, or it never
    /// was this one's. Then there is nothing to give up.
    pub(in crate::request) async fn commit(self, db: &Dynamo) -> Result<Option<Setback>> {
        let main = Member::in_table(self.table, self.main)?;
        let mut beside = self.beside;
        loop {
            let now = main.now;
            let members: Vec<_> = [&main]
                .into_iter()
                .chain(&beside)
                .map(Member::again)
                .collect();
            let request = transact::request_of(&members, None)?;
            let participants: Vec<_> = members.into_iter().map(Participant::of).collect();
            let Err(failure) = contention::call(db, request).await else {
                return Ok(None);
            };
            let failed = |at: usize| {
                let reason = failure.reasons.get(at);
                reason.is_some_and(|reason| reason.is_condition())
            };
            let places = (0..participants.len()).filter(|at| failed(*at));
            let (others, lost): (Vec<_>, Vec<_>) =
                places.partition(|at| participants[*at].meaning() == Meaning::NotOurs);
            if lost.is_empty() && !others.is_empty() {
                let mut at = 0;
                beside.retain(|_| {
                    at += 1;
                    !others.contains(&at)
                });
                continue;
            }
            let first = failure.reasons.first();
            let current = first.and_then(|reason| reason.item.clone());
            let error = transact::explain(failure, &participants, now);
            return match lost.first() {
                Some(0) => Ok(Some((current, error))),
                _ => Err(error),
            };
        }
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
    owner: &Owner,
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
