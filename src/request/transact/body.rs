//! The request of a transaction, and its token.

use bytes::Bytes;

use super::member::Member;
use super::refused::Participant;
use crate::codec::Writer;
use crate::entropy;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::request::call::{Outcome, Plan};
use crate::wire::{Operation, Request, Resend};

/// The service takes no longer ones.
const LONGEST_TOKEN: usize = 36;

/// The members in their order. A token makes a second attempt harmless.
pub(in crate::request) fn request_of(members: &[Member], token: Option<String>) -> Result<Request> {
    let token = match token {
        Some(token) => checked(token)?,
        None => format!("{:032x}", entropy::bits()?),
    };
    let length: usize = members.iter().map(|member| member.request.body.len()).sum();
    let mut body = Writer::with_capacity(length + 32 * members.len() + 96);
    body.raw("{\"TransactItems\":[");
    for (at, member) in members.iter().enumerate() {
        body.raw(if at == 0 { "" } else { "," });
        member.write(&mut body);
    }
    body.raw("],\"ClientRequestToken\":");
    body.quoted(&token);
    body.raw("}");
    let table = members.first().map(|member| member.request.table.clone());
    Ok(Request {
        operation: Operation::TransactWriteItems,
        table: table.unwrap_or_default(),
        body: Bytes::from(body.into_bytes()),
        resend: Resend::ByToken,
    })
}

/// One operation of the caller's and what comes with it: its failure is that of the operation alone.
pub(in crate::request) fn plan_of_one<Out>(
    members: Vec<Member>,
    token: Option<String>,
    outcome: Outcome<Out>,
) -> Result<Plan<Out>> {
    let is_known = token.is_some();
    let request = request_of(&members, token)?;
    let (entity, now, lost) = match members.first() {
        Some(first) => (first.entity, first.now, first.lost()),
        None => return Err(Error::config("a write without an operation")),
    };
    let is_single = members.len() == 1;
    let participants = members.into_iter().filter(|_| !is_single);
    Ok(Plan {
        request,
        entity,
        now,
        lost: if is_known {
            lost.in_one_spelling()
        } else {
            lost
        },
        participants: participants_of(participants, is_known),
        outcome,
    })
}

/// A transaction that the caller knows by its token has to remain the same.
pub(super) fn participants_of(
    members: impl IntoIterator<Item = Member>,
    is_known: bool,
) -> Vec<Participant> {
    let participants = members.into_iter().map(Participant::of);
    match is_known {
        true => participants.map(Participant::in_one_spelling).collect(),
        false => participants.collect(),
    }
}

fn checked(token: String) -> Result<String> {
    if (1..=LONGEST_TOKEN).contains(&token.len()) {
        return Ok(token);
    }
    let message = format!("a client token has 1 to {LONGEST_TOKEN} bytes");
    Err(Error::new(ErrorKind::Config, Stage::Request, message))
}
