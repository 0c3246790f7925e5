//! Rows of a query with the items behind them.

use bytes::Bytes;

use super::run::Run;
use crate::read::RawRow;

/// A row: its position, and its content.
pub(crate) struct HydratedRow {
    /// The row of the index, with the keys that a cursor is made of. None where the item is the row itself.
    pub(super) place: Option<RawRow>,
    pub(crate) item: RawRow,
}

impl HydratedRow {
    pub(crate) fn found_row(&self) -> &RawRow {
        self.place.as_ref().unwrap_or(&self.item)
    }

    /// Drops the row of the index.
    pub(super) fn without_place(self) -> HydratedRow {
        HydratedRow {
            place: None,
            ..self
        }
    }

    pub(super) fn into_place(self) -> RawRow {
        self.place.unwrap_or(self.item)
    }
}

/// A row that is its own item.
impl From<RawRow> for HydratedRow {
    fn from(item: RawRow) -> Self {
        HydratedRow { place: None, item }
    }
}

/// Rows in the order of the query.
#[derive(Default)]
pub(super) struct HydratedRows {
    pub(crate) rows: Vec<HydratedRow>,
    /// The same rows, by the segments of a scan.
    pub(crate) runs: Vec<Run>,
    pub(super) vanished: Vec<Vanished>,
}

impl HydratedRows {
    /// Leaves out the rows of which this does not hold. Each is tested once.
    pub(crate) fn retain_rows(&mut self, holds: impl FnMut(&HydratedRow) -> bool) {
        let stays: Vec<bool> = self.rows.iter().map(holds).collect();
        let staying = |rows: &[bool]| rows.iter().filter(|stays| **stays).count();
        let mut of_runs = stays.as_slice();
        for run in &mut self.runs {
            let (rows, behind) = of_runs.split_at(run.rows.min(of_runs.len()));
            run.rows = staying(rows);
            of_runs = behind;
        }
        // `vanished` is ordered by `before`, so one pass over `stays` is enough.
        let (mut looked_at, mut stayed) = (0, 0);
        for row in &mut self.vanished {
            stayed += staying(stays.get(looked_at..row.before).unwrap_or_default());
            looked_at = looked_at.max(row.before);
            row.before = stayed;
        }
        let mut stays = stays.into_iter();
        self.rows.retain(|_| stays.next().unwrap_or(true));
    }

    /// Appends the rows of the next answer.
    pub(crate) fn extend(&mut self, next: HydratedRows) {
        let before = self.rows.len();
        self.rows.extend(next.rows);
        self.runs.extend(next.runs);
        self.vanished
            .extend(next.vanished.into_iter().map(|row| Vanished {
                before: before + row.before,
                ..row
            }));
    }
}

/// A row of the index whose item is gone.
#[derive(Clone)]
pub(super) struct Vanished {
    pub(crate) place: Bytes,
    /// How many rows come before it.
    pub(super) before: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Reader;
    use crate::read::{Answered, RowsAhead};
    use crate::wire::Reply;

    fn answer(rows: usize) -> HydratedRows {
        let body = Bytes::from("{\"k\":{\"N\":\"1\"}} ".repeat(rows).into_bytes());
        let answered = Answered::from(Reply {
            has_stray: false,
            body: body.clone(),
            request_id: None,
        });
        let (mut ahead, mut reader) = (RowsAhead::new(None), Reader::new(&body));
        for _ in 0..rows {
            ahead.read_next(&mut reader, None).expect("a row");
        }
        let place = Bytes::new();
        let vanished = |before| Vanished {
            place: place.clone(),
            before,
        };
        HydratedRows {
            rows: ahead.into_rows(&answered).map(HydratedRow::from).collect(),
            runs: vec![Run::of_rows(3), Run::of_rows(0), Run::of_rows(rows - 3)],
            vanished: (0..=rows)
                .flat_map(|at| [vanished(at), vanished(at)])
                .collect(),
        }
    }

    /// The rows come in order, however many items are gone between them.
    #[test]
    fn each_row_is_asked_once_whether_it_stays() {
        let rows = 1_000;
        let mut read = answer(rows);
        let mut asked = 0;
        read.retain_rows(|_| {
            asked += 1;
            asked % 2 == 0
        });
        assert_eq!((asked, read.rows.len()), (rows, rows / 2));
        let of_runs: Vec<usize> = read.runs.iter().map(|run| run.rows).collect();
        assert_eq!(of_runs, [1, 0, rows / 2 - 1]);
        let before = read.vanished.iter().map(|row| row.before);
        assert!(before.eq((0..=rows).flat_map(|at| [at / 2; 2])));
    }
}
