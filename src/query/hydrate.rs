//! `hydrate`: the items behind the keys of an index.
//!
//! ```text
//! rows of the index, as they come        gather
//!   -> some hundred of them wait         RowSource
//!   -> their items, by their keys        batch_get
//!   -> those that still belong           Selection::still_holds
//! ```
//!
//! A query without `hydrate` passes through: a row is its own item.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;

use super::gather::Gather;
use super::living::Living;
use super::position::{Reached, Run};
use super::selection::{Selection, Wanted};
use super::stage::RowOfEntity;
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Key};
use crate::error::{Error, Result};
use crate::expr::Expression;
use crate::json::Writer;
use crate::key::json::KeyJson;
use crate::plan::is_expired;
use crate::read::{BATCH, BatchGet, Failing, KeyList, Meter, RawRow, TableFrame};

/// How many items are fetched at once, by a few requests side by side.
const ROUND: usize = 4 * BATCH;

/// A page without a limit looks one row further with the same request.
pub(super) const PAGE: usize = BATCH - 1;

/// A row that holds only a part of its item: a key, or a projection.
#[diagnostic::on_unimplemented(
    message = "`hydrate()` fetches the items behind keys or a projection",
    label = "the rows of this query are `{Self}`",
    note = "an entity is whole already: leave `hydrate()` out",
    note = "beside `lenient()`, call `hydrate()` first"
)]
pub trait PartOfItem: RowOfEntity {}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> PartOfItem for Key<E> {}

/// The parts of the items that are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hydration {
    /// The attributes to read; None reads all.
    pub(super) attributes: Option<Vec<&'static str>>,
}

/// A row: its position, and its content.
pub(super) struct HydratedRow {
    /// The row of the index, with the keys that a cursor is made of. None where the item is the row itself.
    place: Option<RawRow>,
    pub(super) item: RawRow,
}

