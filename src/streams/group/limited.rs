//! Limits the time of requests, because a half-open connection never returns a response, and the client may have no timeout.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result, Stage};
use crate::runtime::{Sleep, sleep_for};

/// The longest time of a request of a worker.
const REQUEST_TIME: Duration = Duration::from_secs(60);

/// A request that fails if it has no response in time.
pub(super) struct LimitedRequest<F> {
    request: Pin<Box<F>>,
    limit: Sleep,
}

pub(super) trait LimitTime: Future + Sized {
    fn limited(self) -> LimitedRequest<Self> {
        LimitedRequest {
            request: Box::pin(self),
            limit: sleep_for(REQUEST_TIME),
        }
    }
}

impl<F: Future> LimitTime for F {}

impl<T, F: Future<Output = Result<T>>> Future for LimitedRequest<F> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        if let Poll::Ready(ended) = self.request.as_mut().poll(cx) {
            return Poll::Ready(ended);
        }
        Pin::new(&mut self.limit).poll(cx).map(|()| {
            let message = "a request of the worker to DynamoDB got no response within a minute";
            Err(Error::new(ErrorKind::Unavailable, Stage::Wire, message))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_without_a_response_fails() {
        let limited = LimitedRequest {
            request: Box::pin(std::future::pending::<Result<()>>()),
            limit: sleep_for(Duration::from_millis(10)),
        };
        let ended = tokio::time::timeout(Duration::from_secs(5), limited).await;
        let error = ended.expect("limited").expect_err("no response");
        assert_eq!(error.kind(), ErrorKind::Unavailable);
    }
}
