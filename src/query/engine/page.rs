//! `page`: some rows, and the position after them.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::hydrated::{HydratedRows, Vanished};
use super::position::ReadPosition;
use super::row::{RowOfEntity, RowsHold, RowsOf};
use super::row_source::{PAGE, RowSource};
use crate::dynamo::Dynamo;
use crate::entity::Key;
use crate::error::{Error, Result};
use crate::json::CodecError;
use crate::query::cursor::Cursor;
use crate::query::request::Selection;
use crate::read::RawRow;
use crate::wire::BoxFuture;

/// Some rows of a query, in its order.
#[derive(Clone)]
#[non_exhaustive]
pub struct Page<Row> {
    /// The rows: as many as the limit, if enough exist.
    pub rows: Vec<Row>,
    /// Continues after the last row. It is set only if more rows exist, or if `max_scanned` prevented the library
    /// from checking.
    pub next: Option<Cursor>,
    /// Goes back to the rows before the first one. It is set if the page was reached by a cursor and more rows exist
    /// before it.
    pub previous: Option<Cursor>,
    /// The source of the page; None in a page that was not read from DynamoDB.
    raw: Option<Arc<RawPage>>,
}

impl<Row> Page<Row> {
    /// The position of one of the rows: `resume` continues after it, or before it if it is turned
    /// [`backwards`](Cursor::backwards). `None` past the last row.
    pub fn cursor_at(&self, row: usize) -> Option<Cursor> {
        self.raw.as_ref()?.cursor_at(row)
    }

    /// Converts each row, for example into the form that an API returns. The cursors are the same.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = owner, sk = number))]
    /// # struct Note { owner: String, number: u32, text: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// # for number in 0..5 { Note { owner: "ann".into(), number, text: "..".into() }.put().send(&db).await?; }
    /// let page = Note::in_partition("ann").limit(2).page(&db).await?;
    /// let shown: Page<String> = page.map(|note| format!("{}: {}", note.number, note.text));
    /// assert_eq!(shown.rows, ["0: ..", "1: .."]);
    /// assert!(shown.next.is_some());
    /// # Ok(()) }
    /// ```
    pub fn map<Shown>(self, show: impl FnMut(Row) -> Shown) -> Page<Shown> {
        Page {
            rows: self.rows.into_iter().map(show).collect(),
            next: self.next,
            previous: self.previous,
            raw: self.raw,
        }
    }
}

impl<Row: RowOfEntity> Page<Row> {
    /// The keys of the items that the index still lists on this page and that no longer exist in the table, in the
    /// order of the index. Only [`hydrate`](crate::query::QueryExt::hydrate) finds any.
    ///
    /// A key in another format than this library's is an error in its position. The error contains the key as
    /// [`item_key`](crate::error::Error::item_key).
    pub fn vanished(&self) -> Vec<Result<Key<Row::Entity>>> {
        let rows = self.raw.iter().flat_map(|raw| &raw.vanished);
        rows.map(|row| <RowsHold<false> as RowsOf<Row::Entity>>::read_row(&row.place))
            .collect()
    }
}

