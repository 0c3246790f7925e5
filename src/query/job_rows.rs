//! The rows of a query for a job: one after the other, each with its position, and with the condition that makes it a
//! row of the query.

use std::collections::VecDeque;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;

use super::cursor::{Cursor, CursorMaker};
use super::explain::explain;
use super::hydrate::{HydratedRow, HydratedRows, Hydration, RowSource};
use super::living::Living;
use super::position::{PositionChange, ReadPosition, RowSpot, Runs};
use super::selection::{Selection, Wanted};
use super::{Query, QuerySource};
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result};
use crate::expr::Node;
use crate::json::{CodecError, member};
use crate::path::Place;
use crate::plan::{Explanation, check};
use crate::retry::{RetryBudget, SharedBudget};
use crate::schema::SHAPE;
use crate::wire::BoxFuture;
use crate::write::attributes_of;

/// The rows of a job.
#[derive(Debug, Clone)]
pub(crate) struct JobRows(Selection);

impl JobRows {
    pub(crate) fn of<Row, From>(query: Query<Row, From>) -> Self {
        let mut selection = query.selection;
        // A job looks at the bytes of its rows, so they are not read as a type.
        selection.options.ahead = None;
        JobRows(selection)
    }

    /// Reads only the attributes that a delete needs: the keys, and the unique values of rows that have some. If an
    /// index does not contain them, they are read from the items.
    pub(crate) fn for_deletes(mut self) -> Self {
        let mut needed = self.needed_by_deletes();
        let source = *self.source();
        let options = &mut self.0.options;
        let is_held = needed.iter().all(|name| source.holds(name));
        if source.is_whole() || options.hydration.is_some() || !is_held {
            needed.push(SHAPE);
        }
        match &mut options.hydration {
            Some(items) => items.attributes = Some(needed),
            None if is_held => options.projection = Some(needed),
            None => {
                options.projection = Some(Vec::new());
                options.hydration = Some(Hydration {
                    attributes: Some(needed),
                });
            }
        }
        self
    }

    /// The attributes that a delete needs: it releases unique values by them, and the type identifies the entity of a
    /// row.
    fn needed_by_deletes(&self) -> Vec<&'static str> {
        let source = self.source();
        let mut entities: Vec<_> = match source.members {
            Some(members) => source
                .entities
                .iter()
                .copied()
                .filter(|entity| members.take(entity))
                .collect(),
            None => vec![source.entity],
        };
        entities.retain(|entity| !entity.uniques.is_empty());
        if entities.is_empty() {
            return source.table.type_attribute.into_iter().collect();
        }
        let values = entities.into_iter().flat_map(attributes_of);
        source
            .table
            .type_attribute
            .into_iter()
            .chain(values)
            .collect()
    }

    pub(crate) fn source(&self) -> &QuerySource {
        self.0.source()
    }

    pub(crate) fn entity(&self) -> &'static str {
        self.0.entity()
    }

    /// Whether a row may be found again at another position. This is possible in an index, because the keys of an
    /// index change; those of a table do not.
    pub(crate) fn may_repeat(&self) -> bool {
        self.source().index.is_some()
    }

    /// The requests that read its rows.
    pub(crate) fn explain(self, db: &Dynamo) -> Result<Explanation> {
        explain(self.0, db, Wanted::Items)
    }

    /// Creates the cursors of its rows.
    pub(crate) fn places(&self, db: &Dynamo) -> Places {
        Places {
            maker: CursorMaker::new(&self.0, db),
            begin: self.0.begin(),
        }
    }

    /// Continues after a row. The bounds of the cursor apply to all following rows.
    pub(crate) fn resume(&mut self, cursor: Cursor) {
        self.0.options.resume = Some(cursor);
    }

    /// Lowers the limit by rows that were delivered before.
    pub(crate) fn leave_out(&mut self, rows: u64) {
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        if let Some(limit) = &mut self.0.options.limit {
            *limit = limit.saturating_sub(rows);
        }
    }

    /// Returns an error for a row that may belong to something else and must not be deleted.
    pub(crate) fn check_row(&self, item: &[u8]) -> Result<()> {
        self.source().check_row(item)
    }

    /// Whether the query has more conditions than its keys.
    pub(crate) fn has_filter(&self) -> bool {
        self.0.options.filter.is_some()
    }

    /// The condition under which the stored item is still a row of the query, for the condition of a write. None if
    /// this item is no longer one.
    pub(crate) fn claim(&self, item: &[u8], now: Timestamp) -> Result<Option<Node>, CodecError> {
        let is_row = self.0.keys_match(item)? && !check::is_expired(item, self.0.hidden_by(), now);
        if !is_row {
            return Ok(None);
        }
        let table = self.source().table;
        let index = self.source().index.into_iter();
        let keys = index.flat_map(|index| index.pk.iter().chain(index.sk));
        let mut asked = Vec::new();
        for name in keys.map(|key| key.attribute) {
            let is_primary = name == table.pk || table.sk == Some(name);
            if let Some(json) = member(item, name)?.filter(|_| !is_primary) {
                asked.push(check::value_condition(name, json));
            }
        }
        asked.extend(self.0.options.filter.clone());
        Ok(Some(Node::all(asked)))
    }

    /// The condition of a delete. Rows of an index may not say whether their items have a newer shape, so the service is
    /// asked.
    pub(crate) fn claim_of_delete(&self, claim: Node) -> Node {
        match self.source().is_whole() || self.0.options.hydration.is_some() {
            true => claim,
            false => claim.and(Node::Missing(Place::of(SHAPE))),
        }
    }

    /// Begins to read. If this fails, nothing is sent.
    pub(crate) fn walk(&self, db: &Dynamo, budget: RetryBudget) -> Result<Walk> {
        self.0.refuse_backwards()?;
        let row_source = self.0.row_source(db)?;
        Ok(Walk {
            living: row_source.living().clone(),
            places: self.places(db),
            entity: self.entity(),
            left: self.0.options.limit.unwrap_or(usize::MAX),
            rows: VecDeque::new(),
            runs: Runs::default(),
            is_spent: false,
            ahead: WalkAhead::Idle(Box::new(WalkReader {
                row_source,
                selection: self.0.clone(),
                db: db.clone(),
                budget,
                position: ReadPosition::new(&self.0, db),
            })),
        })
    }
}

