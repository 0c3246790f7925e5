//! The rows of all lanes of a query: merged, one lane after the other, in runs of a scan's segments, or counted.

use std::sync::Arc;

use super::answer::OmittedItems;
use super::fetch::{Fetch, FetchedRows};
use super::lanes::{LaneAnswers, Lanes};
use super::row_merger::RowMerger;
use super::run::Run;
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::key::rank::Ranking;
use crate::query::cursor::spot::Reached;
use crate::query::request::{LaneRead, Selection, Wanted};
use crate::read::{Meter, RawRow, ReadAhead};
use crate::retry::CONCURRENCY;

/// The order of rows.
#[derive(Debug, Clone)]
pub(crate) struct Merge {
    pub(super) ranking: Ranking,
    /// Whether the lanes come one after the other, instead of merged by the sort key.
    pub(crate) by_partition: bool,
    /// Whether the last lane is first.
    pub(super) from_the_last: bool,
    /// Whether rows are returned in the order of responses, unordered.
    pub(super) unordered: bool,
    /// Whether the lanes are the segments of a scan.
    pub(super) segmented: bool,
    /// The number of lanes with interleaving rows.
    pub(crate) width: usize,
}

/// The reads of all lanes of a query.
#[derive(Debug)]
pub(crate) struct LaneReader {
    lanes: Lanes,
    /// Merges the rows, if those of several lanes have one order.
    merger: Option<RowMerger>,
    merge: Merge,
}

impl Selection {
    /// Plans the reads of all lanes. If this fails, nothing is sent.
    pub(super) fn gather_lanes(
        &self,
        db: &Dynamo,
        wanted: Wanted,
        meter: Option<&Arc<Meter>>,
    ) -> Result<LaneReader> {
        let sort = self
            .query_source()
            .sort_keys()
            .iter()
            .map(|key| key.attribute);
        let merge = Merge {
            ranking: Ranking {
                sort: sort.collect(),
                descending: self.reads_down(),
            },
            by_partition: self.options.by_partition,
            from_the_last: self.begins_with_the_last_lane(),
            unordered: self.draft.is_scan || wanted != Wanted::Items,
            segmented: self.options.segments.is_some(),
            width: self.draft.partitions.len(),
        };
        let fetches = self.lane_reads(db, wanted)?.into_iter();
        let ahead = self.read_ahead().filter(|_| wanted == Wanted::Items);
        let fetches = fetches.map(|read| {
            let fetch = self.start_fetch(db, read, wanted).with_meter(meter);
            fetch.reading_ahead(ahead)
        });
        let fetches: Vec<Fetch> = fetches.collect();
        if let Some(meter) = meter {
            let done = fetches.iter().filter(|fetch| fetch.is_done());
            meter.begin_segments(fetches.len(), done.count());
        }
        LaneReader::new(fetches, merge, self.options.max_scanned)
    }

    pub(super) fn start_fetch(&self, db: &Dynamo, read: LaneRead, wanted: Wanted) -> Fetch {
        Fetch::new(db.clone(), self.query_source().pattern, read)
            .with_page_size(self.options.page_size)
            .distinguish_rows(self.by_key())
            .in_own_format(self.in_own_format(wanted))
            .omitting_items(OmittedItems {
                unknown_sentinels: self.unknown_sentinels(),
                rows_of: self.entities_of_unique_rows(),
            })
    }

    /// How rows are decoded as they arrive. If their items are fetched, they are only keys.
    fn read_ahead(&self) -> Option<ReadAhead> {
        let options = &self.options;
        options.ahead.filter(|_| options.hydration.is_none())
    }
}

impl LaneReader {
    /// The reads must be in the order of the lanes.
    pub(crate) fn new(
        mut fetches: Vec<Fetch>,
        merge: Merge,
        budget: Option<usize>,
    ) -> Result<Self> {
        if merge.from_the_last {
            // Descending or backward reads begin with the last partition, and everything below
            // counts lanes in reading order.
            fetches.reverse();
        }
        let mut lanes = Lanes::new(fetches, budget);
        // Ranks cost time for each row, so they are computed only if the rows of different lanes have one order.
        let is_merging = lanes.len() > 1 && !merge.by_partition && !merge.unordered;
        let merger = is_merging.then(|| RowMerger::new(&mut lanes, &merge.ranking, merge.width));
        Ok(LaneReader {
            merger: merger.transpose()?,
            lanes,
            merge,
        })
    }

