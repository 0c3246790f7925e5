//! `hydrate`: the items behind the keys of an index.
//!
//! ```text
//! rows of the index, as they come        gather
//!   -> some hundred of them wait         Supply
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
use super::meter::Meter;
use super::selection::{Selection, Wanted};
use super::stage::RowOfEntity;
use super::trail::{Reached, Run};
use crate::clock::Timestamp;
use crate::codec::Writer;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Key};
use crate::error::{Error, Result};
use crate::expr::Expression;
use crate::key::json::KeyJson;
use crate::request::batch_get::{BATCH, BatchGet, Failing, Frame, WantedKey};
use crate::request::check::is_expired;
use crate::request::raw_row::RawRow;

/// So many items are fetched at once: a few requests side by side.
const ROUND: usize = 4 * BATCH;

/// A page without a limit looks one row further with the same request.
pub(super) const PAGE: usize = BATCH - 1;

/// A row that is not all there is of an item: a key, or a projection.
#[diagnostic::on_unimplemented(
    message = "`hydrate()` fetches the items behind keys or a projection",
    label = "the rows of this query are `{Self}`",
    note = "an entity is whole already: leave `hydrate()` out",
    note = "beside `lenient()`, call `hydrate()` first"
)]
pub trait PartOfItem: RowOfEntity {}

#[diagnostic::do_not_recommend]
impl<E: DynamoEntity> PartOfItem for Key<E> {}

/// What is read of the items.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hydration {
    /// Some attributes; all, if it is not said.
    pub(super) attributes: Option<Vec<&'static str>>,
}

/// A row: where it stands, and what is there.
pub(super) struct Found {
    /// The row of the index, with the keys that a cursor is made of; the item, if there is none.
    place: Option<RawRow>,
    pub(super) item: RawRow,
}

impl Found {
    pub(super) fn place(&self) -> &RawRow {
        self.place.as_ref().unwrap_or(&self.item)
    }

    pub(super) fn into_place(self) -> RawRow {
        self.place.unwrap_or(self.item)
    }
}

/// A row that is its own item.
impl From<RawRow> for Found {
    fn from(item: RawRow) -> Self {
        Found { place: None, item }
    }
}

/// The next rows.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) rows: Vec<Found>,
    /// The same rows, by the segments of a scan.
    pub(super) runs: Vec<Run>,
    pub(super) vanished: Vec<Vanished>,
}

