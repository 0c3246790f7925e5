//! Everything about a read of many but the type of its rows.

use std::cmp::Ordering;

use super::cursor::Cursor;
use super::draft::Draft;
use super::fetch::Fetch;
use super::gather::{Gather, Merge};
use super::source::Source;
use crate::clock::Timestamp;
use crate::codec::{DynamoValue, Fault, Number, Reader, Writer};
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{Expression, Node};
use crate::key::point::KeyPoint;
use crate::key::range::{Bound, KeyRange};
use crate::wire;

/// A read of many, before it is planned.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    pub(super) draft: Draft,
    pub(super) options: Options,
}

/// What the verbs of a query say.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    pub(super) descending: bool,
    pub(super) consistent: bool,
    pub(super) include_expired: bool,
    /// Rows to return.
    pub(super) limit: Option<usize>,
    /// Items to look at in one request, and in all.
    pub(super) page_size: Option<usize>,
    pub(super) max_scanned: Option<usize>,
    pub(super) resume: Option<Cursor>,
    /// One partition after the other.
    pub(super) by_partition: bool,
    /// What rows have to be besides.
    pub(super) filter: Option<Node>,
    /// Parts of a scan, read side by side.
    pub(super) segments: Option<u32>,
}

/// The part of a request that all its pages share.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(super) operation: wire::Operation,
    pub(super) table: String,
    /// An open JSON object.
    pub(super) body: Vec<u8>,
    /// Rows are dropped by the service after it has counted them.
    pub(super) filters: Vec<Filter>,
    /// Nothing can be there: no request.
    pub(super) is_nothing: bool,
}

/// The read of one partition.
pub(super) struct Read {
    pub(super) frame: Frame,
    /// The key that it begins behind.
    pub(super) start: Option<Vec<u8>>,
}

/// Where the read of a partition begins.
#[derive(Clone, Default)]
struct Start {
    /// Behind this key.
    key: Option<Vec<u8>>,
    /// Within these bounds.
    lower: Option<Bound>,
    upper: Option<Bound>,
    /// It has been read.
    is_over: bool,
    /// Which part of a scan, of how many.
    segment: Option<(u32, u32)>,
}

impl Start {
    /// Of a partition beside the one with the row that was read last. Rows with its sort key come by
    /// the order of their partitions.
    fn beside(point: Option<KeyPoint>, is_earlier: bool, down: bool) -> Self {
        let is_over = is_earlier != down;
        let Some(point) = point else {
            return Start {
                is_over,
                ..Start::default()
            };
        };
        let bound = Some(Bound {
            point,
            included: !is_over,
        });
        if down {
            Start {
                upper: bound,
                ..Start::default()
            }
        } else {
            Start {
                lower: bound,
                ..Start::default()
            }
        }
    }
}

/// Why rows are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Filter {
    /// Rows of other entities may stand between those that are asked for.
    Type,
    /// Expired rows are hidden.
    Expired,
    /// `filter(..)`
    Condition,
}

/// What a request returns of its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Items,
    /// Their number.
    Count,
}

impl Selection {
    pub(super) fn new(mut draft: Draft) -> Self {
        draft.finish();
        Selection {
            draft,
            options: Options::default(),
        }
    }

    pub(super) fn source(&self) -> &Source {
        &self.draft.source
    }

