//! The rows of a query for a job: one after the other, each with its position, with one response read ahead.

use std::collections::VecDeque;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;

use super::expiry_filter::ExpiryFilter;
use super::hydrated::{HydratedRow, HydratedRows};
use super::position::ReadPosition;
use super::row_source::RowSource;
use super::run::Runs;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result};
use crate::query::cursor::Cursor;
use crate::query::cursor::spot::{PositionChange, RowSpot};
use crate::query::request::{CursorMaker, Selection};
use crate::retry::{RetryBudget, SharedBudget};
use crate::wire::BoxFuture;
/// Creates cursors.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    maker: CursorMaker,
    begin: RowSpot,
}

impl Places {
    pub(crate) fn of_selection(selection: &Selection, db: &Dynamo) -> Self {
        Places {
            maker: CursorMaker::new(selection, db),
            begin: selection.first_spot(),
        }
    }

    /// The start of the walk.
    pub(crate) fn first_spot(&self) -> RowSpot {
        self.begin.clone()
    }

    /// The cursor for a position; None at the start.
    pub(crate) fn cursor_at(&self, spot: &RowSpot) -> Option<Cursor> {
        self.maker.at_spot(spot)
    }

    /// The number that identifies this query.
    pub(crate) fn query_binding(&self) -> u64 {
        self.maker.query_binding()
    }
}

/// One step of a walk over the rows.
#[derive(Debug)]
pub(crate) struct WalkStep {
    /// The position after the step.
    pub(crate) mark: PositionChange,
    /// The row at this position. None after rows that a filter has dropped, and for a row that has expired.
    pub(crate) item: Option<Bytes>,
}

/// Rows one after the other, with one response read ahead.
pub(crate) struct Walk {
    entity: &'static str,
    places: Places,
    left: usize,
    rows: VecDeque<HydratedRow>,
    runs: Runs,
    is_spent: bool,
    ahead: WalkAhead,
    living: ExpiryFilter,
}

enum WalkAhead {
    Idle(Box<WalkReader>),
    Asked(BoxFuture<'static, (Box<WalkReader>, Result<HydratedRows>)>),
    Over,
}

/// The reader, and the position at which it would start again.
struct WalkReader {
    row_source: RowSource,
    selection: Selection,
    db: Dynamo,
    budget: RetryBudget,
    /// The progress so far.
    position: ReadPosition,
}

impl WalkReader {
    /// The next response. If DynamoDB is busy, the request is repeated from after the last row, because the failed
    /// request may have lost rows.
    async fn next(&mut self, wanted: Option<usize>) -> Result<HydratedRows> {
        let shared_budget = SharedBudget::new(self.budget);
        let mut rounds = shared_budget.begin_rounds();
        loop {
            let began = Instant::now();
            let error = match self.row_source.next(wanted).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let is_busy = matches!(error.kind(), ErrorKind::Throttled | ErrorKind::Unavailable);
            rounds.in_vain();
            if !is_busy || !rounds.begin_another(began.elapsed()).await {
                return Err(error);
            }
            // The failed request may have consumed a part of a lane, so the read begins again after
            // the last row that was passed on.
            let place = self.position.resume_cursor();
            let place =
                place.map_err(|fault| Error::decode(self.selection.entity_name(), fault))?;
            // Before the first row there is no new position, and the read starts where the job
            // itself was resumed.
            self.selection.options.resume = place.or(self.selection.options.resume.take());
            self.row_source = self
                .row_source
                .restarted_source(&self.selection, &self.db)?;
        }
    }
}

impl Walk {
    /// Begins to read. If this fails, nothing is sent.
    pub(crate) fn new(selection: &Selection, db: &Dynamo, budget: RetryBudget) -> Result<Walk> {
        selection.refuse_backwards()?;
        let row_source = selection.row_source(db)?;
        Ok(Walk {
            living: row_source.expiry_filter().clone(),
            places: Places::of_selection(selection, db),
            entity: selection.entity_name(),
            left: selection.options.limit.unwrap_or(usize::MAX),
            rows: VecDeque::new(),
            runs: Runs::default(),
            is_spent: false,
            ahead: WalkAhead::Idle(Box::new(WalkReader {
                row_source,
                selection: selection.clone(),
                db: db.clone(),
                budget,
                position: ReadPosition::new(selection, db),
            })),
        })
    }

    /// Whether reading stopped at `max_scanned`, so that more rows may exist.
    pub(crate) fn is_spent(&self) -> bool {
        self.is_spent
    }

    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<WalkStep>>> {
        loop {
            // This precedes the check of the limit: a segment without rows moves the position, although no row remains
            // to be returned.
            if let Some(mark) = self.runs.next_gap() {
                return Poll::Ready(Some(Ok(WalkStep { mark, item: None })));
            }
            if self.left == 0 {
                return Poll::Ready(None);
            }
            if let Some(row) = self.rows.pop_front() {
                let mut step = self.step_row(&row)?;
                // An expired row moves the position, but does not count towards the limit.
                if !self.living.is_over(&row) {
                    self.left = self.left.saturating_sub(1);
                    step.item = Some(row.item.row_bytes());
                }
                return Poll::Ready(Some(Ok(step)));
            }
            // `Over` remains after an error, so another poll sends no request.
            match std::mem::replace(&mut self.ahead, WalkAhead::Over) {
                WalkAhead::Over => return Poll::Ready(None),
                WalkAhead::Idle(reader) => self.request_rows(reader),
                WalkAhead::Asked(mut answer) => match answer.as_mut().poll(cx) {
                    Poll::Pending => {
                        self.ahead = WalkAhead::Asked(answer);
                        return Poll::Pending;
                    }
                    Poll::Ready((reader, answer)) => match answer {
                        Ok(answer) => self.take_answer(reader, answer),
                        Err(error) => return Poll::Ready(Some(Err(error))),
                    },
                },
            }
        }
    }

    /// Steps over a row without returning it.
    fn step_row(&mut self, row: &HydratedRow) -> Result<WalkStep> {
        let (segment, ends) = self.runs.next_row();
        let mark = match ends {
            Some(reached) => PositionChange { segment, reached },
            None => {
                let position = self.places.maker.row_position(row.found_row().row_json());
                let position = position.map_err(|fault| Error::decode(self.entity, fault))?;
                PositionChange::after_position(segment, position)
            }
        };
        Ok(WalkStep { mark, item: None })
    }

    /// Requests the next rows, if more exist.
    fn request_rows(&mut self, mut reader: Box<WalkReader>) {
        let row_source = &reader.row_source;
        self.is_spent = row_source.is_spent();
        if self.left == 0 || row_source.is_done() || row_source.is_spent() {
            return;
        }
        let wanted = (self.left != usize::MAX).then_some(self.left);
        self.ahead = WalkAhead::Asked(Box::pin(async move {
            let answer = reader.next(wanted).await;
            (reader, answer)
        }));
    }

    fn take_answer(&mut self, mut reader: Box<WalkReader>, answer: HydratedRows) {
        reader.position.expect_runs(answer.runs.clone());
        for row in &answer.rows {
            reader.position.pass_row(row.found_row().clone());
        }
        reader.position.pass_gaps();
        self.runs.extend(answer.runs);
        self.rows.extend(answer.rows);
        self.ahead = WalkAhead::Idle(reader);
    }
}
