//! Everything about a read of many rows except the type of its rows.

use std::sync::Arc;

use super::cursor::Cursor;
use super::draft::KeyDraft;
use super::fetch::Fetch;
use super::gather::{Gather, Merge};
use super::hydrate::Hydration;
use super::sort_condition::SortCondition;
use super::source::QuerySource;
use super::start::{LaneRead, LastKey, Leg};
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::sentinel::MARK;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::Node;
use crate::json::{CodecError, Writer};
use crate::key::point::KeyPoint;
use crate::key::range::KeyRange;
use crate::key::rank::Ranking;
use crate::plan::Filter;
use crate::read::{Meter, Pace, ProgressWatch, ReadAhead};
use crate::retry::CONCURRENCY;
use crate::wire::{self, RETURN_CONSUMED};

/// A read of many rows, before it is planned.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    pub(super) draft: KeyDraft,
    pub(super) options: Options,
}

/// The settings of a query.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    pub(super) descending: bool,
    pub(super) consistent: bool,
    pub(super) include_expired: bool,
    /// The maximum number of rows to return.
    pub(super) limit: Option<usize>,
    /// The maximum number of items to read in one request, and in total.
    pub(super) page_size: Option<usize>,
    pub(super) max_scanned: Option<usize>,
    pub(super) resume: Option<Cursor>,
    /// Whether one partition is read after the other.
    pub(super) by_partition: bool,
    /// The filter.
    pub(super) filter: Option<Node>,
    /// The attributes that are read in addition to the key; None reads all.
    pub(super) projection: Option<Vec<&'static str>>,
    /// How the items of the rows are read, if they are.
    pub(super) hydration: Option<Hydration>,
    /// The number of segments of a scan that are read concurrently. Never 0.
    pub(super) segments: Option<u32>,
    /// How rows are decoded as they arrive.
    pub(super) ahead: Option<ReadAhead>,
    /// The read units that may be consumed per second.
    pub(super) read_units: Option<u32>,
    /// The listener for progress.
    pub(super) watch: Option<ProgressWatch>,
}

/// The common part of the requests of all pages.
#[derive(Debug, Clone)]
pub(crate) struct RequestFrame {
    pub(super) operation: wire::ServiceOperation,
    pub(super) table: String,
    /// An open JSON object.
    pub(super) body: Vec<u8>,
    /// Whether it requests its consumed capacity.
    pub(super) is_metered: bool,
    /// The filters by which DynamoDB drops rows that it has already counted.
    pub(super) filters: Vec<Filter>,
    /// The earliest position of its rows, as values of the front of the sort key.
    pub(super) begins: Vec<KeyPoint>,
    /// The last possible key.
    pub(super) end: Option<LastKey>,
    /// Whether no row can exist, so that no request is sent.
    pub(super) is_nothing: bool,
}

/// The part of the items that a request returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Items,
    /// Their number.
    Count,
    /// Their keys, to count by.
    Keys,
}

impl Selection {
    pub(super) fn new(mut draft: KeyDraft) -> Self {
        draft.finish();
        Selection {
            draft,
            options: Options::default(),
        }
    }

    /// A selection whose rows are decoded in this way as they arrive.
    pub(super) fn reading(draft: KeyDraft, keys_only: bool, ahead: ReadAhead) -> Self {
        let mut selection = Selection::new(draft);
        selection.options.projection = keys_only.then(Vec::new);
        selection.options.ahead = Some(ahead);
        selection
    }

    pub(super) fn source(&self) -> &QuerySource {
        &self.draft.source
    }

