//! One request after the other: the rows read so far, and the next request.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use super::answer::{AnswerFacts, AnswerForm, OmittedItems, Unread};
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result};
use crate::expr::{Expression, Node};
use crate::json::{CodecError, Writer};
use crate::key::point::{KeyPoint, points_of};
use crate::key::rank::{Ranking, Ranks};
use crate::query::keys::{ByKey, SortKeyTest};
use crate::query::request::{LaneRead, RequestFrame};
use crate::read::{Answered, Meter, RawRow, RawRows, ReadAhead, RequestCost};
use crate::schema::Pattern;
use crate::wire::{self, Request, Resend};

/// The number of rows of a large response that are decoded at a time, if they wait for others.
const SOME: usize = 128;

/// A read of one lane in progress.
#[derive(Debug)]
pub(crate) struct Fetch {
    db: Dynamo,
    pattern: &'static Pattern,
    /// The remaining requests, the current one first.
    frames: VecDeque<RequestFrame>,
    /// The start of the next request: the key attributes as entries of a JSON object.
    start: Option<Vec<u8>>,
    /// Whether this is a segment of a scan: only DynamoDB knows whether a cursor names a key of it.
    is_of_segment: bool,
    /// Whether a request was sent.
    has_begun: bool,
    page_size: Option<usize>,
    /// The number of items that may still be read.
    budget: Option<usize>,
    /// The factor of items read to rows wanted, because a filter may drop rows.
    surplus: usize,
    /// How rows are read.
    form: AnswerForm,
    /// The response that still has rows to decode.
    unread: Option<Unread>,
    /// Counts the consumption, if it is needed.
    meter: Option<Arc<Meter>>,
}

/// The response to one request, or some of its rows.
#[derive(Debug, Default)]
pub(crate) struct FetchedRows {
    /// The rows as received.
    pub(crate) rows: RawRows,
    /// The rank of each row, if they are ranked.
    pub(super) ranks: Ranks,
    /// The number of rows in the response, after all of it was read.
    pub(crate) count: usize,
}

impl Fetch {
    pub(crate) fn new(db: Dynamo, pattern: &'static Pattern, read: LaneRead) -> Self {
        Fetch {
            db,
            pattern,
            frames: read.frames.into(),
            start: read.start,
            is_of_segment: read.is_of_segment,
            has_begun: false,
            page_size: None,
            budget: None,
            surplus: 1,
            form: AnswerForm::default(),
            unread: None,
            meter: None,
        }
    }

    /// A read of these attributes of all rows of a table for which a condition holds.
    pub(crate) fn for_rows(
        db: Dynamo,
        pattern: &'static Pattern,
        table: &str,
        names: &[&str],
        filter: Option<Node>,
    ) -> Result<Self, CodecError> {
        let mut expression = Expression::default();
        let names = names.iter().map(|name| (*name).to_owned());
        expression
            .begin_parameter("ProjectionExpression")
            .push_names(names);
        if let Some(filter) = filter {
            filter.write_condition(expression.begin_parameter("FilterExpression"))?;
        }
        expression.check_limits()?;
        let mut body = Writer::for_request(256);
        body.push_raw("{\"TableName\":");
        body.push_quoted(table);
        expression.write_members(&mut body);
        body.push_raw(",\"ConsistentRead\":true");
        let frame = RequestFrame {
            operation: wire::ServiceOperation::Scan,
            table: table.to_owned(),
            body: body.into_bytes(),
            is_metered: false,
            filters: Vec::new(),
            begins: Vec::new(),
            end: None,
            is_nothing: false,
        };
        let read = LaneRead {
            frames: vec![frame],
            start: None,
            is_of_segment: false,
        };
        Ok(Fetch::new(db, pattern, read))
    }

    /// The rows of the next response.
    pub(crate) async fn next_rows(&mut self) -> Result<Vec<RawRow>> {
        Ok(self.next(None).await?.rows.collect())
    }

    pub(super) fn with_page_size(mut self, page_size: Option<usize>) -> Self {
        self.page_size = page_size.map(|size| size.max(1));
        self
    }

    pub(super) fn reading_ahead(mut self, ahead: Option<ReadAhead>) -> Self {
        self.form.ahead = ahead;
        self
    }