impl HydratedRow {
    pub(super) fn place(&self) -> &RawRow {
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
    pub(super) rows: Vec<HydratedRow>,
    /// The same rows, by the segments of a scan.
    pub(super) runs: Vec<Run>,
    pub(super) vanished: Vec<Vanished>,
}

impl HydratedRows {
    /// Leaves out the rows of which this does not hold. Each is tested once.
    pub(super) fn retain(&mut self, holds: impl FnMut(&HydratedRow) -> bool) {
        let stays: Vec<bool> = self.rows.iter().map(holds).collect();
        let staying = |rows: &[bool]| rows.iter().filter(|stays| **stays).count();
        let mut of_runs = stays.as_slice();
        for run in &mut self.runs {
            let (rows, behind) = of_runs.split_at(run.rows.min(of_runs.len()));
            run.rows = staying(rows);
            of_runs = behind;
        }
        // `vanished` is ordered by `before`, so one walk over `stays` is enough.
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
    pub(super) fn extend(&mut self, next: HydratedRows) {
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
    pub(super) place: Bytes,
    /// How many rows come before it.
    pub(super) before: usize,
}

/// The rows of a query, with the items behind them if those are requested.
pub(super) struct RowSource {
    gather: Gather,
    behind: Option<Hydrator>,
    meter: Option<Arc<Meter>>,
    living: Living,
}

/// The items behind the rows of an index.
struct Hydrator {
    selection: Selection,
    items: BatchGet,
    /// Rows whose items were not read yet.
    waiting: VecDeque<RawRow>,
    /// How many more items are fetched than are wanted, because some may be dropped.
    surplus: usize,
}

impl Selection {
    /// Plans the reads of all partitions, and of the items behind. Nothing is sent if this fails.
    pub(super) fn row_source(&self, db: &Dynamo) -> Result<RowSource> {
        self.row_source_at(db, self.meter())
    }

    fn row_source_at(&self, db: &Dynamo, meter: Option<Arc<Meter>>) -> Result<RowSource> {
        let behind = self.options.hydration.as_ref().map(|_| Hydrator {
            selection: self.clone(),
            items: self.items(db).with_meter(meter.clone()),
            waiting: VecDeque::new(),
            surplus: 1,
        });
        Ok(RowSource {
            living: Living::new(self, db),
            gather: self.gather(db, Wanted::Items, meter.as_ref())?,
            behind,
            meter,
        })
    }

    /// How the items behind the rows are read.
    pub(super) fn items(&self, db: &Dynamo) -> BatchGet {
        let source = self.source();
        let mut options = Writer::default();
        if self.options.consistent {
            options.raw(",\"ConsistentRead\":true");
        }
        let attributes = self.options.hydration.as_ref();
        if let Some(attributes) = attributes.and_then(|items| items.attributes.as_ref()) {
            // What the item is checked by, such as its TTL, is read too.
            let ttl = source.ttl();
            let mut expression = Expression::default();
            self.name_attributes(
                ttl.iter().chain(attributes),
                expression.begin("ProjectionExpression"),
            );
            expression.write(&mut options);
        }
        let names = source.table.key_names();
        let frame = TableFrame {
            entity: self.entity(),
            pattern: source.pattern,
            table: db.table_name(source.table.name),
            names: names.collect(),
            options: options.into_bytes(),
            ahead: self.options.ahead,
        };
        BatchGet::of(db.clone(), frame)
    }
}

impl RowSource {
    /// Says that all rows are going to be read.
    pub(super) fn until_the_end(mut self) -> Self {
        // A pace decides by itself when requests are sent.
        if self.meter.is_none() {
            self.gather = self.gather.until_the_end();
        }
        self
    }

    /// Finds the rows that expire while the query is under way.
    pub(super) fn living(&self) -> &Living {
        &self.living
    }

    /// The same read from another place, at the same pace.
    pub(super) fn again(&self, selection: &Selection, db: &Dynamo) -> Result<RowSource> {
        selection.row_source_at(db, self.meter.clone())
    }

    /// Whether no more rows remain.
    pub(super) fn is_done(&self) -> bool {
        self.gather.is_done() && !self.is_waiting()
    }

    /// Whether more may be there that `max_scanned` forbids to read.
    pub(super) fn is_spent(&self) -> bool {
        self.gather.is_spent() && !self.is_waiting()
    }

    /// Whether the next row is at hand without another request.
    pub(super) fn is_row_known(&self) -> bool {
        self.behind.is_none() && self.gather.is_row_known()
    }

    /// Whether rows of several lanes are merged into one order.
    pub(super) fn is_merging(&self) -> bool {
        self.gather.is_merging()
    }

    fn is_waiting(&self) -> bool {
        let behind = self.behind.as_ref();
        behind.is_some_and(|behind| !behind.waiting.is_empty())
    }

    /// The next rows. `wanted` is how many the caller has use for; None is all.
    pub(super) async fn next(&mut self, wanted: Option<usize>) -> Result<HydratedRows> {
        let Some(behind) = &mut self.behind else {
            return self.next_rows(wanted).await;
        };
        let most = behind.most(wanted);
        behind.fill(&mut self.gather, most, wanted).await?;
        behind.next(most).await
    }

    /// Rows that are their own items.
    async fn next_rows(&mut self, wanted: Option<usize>) -> Result<HydratedRows> {
        let (rows, runs) = if self.gather.is_segmented() {
            let (rows, runs) = self.gather.next_runs(wanted).await?;
            (rows.into_iter().map(HydratedRow::from).collect(), runs)
        } else {
            let rows: Vec<HydratedRow> = self.gather.next(wanted).await?;
            let run = match rows.len() {
                0 => self.gap(),
                rows => Some(Run::of(rows)),
            };
            (rows, run.into_iter().collect())
        };
        Ok(HydratedRows {
            rows,
            runs,
            vanished: Vec::new(),
        })
    }

    /// The rows that were read after the last row. Rows of an index that still wait for their items are before it.
    pub(super) fn gap(&self) -> Option<Run> {
        let position = self.gather.position().filter(|_| self.behind.is_none())?;
        Some(Run {
            segment: 0,
            rows: 0,
            ends: Some(Reached::Behind(position.into())),
        })
    }
}

impl Hydrator {
    /// How many items the next round fetches. The surplus doubles each time that rows were dropped, because no one knows
    /// how many will be.
    fn most(&self, wanted: Option<usize>) -> usize {
        let wanted = wanted.unwrap_or(ROUND).max(1);
        wanted.saturating_mul(self.surplus).min(ROUND)
    }

    /// Reads rows of the index until `most` of them wait, or the rows of one answer if all are wanted.
    async fn fill(
        &mut self,
        gather: &mut Gather,
        most: usize,
        wanted: Option<usize>,
    ) -> Result<()> {
        while self.waiting.len() < most && !gather.is_done() && !gather.is_spent() {
            let lacking = wanted.map(|_| most - self.waiting.len());
            let rows: Vec<RawRow> = gather.next(lacking).await?;
            self.waiting.extend(rows);
            if wanted.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// The key of the item behind a row.
    fn key_of(&self, row: &RawRow) -> Result<KeyJson> {
        let names = self.items.frames.first().map_or(&[][..], |f| &f.names);
        let key = KeyJson::of(row.json(), names);
        key.map_err(|fault| Error::decode(self.selection.entity(), fault))
    }

    async fn next(&mut self, most: usize) -> Result<HydratedRows> {
        let places: Vec<RawRow> = self.waiting.drain(..most.min(self.waiting.len())).collect();
        let keys = places.iter().map(|row| self.key_of(row));
        let keys = keys.collect::<Result<Vec<KeyJson>>>()?;
        let asked = keys.len();
        let mut wanted = KeyList::new();
        for key in &keys {
            wanted.push_json(key);
        }
        let items = self.items.read(wanted, Failing::Together).await?;
        let now = self.items.db.now();
        let (mut answer, mut seen) = (HydratedRows::default(), HashSet::new());
        for ((place, key), item) in places.into_iter().zip(keys).zip(items) {
            if !seen.insert(key) {
                continue;
            }
            match item? {
                Some(item) if self.selection.still_holds(item.json(), now) => {
                    // A row that was refused is passed on as it is: its item must not be read either.
                    answer.rows.push(match place.is_refused() {
                        true => HydratedRow::from(place),
                        false => HydratedRow {
                            place: Some(place),
                            item,
                        },
                    });
                }
                Some(_) => {}
                None => answer.vanished.push(Vanished {
                    place: place.bytes(),
                    before: answer.rows.len(),
                }),
            }
        }
        answer.runs.push(Run::of(answer.rows.len()));
        if answer.rows.len() < asked {
            self.surplus = self.surplus.saturating_mul(2);
        }
        Ok(answer)
    }
}

impl Selection {
    /// Whether an item of the table still belongs to the rows: an index lags behind.
    fn still_holds(&self, item: &[u8], now: Timestamp) -> bool {
        // A key attribute of a type that no key has leaves the item out of the index.
        self.keys_match(item).unwrap_or(false) && !is_expired(item, self.hidden_by(), now)
    }
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
            rows: ahead.of(&answered).map(HydratedRow::from).collect(),
            runs: vec![Run::of(3), Run::of(0), Run::of(rows - 3)],
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
        read.retain(|_| {
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
