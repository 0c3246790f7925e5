//! Requests that met other transactions.
//!
//! Such an attempt wrote nothing, so the same request is sent again, a transaction with its token. The SDK does not
//! do so.

use std::time::{Duration, Instant};

use super::backoff::Backoff;
use crate::dynamo::Dynamo;
use crate::error::ErrorKind;
use crate::wire::{BoxFuture, Failure, Reply, Request, Resend};

/// So often a request is called.
const ATTEMPTS: u32 = 15;

/// And for so long, which leaves its token the most of its life.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends a request, again while others are in its way.
pub(super) fn call(db: &Dynamo, request: Request) -> BoxFuture<'_, Result<Reply, Failure>> {
    if request.operation.meets_transactions() {
        Box::pin(persist(db, request))
    } else {
        db.call(request)
    }
}

async fn persist(db: &Dynamo, request: Request) -> Result<Reply, Failure> {
    let (began, mut backoff) = (Instant::now(), Backoff::new());
    let (mut attempt, mut unknown) = (1, None);
    loop {
        let this = Instant::now();
        let failure = match db.attempt(&request).await {
            Ok(reply) => return Ok(reply),
            Err(failure) => failure,
        };
        let is_over = attempt >= ATTEMPTS || began.elapsed() > PATIENCE;
        if is_over || !failure.is_contention {
            return Err(last(failure, unknown, request.resend));
        }
        if failure.error.kind() == ErrorKind::OutcomeUnknown {
            unknown = Some(failure);
        }
        let left = PATIENCE.saturating_sub(began.elapsed());
        backoff.wait(this.elapsed(), Some(left)).await;
        attempt += 1;
    }
}

/// What is said at last. The service knows an earlier attempt by its token, so a condition that fails then is one
/// of this write; else what was unknown once remains so.
fn last(failure: Failure, unknown: Option<Failure>, resend: Resend) -> Failure {
    let is_certain = failure.condition.is_some() && resend == Resend::ByToken;
    match unknown {
        Some(unknown) if !is_certain => unknown,
        _ => failure,
    }
}
