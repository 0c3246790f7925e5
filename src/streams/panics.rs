//! Converts panics of handlers into errors, so that a panic is a failed attempt like any other.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// A panic, as a text with its reason.
pub(super) struct Panicked(pub(super) String);

/// Calls a synchronous function. Its captures are not used after a panic.
pub(super) fn catch_panic<T>(call: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(call)).map_err(panicked_with)
}

/// Runs a handler. Neither it nor its future is used after a panic.
pub(super) async fn without_panics<Fut: Future>(
    handle: impl FnOnce() -> Fut,
) -> Result<Fut::Output, Panicked> {
    // The closure itself may panic too, before it returns its future.
    let future = catch_unwind(AssertUnwindSafe(handle)).map_err(panicked_with)?;
    let mut future = pin!(future);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)));
        match polled {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Err(payload) => Poll::Ready(Err(panicked_with(payload))),
        }
    })
    .await
}

#[expect(clippy::needless_pass_by_value, reason = "the payload is spent")]
fn panicked_with(payload: Box<dyn Any + Send>) -> Panicked {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    Panicked(format!(
        "the handler panicked: {}",
        text.unwrap_or_default()
    ))
}
