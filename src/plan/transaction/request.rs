//! The request of a transaction, and its token.

use std::ops::Range;

use super::member::TransactionMember;
use crate::entropy;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::Writer;
use crate::plan::write_request::WriteRequest;
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

/// The request of these members, in their order. The token makes a second attempt harmless.
pub(crate) fn request_of(
    pattern: &'static Pattern,
    members: &[TransactionMember],
    token: Option<String>,
) -> Result<SentTransaction> {
    let token = match token {
        Some(token) => check_token(token)?,
        None => format!("{:032x}", entropy::random_bits()?),
    };
    let writes: Vec<_> = members.iter().map(|member| &*member.write).collect();
    transaction_of(pattern, &writes, &token).map_err(|(at, error)| match members.get(at) {
        Some(member) if member.place.is_some() => {
            Error::of_operations(vec![member.failed_with(error)], 0)
        }
        _ => error,
    })
}

/// The request of these writes. An error contains the position of the write that cannot be encoded.
pub(crate) fn transaction_of(
    pattern: &'static Pattern,
    writes: &[&WriteRequest],
    token: &str,
) -> Result<SentTransaction, (usize, Error)> {
    let room: usize = writes.iter().map(|write| write.size_estimate()).sum();
    let mut body = Writer::with_capacity(room + 96);
    let mut heads = Vec::with_capacity(writes.len());
    body.push_raw("{\"TransactItems\":[");
    for (at, write) in writes.iter().enumerate() {
        body.push_raw(if at == 0 { "" } else { "," });
        heads.push(write.write_body(&mut body).map_err(|error| (at, error))?);
    }
    body.push_raw("],\"ClientRequestToken\":");
    body.push_quoted(token);
    body.push_raw("}");
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

fn check_token(token: String) -> Result<String> {
    if (1..=LONGEST_TOKEN).contains(&token.len()) {
        return Ok(token);
    }
    let message = format!("a client token has 1 to {LONGEST_TOKEN} bytes");
    Err(Error::new(ErrorKind::Config, Stage::Request, message))
}
