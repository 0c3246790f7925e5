//! Sends a planned operation and reads its result.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::json::{CodecError, Reader};
use crate::plan::{
    ConditionFailure, Explanation, ItemKeys, Participant, Returned, SentWrite, contention, respelt,
};
use crate::wire::{BoxFuture, Failure, Reply, Request};

/// An operation that can be sent.
pub trait Operation: Sized {
    /// What it returns.
    type Out;

    /// All that is known before sending: the request, and how its answer is read. Nothing was sent if this fails.
    #[doc(hidden)]
    fn plan(self, db: &Dynamo) -> Result<Plan<Self::Out>>;

    /// Sends it. The request is complete when this returns; the future owns its bytes.
    fn send(self, db: &Dynamo) -> Call<'_, Self::Out> {
        match self.plan(db) {
            Ok(plan) => plan.send(db),
            Err(error) => Call::failed(error),
        }
    }

    /// What [`send`](Self::send) would ask of the service now, without asking.
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
        self.plan(db).map(|plan| Explanation::of(&plan))
    }
}

/// A planned operation.
#[derive(Debug)]
pub struct Plan<Out> {
    pub(crate) request: Request,
    pub(crate) entity: &'static str,
    pub(crate) now: Timestamp,
    /// What a failed condition means.
    pub(crate) condition_failure: ConditionFailure,
    /// For a transaction: what a failure of each of its operations means.
    pub(crate) participants: Vec<Participant>,
    /// Its writes, if they may have to be sent in another spelling.
    pub(crate) sent: Vec<SentWrite>,
    pub(crate) outcome: Outcome<Out>,
}

/// What a successful answer amounts to.
#[derive(Debug)]
pub(crate) enum Outcome<Out> {
    /// Known before it is sent: the service returns nothing for a put.
    Known(Option<Out>),
    /// Read from the answer, as of the time of the request.
    Read(fn(&Reply, Timestamp) -> Result<Out>),
    /// The item that a write returns, if it returns one.
    Returned(Returned, ReadItem<Out>),
    /// Read from the answer, by a reader that knows what was asked.
    ReadBy(ReplyReader<Out>),
    /// Known without asking the service.
    Nothing(Out),
}

/// Reads the item that a write returned.
pub(crate) type ReadItem<Out> = fn(Option<&[u8]>, Timestamp) -> Result<Out>;

/// Reads an answer.
pub(crate) struct ReplyReader<Out>(pub(crate) Box<ReadReply<Out>>);

type ReadReply<Out> = dyn Fn(&Reply, Timestamp) -> Result<Out> + Send;

impl<Out> std::fmt::Debug for ReplyReader<Out> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ReplyReader")
    }
}

impl<Out> Outcome<Out> {
    pub(crate) fn read(&mut self, reply: &Reply, now: Timestamp) -> Result<Out> {
        match self {
            Outcome::Known(known) => known.take().ok_or_else(polled_again),
            Outcome::Read(read) => read(reply, now),
            Outcome::Returned(Returned::Nothing, read) => read(None, now),
            Outcome::Returned(_, read) => read(returned_item(&reply.body)?, now),
            Outcome::ReadBy(reading) => reading.0(reply, now),
            Outcome::Nothing(_) => Err(polled_again()),
        }
    }
}

impl<Out> Plan<Out> {
    /// A request without a condition.
    pub(crate) fn of(
        request: Request,
        entity: &'static str,
        now: Timestamp,
        outcome: Outcome<Out>,
    ) -> Self {
        Plan {
            request,
            entity,
            now,
            condition_failure: ConditionFailure::NEVER,
            participants: Vec::new(),
            sent: Vec::new(),
            outcome,
        }
    }

    /// The same request, with its answer read in another way.
    pub(crate) fn reading<Other>(
        self,
        read: fn(&Reply, Timestamp) -> Result<Other>,
    ) -> Plan<Other> {
        Plan {
            request: self.request,
            entity: self.entity,
            now: self.now,
            condition_failure: self.condition_failure,
            participants: self.participants,
            sent: self.sent,
            outcome: Outcome::Read(read),
        }
    }

    pub(crate) fn send(self, db: &Dynamo) -> Call<'_, Out> {
        if let Outcome::Nothing(out) = self.outcome {
            return Call(CallState::Done(Some(Ok(out))));
        }
        let sent = self.sent;
        let sent = (!sent.is_empty()).then(|| Box::new((self.request.clone(), sent)));
        let keys = keys_of(self.condition_failure, &self.participants);
        Call(CallState::Waiting {
            answer: contention::call(db, self.request, keys),
            db,
            kept: PendingPlan {
                sent,
                entity: self.entity,
                now: self.now,
                condition_failure: self.condition_failure,
                participants: self.participants,
                outcome: self.outcome,
            },
        })
    }
}

/// The key attributes of the items that a request is about.
fn keys_of(condition_failure: ConditionFailure, participants: &[Participant]) -> ItemKeys {
    match participants {
        [] => ItemKeys::One(condition_failure.keys()),
        participants => crate::plan::keys_of(participants),
    }
}

/// What is left of a plan while its request is under way.
struct PendingPlan<Out> {
    /// The request that may have to be sent again, with its writes in another spelling.
    sent: Option<Box<(Request, Vec<SentWrite>)>>,
    entity: &'static str,
    now: Timestamp,
    condition_failure: ConditionFailure,
    participants: Vec<Participant>,
    outcome: Outcome<Out>,
}

