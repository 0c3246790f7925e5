//! The request of a transaction, and its token.

use std::ops::Range;

use crate::clock::Timestamp;
use crate::entropy;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::Writer;
use crate::plan::{Participant, PlannedRequest, SentWrite, TransactionMember, WriteRequest};
use crate::schema::Pattern;
use crate::wire::{Request, Resend, ServiceOperation};

/// The maximum number of bytes of a token.
const LONGEST_TOKEN: usize = 36;

/// A request, and the positions of the heads of its writes in its body.
type SentTransaction = (Request, Vec<Range<usize>>);

/// The pattern of a transaction of these members, if they are operations of the caller.
pub(crate) fn pattern_of(members: &[TransactionMember]) -> &'static Pattern {
    let writes = members.iter().filter(|member| member.is_write());
    let patterns = writes.map(|member| member.write.pattern);
    Pattern::of_all(patterns, |joint| &joint.transact)
}

/// The request of these members, in their order. Its token makes a second attempt harmless.
pub(crate) fn request_of(
    pattern: &'static Pattern,
    members: &[TransactionMember],
    token: Option<String>,
) -> Result<SentTransaction> {
    let token = match token {
        Some(token) => checked(token)?,
        None => format!("{:032x}", entropy::bits()?),
    };
    let writes: Vec<_> = members.iter().map(|member| &member.write).collect();
    transaction_of(pattern, &writes, &token).map_err(|(at, error)| match members.get(at) {
        Some(member) if member.place.is_some() => {
            Error::of_operations(vec![member.failed(error)], 0)
        }
        _ => error,
    })
}

/// The request of these writes. An error comes with the place of the write that cannot be written.
pub(crate) fn transaction_of(
    pattern: &'static Pattern,
    writes: &[&WriteRequest],
    token: &str,
) -> Result<SentTransaction, (usize, Error)> {
    let room: usize = writes.iter().map(|write| write.room()).sum();
    let mut body = Writer::with_capacity(room + 96);
    let mut heads = Vec::with_capacity(writes.len());
    body.raw("{\"TransactItems\":[");
    for (at, write) in writes.iter().enumerate() {
        body.raw(if at == 0 { "" } else { "," });
        heads.push(write.write(&mut body).map_err(|error| (at, error))?);
    }
    body.raw("],\"ClientRequestToken\":");
    body.quoted(token);
    body.raw("}");
    let table = writes.first().map(|write| write.table.clone());
    let request = Request::new(
        ServiceOperation::TransactWriteItems,
        pattern,
        table.unwrap_or_default(),
        body,
        Resend::ByToken,
    );
    Ok((request, heads))
}

/// A transaction of these members. If the caller gave the token, it must not change, so it is not sent in another
/// format.
pub(crate) fn plan_of(
    pattern: &'static Pattern,
    members: Vec<TransactionMember>,
    token: Option<String>,
    (entity, now): (&'static str, Timestamp),
) -> Result<PlannedRequest> {
    let is_known = token.is_some();
    let (request, heads) = request_of(pattern, &members, token)?;
    let participants = members.iter().map(Participant::of).collect();
    let may_differ = members.iter().any(|member| member.write.asks_as_read());
    let sent = members.into_iter().zip(heads);
    let sent = sent.filter(|_| may_differ && !is_known);
    Ok(PlannedRequest {
        participants,
        sent: sent
            .map(|(member, head)| SentWrite::new(member.write, head))
            .collect(),
        ..PlannedRequest::of(request, entity, now)
    })
}

/// One operation of the caller, and what comes with it. Its failure is that of the operation alone.
pub(crate) fn plan_of_one(
    members: Vec<TransactionMember>,
    token: Option<String>,
) -> Result<PlannedRequest> {
    let Some(first) = members.first() else {
        return Err(Error::config("a write without an operation"));
    };
    let whose = (first.write.entity, first.write.now);
    let mut plan = plan_of(first.write.pattern, members, token, whose)?;
    if let [alone] = &plan.participants[..] {
        plan.condition_failure = alone.condition_failure();
        plan.participants.clear();
    }
    Ok(plan)
}

fn checked(token: String) -> Result<String> {
    if (1..=LONGEST_TOKEN).contains(&token.len()) {
        return Ok(token);
    }
    let message = format!("a client token has 1 to {LONGEST_TOKEN} bytes");
    Err(Error::new(ErrorKind::Config, Stage::Request, message))
}
