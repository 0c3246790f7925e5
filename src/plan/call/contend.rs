//! Requests that conflict with other transactions, or with a write of another region.
//!
//! Such an attempt wrote nothing, so the same request is sent again, and a transaction keeps its token. The SDK does
//! not do so. After an attempt without a response only a success is certain (law W6): a cancellation says nothing about
//! the earlier attempt, which may still be under way.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::dynamo::Dynamo;
use crate::error::ErrorKind;
use crate::retry::Backoff;
use crate::wire::{Failure, Reply, Request, TokenLife};

/// The maximum number of attempts.
const ATTEMPTS: u32 = 15;

/// The time for which a request is sent again. Its token is still remembered for most of its life then.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends a request, and sends it again while others conflict with it. This is not an `async fn`, because the future of
/// one contains its arguments twice.
pub(super) fn repeat_contended<'r>(
    db: &'r Dynamo,
    request: &'r Request,
    token: Option<&'r Arc<TokenLife>>,
) -> impl Future<Output = Result<Reply, Failure>> + Send + use<'r> {
    let began = Instant::now();
    async move {
        match db.call_once(request, token).await {
            Ok(reply) => Ok(reply),
            // Boxed: the rare future must not enlarge every call.
            Err(failure) => Box::pin(attempts_after(failure, began, db, request, token)).await,
        }
    }
}

/// The next step after a first attempt has failed.
async fn attempts_after(
    mut failure: Failure,
    began: Instant,
    db: &Dynamo,
    request: &Request,
    token: Option<&Arc<TokenLife>>,
) -> Result<Reply, Failure> {
    let (mut backoff, mut attempt, mut unknown) = (Backoff::new(), 1, None);
    let mut has_stray = false;
    let mut took = began.elapsed();
    loop {
        let is_over = attempt >= ATTEMPTS || began.elapsed() > PATIENCE;
        if is_over || !failure.is_contention {
            return Err(match unknown {
                // A later rejection says nothing about the earlier attempt, which may still arrive.
                Some(unknown) => met_later(unknown, failure),
                None => failure,
            });
        }
        has_stray |= failure.has_stray;
        if failure.error.kind() == ErrorKind::OutcomeUnknown {
            unknown = Some(failure);
        }
        // The pause never exceeds the remaining time, so a call ends close to its limit and not up
        // to a pause later.
        let left = PATIENCE.saturating_sub(began.elapsed());
        backoff.wait_longer(took, Some(left)).await;
        attempt += 1;
        let this = Instant::now();
        failure = match db.call_once(request, token).await {
            Ok(reply) => {
                // The write is done, but an earlier attempt without a token may still arrive after
                // it.
                return Ok(Reply {
                    has_stray: has_stray || reply.has_stray,
                    ..reply
                });
            }
            Err(failure) => failure,
        };
        // A stray of any attempt counts, because the failure that is returned describes the whole
        // call.
        failure.has_stray |= has_stray;
        took = this.elapsed();
    }
}

/// An unknown outcome, with the failure of a later attempt. Only a success would have been certain, because DynamoDB
/// recognizes the same write by its token.
pub(super) fn met_later(unknown: Failure, later: Failure) -> Failure {
    let refusal = match later.error.kind() {
        ErrorKind::OutcomeUnknown => later.refusal,
        _ => Some(Box::new(later)),
    };
    Failure {
        is_contention: false,
        has_stray: true,
        refusal: refusal.or(unknown.refusal),
        ..unknown
    }
}
