//! `page`: some rows, and where to go on.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::cursor::{Cursor, CursorMaker};
use super::gather::Gather;
use super::selection::{Selection, Wanted};
use crate::codec::Fault;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};

/// Some rows of a query, in its order.
#[derive(Clone)]
#[non_exhaustive]
pub struct Page<Row> {
    /// The rows: as many as the limit, while there are as many.
    pub rows: Vec<Row>,
    /// Goes on behind the last row. There is one only if more is there, or if `max_scanned` kept the
    /// library from looking.
    pub next: Option<Cursor>,
    /// Goes back before the first row. There is one if the page was reached by a cursor and more is
    /// there.
    pub previous: Option<Cursor>,
    raw: Arc<RawPage>,
}

impl<Row> Page<Row> {
    /// The place of one of the rows: `resume` goes on behind it, or before it if it is turned
    /// [`backwards`](Cursor::backwards). `None` past the last row.
    pub fn cursor_at(&self, row: usize) -> Option<Cursor> {
        let row = self.raw.rows.get(row)?;
        // It was read before, so its keys are there.
        self.raw.maker.at_row(row).ok()
    }
}

impl<Row: fmt::Debug> fmt::Debug for Page<Row> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page")
            .field("rows", &self.rows)
            .field("next", &self.next)
            .field("previous", &self.previous)
            .finish_non_exhaustive()
    }
}

/// A page before its rows are read.
struct RawPage {
    rows: Vec<Bytes>,
    maker: CursorMaker,
}

/// A page and its ends.
pub(super) struct ReadPage {
    raw: RawPage,
    next: Option<Cursor>,
    previous: Option<Cursor>,
}

impl ReadPage {
    pub(super) fn rows(&self) -> &[Bytes] {
        &self.raw.rows
    }

    pub(super) fn with<Row>(self, rows: Vec<Row>) -> Page<Row> {
        Page {
            rows,
            next: self.next,
            previous: self.previous,
            raw: Arc::new(self.raw),
        }
    }
}

/// Why reading stopped.
enum End {
    /// Nothing more is there.
    Last,
    /// Another row is.
    More,
    /// `max_scanned`: the place up to which was looked.
    Spent(Option<Vec<u8>>),
}

/// Reads a page.
pub(super) async fn read(selection: Selection, db: Dynamo) -> Result<ReadPage> {
    let maker = CursorMaker::new(&selection, &db);
    let fail = |fault: Fault| Error::decode(selection.entity(), fault);
    let mut gather = selection.gather(&db, Wanted::Items)?;
    let (mut rows, end) = collect(&mut gather, selection.options.limit).await?;
    let came_from = selection.options.resume.clone();
    let is_backward = came_from.as_ref().is_some_and(Cursor::is_backward);
    if is_backward {
        rows.reverse();
    }
    let at = |row: Option<&Bytes>| row.map(|row| maker.at_row(row)).transpose().map_err(fail);
    let (first, last) = (at(rows.first())?, at(rows.last())?);
    // The far end is the one that was read towards; behind the near one is the cursor's own row.
    let (far, near) = if is_backward {
        (first, last)
    } else {
        (last, first)
    };
    let far = match end {
        End::Last => None,
        End::More => far,
        End::Spent(place) => place.map(|place| maker.at(place)).or(far),
    };
    let near = near.filter(|_| came_from.is_some());
    let (next, previous) = if is_backward {
        (near, far)
    } else {
        (far, near)
    };
    Ok(ReadPage {
        raw: RawPage { rows, maker },
        next,
        previous: previous.map(Cursor::backwards),
    })
}

/// Reads until there is one row too many, or until the end. Without a limit one answer is enough.
async fn collect(gather: &mut Gather, limit: Option<usize>) -> Result<(Vec<Bytes>, End)> {
    let mut rows = Vec::new();
    loop {
        let wanted = match limit {
            Some(limit) => Some(limit.saturating_add(1).saturating_sub(rows.len())),
            None if rows.is_empty() => None,
            None => Some(1),
        };
        let answer = gather.next(wanted).await?;
        let full = limit.or((!rows.is_empty()).then_some(rows.len()));
        rows.extend(answer);
        if let Some(full) = full.filter(|full| rows.len() > *full) {
            rows.truncate(full);
            return Ok((rows, End::More));
        }
        if gather.is_spent() {
            return Ok((rows, End::Spent(gather.position().map(<[u8]>::to_vec))));
        }
        if gather.is_done() {
            return Ok((rows, End::Last));
        }
    }
}