impl Answer {
    /// With the rows of the next one behind its own.
    pub(super) fn extend(&mut self, next: Answer) {
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

/// The rows of a query, with the items behind them if those are asked for.
pub(super) struct Supply {
    gather: Gather,
    behind: Option<Behind>,
    meter: Option<Arc<Meter>>,
    living: Living,
}

/// The items behind the rows of an index.
struct Behind {
    selection: Selection,
    items: BatchGet,
    /// Rows whose items were not read yet.
    waiting: VecDeque<RawRow>,
    /// How many more than are wanted are looked at, as some may be dropped.
    surplus: usize,
}

impl Selection {
    /// Plans the reads of all partitions, and of the items behind. Nothing is sent if this fails.
    pub(super) fn supply(&self, db: &Dynamo) -> Result<Supply> {
        self.supply_at(db, self.meter())
    }

    fn supply_at(&self, db: &Dynamo, meter: Option<Arc<Meter>>) -> Result<Supply> {
        let behind = self.options.hydration.as_ref().map(|_| Behind {
            selection: self.clone(),
            items: self.items(db).with_meter(meter.clone()),
            waiting: VecDeque::new(),
            surplus: 1,
        });
        Ok(Supply {
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
            // What the item is checked by is read too.
            let ttl = source.ttl();
            let mut expression = Expression::default();
            self.name_attributes(
                ttl.iter().chain(attributes),
                expression.begin("ProjectionExpression"),
            );
            expression.write(&mut options);
        }
        let names = source.table.key_names();
        let frame = Frame {
            entity: self.entity(),
            table: db.table_name(source.table.name),
            names: names.collect(),
            options: options.into_bytes(),
            ahead: self.options.ahead,
        };
        BatchGet::of(db.clone(), frame)
    }
}

impl Supply {
    /// All rows are going to be read.
    pub(super) fn until_the_end(mut self) -> Self {
        // A pace has its own order of requests.
        if self.meter.is_none() {
            self.gather = self.gather.until_the_end();
        }
        self
    }

    /// Tells rows that expire while it is under way.
    pub(super) fn living(&self) -> &Living {
        &self.living
    }

    /// The same read from another place, at the same pace.
    pub(super) fn again(&self, selection: &Selection, db: &Dynamo) -> Result<Supply> {
        selection.supply_at(db, self.meter.clone())
    }

    /// Nothing more is there.
    pub(super) fn is_done(&self) -> bool {
        self.gather.is_done() && !self.is_waiting()
    }

    /// There may be more, and it may not be looked at.
    pub(super) fn is_spent(&self) -> bool {
        self.gather.is_spent() && !self.is_waiting()
    }

    /// The next row can be had without another request.
    pub(super) fn is_row_known(&self) -> bool {
        self.behind.is_none() && self.gather.is_row_known()
    }

    /// Its rows come from between each other's.
    pub(super) fn is_merging(&self) -> bool {
        self.gather.is_merging()
    }

    fn is_waiting(&self) -> bool {
        let behind = self.behind.as_ref();
        behind.is_some_and(|behind| !behind.waiting.is_empty())
    }

    /// The next rows. `wanted` is how many there is use for.
    pub(super) async fn next(&mut self, wanted: Option<usize>) -> Result<Answer> {
        let Some(behind) = &mut self.behind else {
            return self.next_rows(wanted).await;
        };
        let most = behind.most(wanted);
        behind.fill(&mut self.gather, most, wanted).await?;
        behind.next(most).await
    }

    /// Rows that are their own items.
    async fn next_rows(&mut self, wanted: Option<usize>) -> Result<Answer> {
        let (rows, runs) = if self.gather.is_segmented() {
            let (rows, runs) = self.gather.next_runs(wanted).await?;
            (rows.into_iter().map(Found::from).collect(), runs)
        } else {
            let rows: Vec<Found> = self.gather.next(wanted).await?;
            let run = match rows.len() {
                0 => self.gap(),
                rows => Some(Run::of(rows)),
            };
            (rows, run.into_iter().collect())
        };
        Ok(Answer {
            rows,
            runs,
            vanished: Vec::new(),
        })
    }

    /// What was looked at behind the rows. Rows of an index that wait for their items stand before that.
    pub(super) fn gap(&self) -> Option<Run> {
        let position = self.gather.position().filter(|_| self.behind.is_none())?;
        Some(Run {
            segment: 0,
            rows: 0,
            ends: Some(Reached::Behind(position.into())),
        })
    }
}

impl Behind {
    /// How many items the next round fetches. Nobody knows how many will have to be dropped: twice as
    /// many each time that some were.
    fn most(&self, wanted: Option<usize>) -> usize {
        let wanted = wanted.unwrap_or(ROUND).max(1);
        wanted.saturating_mul(self.surplus).min(ROUND)
    }

    /// Has so many rows of the index wait, or those of one answer if all are wanted.
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
    fn key_of(&self, row: &RawRow) -> Result<WantedKey> {
        let names = self.items.frames.first().map_or(&[][..], |f| &f.names);
        let key = KeyJson::of(row.json(), names);
        let key = key.map_err(|fault| Error::decode(self.selection.entity(), fault))?;
        Ok((0, key))
    }

    async fn next(&mut self, most: usize) -> Result<Answer> {
        let places: Vec<RawRow> = self.waiting.drain(..most.min(self.waiting.len())).collect();
        let keys = places.iter().map(|row| self.key_of(row));
        let keys = keys.collect::<Result<Vec<WantedKey>>>()?;
        let asked = keys.len();
        let items = self.items.read(&keys, Failing::Together).await?;
        let now = self.items.db.now();
        let (mut answer, mut seen) = (Answer::default(), HashSet::new());
        for ((place, key), item) in places.into_iter().zip(keys).zip(items) {
            if !seen.insert(key) {
                continue;
            }
            match item? {
                Some(item) if self.selection.still_holds(item.json(), now) => {
                    let place = Some(place);
                    answer.rows.push(Found { place, item });
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
