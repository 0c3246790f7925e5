//! Everything about a read of many rows except the type of its rows.

use std::sync::Arc;

use super::options::{MAX_SEGMENTS, Options, Wanted};
use crate::entity::sentinel::MARK;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Expression, Node};
use crate::query::cursor::Cursor;
use crate::query::cursor::spot::{Reached, RowSpot};
use crate::query::keys::{ByKey, KeyDraft, QuerySource, SortCondition, SortKeyTest};
use crate::read::{Meter, Pace, ReadAhead};
use crate::retry::CONCURRENCY;
use crate::schema::{EntityDef, TableDef, has_unique_rows, is_identified_by_type};

/// A read of many rows, before it is planned.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    pub(crate) draft: KeyDraft,
    pub(crate) options: Options,
}

impl Selection {
    pub(crate) fn new(mut draft: KeyDraft) -> Self {
        draft.finish_draft();
        Selection {
            draft,
            options: Options::default(),
        }
    }

    /// A selection whose rows are decoded in this way as they arrive.
    pub(crate) fn of_draft(draft: KeyDraft, keys_only: bool, ahead: ReadAhead) -> Self {
        let mut selection = Selection::new(draft);
        selection.options.projection = keys_only.then(Vec::new);
        selection.options.ahead = Some(ahead);
        selection
    }

    pub(crate) fn query_source(&self) -> &QuerySource {
        &self.draft.source
    }

