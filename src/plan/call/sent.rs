//! A request that is sent: the uppermost layer. It sends the request once more if only the format of a stored item
//! differs, and determines the meaning of a failure.
//!
//! Each layer calls the next one:
//!
//! ```text
//! sent      the same write in the format of the stored item, and the meaning of a failure
//! confirm   the item that a condition was checked on, where the server does not send it
//! contend   another attempt while other transactions are in the way
//! observe   the units and the time of each attempt, for observers and spans
//! wire      the bytes
//! ```

use std::task::{Context, Poll};

use super::confirm;
use super::outcome::{Answer, WrittenItem, polled_again};
use super::planned::PlannedRequest;
use super::reencoded::{SentWrite, reencode_request};
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::plan::check::ConditionFailure;
use crate::plan::keys::ItemKeys;
use crate::plan::transaction::{self, Participant};
use crate::wire::{BoxFuture, Failure, Reply, Request};

impl PlannedRequest {
    pub(crate) fn send_request(self, db: &Dynamo) -> SentCall<'_> {
        if self.is_needless {
            return SentCall::Told(Some(Ok((None, self.now))));
        }
        let sent = self.sent;
        let sent = (!sent.is_empty()).then(|| Box::new((self.request.clone(), sent)));
        let keys = keys_of(self.condition_failure, &self.participants);
        SentCall::Request {
            answer: confirm::confirmed_call(db, self.request, keys),
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

/// The key attributes of the items that a request is about.
fn keys_of(condition_failure: ConditionFailure, participants: &[Participant]) -> ItemKeys {
    match participants {
        [] => ItemKeys::One(condition_failure.key_names()),
        participants => transaction::keys_of(participants),
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
    /// The error of a failed request, with the meaning of a failed condition.
    fn explain_failure(&self, failure: Failure) -> Error {
        if self.participants.is_empty() {
            return self
                .condition_failure
                .explain_failure(failure, self.entity, self.now);
        }
        transaction::explain_refusal(failure, &self.participants, self.now)
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
            match self.reencode_request(&failure) {
                Some(request) => {
                    let keys = keys_of(self.condition_failure, &self.participants);
                    *answer = confirm::confirmed_call(db, request, keys);
                }
                None => return Poll::Ready(Err(self.explain_failure(failure))),
            }
        }
    }

    /// The request in the format of the stored items, once for each item.
    fn reencode_request(&mut self, failure: &Failure) -> Option<Request> {
        // Taking it out allows one rewrite. A transaction puts it back, because each of its items
        // may be rewritten once.
        let (request, sent) = *self.sent.take()?;
        failure.condition.as_ref()?;
        let (request, sent) = reencode_request(&request, sent, failure)?;
        if !sent.is_empty() {
            self.sent = Some(Box::new((request.clone(), sent)));
        }
        Some(request)
    }

    /// The response, with the entity that its errors name.
    fn answer_for(&self, reply: Reply) -> Answer {
        let entity = self.participants.is_empty().then_some(self.entity);
        Answer::of_reply(reply, entity, self.now)
    }
}

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
    pub(crate) fn of_sent(sent: Result<SentCall<'d>>) -> Self {
        sent.unwrap_or_else(SentCall::with_error)
    }

    /// Sends a planned request, or fails with the reason why none was planned.
    pub(crate) fn of_planned(planned: Result<PlannedRequest>, db: &'d Dynamo) -> Self {
        SentCall::of_sent(planned.map(|planned| planned.send_request(db)))
    }

    /// A call that failed before anything was sent.
    pub(crate) fn with_error(error: Error) -> Self {
        SentCall::Told(Some(Err(error)))
    }

    /// Returns an error if polled after completion.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer>> {
        let answer = match self {
            SentCall::Request { answer, db, kept } => {
                let reply = std::task::ready!(kept.poll(answer, db, cx));
                reply.map(|reply| kept.answer_for(reply))
            }
            SentCall::Steps(steps) => {
                std::task::ready!(steps.as_mut().poll(cx)).map(Answer::of_steps)
            }
            SentCall::Told(told) => {
                let told = told.take().unwrap_or_else(|| Err(polled_again()));
                return Poll::Ready(told.map(Answer::of_steps));
            }
        };
        // The request and its buffers are dropped with the response, even if the caller keeps the
        // finished future.
        *self = SentCall::Told(None);
        Poll::Ready(answer)
    }
}
