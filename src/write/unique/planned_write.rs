//! The write of one item and of what keeps its unique values, or of what a job writes together with it, as one request.

use std::sync::Arc;

use bytes::Bytes;

use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::expr::Node;
use crate::json::find_member;
use crate::path::Place;
use crate::plan::{
    ItemKey, Owner, PlannedRequest, Returned, TransactionMember, WriteRequest, WriteVerb, check,
    send_members,
};
use crate::retry::Rounds;
use crate::schema::{AttributeDef, EntityDef};
use crate::wire::{Reason, Resend};

/// A planned write of one item of any type.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "most writes are alone, and a box would be one more allocation for each"
)]
pub(crate) enum PlannedWrite {
    /// The write concerns no unique value.
    Alone(WriteRequest),
    /// A transaction: the write, and the operations on sentinels.
    Together(TransactionMember, Vec<TransactionMember>),
    /// A transaction that a job was given for its row: the write of the row, and the other operations. After a lost
    /// answer it is sent again by its token, because the row alone does not tell what happened.
    WithOthers(TransactionMember, Vec<TransactionMember>),
}

/// The item as it is now, which did not fit the write, and the error that this means.
pub(crate) type FailedCondition = (Option<Bytes>, Error);

impl PlannedWrite {
    /// The write of the item of this key.
    pub(crate) fn of(
        write: WriteRequest,
        key: &[u8],
        beside: Vec<TransactionMember>,
    ) -> Result<Self> {
        if beside.is_empty() {
            return Ok(PlannedWrite::Alone(write));
        }
        let main = TransactionMember::of_key(write, key)?;
        Ok(PlannedWrite::Together(main, beside))
    }

    /// The write of the item, and the other operations, as members of a transaction. A put comes with the key of its
    /// item; other writes contain it.
    pub(crate) fn into_members(
        self,
        key_of_put: Option<Vec<u8>>,
    ) -> Result<(TransactionMember, Vec<TransactionMember>)> {
        Ok(match self {
            PlannedWrite::Alone(write) => {
                let key = key_of_put.unwrap_or_else(|| write.subject_json().to_vec());
                let main = TransactionMember::of_write(write, ItemKey::from_json(key))?;
                (main, Vec::new())
            }
            PlannedWrite::Together(main, others) | PlannedWrite::WithOthers(main, others) => {
                (main, others)
            }
        })
    }

    /// The write of the item itself.
    pub(crate) fn main(&mut self) -> &mut WriteRequest {
        match self {
            PlannedWrite::Alone(write) => write,
            PlannedWrite::Together(main, _) | PlannedWrite::WithOthers(main, _) => &mut main.write,
        }
    }

    /// A copy of the write, for another attempt.
    pub(crate) fn again(&self) -> Self {
        match self {
            PlannedWrite::Alone(write) => PlannedWrite::Alone(write.clone()),
            PlannedWrite::Together(main, beside) => PlannedWrite::Together(
                main.copy_member(),
                beside.iter().map(TransactionMember::copy_member).collect(),
            ),
            PlannedWrite::WithOthers(main, others) => PlannedWrite::WithOthers(
                main.copy_member(),
                others.iter().map(TransactionMember::copy_member).collect(),
            ),
        }
    }

    /// Whether it is sent again whatever happens, so that a failure does not say what an earlier attempt did.
    pub(crate) fn is_resent(&self) -> bool {
        matches!(self, PlannedWrite::Alone(write) if write.resend == Resend::Always)
    }

    pub(crate) fn is_delete(&self) -> bool {
        let write = match self {
            PlannedWrite::Alone(write) => write,
            PlannedWrite::Together(main, _) | PlannedWrite::WithOthers(main, _) => &main.write,
        };
        write.verb == WriteVerb::Delete
    }

    /// Whether the row is written together with other items of the caller.
    pub(crate) fn has_others(&self) -> bool {
        matches!(self, PlannedWrite::WithOthers(..))
    }

