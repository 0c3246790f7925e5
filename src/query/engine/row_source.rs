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

use super::expiry_filter::ExpiryFilter;
use super::hydrated::{HydratedRow, HydratedRows, Vanished};
use super::lane_reader::LaneReader;
use super::run::Run;
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::expr::Expression;
use crate::json::Writer;
use crate::key::json::KeyJson;
use crate::plan::is_expired;
use crate::query::cursor::spot::Reached;
use crate::query::request::{Selection, Wanted};
use crate::read::{BATCH, BatchReader, Failing, KeyList, Meter, RawRow, TableFrame};

/// How many items are fetched at once, by a few requests side by side.
const ROUND: usize = 4 * BATCH;

/// A page without a limit looks one row further with the same request.
pub(super) const PAGE: usize = BATCH - 1;

/// The rows of a query, with the items behind them if those are requested.
pub(super) struct RowSource {
    gather: LaneReader,
    behind: Option<Hydrator>,
    meter: Option<Arc<Meter>>,
    living: ExpiryFilter,
}

/// The items behind the rows of an index.
struct Hydrator {
    selection: Selection,
    items: BatchReader,
    /// Rows whose items were not read yet.
    waiting: VecDeque<RawRow>,
    /// How many more items are fetched than are wanted, because some may be dropped.
    surplus: usize,
}

impl Selection {
    /// Plans the reads of all partitions, and of the items behind. Nothing is sent if this fails.
    pub(super) fn row_source(&self, db: &Dynamo) -> Result<RowSource> {
        self.row_source_at(db, self.read_meter())
    }

    fn row_source_at(&self, db: &Dynamo, meter: Option<Arc<Meter>>) -> Result<RowSource> {
        let behind = self.options.hydration.as_ref().map(|_| Hydrator {
            selection: self.clone(),
            items: self.item_reader(db).with_meter(meter.clone()),
            waiting: VecDeque::new(),
            surplus: 1,
        });
        Ok(RowSource {
            living: ExpiryFilter::new(self, db),
            gather: self.gather_lanes(db, Wanted::Items, meter.as_ref())?,
            behind,
            meter,
        })
    }

    /// How the items behind the rows are read.
    pub(crate) fn item_reader(&self, db: &Dynamo) -> BatchReader {
        let source = self.query_source();
        let mut options = Writer::default();
        if self.options.consistent {
            options.push_raw(",\"ConsistentRead\":true");
        }
        let attributes = self.options.hydration.as_ref();
        if let Some(attributes) = attributes.and_then(|items| items.attributes.as_ref()) {
            // The item is checked again after it was fetched, so its TTL is read even if the projection omits it.
            let ttl = source.ttl_attribute();
            let mut expression = Expression::default();
            self.name_attributes(
                ttl.into_iter().chain(attributes.iter().copied()),
                expression.begin_parameter("ProjectionExpression"),
            );
            expression.write_members(&mut options);
        }
        let names = source.table.key_names();
        let frame = TableFrame {
            entity: self.entity_name(),
            pattern: source.pattern,
            table: db.table_name(source.table.name),
            names: names.collect(),
            options: options.into_bytes(),
            ahead: self.options.ahead,
        };
        BatchReader::of_table(db.clone(), frame)
    }
}

impl RowSource {
    /// Says that all rows are going to be read.
    pub(super) fn until_the_end(mut self) -> Self {
        // With a rate limit, requests ahead of their turn would consume the units of those that are needed first.
        if self.meter.is_none() {
            self.gather = self.gather.until_the_end();
        }
        self
    }

    /// Finds the rows that expire while the query is under way.
    pub(crate) fn expiry_filter(&self) -> &ExpiryFilter {
        &self.living
    }

    /// The same read from another place, at the same pace.
    pub(super) fn restarted_source(&self, selection: &Selection, db: &Dynamo) -> Result<RowSource> {
        selection.row_source_at(db, self.meter.clone())
    }

    /// Whether no more rows remain.
    pub(super) fn is_done(&self) -> bool {
        self.gather.is_done() && !self.is_waiting()
    }

    /// Whether more may be there that `max_scanned` forbids to read.
    pub(crate) fn is_spent(&self) -> bool {
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
    pub(crate) async fn next(&mut self, wanted: Option<usize>) -> Result<HydratedRows> {
        let Some(behind) = &mut self.behind else {
            return self.next_rows(wanted).await;
        };
        let most = behind.request_size(wanted);
        behind.fill_keys(&mut self.gather, most, wanted).await?;
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
                0 => self.trailing_run(),
                rows => Some(Run::of_rows(rows)),
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
    pub(super) fn trailing_run(&self) -> Option<Run> {
        let position = self
            .gather
            .segment_position()
            .filter(|_| self.behind.is_none())?;
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
    fn request_size(&self, wanted: Option<usize>) -> usize {
        let wanted = wanted.unwrap_or(ROUND).max(1);
        wanted.saturating_mul(self.surplus).min(ROUND)
    }

    /// Reads rows of the index until `most` of them wait, or the rows of one answer if all are wanted.
    async fn fill_keys(
        &mut self,
        gather: &mut LaneReader,
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
        let key = KeyJson::of_object(row.row_json(), names);
        key.map_err(|fault| Error::decode(self.selection.entity_name(), fault))
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
        let items = self.items.read_keys(wanted, Failing::Together).await?;
        let now = self.items.db.now();
        let (mut answer, mut seen) = (HydratedRows::default(), HashSet::new());
        for ((place, key), item) in places.into_iter().zip(keys).zip(items) {
            // While an item moves within an index, the index may list it twice.
            if !seen.insert(key) {
                continue;
            }
            match item? {
                Some(item) if self.selection.still_holds(item.row_json(), now) => {
                    // A rejected row is passed on unchanged, because its item must not be decoded either.
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
                    place: place.row_bytes(),
                    before: answer.rows.len(),
                }),
            }
        }
        answer.runs.push(Run::of_rows(answer.rows.len()));
        if answer.rows.len() < asked {
            // If many rows are stale, fetching exactly the wanted number would take a round for
            // each few rows.
            self.surplus = self.surplus.saturating_mul(2);
        }
        Ok(answer)
    }
}

impl Selection {
    /// Whether an item of the table still belongs to the rows: an index lags behind.
    fn still_holds(&self, item: &[u8], now: Timestamp) -> bool {
        // A key attribute of a wrong type removes the item from the index, so an error here means "no".
        self.keys_match(item).unwrap_or(false)
            && !is_expired(item, self.hidden_by(), now)
            && !self.has_become_other(item)
    }
}
