//! A read in progress.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::Result;
use crate::wire::BoxFuture;

/// A read of many items or rows; await it. It borrows nothing, so you can spawn it, and drop it at any time.
#[must_use = "nothing is read until it is awaited"]
pub struct Reading<Out>(BoxFuture<'static, Result<Out>>);

impl<Out> Reading<Out> {
    pub(crate) fn new(read: impl Future<Output = Result<Out>> + Send + 'static) -> Self {
        Reading(Box::pin(read))
    }
}

impl<Out> Future for Reading<Out> {
    type Output = Result<Out>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Out>> {
        self.0.as_mut().poll(cx)
    }
}

impl<Out> fmt::Debug for Reading<Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reading")
    }
}