    pub(super) fn entity(&self) -> &'static str {
        self.source().entity.type_name
    }

    /// The condition on the sort key: the cursor's, if there is one.
    pub(super) fn range(&self) -> KeyRange {
        let resumed = self
            .options
            .resume
            .as_ref()
            .map(|cursor| cursor.range().clone());
        resumed
            .or_else(|| self.draft.range.clone())
            .unwrap_or(KeyRange::All)
    }

    /// Plans the reads of all partitions. Nothing is sent if this fails.
    pub(super) fn gather(&self, db: &Dynamo, wanted: Wanted) -> Result<Gather> {
        let reads = self.reads(db, wanted)?;
        let Options {
            page_size,
            max_scanned,
            ..
        } = self.options;
        if max_scanned.is_some() && reads.len() > 1 {
            let message =
                "`max_scanned` bounds the read of one partition, and this query has several";
            return Err(self.refused(ErrorKind::Rejected, message));
        }
        let fetch = |read: Read| {
            Fetch::new(db.clone(), self.entity(), read.frame)
                .start_at(read.start)
                .looking_at(page_size, max_scanned)
        };
        let sort = self.source().sort().iter().map(|key| key.attribute);
        let merge = Merge {
            entity: self.entity(),
            sort: sort.collect(),
            descending: self.reads_down(),
            by_partition: self.options.by_partition,
            unordered: self.draft.is_scan,
        };
        Ok(Gather::new(reads.into_iter().map(fetch).collect(), merge))
    }

    /// The read of each partition.
    pub(super) fn reads(&self, db: &Dynamo, wanted: Wanted) -> Result<Vec<Read>> {
        let fail = |fault| Error::encode(self.entity(), fault);
        if let Some(fault) = &self.draft.fault {
            return Err(fail(fault.clone()));
        }
        self.check_filter()?;
        if let Some(cursor) = &self.options.resume {
            cursor.check(self, db)?;
        }
        if let Some(segments) = self.options.segments {
            return self.segments(segments.max(1), db, wanted);
        }
        let partitions = self.draft.partitions.iter();
        let starts = self.starts().map_err(fail)?;
        let now = db.now();
        let reads = partitions.zip(starts).map(|(partition, start)| {
            let frame = self
                .frame(partition, &start, db, now, wanted)
                .map_err(fail)?;
            Ok(Read {
                frame,
                start: start.key,
            })
        });
        reads.collect()
    }

    /// The reads of a scan in parts.
    fn segments(&self, segments: u32, db: &Dynamo, wanted: Wanted) -> Result<Vec<Read>> {
        if self.options.resume.is_some() {
            let message = "a cursor is for a scan without `segments`";
            return Err(self.refused(ErrorKind::InvalidCursor, message));
        }
        let now = db.now();
        let read = |segment| {
            let start = Start {
                segment: Some((segment, segments)),
                ..Start::default()
            };
            let frame = self.frame(&[], &start, db, now, wanted);
            let frame = frame.map_err(|fault| Error::encode(self.entity(), fault))?;
            Ok(Read { frame, start: None })
        };
        (0..segments).map(read).collect()
    }

    /// DynamoDB takes no filter on a key that is queried, and finds nothing by an attribute that an index
    /// does not hold.
    fn check_filter(&self) -> Result<()> {
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
        Ok(())
    }

    /// Whether keys are read from the greatest on.
    fn reads_down(&self) -> bool {
        let resume = self.options.resume.as_ref();
        self.options.descending != resume.is_some_and(Cursor::is_backward)
    }

    /// Where the read of each partition begins: behind the cursor's row, in the order of all.
    fn starts(&self) -> Result<Vec<Start>, Fault> {
        let count = self.draft.partitions.len();
        let Some(cursor) = &self.options.resume else {
            return Ok(vec![Start::default(); count]);
        };
        let position = cursor.position();
        let own = super::cursor::partition_of(self, position)?.unwrap_or(count);
        let (down, sort) = (self.reads_down(), self.source().sort());
        let point = match sort {
            [key] if !self.options.by_partition => {
                Some(super::cursor::point_of(position, key.attribute)?)
            }
            [] => None,
            _ if self.options.by_partition || count == 1 => None,
            _ => {
                return Err(Fault::new(
                    "a cursor over several partitions needs a sort key of one attribute",
                ));
            }
        };
        let start = |at: usize| match at.cmp(&own) {
            Ordering::Equal => Start {
                key: Some(position.to_vec()),
                ..Start::default()
            },
            other => Start::beside(point.clone(), other.is_lt(), down),
        };
        Ok((0..count).map(start).collect())
    }

    fn frame(
        &self,
        partition: &[u8],
        start: &Start,
        db: &Dynamo,
        now: Timestamp,
        wanted: Wanted,
    ) -> Result<Frame, Fault> {
        let table = db.table_name(self.source().table.name);
        let index = self.source().index.map(|index| index.index);
        let mut body = Writer::for_request(512);
        body.raw("{\"TableName\":");
        body.quoted(&table);
        if let Some(index) = index {
            body.raw(",\"IndexName\":");
            body.quoted(index);
        }
        let equals = equals(&self.draft, partition)?;
        let (range, ranged) = self.live_range(&equals, now)?;
        let (range, ranged) = self.begun_at(range, ranged, start);
        let filters = self.expressions(&equals, &range, ranged, now, &mut body)?;
        if self.reads_down() {
            body.raw(",\"ScanIndexForward\":false");
        }
        if self.options.consistent {
            body.raw(",\"ConsistentRead\":true");
        }
        if let Some((segment, segments)) = start.segment {
            body.raw(&format!(
                ",\"Segment\":{segment},\"TotalSegments\":{segments}"
            ));
        }
        if wanted == Wanted::Count {
            body.raw(",\"Select\":\"COUNT\"");
        }
        Ok(Frame {
            operation: if self.draft.is_scan {
                wire::Operation::Scan
            } else {
                wire::Operation::Query
            },
            table,
            body: body.into_bytes(),
            filters,
            is_nothing: range == KeyRange::Nothing
                || self.options.limit == Some(0)
                || self.options.filter.as_ref().is_some_and(Node::is_never),
        })
    }

    /// The range behind a row of another partition.
    fn begun_at(
        &self,
        range: KeyRange,
        ranged: Option<&'static str>,
        start: &Start,
    ) -> (KeyRange, Option<&'static str>) {
        if start.is_over {
            return (KeyRange::Nothing, ranged);
        }
        if start.lower.is_none() && start.upper.is_none() {
            return (range, ranged);
        }
        let range = range.within(start.lower.clone(), start.upper.clone());
        let sort = self.source().sort().first().map(|key| key.attribute);
        (range, ranged.or(sort))
    }

    /// The range, and the attribute it is about. No filter may name a key that is queried, so where the
    /// TTL is one, a bound hides what has expired.
    fn live_range(
        &self,
        equals: &[(&'static str, Vec<u8>)],
        now: Timestamp,
    ) -> Result<(KeyRange, Option<&'static str>), Fault> {
        let (range, ranged) = (self.range(), self.draft.ranged);
        let source = self.source();
        let ttl = source.entity.ttl.filter(|ttl| source.is_queried_key(ttl));
        let hides = !self.options.include_expired && !self.draft.is_scan;
        let Some(ttl) = ttl.filter(|_| hides) else {
            return Ok((range, ranged));
        };
        let first_live = KeyPoint::N(Number::from(now.seconds().saturating_add(1)));
        if let Some((_, value)) = equals.iter().find(|(name, _)| *name == ttl) {
            let value = KeyPoint::read(&mut Reader::new(value))?;
            let lives = KeyRange::All.at_least(first_live).contains(&value);
            return Ok((if lives { range } else { KeyRange::Nothing }, ranged));
        }
        let next = source.sort().get(self.draft.parts).map(|key| key.attribute);
        // Behind a part that is not known no bound is possible: such rows are shown.
        if next == Some(ttl) && ranged.is_none_or(|ranged| ranged == ttl) {
            return Ok((range.at_least(first_live), Some(ttl)));
        }
        Ok((range, ranged))
    }

    fn expressions(
        &self,
        equals: &[(&'static str, Vec<u8>)],
        range: &KeyRange,
        ranged: Option<&'static str>,
        now: Timestamp,
        body: &mut Writer,
    ) -> Result<Vec<Filter>, Fault> {
        let mut expression = Expression::default();
        key_condition(
            equals,
            range,
            ranged,
            expression.begin("KeyConditionExpression"),
        )?;
        let filters = self.filter(now, expression.begin("FilterExpression"))?;
        expression.check()?;
        expression.write(body);
        Ok(filters)
    }

    fn filter(&self, now: Timestamp, out: &mut Expression) -> Result<Vec<Filter>, Fault> {
        let mut filters = Vec::new();
        let source = self.source();
        if let Some(attribute) = source.table.type_attribute
            && (self.draft.is_scan || source.has_others(self.draft.parts))
        {
            let name = source.entity.stored_name;
            out.name(attribute)
                .push(" = ")
                .value(|writer| name.to_owned().encode(writer))?;
            filters.push(Filter::Type);
        }
        if let Some(attribute) = source.entity.ttl
            && !self.options.include_expired
            && (self.draft.is_scan || !source.is_queried_key(attribute))
        {
            // NOT of a comparison with a missing attribute is true: such an item lives on. Fractions
            // that others stored are cut off when they are read.
            out.push(if filters.is_empty() {
                "NOT "
            } else {
                " AND NOT "
            });
            out.name(attribute)
                .push(" < ")
                .value(|writer| now.seconds().saturating_add(1).encode(writer))?;
            filters.push(Filter::Expired);
        }
        if let Some(filter) = self.options.filter.as_ref().filter(|node| !node.is_never()) {
            let parts = filters.is_empty();
            out.push(if parts { "" } else { " AND (" });
            filter.write(out)?;
            out.push(if parts { "" } else { ")" });
            filters.push(Filter::Condition);
        }
        Ok(filters)
    }

    fn refused(&self, kind: ErrorKind, message: &str) -> Error {
        Error::new(kind, Stage::Request, message).of(self.entity())
    }

    /// Rows before a place are some, in their order: a page.
    pub(super) fn refuse_backwards(&self) -> Result<()> {
        if self
            .options
            .resume
            .as_ref()
            .is_some_and(Cursor::is_backward)
        {
            let message = "a cursor that goes backwards is for `page`";
            return Err(self.refused(ErrorKind::InvalidCursor, message));
        }
        Ok(())
    }
}

/// The attributes compared by `=`, with their values in DynamoDB JSON.
pub(super) fn equals(
    draft: &Draft,
    partition: &[u8],
) -> Result<Vec<(&'static str, Vec<u8>)>, Fault> {
    let comma: &[u8] = if draft.equals.is_empty() { b"" } else { b"," };
    let json = [b"{", partition, comma, &*draft.equals, b"}"].concat();
    let mut reader = Reader::new(&json);
    let mut equals = Vec::new();
    let mut first = true;
    reader.open_object()?;
    while let Some(name) = reader.next_name(&mut first)? {
        let known = draft.source.key_attributes();
        let known = known.into_iter().find(|known| **known == *name);
        let name = known.ok_or_else(|| Fault::new("an attribute that is no key"))?;
        equals.push((name, reader.raw_value()?.to_vec()));
    }
    Ok(equals)
}

fn key_condition(
    equals: &[(&'static str, Vec<u8>)],
    range: &KeyRange,
    ranged: Option<&'static str>,
    out: &mut Expression,
) -> Result<(), Fault> {
    for (at, (name, value)) in equals.iter().enumerate() {
        out.push(if at == 0 { "" } else { " AND " });
        out.name(*name).push(" = ").json(value);
    }
    if let Some(attribute) = ranged {
        write_range(attribute, range, out)?;
    }
    Ok(())
}

fn write_range(
    attribute: &'static str,
    range: &KeyRange,
    out: &mut Expression,
) -> Result<(), Fault> {
    use KeyRange::{Above, All, Below, Between, Exactly, Nothing, StartsWith};
    let (before, between, points) = match range {
        All | Nothing => return Ok(()),
        Exactly(point) => ("", " = ", [Some(point), None]),
        StartsWith(point) => ("begins_with(", ", ", [Some(point), None]),
        Above(point, true) => ("", " >= ", [Some(point), None]),
        Above(point, false) => ("", " > ", [Some(point), None]),
        Below(point, true) => ("", " <= ", [Some(point), None]),
        Below(point, false) => ("", " < ", [Some(point), None]),
        Between(lower, upper) => ("", " BETWEEN ", [Some(lower), Some(upper)]),
    };
    out.push(" AND ").push(before).name(attribute).push(between);
    for (at, point) in points.into_iter().flatten().enumerate() {
        out.push(if at == 0 { "" } else { " AND " });
        out.value(|writer| {
            point.write(writer);
            Ok(())
        })?;
    }
    out.push(if before.is_empty() { "" } else { ")" });
    Ok(())
}