/// Creates cursors.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    maker: CursorMaker,
    begin: RowSpot,
}

impl Places {
    /// The start of the walk.
    pub(crate) fn begin(&self) -> RowSpot {
        self.begin.clone()
    }

    /// The cursor for a position; None at the start.
    pub(crate) fn cursor(&self, spot: &RowSpot) -> Option<Cursor> {
        self.maker.at_spot(spot)
    }

    /// The number that identifies this query.
    pub(crate) fn binding(&self) -> u64 {
        self.maker.binding()
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
    living: Living,
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
        let mut rounds = shared_budget.rounds();
        loop {
            let began = Instant::now();
            let error = match self.row_source.next(wanted).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let is_busy = matches!(error.kind(), ErrorKind::Throttled | ErrorKind::Unavailable);
            rounds.in_vain();
            if !is_busy || !rounds.another(began.elapsed()).await {
                return Err(error);
            }
            let place = self.position.cursor();
            let place = place.map_err(|fault| Error::decode(self.selection.entity(), fault))?;
            self.selection.options.resume = place.or(self.selection.options.resume.take());
            self.row_source = self.row_source.again(&self.selection, &self.db)?;
        }
    }
}

impl Walk {
    /// Whether reading stopped at `max_scanned`, so that more rows may exist.
    pub(crate) fn is_spent(&self) -> bool {
        self.is_spent
    }

    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<WalkStep>>> {
        loop {
            if let Some(mark) = self.runs.next_gap() {
                return Poll::Ready(Some(Ok(WalkStep { mark, item: None })));
            }
            if self.left == 0 {
                return Poll::Ready(None);
            }
            if let Some(row) = self.rows.pop_front() {
                let mut step = self.step(&row)?;
                if !self.living.is_over(&row) {
                    self.left = self.left.saturating_sub(1);
                    step.item = Some(row.item.bytes());
                }
                return Poll::Ready(Some(Ok(step)));
            }
            match std::mem::replace(&mut self.ahead, WalkAhead::Over) {
                WalkAhead::Over => return Poll::Ready(None),
                WalkAhead::Idle(reader) => self.ask(reader),
                WalkAhead::Asked(mut answer) => match answer.as_mut().poll(cx) {
                    Poll::Pending => {
                        self.ahead = WalkAhead::Asked(answer);
                        return Poll::Pending;
                    }
                    Poll::Ready((reader, answer)) => match answer {
                        Ok(answer) => self.take(reader, answer),
                        Err(error) => return Poll::Ready(Some(Err(error))),
                    },
                },
            }
        }
    }

    /// Steps over a row without returning it.
    fn step(&mut self, row: &HydratedRow) -> Result<WalkStep> {
        let (segment, ends) = self.runs.next_row();
        let mark = match ends {
            Some(reached) => PositionChange { segment, reached },
            None => {
                let position = self.places.maker.position(row.place().json());
                let position = position.map_err(|fault| Error::decode(self.entity, fault))?;
                PositionChange::behind(segment, position)
            }
        };
        Ok(WalkStep { mark, item: None })
    }

    /// Requests the next rows, if more exist.
    fn ask(&mut self, mut reader: Box<WalkReader>) {
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

    fn take(&mut self, mut reader: Box<WalkReader>, answer: HydratedRows) {
        reader.position.expect(answer.runs.clone());
        for row in &answer.rows {
            reader.position.pass(row.place().clone());
        }
        reader.position.pass_gaps();
        self.runs.extend(answer.runs);
        self.rows.extend(answer.rows);
        self.ahead = WalkAhead::Idle(reader);
    }
}
