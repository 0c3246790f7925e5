//! A request that is sent once more, with the values of its guards in the format of the stored items (law K8). For one
//! write, `reencode_guards.rs` does so; this file handles the whole request.

use std::ops::Range;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::hex::first_digits;
use crate::json::{Reader, Writer, find_member};
use crate::plan::transaction::transaction_of;
use crate::plan::write_request::WriteRequest;
use crate::wire::{Failure, Reason, Request, ServiceOperation};

/// A write that was sent. Its table, and its item or key, are in the body.
#[derive(Debug)]
pub(crate) struct SentWrite {
    head: Range<usize>,
    write: Box<WriteRequest>,
    /// Whether the write already has the stored format.
    is_respelt: bool,
}

impl SentWrite {
    pub(crate) fn new(mut write: Box<WriteRequest>, head: Range<usize>) -> Self {
        // The head, which may contain an item of 400 KB, is already in the body. Only its position
        // is kept.
        write.head = Writer::default();
        SentWrite {
            head,
            write,
            is_respelt: false,
        }
    }

    /// Returns the write with its part of the body that was sent.
    fn reencode_back(mut self, body: &[u8]) -> Option<Self> {
        self.write.head.raw_bytes(body.get(self.head.clone())?);
        Some(self)
    }

    /// Takes the stored format, only once: if the item differs again, another writer was first.
    fn reencode_guards(&mut self, item: &Bytes) -> Option<()> {
        if self.is_respelt {
            return None;
        }
        self.write.reencode_guards(item)?;
        self.is_respelt = true;
        Some(())
    }
}

/// The request with the stored format of the values in its guards, if only the format prevents a write. The writes of
/// a transaction are included, because the formats of others may turn out to differ too.
pub(crate) fn reencode_request(
    request: &Request,
    sent: Vec<SentWrite>,
    failure: &Failure,
) -> Option<(Request, Vec<SentWrite>)> {
    let writes = sent
        .into_iter()
        .map(|sent| sent.reencode_back(&request.body));
    let mut writes = writes.collect::<Option<Vec<_>>>()?;
    if request.operation == ServiceOperation::TransactWriteItems {
        return reencode_transaction(request, writes, &failure.reasons);
    }
    let mut sent = writes.pop()?;
    sent.reencode_guards(failure.condition.as_ref()?.item.as_ref()?)?;
    let (reencoded, _) = sent.write.take_request().ok()?;
    let reencoded = Request {
        table: request.table.clone(),
        resend: request.resend,
        ..reencoded
    };
    Some((reencoded, Vec::new()))
}

/// The new request is another transaction than the cancelled one, so it has a token of its own, which is derived from
/// the first. A transaction with a token of the caller never comes here, because it must stay the same, byte for byte.
///
/// Other operations of it may have failed for another reason than their format, or conflicted with another transaction.
/// It is sent again nevertheless, because otherwise the operations that differ only in format would be reported as
/// failed too.
fn reencode_transaction(
    request: &Request,
    mut writes: Vec<SentWrite>,
    reasons: &[Reason],
) -> Option<(Request, Vec<SentWrite>)> {
    // Reasons are matched by their position, so an incomplete list matches nothing.
    if writes.len() != reasons.len() {
        return None;
    }
    let mut is_respelt = false;
    let failed = writes.iter_mut().zip(reasons);
    for (sent, reason) in failed.filter(|(_, reason)| reason.is_condition()) {
        let reencoded = reason
            .item
            .as_ref()
            .and_then(|item| sent.reencode_guards(item));
        is_respelt |= reencoded.is_some();
    }
    if !is_respelt {
        return None;
    }
    let token = find_member(&request.body, "ClientRequestToken").ok()??;
    // The token is derived from the first one. A random one could fail, and this step has no error
    // of its own.
    let token = token_after(&Reader::new(token).string().ok()?);
    let plain: Vec<_> = writes.iter().map(|sent| &*sent.write).collect();
    let (request, heads) = transaction_of(request.pattern, &plain, &token).ok()?;
    let sent = writes.into_iter().zip(heads).map(|(sent, head)| SentWrite {
        is_respelt: sent.is_respelt,
        ..SentWrite::new(sent.write, head)
    });
    Some((request, sent.collect()))
}

/// The token of the transaction that replaces the one with this token.
fn token_after(token: &str) -> String {
    first_digits(&Sha256::digest(token.as_bytes()), 16)
}