    /// Identifies rows without a type by their keys.
    pub(super) fn distinguish_rows(mut self, by_key: Option<ByKey>) -> Self {
        self.form.by_key = by_key;
        self
    }

    /// Omits the items of unique values that DynamoDB cannot filter.
    pub(super) fn omitting_items(mut self, omitted: OmittedItems) -> Self {
        self.form.omitted = omitted;
        self
    }

    /// Rejects rows whose sort key has the format of another program.
    pub(super) fn in_own_format(mut self, test: Option<SortKeyTest>) -> Self {
        self.form.in_own_format = test;
        self
    }

    /// Ranks its rows, so that they can be merged with those of others.
    pub(super) fn rank_by(&mut self, ranking: Ranking) {
        self.form.ranking = Some(ranking);
    }

    pub(super) fn with_meter(mut self, meter: Option<&Arc<Meter>>) -> Self {
        self.meter = meter.cloned();
        self
    }

    /// Sets the number of items that may be read from now on.
    pub(super) fn allow_rows(&mut self, budget: Option<usize>) {
        self.budget = budget;
    }

    /// The number of items that may still be read.
    pub(super) fn remaining_rows(&self) -> Option<usize> {
        self.budget
    }

    /// Whether no more rows follow.
    pub(crate) fn is_done(&self) -> bool {
        self.frames.is_empty()
    }

    /// Whether no item of the next range was read yet.
    pub(super) fn is_fresh(&self) -> bool {
        !self.has_begun || self.start.is_none()
    }

    /// The start of the next request, if one follows.
    pub(crate) fn start_position(&self) -> Option<&[u8]> {
        self.start.as_deref()
    }

    /// Adds the lowest rank that the next row can have after the ranks of the available rows, unless there is no next
    /// row.
    pub(super) fn rank_next(&self, ranks: &mut Ranks) -> Result<()> {
        let ranking = self.form.ranking.as_ref();
        let Some(ranking) = ranking.filter(|_| !self.is_done() && !self.is_unread()) else {
            return Ok(());
        };
        let points = self.key_horizon(&ranking.sort);
        let pushed = points.and_then(|points| ranks.push_bound(ranking, &points));
        pushed.map_err(|fault| Error::decode(self.pattern.entity, fault))
    }

