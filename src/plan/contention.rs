//! Requests that met other transactions, or a write of another region.
//!
//! Such an attempt wrote nothing, so the same request is sent again, and a transaction keeps its token. The SDK does
//! not do so. After an attempt without an answer only a success is certain (law W6): a cancellation says nothing of the
//! earlier attempt, which may still be under way.

use std::borrow::Borrow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::dynamo::Dynamo;
use crate::error::ErrorKind;
use crate::plan::{ItemKeys, confirm, strong_tables};
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
    if let Some(refused) = strong_tables::refused(&request, db) {
        Box::pin(std::future::ready(Err(refused)))
    } else if request.operation.meets_transactions() {
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

/// The request and the token are the future's own where no one else holds them. This is no `async fn`, because the future
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
        let sent = match db.attempt(request.borrow(), token).await {
            Ok(reply) => Ok(reply),
            // Boxed: the rare future must not enlarge every call.
            Err(failure) => {
                Box::pin(persist_after(
                    failure,
                    began,
                    db,
                    request.borrow(),
                    keys,
                    token,
                ))
                .await
            }
        };
        db.note_stray(request.borrow(), &sent);
        sent
    })
}

/// The next step after a first attempt has failed.
async fn persist_after(
    mut failure: Failure,
    began: Instant,
    db: &Dynamo,
    request: &Request,
    keys: ItemKeys,
    token: Option<&Arc<TokenLife>>,
) -> Result<Reply, Failure> {
    let (mut backoff, mut attempt, mut unknown) = (Backoff::new(), 1, None);
    let mut has_stray = false;
    let mut took = began.elapsed();
    loop {
        let is_over = attempt >= ATTEMPTS || began.elapsed() > PATIENCE;
        if is_over || !failure.is_contention {
            let last = match unknown {
                // The outcome remains unknown, whatever a later attempt met.
                Some(unknown) => met_later(unknown, failure),
                None => failure,
            };
            return Err(confirmed(last, request, keys, db).await);
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

/// The failure with the item that its condition was checked on, where the server does not send it, or with the reason why
/// a table has no transactions. The failure of a later attempt is omitted if it would need a read.
async fn confirmed(
    mut failure: Failure,
    request: &Request,
    keys: ItemKeys,
    db: &Dynamo,
) -> Failure {
    if let Some(refusal) = failure.refusal.take() {
        let is_told = !confirm::is_needed(&refusal, request.operation, db);
        failure.refusal = Some(refusal).filter(|_| is_told);
        failure
    } else if strong_tables::may_be_why(&failure, request) {
        strong_tables::explained(failure, request, db).await
    } else if confirm::is_needed(&failure, request.operation, db) {
        confirm::with_items(failure, request, keys, db).await
    } else {
        failure
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
