//! Requests that met other transactions, or a write of another region.
//!
//! Such an attempt wrote nothing, so the same request is sent again, and a transaction keeps its token. The SDK does
//! not do so. After an attempt without an answer only a success is certain (law W6): a cancellation says nothing of the
//! earlier attempt, which may still be under way.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::dynamo::Dynamo;
use crate::error::ErrorKind;
use crate::retry::Backoff;
use crate::wire::{Failure, Reply, Request, TokenLife};

/// How often a request is sent at most.
const ATTEMPTS: u32 = 15;

/// How long a request is sent again. Its token still has most of its life left then.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends a request, and sends it again while others are in its way. This is no `async fn`, because the future of one holds
/// its arguments twice.
pub(super) fn attempts<'r>(
    db: &'r Dynamo,
    request: &'r Request,
    token: Option<&'r Arc<TokenLife>>,
) -> impl Future<Output = Result<Reply, Failure>> + Send + use<'r> {
    let began = Instant::now();
    async move {
        match db.attempt(request, token).await {
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
                // The outcome remains unknown, whatever a later attempt met.
                Some(unknown) => met_later(unknown, failure),
                None => failure,
            });
        }
        has_stray |= failure.has_stray;
        if failure.error.kind() == ErrorKind::OutcomeUnknown {
            unknown = Some(failure);
        }
        let left = PATIENCE.saturating_sub(began.elapsed());
        backoff.wait(took, Some(left)).await;
        attempt += 1;
        let this = Instant::now();
        failure = match db.attempt(request, token).await {
            Ok(reply) => {
                return Ok(Reply {
                    has_stray: has_stray || reply.has_stray,
                    ..reply
                });
            }
            Err(failure) => failure,
        };
        failure.has_stray |= has_stray;
        took = this.elapsed();
    }
}

/// An unknown outcome, with what a later attempt met. Only a success would have been certain: the service knows by the
/// token that it is the same write.
pub(crate) fn met_later(unknown: Failure, later: Failure) -> Failure {
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
