//! An operation that can be sent, and the future of its result.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::explain::Explanation;
use super::outcome::Outcome;
use super::planned::Plan;
use super::sent::SentCall;
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::wire::BoxFuture;

/// An operation that can be sent.
pub trait Operation: Sized {
    /// The type of the result.
    type Out;

    /// Everything known before sending: the request, and how its response is read. If this fails, nothing was sent.
    #[doc(hidden)]
    fn plan(self, db: &Dynamo) -> Result<Plan<Self::Out>>;

    /// Sends it. The request is complete when this returns; the future owns its bytes.
    fn send(self, db: &Dynamo) -> Call<'_, Self::Out> {
        Call::of_plan(self.plan(db), db)
    }

    /// Returns the requests that [`send`](Self::send) would send now, without sending them.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: String, stars: u32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// let check = Note::key("n1").delete().when(|n| n.stars().lt(3)).explain(&db)?;
    /// assert_eq!(check.operation, Some("DeleteItem"));
    /// assert!(check.requests[0].contains(r##""ConditionExpression":"#n0 < :v0""##));
    /// # Ok(()) }
    /// ```
    fn explain(self, db: &Dynamo) -> Result<Explanation> {
        self.plan(db).map(|plan| Explanation::of_plan(&plan))
    }
}

impl<Out> Plan<Out> {
    pub(crate) fn send_plan(self, db: &Dynamo) -> Call<'_, Out> {
        Call::new(self.planned.send_request(db), self.outcome)
    }
}

/// A sent operation; await it.
///
/// It is cancel safe in the sense that dropping it leaks and locks nothing. A write that you drop before it is done
/// may or may not take effect.
#[must_use = "nothing is known until it is awaited"]
pub struct Call<'d, Out> {
    sent: SentCall<'d>,
    outcome: Outcome<Out>,
}

impl<'d, Out> Call<'d, Out> {
    /// A request, or the steps of a write, and the reader of the response.
    pub(crate) fn new(sent: SentCall<'d>, outcome: Outcome<Out>) -> Self {
        Call { sent, outcome }
    }

    fn of_plan(plan: Result<Plan<Out>>, db: &'d Dynamo) -> Self {
        match plan {
            Ok(plan) => plan.send_plan(db),
            Err(error) => Call::new(SentCall::with_error(error), Outcome::Known(None)),
        }
    }
}

impl<Out> Unpin for Call<'_, Out> {}

impl<Out> Future for Call<'_, Out> {
    type Output = Result<Out>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Out>> {
        let answer = match std::task::ready!(self.sent.poll(cx)) {
            Ok(answer) => answer,
            Err(error) => return Poll::Ready(Err(error)),
        };
        let read = self.outcome.read_answer(&answer);
        Poll::Ready(match read {
            Ok(out) => Ok(out),
            Err(error) => Err(answer.unread_answer(error)),
        })
    }
}

impl<Out> fmt::Debug for Call<'_, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Call")
    }
}

/// An operation of several steps on its way; await it.
///
/// If you drop it before it is done, it stops after the current step, which may or may not take effect.
#[must_use = "nothing happens until it is awaited"]
pub struct Steps<'d, T>(pub(crate) BoxFuture<'d, T>);

impl<T> Future for Steps<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        self.0.as_mut().poll(cx)
    }
}

impl<T> fmt::Debug for Steps<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Steps")
    }
}
