//! `all`, `first`, `one`, `count`, `exists`: reads that end after a number of rows, or at the end.

use super::hydrated::{HydratedRow, HydratedRows};
use crate::dynamo::Dynamo;
use crate::entity::is_past;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::query::request::Selection;
use crate::read::{RawRow, ReadRow};
use crate::wire::BoxFuture;

/// The number of rows to take.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Take {
    /// At most this many rows, or all.
    UpTo(Option<usize>),
    /// The only row: a second one is an error.
    One,
}

/// Converts rows as they arrive, so no response is kept until all are read.
pub(crate) trait Sink: Send {
    /// Takes the next rows.
    fn take_rows(&mut self, rows: Vec<HydratedRow>) -> Result<()>;

    /// The number of rows taken.
    fn len(&self) -> usize;

    fn swap_rows(&mut self, one: usize, other: usize);

    /// Drops the rows after this number.
    fn truncate_rows(&mut self, rows: usize);
}

/// Omits the rows whose number `lives` does not accept.
fn retain_living(kept: &mut dyn Sink, lives: impl Fn(usize) -> bool) {
    let mut left = 0;
    for row in 0..kept.len() {
        if lives(row) {
            kept.swap_rows(left, row);
            left += 1;
        }
    }
    kept.truncate_rows(left);
}

/// The rows that were taken.
pub(crate) struct Kept<Row> {
    pub(crate) rows: Vec<Row>,
    read: ReadRow<Row>,
}

impl<Row> Kept<Row> {
    pub(crate) fn new(read: ReadRow<Row>) -> Self {
        Kept {
            rows: Vec::new(),
            read,
        }
    }
}

impl<Row: Send> Sink for Kept<Row> {
    fn take_rows(&mut self, rows: Vec<HydratedRow>) -> Result<()> {
        self.rows.reserve(rows.len());
        // A loop moves each row once. A chain of iterators moves it more often, and a row may be large.
        for row in rows {
            self.rows.push(self.read.read_row(&row.item)?);
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn swap_rows(&mut self, one: usize, other: usize) {
        self.rows.swap(one, other);
    }

    fn truncate_rows(&mut self, rows: usize) {
        self.rows.truncate(rows);
    }
}

/// Reads rows until there are enough. It is boxed, so that it is compiled here and not in the user's program.
pub(crate) fn read_rows(
    selection: Selection,
    db: Dynamo,
    take: Take,
    kept: &mut dyn Sink,
) -> BoxFuture<'_, Result<()>> {
    Box::pin(collect_rows(selection, db, take, kept))
}

async fn collect_rows(
    selection: Selection,
    db: Dynamo,
    take: Take,
    kept: &mut dyn Sink,
) -> Result<()> {
    selection.refuse_backwards()?;
    let mut row_source = selection.row_source(&db)?;
    let most = match take {
        Take::UpTo(most) => most,
        // The second row is read only to detect that the first is not the only one.
        Take::One => Some(2),
    };
    if most.is_none() {
        // Lanes may then be queried before their turn. With a limit, that could read rows that are not needed.
        row_source = row_source.until_the_end();
    }
    let mut read = HydratedRows::default();
    let is_enough = |read: &HydratedRows| most.is_some_and(|most| read.rows.len() >= most);
    // Expiry times of the rows already handed to `kept`: they may expire before the read ends.
    let mut ends = Vec::new();
    loop {
        let is_over = row_source.is_done() || row_source.is_spent();
        if is_over || is_enough(&read) {
            row_source.expiry_filter().keep_living(&mut read);
        }
        if is_over || is_enough(&read) {
            break;
        }
        // Without a limit, rows are converted as they arrive. With one, they wait as bytes, because
        // some may expire before there are enough.
        if most.is_none() {
            // A converted row no longer shows its TTL in a form that can be compared, so the expiry
            // is kept beside it.
            row_source.expiry_filter().note_ends(&read.rows, &mut ends);
            kept.take_rows(std::mem::take(&mut read.rows))?;
        }
        let wanted = most.map(|most| most - read.rows.len());
        // The places of the rows and the vanished rows are not needed here.
        let next = row_source.next(wanted).await?.rows.into_iter();
        read.rows.extend(next.map(HydratedRow::without_place));
    }
    if let Some(now) = row_source.expiry_filter().later_than_it_began() {
        retain_living(kept, |row| {
            ends.get(row).is_none_or(|end| !is_past(*end, now))
        });
    }
    let mut rows = read.rows;
    if matches!(take, Take::One) && rows.len() > 1 {
        let message = "`one` found more than one row: narrow the query, or use `first`";
        return Err(
            Error::new(ErrorKind::MultipleItems, Stage::Request, message)
                .of(selection.entity_name()),
        );
    }
    rows.truncate(most.unwrap_or(usize::MAX));
    kept.take_rows(rows)
}

/// The rows, as the requested type.
pub(crate) fn read_all<Row>(rows: Vec<RawRow>, read: &ReadRow<Row>) -> Result<Vec<Row>> {
    let mut all = Vec::with_capacity(rows.len());
    // A loop moves each row once. A chain of iterators moves it more often, and a row may be large.
    for row in rows {
        all.push(read.read_row(&row)?);
    }
    Ok(all)
}

pub(crate) async fn count_rows(
    selection: Selection,
    db: Dynamo,
    most: Option<usize>,
) -> Result<u64> {
    selection.refuse_backwards()?;
    let mut gather = selection.gather_lanes(
        &db,
        selection.wanted_count(),
        selection.read_meter().as_ref(),
    )?;
    let (mut count, mut left) = (0, most.filter(|most| *most != usize::MAX));
    while !gather.is_done() && !gather.is_spent() && left != Some(0) {
        let found = gather.next_count(left).await?;
        let found = left.map_or(found, |left| left.min(found));
        count += found as u64;
        left = left.map(|left| left - found);
    }
    Ok(count)
}