    /// Declares that all rows will be read.
    pub(super) fn until_the_end(mut self) -> Self {
        // With a budget, no item is read that may not be delivered: it would be paid for without a result.
        if let Some(merger) = self.merger.as_mut().filter(|_| !self.lanes.has_budget()) {
            merger.go_to_the_end();
        }
        self
    }

    pub(super) fn is_merging(&self) -> bool {
        self.merger.is_some()
    }

    /// Whether no more rows follow.
    pub(super) fn is_done(&self) -> bool {
        self.first_merged().is_none() && self.lanes.is_done()
    }

    /// Whether more rows may exist that must not be read.
    pub(crate) fn is_spent(&self) -> bool {
        self.lanes.is_poor() && !self.is_done() && !self.is_row_known() && !self.must_begin()
    }

    /// Whether the next row of all lanes is available without another request.
    pub(super) fn is_row_known(&self) -> bool {
        self.merger.as_ref().is_some_and(RowMerger::is_row_known)
    }

    /// Whether no item of the next lane was read yet. A cursor needs a position in it, or a query that is resumed
    /// with the same budget would never end.
    fn must_begin(&self) -> bool {
        !self.merge.unordered && self.next_lane().is_some_and(Fetch::is_fresh)
    }

    fn first_merged(&self) -> Option<usize> {
        self.merger.as_ref().and_then(RowMerger::first_lane)
    }

    /// The lane that is queried next.
    fn next_lane(&self) -> Option<&Fetch> {
        match self.first_merged() {
            Some(lane) => self.lanes.lane_fetch(lane),
            None => self.lanes.first_open(),
        }
    }

    /// The key up to which everything was read; None in segments.
    pub(crate) fn segment_position(&self) -> Option<&[u8]> {
        if self.merge.segmented {
            return None;
        }
        self.next_lane().and_then(Fetch::start_position)
    }

    /// The next rows, of at least one response, in the form that the caller wants. The caller can use `wanted` of
    /// them.
    pub(crate) async fn next<Row: From<RawRow>>(
        &mut self,
        wanted: Option<usize>,
    ) -> Result<Vec<Row>> {
        if let Some(merger) = &mut self.merger {
            return merger.next(&mut self.lanes, wanted).await;
        }
        let mut open = self.lanes.open_lanes();
        // All rows of this lane precede those of later lanes, so the rows of these would only wait in memory.
        open.truncate(1);
        let answer = self.lanes.fetch_lanes(&open, wanted).await.pop();
        let answer = answer.map(|(_, answer)| answer).transpose()?;
        let rows = answer.map(|answer| answer.rows).unwrap_or_default();
        Ok(rows.map(Row::from).collect())
    }

    pub(crate) fn is_segmented(&self) -> bool {
        self.merge.segmented
    }

    /// The next rows of a scan in segments: one run of rows for each response.
    pub(super) async fn next_runs(
        &mut self,
        wanted: Option<usize>,
    ) -> Result<(Vec<RawRow>, Vec<Run>)> {
        let mut open = self.lanes.open_lanes();
        // All responses of one round wait in memory together, up to a megabyte each.
        open.truncate(wanted.unwrap_or(CONCURRENCY).clamp(1, CONCURRENCY));
        let share = wanted.map(|wanted| wanted.div_ceil(open.len().max(1)));
        let (mut rows, mut runs) = (Vec::new(), Vec::new());
        for (segment, answer) in all_answers(self.lanes.fetch_lanes(&open, share).await)? {
            runs.push(Run {
                segment,
                rows: answer.rows.len(),
                ends: self.lanes.lane_fetch(segment).map(reached_position),
            });
            rows.extend(answer.rows);
        }
        Ok((rows, runs))
    }

    /// The number of rows in the next responses.
    pub(super) async fn next_count(&mut self, wanted: Option<usize>) -> Result<usize> {
        let mut open = self.lanes.open_lanes();
        // With a limit, the first lanes may be enough, so the number of lanes doubles from call to call.
        if wanted.is_some() {
            open.truncate(self.lanes.grow_ahead());
        }
        let answers = all_answers(self.lanes.fetch_lanes(&open, wanted).await)?;
        Ok(answers.iter().map(|(_, answer)| answer.count).sum())
    }
}

/// The responses, or the first error among them.
fn all_answers(answers: LaneAnswers) -> Result<Vec<(usize, FetchedRows)>> {
    let answers = answers.into_iter();
    answers.map(|(at, answer)| Ok((at, answer?))).collect()
}

/// The progress of a lane.
fn reached_position(fetch: &Fetch) -> Reached {
    match fetch.start_position() {
        _ if fetch.is_done() => Reached::End,
        Some(position) => Reached::Behind(position.into()),
        None => Reached::Nothing,
    }
}
