//! Gives up a request that no connection takes.
//!
//! The SDK's protection against stalled streams watches whether a request makes progress. On the direct path, the
//! connection reads the body in one piece, so only the time until then matters. The body is not read before a
//! connection exists: for a client without a timeout for connecting, this is the limit.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use aws_sdk_dynamodb::config::{AsyncSleep, Sleep};
use aws_sdk_dynamodb::error::{BoxError, ConnectorError};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::route::Route;

/// The time for which the SDK watches before it judges; its grace period comes after that.
pub(super) const WINDOW: Duration = Duration::from_secs(1);

/// Waits until a request has begun to be sent, at most for this time.
pub(super) struct UploadWatch {
    begun: Arc<AtomicBool>,
    end: Option<Sleep>,
    limit: Duration,
}

impl UploadWatch {
    /// None if something else ends the wait for a connection, or if it has no limit.
    pub(super) fn start_watch(route: &Route, request: &mut HttpRequest) -> Option<Self> {
        let (limit, sleep) = route.upload_begins_within.zip(route.sleep.as_ref())?;
        let begun = Arc::new(AtomicBool::new(false));
        let body = std::mem::replace(request.body_mut(), SdkBody::taken());
        let flag = begun.clone();
        *request.body_mut() = body.map_preserve_contents(move |body| {
            SdkBody::from_body_1_x(WatchedBody {
                body,
                begun: flag.clone(),
            })
        });
        Some(UploadWatch {
            begun,
            end: Some(sleep.sleep(limit)),
            limit,
        })
    }

    /// Ready if the time is over and the request has not begun to go out.
    pub(super) fn poll_stalled(&mut self, context: &mut Context<'_>) -> Poll<ConnectorError> {
        let Some(end) = &mut self.end else {
            return Poll::Pending;
        };
        ready!(Pin::new(end).poll(context));
        // The timer must not be polled again after it has ended. A request that has begun to be
        // sent is left to the other limits.
        self.end = None;
        match self.begun.load(Ordering::Relaxed) {
            true => Poll::Pending,
            false => Poll::Ready(ConnectorError::timeout(Stalled(self.limit).into())),
        }
    }
}

/// No connection has read the body.
#[derive(Debug)]
struct Stalled(Duration);

impl fmt::Display for Stalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no connection took the request within {:?}, the limit of the protection against stalled streams",
            self.0
        )
    }
}

impl std::error::Error for Stalled {}

/// A body that notes when it is read.
struct WatchedBody {
    body: SdkBody,
    begun: Arc<AtomicBool>,
}

impl Body for WatchedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.begun.store(true, Ordering::Relaxed);
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
