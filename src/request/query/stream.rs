//! `stream`: rows one after the other, the next answer fetched while this one is used.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::ReadRow;
use super::hydrate::Supply;
use super::selection::Selection;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::request::raw_row::RawRow;
use crate::request::task::Task;

/// The rows of a query, as they come: a `Stream`, or `while let Some(row) = rows.next().await`.
///
/// A row that does not decode is an error in its place, and the stream goes on. An answer that does
/// not come is an error too, and the last thing that comes. Dropping the stream stops the work.
#[must_use = "nothing is read until rows are asked for"]
pub struct RowStream<Row> {
    read: ReadRow<Row>,
    rows: VecDeque<RawRow>,
    /// Rows that may still be returned, those at hand included.
    left: usize,
    ahead: Ahead,
}

/// The answer behind the rows at hand.
enum Ahead {
    /// Not asked for.
    Idle(Box<Supply>),
    Asked(Task<Fetched>),
    Failed(Error),
    None,
}

type Fetched = (Box<Supply>, Result<Vec<RawRow>>);

/// The next rows, and what is behind them.
async fn fetch(mut supply: Box<Supply>, wanted: Option<usize>) -> Fetched {
    let answer = supply.next(wanted).await;
    let rows = answer.map(|answer| answer.rows.into_iter().map(|row| row.item).collect());
    (supply, rows)
}

impl<Row> RowStream<Row> {
    pub(super) fn new(selection: Selection, read: ReadRow<Row>, db: Dynamo) -> Self {
        let planned = selection
            .refuse_backwards()
            .and_then(|()| selection.supply(&db));
        RowStream {
            read,
            rows: VecDeque::new(),
            left: selection.options.limit.unwrap_or(usize::MAX),
            ahead: match planned {
                Ok(supply) => Ahead::Idle(Box::new(supply)),
                Err(error) => Ahead::Failed(error),
            },
        }
    }

    /// The next row; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<Row>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Asks for the answer behind the rows at hand, if there is use for it.
    fn ask(&mut self) {
        match std::mem::replace(&mut self.ahead, Ahead::None) {
            Ahead::Idle(supply) => {
                let wanted = self.left.saturating_sub(self.rows.len());
                if wanted > 0 && !supply.is_done() && !supply.is_spent() {
                    let wanted = (self.left != usize::MAX).then_some(wanted);
                    self.ahead = Ahead::Asked(Task::start(fetch(supply, wanted)));
                }
            }
            other => self.ahead = other,
        }
    }
}

impl<Row> Unpin for RowStream<Row> {}

impl<Row> Stream for RowStream<Row> {
    type Item = Result<Row>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Row>>> {
        loop {
            self.ask();
            if self.left == 0 {
                return Poll::Ready(None);
            }
            if let Some(row) = self.rows.pop_front() {
                self.left = match self.left {
                    usize::MAX => usize::MAX,
                    left => left - 1,
                };
                return Poll::Ready(Some((self.read)(row)));
            }
            match &mut self.ahead {
                Ahead::Asked(task) => {
                    let fetched = ready!(task.poll(cx));
                    self.ahead = match fetched {
                        Ok((supply, Ok(answer))) => {
                            self.rows.extend(answer);
                            Ahead::Idle(supply)
                        }
                        Ok((_, Err(error))) | Err(error) => Ahead::Failed(error),
                    };
                }
                Ahead::Failed(_) => {
                    if let Ahead::Failed(error) = std::mem::replace(&mut self.ahead, Ahead::None) {
                        return Poll::Ready(Some(Err(error)));
                    }
                }
                Ahead::Idle(_) | Ahead::None => return Poll::Ready(None),
            }
        }
    }
}

impl<Row> fmt::Debug for RowStream<Row> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowStream")
    }
}
