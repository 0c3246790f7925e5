//! `stream`: rows one after the other, with the next response fetched while this one is processed.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::expiry_filter::ExpiryFilter;
use super::hydrated::{HydratedRow, HydratedRows};
use super::position::ReadPosition;
use super::row_source::RowSource;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::plan::RunningRequest;
use crate::query::cursor::Cursor;
use crate::query::request::Selection;
use crate::read::ReadRow;

/// The rows of a query as they arrive: a `Stream`, or `while let Some(row) = rows.next().await`.
///
/// A row that cannot be decoded is an error in its position, and the stream continues. A failed request is an error
/// too, and ends the stream. Dropping the stream stops the work.
#[must_use = "nothing is read until rows are requested"]
pub struct RowStream<Row> {
    entity: &'static str,
    read: ReadRow<Row>,
    rows: VecDeque<HydratedRow>,
    position: ReadPosition,
    /// Whether rows arrive in small portions, some of them without a request.
    is_merging: bool,
    /// The number of rows that may still be returned, including the available ones.
    left: usize,
    ahead: NextAnswer,
    /// None if the read could not be planned.
    living: Option<ExpiryFilter>,
}

/// The response after the available rows.
enum NextAnswer {
    /// The response was not requested yet.
    Idle(Box<RowSource>),
    Asked(RunningRequest<Fetched>),
    Failed(Error),
    None,
}

/// With this number of rows left, the stream checks whether more have arrived.
const FEW: usize = 512;

type Fetched = (Box<RowSource>, Result<HydratedRows>);

/// The next rows, and the state after them.
async fn fetch_rows(mut row_source: Box<RowSource>, wanted: Option<usize>) -> Fetched {
    let answer = row_source.next(wanted).await;
    (row_source, answer)
}

impl<Row> RowStream<Row> {
    pub(crate) fn new(selection: Selection, read: ReadRow<Row>, db: Dynamo) -> Self {
        let planned = selection
            .refuse_backwards()
            .and_then(|()| selection.row_source(&db));
        let planned = match selection.options.limit {
            Some(_) => planned,
            None => planned.map(RowSource::until_the_end),
        };
        RowStream {
            entity: selection.entity_name(),
            position: ReadPosition::new(&selection, &db),
            read,
            rows: VecDeque::new(),
            is_merging: planned.as_ref().is_ok_and(RowSource::is_merging),
            left: selection.options.limit.unwrap_or(usize::MAX),
            living: planned
                .as_ref()
                .ok()
                .map(|row_source| row_source.expiry_filter().clone()),
            ahead: match planned {
                Ok(row_source) => NextAnswer::Idle(Box::new(row_source)),
                Err(error) => NextAnswer::Failed(error),
            },
        }
    }

    /// The next row; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<Row>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// The position after the returned rows: `query.resume(rows.cursor()?)` reads the remaining ones, in this process
    /// or another, after a break or after an error of DynamoDB. It is None before the first row; after the last row
    /// it is a position without following rows.
    ///
    /// Therefore a scan of hours survives a crash: save the cursor regularly, together with the results of the rows.
    /// Rows after the saved position are returned again, the others never.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: u32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # for id in 0..100 { Note { id }.put().send(&db).await?; }
    /// let mut rows = Note::scan().segments(4).stream(&db);
    /// for _ in 0..30 {
    ///     rows.next().await.expect("a row")?;
    /// }
    /// let saved = rows.cursor()?.expect("a place").to_string();
    ///
    /// let rest = Note::scan().segments(4).resume(saved.parse::<Cursor>()?).all(&db).await?;
    /// assert_eq!(rest.len(), 70);
    /// # Ok(()) }
    /// ```
    pub fn cursor(&self) -> Result<Option<Cursor>> {
        let mut position = self.position.clone();
        position.pass_gaps();
        let cursor = position.resume_cursor();
        cursor.map_err(|fault| Error::decode(self.entity, fault))
    }

    /// Requests the response after the available rows, if it is needed.
    fn request_rows(&mut self) {
        match std::mem::replace(&mut self.ahead, NextAnswer::None) {
            NextAnswer::Idle(row_source) => {
                let wanted = self.left.saturating_sub(self.rows.len());
                if row_source.is_done() || row_source.is_spent() {
                    return;
                }
                if wanted == 0 {
                    // An available row may expire before its turn, and then another one is needed.
                    self.ahead = NextAnswer::Idle(row_source);
                    return;
                }
                let wanted = (self.left != usize::MAX).then_some(wanted);
                self.ahead =
                    NextAnswer::Asked(RunningRequest::start_work(fetch_rows(row_source, wanted)));
            }
            other => self.ahead = other,
        }
    }

    /// Takes the response that has arrived after the available rows.
    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let NextAnswer::Asked(task) = &mut self.ahead {
            self.ahead = match ready!(task.poll(cx)) {
                Ok((row_source, Ok(answer))) => {
                    if self.rows.is_empty() {
                        // No row waits, so the buffer of the response can be reused instead of copied.
                        self.rows = answer.rows.into();
                    } else {
                        self.rows.extend(answer.rows);
                    }
                    self.position.expect_runs(answer.runs);
                    NextAnswer::Idle(row_source)
                }
                Ok((_, Err(error))) | Err(error) => NextAnswer::Failed(error),
            };
        }
        Poll::Ready(())
    }
}

impl<Row> Unpin for RowStream<Row> {}

impl<Row> Stream for RowStream<Row> {
    type Item = Result<Row>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Row>>> {
        loop {
            self.request_rows();
            if self.left == 0 {
                return Poll::Ready(None);
            }
            if self.is_merging && self.rows.len() == FEW {
                // When rows are merged, a response may bring few rows. The next requests must begin before the last of
                // them is taken, or the caller waits for each.
                let _ = self.poll_ahead(cx);
                self.request_rows();
            }
            if let Some(row) = self.rows.pop_front() {
                if self
                    .living
                    .as_ref()
                    .is_some_and(|living| living.is_over(&row))
                {
                    // An expired row moves the position too, or a resumed stream would read it
                    // again.
                    self.position.pass_row(row.into_place());
                    continue;
                }
                self.left = match self.left {
                    usize::MAX => usize::MAX,
                    left => left - 1,
                };
                let value = self.read.read_row(&row.item);
                self.position.pass_row(row.into_place());
                return Poll::Ready(Some(value));
            }
            match &mut self.ahead {
                NextAnswer::Asked(_) => ready!(self.poll_ahead(cx)),
                // After an error, the stream ends: the next poll finds `None`.
                NextAnswer::Failed(_) => {
                    if let NextAnswer::Failed(error) =
                        std::mem::replace(&mut self.ahead, NextAnswer::None)
                    {
                        return Poll::Ready(Some(Err(error)));
                    }
                }
                NextAnswer::Idle(_) | NextAnswer::None => return Poll::Ready(None),
            }
        }
    }
}

impl<Row> fmt::Debug for RowStream<Row> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowStream")
    }
}
