//! What a job does to a row, as bytes in and a planned write out.

use super::change::RowChange;
use crate::codec::Writer;
use crate::dynamo::Dynamo;
use crate::entity::{self, DynamoEntity};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Node, Place};
use crate::request::call::{Outcome, Plan};
use crate::request::check::{self, Lost};
use crate::request::delete;

/// The write of a row that is to be changed; none leaves it alone. The node is what makes it a row of the
/// query.
pub(super) type Decide<'j> =
    Box<dyn FnMut(&Dynamo, &[u8], Node) -> Result<Option<Plan<()>>> + Send + 'j>;

/// Updates each row as the closure says.
pub(super) fn update<'j, E: DynamoEntity, C: RowChange<E>>(
    mut change: impl FnMut(&E) -> C + Send + 'j,
) -> Decide<'j> {
    Box::new(move |db, item, claim| {
        let entity: E = entity::read(item)?;
        let Some(update) = change(&entity).into_update()? else {
            return Ok(None);
        };
        let plan = update.plan_of_row(db, &entity.key(), claim)?;
        match plan {
            Some(plan) if plan.is_transaction() => Err(not_for_jobs(plan.entity)),
            plan => Ok(plan),
        }
    })
}

/// A transaction carries no mark, so a job could not tell that it was done.
pub(super) fn not_for_jobs(entity: &'static str) -> Error {
    let message = "a write that changes unique values is a transaction, which no job with rows or a checkpoint sends: send \
        it by itself, or with `put_each` without a checkpoint";
    Error::new(ErrorKind::Rejected, Stage::Request, message).of(entity)
}

/// The key attributes of an item, as an object of DynamoDB JSON.
pub(super) fn key_of(item: &[u8], names: &[&'static str]) -> Result<Vec<u8>> {
    let fail = |fault| Error::decode("Row", fault);
    let mut key = Writer::for_request(128);
    key.raw("{");
    for name in names {
        let value = crate::codec::member(item, name).map_err(fail)?;
        let value = value.ok_or_else(|| {
            let message = "a row came without its primary key";
            Error::new(ErrorKind::Service, Stage::Service, message)
        })?;
        key.dynamic_name(name);
        key.raw_bytes(value);
    }
    key.raw("}");
    Ok(key.into_bytes())
}

/// The delete of a row. Where nothing is asked of it but its key, it need not be there, so that it may be
/// sent again.
pub(super) fn delete(
    db: &Dynamo,
    entity: &'static str,
    table: &str,
    key: &[u8],
    claim: Node,
) -> Result<Plan<()>> {
    let fail = |fault| Error::encode(entity, fault);
    let condition = if claim.is_always() {
        claim
    } else {
        let pk = crate::codec::members(key).map_err(fail)?;
        let pk = pk.into_iter().next().map(|(name, _)| name.into_owned());
        Node::all(pk.map(|name| Node::Exists(Place::of(name)))).and(claim)
    };
    let condition = check::expression(&condition).map_err(fail)?;
    let request = delete::request_of(table.to_owned(), &condition, false, |body| {
        body.raw_bytes(key);
        Ok(())
    })?;
    Ok(Plan {
        request,
        entity,
        now: db.now(),
        lost: Lost::NEVER.or_condition(),
        participants: Vec::new(),
        outcome: Outcome::Known(Some(())),
    })
}