    pub(super) fn entity(&self) -> &'static str {
        self.source().name()
    }

    /// The condition on the sort key: that of the cursor, if there is one.
    pub(super) fn asked(&self) -> &SortCondition {
        let resume = self.options.resume.as_ref();
        resume.map_or(&self.draft.asked, Cursor::asked)
    }

    /// Plans the reads of all lanes. If this fails, nothing is sent.
    pub(super) fn gather(
        &self,
        db: &Dynamo,
        wanted: Wanted,
        meter: Option<&Arc<Meter>>,
    ) -> Result<Gather> {
        let sort = self.source().sort().iter().map(|key| key.attribute);
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
        let fetches = self.reads(db, wanted)?.into_iter();
        let ahead = self.ahead().filter(|_| wanted == Wanted::Items);
        let fetches = fetches.map(|read| {
            let fetch = self.fetch(db, read).with_meter(meter);
            fetch.reading_ahead(ahead)
        });
        let fetches: Vec<Fetch> = fetches.collect();
        if let Some(meter) = meter {
            let done = fetches.iter().filter(|fetch| fetch.is_done());
            meter.begin(fetches.len(), done.count());
        }
        Gather::new(fetches, merge, self.options.max_scanned)
    }

    pub(super) fn fetch(&self, db: &Dynamo, read: LaneRead) -> Fetch {
        Fetch::new(db.clone(), self.source().pattern, read)
            .with_page_size(self.options.page_size)
            .telling(self.by_key())
    }

    /// How rows are decoded as they arrive. If their items are fetched, they are only keys.
    fn ahead(&self) -> Option<ReadAhead> {
        let options = &self.options;
        options.ahead.filter(|_| options.hydration.is_none())
    }

    /// Counts the consumption; None if it is not needed.
    pub(super) fn meter(&self) -> Option<Arc<Meter>> {
        let options = &self.options;
        if !self.is_metered() {
            return None;
        }
        let is_strong = options.consistent;
        let segments = options.segments.unwrap_or(1) as usize;
        let side_by_side = segments.min(CONCURRENCY);
        let pace = options
            .read_units
            .map(|units| Pace::per_second(units, is_strong, side_by_side));
        Some(Arc::new(Meter::new(is_strong, pace, options.watch.clone())))
    }

    pub(super) fn is_metered(&self) -> bool {
        self.options.read_units.is_some() || self.options.watch.is_some()
    }

    pub(super) fn counted(&self) -> Wanted {
        match self.by_key() {
            Some(_) => Wanted::Keys,
            None => Wanted::Count,
        }
    }

    /// Returns an error for a filter on a queried key, because DynamoDB rejects it, and on an attribute that an index
    /// does not contain, because it would find nothing.
    pub(super) fn check_filter(&self) -> Result<()> {
        let source = self.source();
        let names = self.options.filter.iter().flat_map(Node::attributes);
        for name in names {
            let message = if !self.draft.is_scan && source.is_queried_key(name) {
                "a filter cannot name a key that is queried: ask for it by the parts of the query"
            } else if !source.holds(name) {
                "the index does not hold this attribute, so no filter sees it: add it to `project`"
            } else {
                continue;
            };
            return Err(self.refused(ErrorKind::Rejected, message).at(name));
        }
        if source.may_meet_sentinels(self.draft.is_scan) && !source.holds(MARK) {
            let message = "the index has the keys of the items that keep unique values, and does not hold what tells them from \
                rows: declare it with `project = all`";
            return Err(self.refused(ErrorKind::Rejected, message));
        }
        Ok(())
    }

    /// Returns an error for an attribute that the index does not contain.
    fn check_projection_of(&self, name: &str) -> Result<()> {
        if self.source().holds(name) {
            return Ok(());
        }
        let message = "the index does not hold this attribute: add it to `project`, or leave it out of the projection";
        Err(self.refused(ErrorKind::Rejected, message).at(name))
    }

    pub(super) fn check_projection(&self) -> Result<()> {
        let mut names = self.options.projection.iter().flatten();
        names.try_for_each(|name| self.check_projection_of(name))
    }

    /// Whether keys are read in descending order.
    pub(super) fn reads_down(&self) -> bool {
        self.options.descending != self.goes_back()
    }

    /// Whether the last lane is first. Partitions that are read one after the other keep the given order, whatever
    /// the order of their rows.
    pub(super) fn begins_with_the_last_lane(&self) -> bool {
        match self.options.by_partition {
            true => self.goes_back(),
            false => self.reads_down(),
        }
    }

    fn goes_back(&self) -> bool {
        let resume = self.options.resume.as_ref();
        resume.is_some_and(Cursor::is_backward)
    }

    pub(super) fn frame(
        &self,
        leg: Leg,
        db: &Dynamo,
        now: Timestamp,
        wanted: Wanted,
    ) -> Result<RequestFrame, CodecError> {
        let table = db.table_name(self.source().table.name);
        let index = self.source().index.map(|index| index.index);
        let mut body = Writer::for_request(512);
        body.raw("{\"TableName\":");
        body.quoted(&table);
        if let Some(index) = index {
            body.raw(",\"IndexName\":");
            body.quoted(index);
        }
        let filters = self.expressions(&leg, now, wanted, &mut body)?;
        if self.reads_down() {
            body.raw(",\"ScanIndexForward\":false");
        }
        // The items behind a global index can be read strongly, but not the index itself.
        if self.options.consistent && !self.source().is_global() {
            body.raw(",\"ConsistentRead\":true");
        }
        if let Some((segment, segments)) = leg.segment {
            body.raw(&format!(
                ",\"Segment\":{segment},\"TotalSegments\":{segments}"
            ));
        }
        if self.is_metered() {
            body.raw(RETURN_CONSUMED);
        }
        if wanted == Wanted::Count {
            body.raw(",\"Select\":\"COUNT\"");
        }
        let sort = self.source().sort().iter().map(|key| key.attribute);
        Ok(RequestFrame {
            operation: if self.draft.is_scan {
                wire::ServiceOperation::Scan
            } else {
                wire::ServiceOperation::Query
            },
            table,
            body: body.into_bytes(),
            is_metered: self.is_metered(),
            filters,
            begins: leg.begins(sort, self.reads_down())?,
            end: leg.end(self.source().unique_sort_key(), self.reads_down())?,
            is_nothing: leg.range == KeyRange::Nothing
                || self.options.limit == Some(0)
                || self.options.filter.as_ref().is_some_and(Node::is_never),
        })
    }

    pub(super) fn refused(&self, kind: ErrorKind, message: &str) -> Error {
        Error::new(kind, Stage::Request, message).of(self.entity())
    }

    /// Returns an error for reading backwards, because only a page can return the rows before a position in their
    /// order.
    pub(super) fn refuse_backwards(&self) -> Result<()> {
        if self.goes_back() {
            let message = "a cursor that goes backwards is for `page`";
            return Err(self.refused(ErrorKind::InvalidCursor, message));
        }
        Ok(())
    }
}
