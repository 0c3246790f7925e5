//! Sends a planned operation and reads its result.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::json::{CodecError, Reader};
use crate::plan::{
    ConditionFailure, Explanation, ItemKeys, Participant, Returned, SentWrite, contention,
    reencoded,
};
use crate::wire::{BoxFuture, Failure, Reply, Request};

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
        self.plan(db).map(|plan| Explanation::of(&plan))
    }
}

/// A planned operation.
#[derive(Debug)]
pub struct Plan<Out> {
    pub(crate) planned: PlannedRequest,
    pub(crate) outcome: Outcome<Out>,
}

/// A planned request, and the meaning of its failure. The meaning of its success has a type, so it is stored beside
/// it.
#[derive(Debug)]
pub(crate) struct PlannedRequest {
    pub(crate) request: Request,
    pub(crate) entity: &'static str,
    pub(crate) now: Timestamp,
    /// The meaning of a failed condition.
    pub(crate) condition_failure: ConditionFailure,
    /// For a transaction: what a failure of each of its operations means.
    pub(crate) participants: Vec<Participant>,
    /// Its writes, if they may have to be sent in another format.
    pub(crate) sent: Vec<SentWrite>,
    /// Whether its result is known, so that nothing is sent.
    pub(crate) is_needless: bool,
}

impl PlannedRequest {
    /// A request without a condition.
    pub(crate) fn of(request: Request, entity: &'static str, now: Timestamp) -> Self {
        PlannedRequest {
            request,
            entity,
            now,
            condition_failure: ConditionFailure::NEVER,
            participants: Vec::new(),
            sent: Vec::new(),
            is_needless: false,
        }
    }

    /// The same, with this reader of the response.
    pub(crate) fn reading<Out>(self, outcome: Outcome<Out>) -> Plan<Out> {
        Plan {
            planned: self,
            outcome,
        }
    }

    pub(crate) fn send(self, db: &Dynamo) -> SentCall<'_> {
        if self.is_needless {
            return SentCall::Told(Some(Ok((None, self.now))));
        }
        let sent = self.sent;
        let sent = (!sent.is_empty()).then(|| Box::new((self.request.clone(), sent)));
        let keys = keys_of(self.condition_failure, &self.participants);
        SentCall::Request {
            answer: contention::call(db, self.request, keys),
            db,
            kept: PendingRequest {
                sent,
                entity: self.entity,
                now: self.now,
                condition_failure: self.condition_failure,
                participants: self.participants,
            },
        }
    }
}

/// The meaning of a successful response. Every result type has its own, so the less of it is generic, the less a
/// program has to compile.
#[derive(Debug)]
pub(crate) enum Outcome<Out> {
    /// Known before it is sent: the service returns nothing for a put.
    Known(Option<Out>),
    /// Read from the response, as of the time of the request.
    Read(fn(&Reply, Timestamp) -> Result<Out>),
    /// Read from an item of the response, if it exists.
    Item(AnswerItem, ReadItem<Out>),
    /// Read from the response with known values of the request.
    ReadBy(ReplyReader<Out>),
}

/// The item of a response that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerItem {
    /// The item that a read found.
    Found,
    /// The item that a write returns.
    Returned(Returned),
}

/// Reads the item that a write returned, or a read found.
pub(crate) type ReadItem<Out> = fn(Option<&[u8]>, Timestamp) -> Result<Out>;

/// Reads a response with its stored values.
pub(crate) struct ReplyReader<Out> {
    /// Its type is known only to the function, because everything that has to be dropped is compiled for each type.
    pub(crate) kept: Box<dyn Any + Send>,
    pub(crate) read: fn(&dyn Any, &Reply, Timestamp) -> Result<Out>,
}

impl<Out> fmt::Debug for ReplyReader<Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplyReader")
    }
}

impl<Out> Outcome<Out> {
    fn read(&mut self, answer: &Answer) -> Result<Out> {
        match self {
            Outcome::Known(known) => known.take().ok_or_else(polled_again),
            Outcome::Read(read) => read(answer.reply()?, answer.now),
            Outcome::Item(which, read) => read(answer.item(*which)?, answer.now),
            Outcome::ReadBy(ReplyReader { kept, read }) => {
                read(&**kept, answer.reply()?, answer.now)
            }
        }
    }
}

/// The result of a call.
struct Answer {
    content: AnswerContent,
    /// The request that was answered.
    request: Option<PendingRequest>,
    /// The time of the request.
    now: Timestamp,
}

enum AnswerContent {
    Reply(Reply),
    /// The item that the last of several steps has read.
    Item(Option<Bytes>),
}

impl Answer {
    fn of_steps((item, now): WrittenItem) -> Self {
        Answer {
            content: AnswerContent::Item(item),
            request: None,
            now,
        }
    }

    fn reply(&self) -> Result<&Reply> {
        match &self.content {
            AnswerContent::Reply(reply) => Ok(reply),
            AnswerContent::Item(_) => Err(Error::config("several steps have no one answer")),
        }
    }

    fn item(&self, which: AnswerItem) -> Result<Option<&[u8]>> {
        match (which, &self.content) {
            (AnswerItem::Returned(Returned::Nothing), _) => Ok(None),
            (_, AnswerContent::Item(item)) => Ok(item.as_deref()),
            (AnswerItem::Found, AnswerContent::Reply(reply)) => found_item(&reply.body),
            (AnswerItem::Returned(_), AnswerContent::Reply(reply)) => returned_item(&reply.body),
        }
    }