    /// The known part of the sort key of the next row.
    fn key_horizon(&self, sort: &[&'static str]) -> Result<Vec<KeyPoint>, CodecError> {
        match (&self.start, self.frames.front()) {
            (Some(start), _) => points_of(&[b"{", &**start, b"}"].concat(), sort),
            (None, Some(frame)) => Ok(frame.begins.clone()),
            (None, None) => Ok(Vec::new()),
        }
    }

    /// The next response. The caller can use `wanted` rows.
    pub(crate) async fn next(&mut self, wanted: Option<usize>) -> Result<FetchedRows> {
        // An empty response, and not the end: the caller distinguishes a spent budget from the last
        // row.
        if self.budget == Some(0) {
            return Ok(FetchedRows::default());
        }
        let limit = self.request_limit(wanted);
        let Some(frame) = self.frames.front() else {
            return Ok(FetchedRows::default());
        };
        let turn = match &self.meter {
            Some(meter) => meter.wait_turn(limit).await,
            None => None,
        };
        // The rate limiter may lower the number of items, so that a single request does not consume
        // several seconds' units.
        let limit = turn.map_or(limit, |turn| turn.limit);
        let request = self.build_request(frame, self.start.as_deref(), limit);
        let reply = match self.db.call_service(request).await {
            Ok(reply) => reply,
            Err(failure) => return Err(self.explain_refusal(failure.error).await),
        };
        self.unread = Some(Unread::new(Answered::from(reply)));
        // A budget and a meter need counts that may come after the rows in the response, so it is decoded at once.
        let waits = self.form.ranking.is_some() && self.budget.is_none() && self.meter.is_none();
        let (answer, said) = self.read_answer(if waits { SOME } else { usize::MAX })?;
        if let Some(budget) = &mut self.budget {
            *budget = budget.saturating_sub(said.scanned);
        }
        if let Some(meter) = &self.meter {
            let took = RequestCost {
                units: said.units,
                scanned: said.scanned,
                rows: said.count,
                bytes: answer.rows.byte_count(),
                ends: self.is_done(),
            };
            meter.note_cost(turn, took);
        }
        Ok(answer)
    }

    /// Only DynamoDB knows whether the position of a cursor is in its segment. A rejection may also be about the
    /// filter: it was about the position if DynamoDB accepts the same request without it.
    async fn explain_refusal(&self, error: Error) -> Error {
        let error = error.of(self.pattern.entity);
        let has_place = self.is_of_segment && !self.has_begun && self.start.is_some();
        if !has_place || error.kind() != ErrorKind::Rejected {
            return error;
        }
        let Some(frame) = self.frames.front() else {
            return error;
        };
        // It reads one item. DynamoDB has the same code and kind for an invalid position and an
        // invalid filter, and messages are never parsed.
        match self
            .db
            .call_service(self.build_request(frame, None, Some(1)))
            .await
        {
            Ok(_) => error.with_kind(
                ErrorKind::InvalidCursor,
                "DynamoDB rejects the positions of the cursor: one is in another segment",
            ),
            Err(_) => error,
        }
    }

    /// Whether rows of the last response are left.
    pub(super) fn is_unread(&self) -> bool {
        self.unread.is_some()
    }

    /// The next rows of the last response.
    pub(super) fn read_on(&mut self) -> Result<FetchedRows> {
        Ok(self.read_answer(SOME)?.0)
    }

    /// Up to `most` rows, and the other content of the response if all of it is read.
    fn read_answer(&mut self, most: usize) -> Result<(FetchedRows, AnswerFacts)> {
        let Some(mut unread) = self.unread.take() else {
            return Ok(Default::default());
        };
        let read = unread.next(&self.form, most);
        let (rows, ranks) =
            read.map_err(|fault| unread.unreadable_answer(&fault).of(self.pattern.entity))?;
        self.has_begun = true;
        if rows.len() > 0 {
            self.form.rank = ranks.each();
        }
        let mut said = AnswerFacts::default();
        if unread.is_over() {
            said = unread.into_said();
            let end = self.frames.front().and_then(|frame| frame.end.as_ref());
            self.start = said
                .last
                .take()
                // DynamoDB returns a position even if it stopped at the last key of the range.
                // Local rejects a request from there, so that position is the end.
                .filter(|last| !last.is_empty() && !end.is_some_and(|end| end.is_at(last)));
            if self.start.is_none() {
                // A range that was split into several requests continues with the next one from its
                // beginning.
                self.frames.pop_front();
            }
        } else {
            self.unread = Some(unread);
        }
        let count = said.count;
        Ok((FetchedRows { rows, ranks, count }, said))
    }

    /// The number of items that the next request reads. It is not known how many a filter drops, so it doubles each
    /// time.
    fn request_limit(&mut self, wanted: Option<usize>) -> Option<usize> {
        let wanted = wanted.map(|wanted| {
            let frame = self.frames.front();
            if frame.is_none_or(|frame| frame.filters.is_empty()) {
                return wanted;
            }
            let enough = wanted.saturating_mul(self.surplus);
            self.surplus = self.surplus.saturating_mul(2);
            enough
        });
        let limits = [wanted, self.page_size, self.budget];
        limits.into_iter().flatten().min()
    }

    fn build_request(
        &self,
        frame: &RequestFrame,
        start: Option<&[u8]>,
        limit: Option<usize>,
    ) -> Request {
        let mut body = Writer::for_request(frame.body.len() + 256);
        body.raw_bytes(&frame.body);
        if let Some(limit) = limit {
            // A limit above the rows of a full response changes nothing, so clamping it is harmless.
            body.push_raw(&format!(",\"Limit\":{}", limit.clamp(1, i32::MAX as usize)));
        }
        if let Some(start) = start {
            body.push_raw(",\"ExclusiveStartKey\":{");
            body.raw_bytes(start);
            body.push_raw("}");
        }
        body.push_raw("}");
        Request {
            is_metered: frame.is_metered,
            ..Request::new(
                frame.operation,
                self.pattern,
                frame.table.clone(),
                body,
                Resend::Always,
            )
        }
    }

    /// The next request as it would be sent.
    pub(super) fn preview_request(&mut self, wanted: Option<usize>) -> Option<Bytes> {
        let limit = self.request_limit(wanted);
        Some(
            self.build_request(self.frames.front()?, self.start.as_deref(), limit)
                .body,
        )
    }
}
