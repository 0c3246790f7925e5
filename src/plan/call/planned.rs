//! A planned request, with the meanings of its response and of its failure.

use super::outcome::Outcome;
use super::reencoded::SentWrite;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::plan::check::ConditionFailure;
use crate::plan::transaction::{Participant, TransactionMember, request_of};
use crate::plan::write_request::{Returned, WriteRequest};
use crate::schema::Pattern;
use crate::wire::{Reply, Request};

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
    /// For a transaction: the meaning of a failure of each of its operations.
    pub(crate) participants: Vec<Participant>,
    /// Its writes, if they may have to be sent in another format.
    pub(crate) sent: Vec<SentWrite>,
    /// Whether its result is known, so that nothing is sent.
    pub(crate) is_needless: bool,
}

impl PlannedRequest {
    /// A request without a condition.
    pub(crate) fn of_request(request: Request, entity: &'static str, now: Timestamp) -> Self {
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
    pub(crate) fn with_outcome<Out>(self, outcome: Outcome<Out>) -> Plan<Out> {
        Plan {
            planned: self,
            outcome,
        }
    }

    /// A write as a separate request.
    pub(crate) fn of_write(mut write: WriteRequest) -> Result<Self> {
        let (request, head) = write.take_request()?;
        let planned = PlannedRequest::of_request(request, write.entity, write.now);
        Ok(PlannedRequest {
            condition_failure: write.condition_failure(),
            sent: match write.asks_as_read() {
                true => vec![SentWrite::new(Box::new(write), head)],
                false => Vec::new(),
            },
            ..planned
        })
    }

    /// A transaction of these members. If the caller gave the token, it must not change, so it is not sent in another
    /// format.
    pub(crate) fn of_members(
        pattern: &'static Pattern,
        members: Vec<TransactionMember>,
        token: Option<String>,
        (entity, now): (&'static str, Timestamp),
    ) -> Result<Self> {
        // DynamoDB rejects a known token with another body, so a transaction with the caller's
        // token is never rewritten.
        let is_known = token.is_some();
        let (request, heads) = request_of(pattern, &members, token)?;
        let may_differ = members.iter().any(|member| member.write.asks_as_read());
        let mut planned = PlannedRequest::of_request(request, entity, now);
        planned.participants.reserve_exact(members.len());
        for (member, head) in members.into_iter().zip(heads) {
            let (participant, write) = Participant::split_off(member);
            planned.participants.push(participant);
            if may_differ && !is_known {
                planned.sent.push(SentWrite::new(write, head));
            }
        }
        Ok(planned)
    }

    /// One operation of the caller, and what comes with it. Its failure is that of the operation alone.
    pub(crate) fn of_one(members: Vec<TransactionMember>, token: Option<String>) -> Result<Self> {
        let Some(first) = members.first() else {
            return Err(Error::config("a write without an operation"));
        };
        let whose = (first.write.entity, first.write.now);
        let mut plan = PlannedRequest::of_members(first.write.pattern, members, token, whose)?;
        // A single operation has the failure of a single write, and its error names no position
        // that the caller never gave.
        if let [alone] = &plan.participants[..] {
            plan.condition_failure = alone.condition_failure();
            plan.participants.clear();
        }
        Ok(plan)
    }
}

impl WriteRequest {
    /// Plans it as a separate request.
    pub(crate) fn into_planned(self) -> Result<PlannedRequest> {
        PlannedRequest::of_write(self)
    }

    /// Plans it as a separate request that returns this part of the item.
    pub(crate) fn with_returned(mut self, returned: Returned) -> Result<PlannedRequest> {
        self.set_returned(returned);
        self.into_planned()
    }

    /// Plans it as a separate request that returns nothing.
    pub(crate) fn into_quiet_plan(self) -> Result<Plan<()>> {
        Ok(self.into_planned()?.with_outcome(Outcome::Known(Some(()))))
    }
}

impl<Out> Plan<Out> {
    /// A request without a condition.
    pub(crate) fn of_request(
        request: Request,
        entity: &'static str,
        now: Timestamp,
        outcome: Outcome<Out>,
    ) -> Self {
        PlannedRequest::of_request(request, entity, now).with_outcome(outcome)
    }

    /// The same request, with another reader of the response.
    pub(crate) fn map_reply<Other>(
        self,
        read: fn(&Reply, Timestamp) -> Result<Other>,
    ) -> Plan<Other> {
        self.planned.with_outcome(Outcome::Read(read))
    }
}