    /// The error for a response that cannot be read.
    fn unread(&self, error: Error) -> Error {
        match (&self.request, &self.content) {
            (Some(request), AnswerContent::Reply(reply)) => request.unread(error, reply),
            _ => error,
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
        PlannedRequest::of(request, entity, now).reading(outcome)
    }

    /// The same request, with another reader of the response.
    pub(crate) fn reading<Other>(
        self,
        read: fn(&Reply, Timestamp) -> Result<Other>,
    ) -> Plan<Other> {
        self.planned.reading(Outcome::Read(read))
    }

    pub(crate) fn send(self, db: &Dynamo) -> Call<'_, Out> {
        Call::new(self.planned.send(db), self.outcome)
    }
}

/// The key attributes of the items that a request is about.
fn keys_of(condition_failure: ConditionFailure, participants: &[Participant]) -> ItemKeys {
    match participants {
        [] => ItemKeys::One(condition_failure.keys()),
        participants => crate::plan::keys_of(participants),
    }
}

/// The remaining part of a planned request while it is in progress.
pub(crate) struct PendingRequest {
    /// The request that may have to be sent again, with its writes in another format.
    sent: Option<Box<(Request, Vec<SentWrite>)>>,
    entity: &'static str,
    now: Timestamp,
    condition_failure: ConditionFailure,
    participants: Vec<Participant>,
}

impl PendingRequest {
    /// The error of a failed request: what a failed condition means here.
    fn explain(&self, failure: Failure) -> Error {
        if self.participants.is_empty() {
            return self
                .condition_failure
                .explain(failure, self.entity, self.now);
        }
        crate::plan::explain(failure, &self.participants, self.now)
    }

    /// Waits for the response, and sends the request again if only the format of a stored item differed.
    fn poll<'d>(
        &mut self,
        answer: &mut BoxFuture<'d, Result<Reply, Failure>>,
        db: &'d Dynamo,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Reply>> {
        loop {
            let failure = match std::task::ready!(answer.as_mut().poll(cx)) {
                Ok(reply) => return Poll::Ready(Ok(reply)),
                Err(failure) => failure,
            };
            match self.reencoded(&failure) {
                Some(request) => {
                    let keys = keys_of(self.condition_failure, &self.participants);
                    *answer = contention::call(db, request, keys);
                }
                None => return Poll::Ready(Err(self.explain(failure))),
            }
        }
    }

    /// The request in the format of the stored items, once for each item.
    fn reencoded(&mut self, failure: &Failure) -> Option<Request> {
        let (request, sent) = *self.sent.take()?;
        failure.condition.as_ref()?;
        let (request, sent) = reencoded(&request, sent, failure)?;
        if !sent.is_empty() {
            self.sent = Some(Box::new((request.clone(), sent)));
        }
        Some(request)
    }

    /// The error for a response that cannot be read.
    fn unread(&self, error: Error, reply: &Reply) -> Error {
        let error = match error.entity() {
            None if self.participants.is_empty() => error.of(self.entity),
            _ => error,
        };
        error.with_request_id(reply.request_id.as_deref())
    }
}

/// The item that a write of several steps returns, and the time of the write.
pub(crate) type WrittenItem = (Option<Bytes>, Timestamp);

/// A call under way, without the type of its result.
pub(crate) enum SentCall<'d> {
    /// It failed before anything was sent, or there was nothing to send.
    Told(Option<Result<WrittenItem>>),
    Request {
        answer: BoxFuture<'d, Result<Reply, Failure>>,
        db: &'d Dynamo,
        kept: PendingRequest,
    },
    Steps(BoxFuture<'d, Result<WrittenItem>>),
}

impl<'d> SentCall<'d> {
    /// The sent request, or the reason why nothing was sent.
    pub(crate) fn of(sent: Result<SentCall<'d>>) -> Self {
        sent.unwrap_or_else(SentCall::failed)
    }

    /// A call that failed before anything was sent.
    pub(crate) fn failed(error: Error) -> Self {
        SentCall::Told(Some(Err(error)))
    }

    /// Returns an error if polled after completion.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer>> {
        let reply = match self {
            SentCall::Request { answer, db, kept } => {
                std::task::ready!(kept.poll(answer, db, cx)).map(|reply| (reply, kept.now))
            }
            SentCall::Steps(steps) => {
                let written = std::task::ready!(steps.as_mut().poll(cx));
                *self = SentCall::Told(None);
                return Poll::Ready(written.map(Answer::of_steps));
            }
            SentCall::Told(told) => {
                let told = told.take().unwrap_or_else(|| Err(polled_again()));
                return Poll::Ready(told.map(Answer::of_steps));
            }
        };
        let request = match std::mem::replace(self, SentCall::Told(None)) {
            SentCall::Request { kept, .. } => Some(kept),
            SentCall::Steps(_) | SentCall::Told(_) => None,
        };
        Poll::Ready(reply.map(|(reply, now)| Answer {
            content: AnswerContent::Reply(reply),
            request,
            now,
        }))
    }
}

fn polled_again() -> Error {
    Error::config("a finished call was polled again")
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
            Ok(plan) => plan.send(db),
            Err(error) => Call::new(SentCall::failed(error), Outcome::Known(None)),
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
        let read = self.outcome.read(&answer);
        Poll::Ready(match read {
            Ok(out) => Ok(out),
            Err(error) => Err(answer.unread(error)),
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

/// The item in a reply to a read, `{"Item":{..}}`.
pub(crate) fn found_item(body: &Bytes) -> Result<Option<&[u8]>> {
    object(body, "Item").map_err(|fault| Error::unreadable(&fault))
}

/// The item in a reply to a write, `{"Attributes":{..}}`.
pub(crate) fn returned_item(body: &Bytes) -> Result<Option<&[u8]>> {
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