impl<Out> PendingPlan<Out> {
    /// The error of a failed request: what a failed condition means here.
    fn explain(&self, failure: Failure) -> Error {
        if self.participants.is_empty() {
            return self
                .condition_failure
                .explain(failure, self.entity, self.now);
        }
        crate::plan::explain(failure, &self.participants, self.now)
    }

    /// Sends the request again in the spelling of the stored items, once for each item.
    fn respelt(&mut self, failure: &Failure) -> Option<Request> {
        let (request, sent) = *self.sent.take()?;
        failure.condition.as_ref()?;
        let (request, sent) = respelt(&request, sent, failure)?;
        if !sent.is_empty() {
            self.sent = Some(Box::new((request.clone(), sent)));
        }
        Some(request)
    }

    fn read(&mut self, reply: &Reply) -> Result<Out> {
        let read = self.outcome.read(reply, self.now);
        read.map_err(|error| {
            let error = match error.entity() {
                None if self.participants.is_empty() => error.of(self.entity),
                _ => error,
            };
            error.with_request_id(reply.request_id.as_deref())
        })
    }
}

fn polled_again() -> Error {
    Error::config("a finished call was polled again")
}

/// A sent operation; await it.
///
/// Cancel safe in the sense that dropping it leaks and locks nothing. A write that is dropped before
/// it is done may or may not take effect.
#[must_use = "nothing is known until it is awaited"]
pub struct Call<'d, Out>(CallState<'d, Out>);

enum CallState<'d, Out> {
    /// The result, until it is taken.
    Done(Option<Result<Out>>),
    /// A call of several steps.
    Steps(BoxFuture<'d, Result<Out>>),
    Waiting {
        answer: BoxFuture<'d, Result<Reply, Failure>>,
        db: &'d Dynamo,
        kept: PendingPlan<Out>,
    },
}

impl<'d, Out> Call<'d, Out> {
    /// A call of several steps. If it is dropped early, it stops after the step that is under way.
    pub(crate) fn of(steps: BoxFuture<'d, Result<Out>>) -> Self {
        Call(CallState::Steps(steps))
    }

    /// A call that failed before anything was sent.
    pub(crate) fn failed(error: Error) -> Self {
        Call(CallState::Done(Some(Err(error))))
    }
}

impl<Out> Unpin for Call<'_, Out> {}

impl<Out> Future for Call<'_, Out> {
    type Output = Result<Out>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Out>> {
        match &mut self.0 {
            CallState::Done(result) => {
                Poll::Ready(result.take().unwrap_or_else(|| Err(polled_again())))
            }
            CallState::Steps(steps) => {
                let result = std::task::ready!(steps.as_mut().poll(cx));
                self.0 = CallState::Done(None);
                Poll::Ready(result)
            }
            CallState::Waiting { answer, db, kept } => loop {
                let result = match std::task::ready!(answer.as_mut().poll(cx)) {
                    Ok(reply) => kept.read(&reply),
                    Err(failure) => match kept.respelt(&failure) {
                        Some(request) => {
                            let keys = keys_of(kept.condition_failure, &kept.participants);
                            *answer = contention::call(db, request, keys);
                            continue;
                        }
                        None => Err(kept.explain(failure)),
                    },
                };
                self.0 = CallState::Done(None);
                return Poll::Ready(result);
            },
        }
    }
}

impl<Out> std::fmt::Debug for Call<'_, Out> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Call")
    }
}

/// An operation of several steps on its way; await it.
///
/// If it is dropped before it is done, it stops after the step at hand, which may or may not take effect.
#[must_use = "nothing happens until it is awaited"]
pub struct Steps<'d, T>(pub(crate) BoxFuture<'d, T>);

impl<T> Future for Steps<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        self.0.as_mut().poll(cx)
    }
}

impl<T> std::fmt::Debug for Steps<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Steps")
    }
}

/// The item in a reply to a read, `{"Item":{..}}`.
pub(crate) fn found_item(body: &Bytes) -> Result<Option<&[u8]>> {
    object(body, "Item").map_err(|fault| Error::unreadable(&fault))
}

/// The item in a reply to a write, `{"Attributes":{..}}`.
fn returned_item(body: &Bytes) -> Result<Option<&[u8]>> {
    object(body, "Attributes").map_err(|fault| Error::unreadable_write(&fault))
}

fn object<'r>(body: &'r Bytes, name: &str) -> Result<Option<&'r [u8]>, CodecError> {
    let mut reader = Reader::new(body);
    let mut first = true;
    reader.open_object()?;
    let mut found = None;
    while let Some(key) = reader.next_name(&mut first)? {
        let value = reader.raw_value()?;
        if key == name {
            found = match value.first() {
                Some(b'{') => Some(value),
                _ if value == b"null" => None,
                _ => return Err(CodecError::new("expected an object").at(name)),
            };
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_an_object_or_not_there() {
        let found = |body: &'static str| {
            let body = Bytes::from(body);
            found_item(&body).map(|item| item.map(<[u8]>::to_vec))
        };
        assert_eq!(found(r#"{"Item":{}}"#).unwrap(), Some(b"{}".to_vec()));
        assert_eq!(found(r#"{"Item":null}"#).unwrap(), None);
        assert_eq!(found(r#"{"Other":5}"#).unwrap(), None);
        for other in [r#"{"Item":5}"#, r#"{"Item":[]}"#, r#"{"Item":"x"}"#] {
            assert_eq!(
                found(other).unwrap_err().kind(),
                crate::error::ErrorKind::Service
            );
        }
    }
}
