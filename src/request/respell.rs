//! Guards of a loaded entity, in the spelling of the stored item (law K8).
//!
//! A struct holds values and not how they were spelt: a time with an offset or with fewer digits, a UUID in capitals. So
//! its guards ask for our own spelling. Where such a guard fails and the item that came with the failure reads as the
//! same values, only the spelling differs: the same request is sent once more, with the stored one. That the condition
//! failed is a definite answer, so nothing was written. Rows of our own cost nothing; others one more request, and
//! none where the version has changed.

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::check::Lost;
use crate::codec::{Fault, Reader, Writer, elements, member, members};
use crate::entity::{self, DynamoEntity};
use crate::expr::AS_READ;
use crate::request::check::CONDITION;
use crate::wire::{Failure, Operation, Request};

/// What an item would be stored as, if it reads: objects of DynamoDB JSON.
pub(crate) type Reread = fn(&[u8]) -> Option<Vec<u8>>;

/// The same of an entity.
pub fn reread<E: DynamoEntity>(item: &[u8]) -> Option<Vec<u8>> {
    let entity = entity::read::<E>(item).ok()?;
    entity::encode_as_is(&entity).ok()
}

/// The request with the values of its guards as they are stored, if nothing else is in its way. `lost` says what it
/// means that the condition of an operation failed.
pub(super) fn respelt(
    request: &Request,
    failure: &Failure,
    lost: impl Fn(usize) -> Lost,
) -> Option<Request> {
    let body = match request.operation {
        Operation::TransactWriteItems => transaction(&request.body, failure, lost),
        _ => respelt_body(
            &request.body,
            failure.condition.as_ref()?.item.as_ref()?,
            lost(0),
        ),
    };
    Some(Request {
        operation: request.operation,
        table: request.table.clone(),
        body: Bytes::from(body?),
        resend: request.resend,
    })
}

/// Another transaction than the one that was cancelled, so it has a token of its own, which follows from the first.
/// One with a token of the caller's never comes here: it has to be the same byte for byte.
fn transaction(body: &[u8], failure: &Failure, lost: impl Fn(usize) -> Lost) -> Option<Vec<u8>> {
    let token = Reader::new(member(body, "ClientRequestToken").ok()??)
        .string()
        .ok()?;
    let operations = elements(member(body, "TransactItems").ok()??).ok()?;
    if operations.len() != failure.reasons.len() {
        return None;
    }
    let mut respelt = Writer::with_capacity(body.len() + 64);
    respelt.raw("{\"TransactItems\":[");
    for (at, (operation, reason)) in operations.into_iter().zip(&failure.reasons).enumerate() {
        respelt.raw(if at == 0 { "" } else { "," });
        if !reason.is_to_blame() {
            respelt.raw_bytes(operation);
            continue;
        }
        let item = reason.item.as_ref().filter(|_| reason.is_condition())?;
        let (name, body) = members(operation).ok()?.pop()?;
        respelt.raw("{");
        respelt.quoted(&name);
        respelt.raw(":");
        respelt.raw_bytes(&respelt_body(body, item, lost(at))?);
        respelt.raw("}");
    }
    respelt.raw("],\"ClientRequestToken\":");
    respelt.quoted(&token_after(&token));
    respelt.raw("}");
    Some(respelt.into_bytes())
}

/// The token of the transaction that takes the place of the one with this token.
fn token_after(token: &str) -> String {
    let digest = Sha256::digest(token.as_bytes());
    let half = digest.iter().take(16);
    half.map(|byte| format!("{byte:02x}")).collect()
}

/// The same of one operation. None if a guard fails for more than its spelling, and if none does.
pub(super) fn respelt_body(body: &[u8], item: &[u8], lost: Lost) -> Option<Vec<u8>> {
    let guards = guards(body).ok()??;
    let differing = |(attribute, asked): &(String, &[u8])| stored(item, attribute) != Some(asked);
    if !guards.iter().map(|(_, guard)| guard).any(differing) {
        return None;
    }
    let own = lost.reread(item)?;
    for (attribute, asked) in guards.iter().map(|(_, guard)| guard) {
        if stored(&own, attribute) != Some(asked) {
            return None;
        }
    }
    let spelling = |placeholder: &str| {
        let guard = guards.iter().find(|(name, _)| name == placeholder);
        guard.and_then(|(_, (attribute, _))| stored(item, attribute))
    };
    write(body, spelling).ok()
}

fn stored<'i>(item: &'i [u8], attribute: &str) -> Option<&'i [u8]> {
    member(item, attribute).ok().flatten()
}

/// A placeholder, the attribute that has to have its value, and that value.
type Guard<'b> = (String, (String, &'b [u8]));

/// The guards of a request that ask for what was read, if it has some. Their expression is the library's own.
fn guards(body: &[u8]) -> Result<Option<Vec<Guard<'_>>>, Fault> {
    let values = member(body, "ExpressionAttributeValues")?;
    let values = members(values.unwrap_or(b"{}"))?.into_iter();
    let read: Vec<_> = values.filter(|(name, _)| name.ends_with(AS_READ)).collect();
    let (Some(text), Some(names)) = (
        member(body, CONDITION)?,
        member(body, "ExpressionAttributeNames")?,
    ) else {
        return Ok(None);
    };
    let (text, names) = (Reader::new(text).string()?, members(names)?);
    let mut guards = Vec::new();
    for (placeholder, value) in read {
        let before = text.split(&*placeholder).next().unwrap_or_default();
        let name = before.trim_end_matches(" = ").rsplit(['(', ' ']).next();
        let name = names.iter().find(|(known, _)| Some(&**known) == name);
        let Some((_, attribute)) = name else {
            return Ok(None);
        };
        let attribute = Reader::new(attribute).string()?.into_owned();
        guards.push((placeholder.into_owned(), (attribute, value)));
    }
    Ok((!guards.is_empty()).then_some(guards))
}

/// The body with other values.
fn write<'i>(body: &[u8], value_of: impl Fn(&str) -> Option<&'i [u8]>) -> Result<Vec<u8>, Fault> {
    let mut written = Writer::with_capacity(body.len() + 64);
    object(&mut written, body, |written, name, value| {
        if name != "ExpressionAttributeValues" {
            written.raw_bytes(value);
            return Ok(());
        }
        object(written, value, |written, name, value| {
            written.raw_bytes(value_of(name).unwrap_or(value));
            Ok(())
        })
    })?;
    Ok(written.into_bytes())
}

/// Writes an object again, its values by this.
fn object(
    written: &mut Writer,
    json: &[u8],
    mut write: impl FnMut(&mut Writer, &str, &[u8]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for (at, (name, value)) in members(json)?.into_iter().enumerate() {
        written.raw(if at == 0 { "{" } else { "," });
        written.quoted(&name);
        written.raw(":");
        write(written, &name, value)?;
    }
    written.raw("}");
    Ok(())
}