/// All rows on one page, as a fake of a repository returns them.
impl<Row> From<Vec<Row>> for Page<Row> {
    fn from(rows: Vec<Row>) -> Self {
        Page {
            rows,
            next: None,
            previous: None,
            raw: None,
        }
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

/// A page before its rows are decoded.
struct RawPage {
    places: Vec<Bytes>,
    vanished: Vec<Vanished>,
    /// The position before the first row. It counts the rows in the order in which they were read.
    position: ReadPosition,
}

impl RawPage {
    fn cursor_at(&self, row: usize) -> Option<Cursor> {
        let maker = self.position.cursor_maker();
        // The rows were read, so their keys exist, and an error is impossible here.
        if !maker.is_segmented() {
            return maker.at_row(self.places.get(row)?).ok();
        }
        let places = self.places.get(..=row)?.iter();
        self.position.cursor_behind(places).ok().flatten()
    }
}

/// A page and its ends.
pub(crate) struct ReadPage {
    raw: RawPage,
    next: Option<Cursor>,
    previous: Option<Cursor>,
}

impl ReadPage {
    pub(crate) fn with_rows<Row>(self, rows: Vec<Row>) -> Page<Row> {
        Page {
            rows,
            next: self.next,
            previous: self.previous,
            raw: Some(Arc::new(self.raw)),
        }
    }
}

/// The reason why reading stopped.
enum StopReason {
    /// No more rows exist.
    Last,
    /// Another row exists.
    More,
    /// `max_scanned` was used up.
    Spent,
}

/// Reads a page and decodes its rows. It is boxed, so that it is compiled here and not in the user's program.
pub(crate) fn read_page(
    selection: Selection,
    db: Dynamo,
) -> BoxFuture<'static, Result<(ReadPage, Vec<RawRow>)>> {
    Box::pin(read_rows(selection, db))
}

async fn read_rows(selection: Selection, db: Dynamo) -> Result<(ReadPage, Vec<RawRow>)> {
    let mut position = ReadPosition::new(&selection, &db);
    let fail = |fault: CodecError| Error::decode(selection.entity_name(), fault);
    let mut row_source = selection.row_source(&db)?;
    let hydrates = selection.options.hydration.is_some();
    let limit = selection.options.limit.or(hydrates.then_some(PAGE));
    let (read, end) = collect_page(&mut row_source, limit).await?;
    let HydratedRows {
        mut rows,
        runs,
        mut vanished,
    } = read;
    position.expect_runs(runs);
    // The far end is in the direction of reading. At the near end, the row of the cursor itself follows, so a page
    // exists there.
    let far = match end {
        StopReason::Last => None,
        StopReason::More | StopReason::Spent => {
            let mut position = position.clone();
            rows.iter()
                .for_each(|row| position.pass_row(row.found_row().clone()));
            if matches!(end, StopReason::Spent) {
                // Rows that a filter dropped after the last delivered row must not be read again by
                // the next page.
                position.pass_gaps();
            }
            position.resume_cursor().map_err(fail)?
        }
    };
    let came_from = selection.options.resume.as_ref();
    let turns = came_from.is_some() && !selection.draft.is_scan;
    let near = rows.first().filter(|_| turns);
    let near = near.map(|row| position.cursor_maker().at_row(row.found_row().row_json()));
    let near = near.transpose().map_err(fail)?;
    let is_backward = came_from.is_some_and(Cursor::is_backward);
    // A backward page was read from its end, and is delivered in the order of the query.
    if is_backward {
        rows.reverse();
        vanished.reverse();
    }
    let (next, previous) = if is_backward {
        (near, far)
    } else {
        (far, near)
    };
    let page = ReadPage {
        raw: RawPage {
            places: rows.iter().map(|row| row.found_row().row_bytes()).collect(),
            vanished,
            position,
        },
        next,
        previous: previous.map(Cursor::backwards),
    };
    Ok((page, rows.into_iter().map(|row| row.item).collect()))
}

/// Reads until there is one row too many, or until the end. Without a limit, one response of each lane is enough.
async fn collect_page(
    row_source: &mut RowSource,
    limit: Option<usize>,
) -> Result<(HydratedRows, StopReason)> {
    let mut read = HydratedRows::default();
    let end = loop {
        let is_enough = !read.rows.is_empty() && !row_source.is_row_known();
        // Without a limit, the page ends with the first response that has rows, and with the rows
        // that merging already knows.
        let full = limit.or(is_enough.then_some(read.rows.len()));
        let wanted = full.map(|full| full.saturating_add(1).saturating_sub(read.rows.len()));
        read.extend(row_source.next(wanted).await?);
        let is_over = row_source.is_spent() || row_source.is_done();
        if is_over || full.is_some_and(|full| read.rows.len() > full) {
            row_source.expiry_filter().keep_living(&mut read);
        }
        if let Some(full) = full.filter(|full| read.rows.len() > *full) {
            // The row beyond the limit only proves that a next page exists. The cursor is taken
            // after the last delivered row.
            read.rows.truncate(full);
            // Items that vanished after the last row belong to the next page.
            read.vanished.retain(|row| row.before < full);
            break StopReason::More;
        }
        if row_source.is_spent() {
            read.runs.extend(row_source.trailing_run());
            break StopReason::Spent;
        }
        if row_source.is_done() {
            break StopReason::Last;
        }
    };
    Ok((read, end))
}
