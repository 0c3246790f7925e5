//! Requests that met other transactions, or a write of another region.
//!
//! Such an attempt wrote nothing, so the same request is sent again, and a transaction keeps its token. The SDK does
//! not do so.

use std::borrow::Borrow;
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
        let token: Option<Arc<TokenLife>> = (request.resend == Resend::ByToken).then(Arc::default);
        persist(db, request, keys, token)
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
    persist(db, request, keys, Some(token))
}

/// The request and the token are the future's own where nobody else holds them. This is no `async fn`, because the future
/// of one holds its arguments twice.
fn persist<'r>(
    db: &'r Dynamo,
    request: impl Borrow<Request> + Send + Sync + 'r,
    keys: ItemKeys,
    token: Option<impl Borrow<Arc<TokenLife>> + Send + Sync + 'r>,
) -> BoxFuture<'r, Result<Reply, Failure>> {
    Box::pin(async move {
        let began = Instant::now();
        let token = token.as_ref().map(Borrow::borrow);
        let failure = match db.attempt(request.borrow(), token).await {
            Ok(reply) => return Ok(reply),
            Err(failure) => failure,
        };
        // Boxed: the rare future must not enlarge every call.
        Box::pin(persist_after(
            failure,
            began,
            db,
            request.borrow(),
            keys,
            token,
        ))
        .await
    })
}

/// What follows when a first attempt has failed.
async fn persist_after(
    mut failure: Failure,
    began: Instant,
    db: &Dynamo,
    request: &Request,
    keys: ItemKeys,
    token: Option<&Arc<TokenLife>>,
) -> Result<Reply, Failure> {
    let (mut backoff, mut attempt, mut unknown) = (Backoff::new(), 1, None);
    let mut took = began.elapsed();
    loop {
        let is_over = attempt >= ATTEMPTS || began.elapsed() > PATIENCE;
        if is_over || !failure.is_contention {
            let failure = last(failure, unknown, request.resend);
            return Err(match confirm::is_needed(&failure, request.operation, db) {
                true => confirm::with_items(failure, request, keys, db).await,
                false => failure,
            });
        }
        if failure.error.kind() == ErrorKind::OutcomeUnknown {
            unknown = Some(failure);
        }
        let left = PATIENCE.saturating_sub(began.elapsed());
        backoff.wait(took, Some(left)).await;
        attempt += 1;
        let this = Instant::now();
        failure = match db.attempt(request, token).await {
            Ok(reply) => return Ok(reply),
            Err(failure) => failure,
        };
        took = this.elapsed();
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