    pub(crate) fn entity_name(&self) -> &'static str {
        self.query_source().index_or_table()
    }

    /// The condition on the sort key: that of the cursor, if there is one.
    pub(crate) fn sort_condition(&self) -> &SortCondition {
        let resume = self.options.resume.as_ref();
        resume.map_or(&self.draft.asked, Cursor::sort_condition)
    }

    /// Counts the consumption; None if it is not needed.
    pub(crate) fn read_meter(&self) -> Option<Arc<Meter>> {
        let options = &self.options;
        if !self.is_metered() {
            return None;
        }
        let is_strong = options.consistent;
        let segments = options.segments.unwrap_or(1) as usize;
        // Only so many segments are read at once, and they share the units of a second.
        let side_by_side = segments.min(CONCURRENCY);
        let pace = options
            .read_units
            .map(|units| Pace::per_second(units, is_strong, side_by_side));
        Some(Arc::new(Meter::new(is_strong, pace, options.watch.clone())))
    }

    pub(crate) fn is_metered(&self) -> bool {
        self.options.read_units.is_some() || self.options.watch.is_some()
    }

    /// How rows without a type are identified.
    pub(crate) fn by_key(&self) -> Option<ByKey> {
        match self.options.every_item {
            true => None,
            false => self
                .query_source()
                .by_key(self.draft.parts, self.draft.is_scan),
        }
    }

    /// Whether the query omits this item, because it belongs to an entity that is not queried. An item of another entity
    /// may have taken the key since the row was read.
    pub(crate) fn has_become_other(&self, item: &[u8]) -> bool {
        let source = self.query_source();
        let is_filtered = is_identified_by_type(source.table) && self.by_key().is_some();
        is_filtered && !source.is_asked_type(item)
    }

    /// The test of sort keys, if some may have the format of another program. Such a key is not in the position of its
    /// value, so a range of values is not the range of these rows. A scan has no range.
    pub(crate) fn in_own_format(&self, wanted: Wanted) -> Option<SortKeyTest> {
        let is_checked = !self.options.every_item && !self.draft.is_scan;
        let source = *self.query_source();
        // A projection names the fields of the present shape, so a row of an older shape would lack its own.
        let is_whole = self.options.projection.is_none() || source.entity.shape.is_none();
        let has_fields = wanted == Wanted::Items && is_whole;
        let test = SortKeyTest {
            source,
            pieces: self.draft.ranged_pieces().filter(|_| has_fields),
            number: self.draft.ranged_number().filter(|_| has_fields),
        };
        let is_ranged = test.pieces.is_some() || test.number.is_some();
        (is_checked && (is_ranged || test.source.has_other_formats())).then_some(test)
    }

    /// The partition key, if a scan may meet sentinels of unique values that only newer programs declare.
    pub(crate) fn unknown_sentinels(&self) -> Option<&'static str> {
        let source = self.query_source();
        let is_possible = self.draft.is_scan && !self.options.every_item;
        (is_possible && source.may_get_uniques()).then_some(source.table.pk)
    }

    /// The table and its entities, if other programs store their unique values in rows of it. The type of an entity filters
    /// these rows, but the types of a collection do not, and an index may contain rows without a type.
    pub(crate) fn entities_of_unique_rows(
        &self,
    ) -> Option<(&'static TableDef, &'static [&'static EntityDef])> {
        let source = self.query_source();
        let is_possible =
            (source.members.is_some() || source.index.is_some()) && !self.options.every_item;
        (is_possible && has_unique_rows(source.entities)).then_some((source.table, source.entities))
    }

    /// The TTL attribute, if expired rows are hidden.
    pub(crate) fn hidden_by(&self) -> Option<&'static str> {
        let ttl = self.query_source().ttl_attribute();
        ttl.filter(|_| !self.options.include_expired)
    }

    /// Names these attributes, those of the keys first.
    pub(crate) fn name_attributes(
        &self,
        attributes: impl IntoIterator<Item = &'static str>,
        out: &mut Expression,
    ) {
        let mut names = self.query_source().key_attributes();
        for name in attributes {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        out.push_names(names);
    }

    /// The previous progress of each segment.
    pub(crate) fn first_spot(&self) -> RowSpot {
        match &self.options.resume {
            Some(cursor) => cursor.row_spot(),
            None => {
                let segments = self.options.segments.unwrap_or(1).min(MAX_SEGMENTS);
                RowSpot((0..segments).map(|_| Reached::Nothing).collect())
            }
        }
    }

    pub(crate) fn wanted_count(&self) -> Wanted {
        // Rows that are identified by their keys are not counted by DynamoDB.
        match self.by_key().is_some() || self.entities_of_unique_rows().is_some() {
            true => Wanted::Keys,
            false => Wanted::Count,
        }
    }

    /// Returns an error for a filter on a queried key, because DynamoDB rejects it, and on an attribute that an index
    /// does not contain, because it would find nothing.
    pub(super) fn check_filter(&self) -> Result<()> {
        let source = self.query_source();
        let names = self.options.filter.iter().flat_map(Node::named_attributes);
        for name in names {
            let message = if !self.draft.is_scan && source.is_queried_key(name) {
                "a filter cannot name a key that is queried: use the parts of the query"
            } else if !source.holds_attribute(name) {
                "the index does not hold this attribute, so no filter sees it: add it to `project`"
            } else {
                continue;
            };
            return Err(self.query_error(ErrorKind::Rejected, message).at(name));
        }
        if source.may_meet_sentinels(self.draft.is_scan) && !source.holds_attribute(MARK) {
            let message = "the index has the keys of the items that keep unique values, and does not contain the attribute that \
                distinguishes them from rows: declare it with `project = all`";
            return Err(self.query_error(ErrorKind::Rejected, message));
        }
        Ok(())
    }

    /// Returns an error for an attribute that the index does not contain.
    fn check_projection_of(&self, name: &str) -> Result<()> {
        if self.query_source().holds_attribute(name) {
            return Ok(());
        }
        let message = "the index does not hold this attribute: add it to `project`, or remove it from the projection";
        Err(self.query_error(ErrorKind::Rejected, message).at(name))
    }

    pub(super) fn check_projection(&self) -> Result<()> {
        let mut names = self.options.projection.iter().flatten();
        names.try_for_each(|name| self.check_projection_of(name))
    }

    /// Whether keys are read in descending order.
    pub(crate) fn reads_down(&self) -> bool {
        self.options.descending != self.goes_back()
    }

    /// Whether the last lane is first. Partitions that are read one after the other keep the given order, whatever
    /// the order of their rows.
    pub(crate) fn begins_with_the_last_lane(&self) -> bool {
        match self.options.by_partition {
            true => self.goes_back(),
            false => self.reads_down(),
        }
    }

    fn goes_back(&self) -> bool {
        let resume = self.options.resume.as_ref();
        resume.is_some_and(Cursor::is_backward)
    }

    pub(crate) fn query_error(&self, kind: ErrorKind, message: &str) -> Error {
        Error::new(kind, Stage::Request, message).of(self.entity_name())
    }

    /// Returns an error for reading backwards, because only a page can return the rows before a position in their
    /// order.
    pub(crate) fn refuse_backwards(&self) -> Result<()> {
        if self.goes_back() {
            let message = "only `page` accepts a cursor that goes backwards";
            return Err(self.query_error(ErrorKind::InvalidCursor, message));
        }
        Ok(())
    }
}