    /// The write as one operation. Alone it returns this part of the item.
    pub(crate) fn returning(self, returned: Returned) -> Result<PlannedRequest> {
        match self {
            PlannedWrite::Alone(write) => write.with_returned(returned),
            PlannedWrite::Together(main, beside) | PlannedWrite::WithOthers(main, beside) => {
                let members = [main].into_iter().chain(beside).collect();
                PlannedRequest::of_one(members, None)
            }
        }
    }

    /// Sends the write; a failed condition is an error.
    pub(crate) async fn commit(self, db: &Dynamo) -> Result<()> {
        match self.send(db).await? {
            None => Ok(()),
            Some((_, error)) => Err(error),
        }
    }

    /// Sends the write.
    pub(crate) async fn send(self, db: &Dynamo) -> Result<Option<FailedCondition>> {
        self.send_within(db, None).await
    }

    /// Sends the write. If it has others, it is sent again after a lost answer for as many rounds.
    pub(crate) async fn send_within(
        self,
        db: &Dynamo,
        rounds: Option<&mut Rounds<'_>>,
    ) -> Result<Option<FailedCondition>> {
        let write = match self {
            PlannedWrite::Alone(write) => write,
            PlannedWrite::Together(main, beside) => {
                return commit(db, [main].into_iter().chain(beside).collect(), None).await;
            }
            PlannedWrite::WithOthers(main, others) => {
                return commit(db, [main].into_iter().chain(others).collect(), rounds).await;
            }
        };
        match write.into_quiet_plan()?.send_plan(db).await {
            Ok(()) => Ok(None),
            Err(error) if error.is_lost_race() => Ok(Some((error.current_bytes(), error))),
            Err(error) => Err(error),
        }
    }
}

/// Sends the write of an item, which is the first member, with its unique changes.
async fn commit(
    db: &Dynamo,
    mut members: Vec<TransactionMember>,
    rounds: Option<&mut Rounds<'_>>,
) -> Result<Option<FailedCondition>> {
    let main = members.first().map(|main| &main.write);
    let (pattern, now) = match main {
        Some(write) => (write.pattern, write.now),
        None => (crate::plan::pattern_of(&members), db.now()),
    };
    let failed = send_members(db, pattern, &mut members, rounds).await?;
    let Some((failure, participants)) = failed else {
        return Ok(None);
    };
    // The first member is the item itself, and the others are its sentinels.
    let own = failure.reasons.first();
    let is_own = own.is_some_and(Reason::is_condition);
    let current = own.and_then(|reason| reason.item.clone());
    let error = crate::plan::explain_refusal(failure, &participants, now);
    match is_own {
        true => Ok(Some((current, error))),
        false => Err(error),
    }
}

/// The attributes that the unique values of an entity are made of.
pub(crate) fn attributes_of(entity: &EntityDef) -> impl Iterator<Item = &'static str> {
    let fields = entity.uniques.iter().flat_map(|unique| unique.fields);
    let fields: Vec<&str> = fields.copied().collect();
    let attributes = entity.attributes.iter();
    let known = attributes.filter(move |known| fields.contains(&known.field));
    known.flat_map(AttributeDef::names)
}

/// The values that an item releases when it is deleted, and the condition that it still has the same values. Only its key and the
/// attributes of those values are looked at.
pub(crate) fn given_up(
    owner: &Arc<Owner>,
    entity: &EntityDef,
    item: &[u8],
    db: &Dynamo,
) -> Result<(Vec<TransactionMember>, Node)> {
    let fail = |fault| Error::decode(entity.type_name, fault);
    // Conditions of missing attributes alone would also hold for an item that does not exist.
    let mut guards = vec![Node::Exists(Place::of(entity.pk.attribute))];
    for name in attributes_of(entity) {
        guards.push(match find_member(item, name).map_err(fail)? {
            Some(json) => check::value_condition(name, json),
            None => Node::Missing(Place::of(name)),
        });
    }
    let sentinels = (entity.sentinels)(item).map_err(fail)?.into_iter();
    let members = sentinels
        .map(|sentinel| TransactionMember::giving_up(owner, sentinel.unique, &sentinel.json, db));
    Ok((members.collect::<Result<_>>()?, Node::all(guards)))
}
