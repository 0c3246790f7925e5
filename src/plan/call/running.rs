//! Work that continues while it is not polled.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::error::{Error, ErrorKind, Result, Stage};
use crate::wire::BoxFuture;

/// A request in progress. It makes progress while it is not polled, and stops when this is dropped.
pub(crate) enum RunningRequest<T> {
    Spawned(JoinHandle<T>),
    /// Outside of a runtime there is nothing to spawn it on.
    Inline(BoxFuture<'static, T>),
}

impl<T> Drop for RunningRequest<T> {
    fn drop(&mut self) {
        if let RunningRequest::Spawned(handle) = self {
            // A dropped `JoinHandle` only detaches its task, which would continue to read and to be
            // paid for.
            handle.abort();
        }
    }
}

impl<T: Send + 'static> RunningRequest<T> {
    pub(crate) fn start_work(work: impl Future<Output = T> + Send + 'static) -> Self {
        match Handle::try_current() {
            Ok(runtime) => RunningRequest::Spawned(runtime.spawn(work)),
            Err(_) => RunningRequest::Inline(Box::pin(work)),
        }
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<T>> {
        match self {
            RunningRequest::Spawned(handle) => Pin::new(handle).poll(cx).map_err(|error| {
                let message = "the runtime stopped while rows were fetched";
                Error::new(ErrorKind::Unavailable, Stage::Wire, message).with_source(error)
            }),
            RunningRequest::Inline(work) => work.as_mut().poll(cx).map(Ok),
        }
    }
}
