//! Requests that met other transactions, or a write of another region.
//!
//! Such an attempt wrote nothing, so the same request is sent again, and a transaction keeps its token. The SDK does
//! not do so.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::dynamo::Dynamo;
use crate::error::ErrorKind;
use crate::plan::{ItemKeys, confirm};
use crate::retry::Backoff;
use crate::wire::{BoxFuture, Failure, Reply, Request, Resend, TokenLife};

/// How often a request is sent at most.
const ATTEMPTS: u32 = 15;

/// How long a request is sent again. Its token still has most of its life left then.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends a request, and sends it again while others are in its way. A condition that fails comes with the item that it
/// was checked on.
pub(crate) fn call(
    db: &Dynamo,
    request: Request,
    keys: ItemKeys,
) -> BoxFuture<'_, Result<Reply, Failure>> {
    if request.operation.meets_transactions() {
        // All attempts have one token, which is as old as the first of them.
        let token = (request.resend == Resend::ByToken).then(Arc::default);
        Box::pin(async move { persist(db, &request, keys, token.as_ref()).await })
    } else {
        db.call(request)
    }
}

/// Sends a transaction that may have been sent before, with the same token.
pub(crate) fn call_again<'r>(
    db: &'r Dynamo,
    request: &'r Request,
    keys: ItemKeys,
    token: &'r Arc<TokenLife>,
) -> BoxFuture<'r, Result<Reply, Failure>> {
    Box::pin(persist(db, request, keys, Some(token)))
}

async fn persist(
    db: &Dynamo,
    request: &Request,
    keys: ItemKeys,
    token: Option<&Arc<TokenLife>>,
) -> Result<Reply, Failure> {
    let (began, mut backoff) = (Instant::now(), Backoff::new());
    let (mut attempt, mut unknown) = (1, None);
    loop {
        let this = Instant::now();
        let failure = match db.attempt(request, token).await {
            Ok(reply) => return Ok(reply),
            Err(failure) => failure,
        };
        let is_over = attempt >= ATTEMPTS || began.elapsed() > PATIENCE;
        if is_over || !failure.is_contention {
            let failure = last(failure, unknown, request.resend);
            // Boxed: the rare future must not enlarge every call.
            return Err(match confirm::is_needed(&failure, request.operation, db) {
                true => Box::pin(confirm::with_items(failure, request, keys, db)).await,
                false => failure,
            });
        }
        if failure.error.kind() == ErrorKind::OutcomeUnknown {
            unknown = Some(failure);
        }
        let left = PATIENCE.saturating_sub(began.elapsed());
        backoff.wait(this.elapsed(), Some(left)).await;
        attempt += 1;
    }
}

/// The failure that is reported at last. If an earlier attempt was unknown, the outcome remains unknown. Only a failed
/// condition of a request with a token is certain: if an earlier attempt had taken effect, the service would know its
/// token.
fn last(failure: Failure, unknown: Option<Failure>, resend: Resend) -> Failure {
    let is_certain = failure.condition.is_some() && resend == Resend::ByToken;
    match unknown {
        Some(unknown) if !is_certain => unknown,
        _ => failure,
    }
}
