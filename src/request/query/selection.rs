//! Everything about a read of many but the type of its rows.

use super::cursor::Cursor;
use super::draft::Draft;
use super::fetch::Fetch;
use super::source::Source;
use crate::clock::Timestamp;
use crate::codec::{DynamoValue, Fault, Number, Reader, Writer};
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::Expression;
use crate::key::point::KeyPoint;
use crate::key::range::KeyRange;
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
}

/// The part of a request that all its pages share.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(super) operation: wire::Operation,
    pub(super) table: String,
    pub(super) index: Option<&'static str>,
    /// An open JSON object.
    pub(super) body: Vec<u8>,
    /// Rows are dropped by the service after it has counted them.
    pub(super) filters: Vec<Filter>,
    /// Nothing can be there: no request.
    pub(super) is_nothing: bool,
}

/// Why rows are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Filter {
    /// Rows of other entities may stand between those that are asked for.
    Type,
    /// Expired rows are hidden.
    Expired,
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

    /// Plans the request. Nothing is sent if this fails.
    pub(super) fn frame(&self, db: &Dynamo, wanted: Wanted) -> Result<Frame> {
        let fail = |fault| Error::encode(self.entity(), fault);
        if let Some(fault) = &self.draft.fault {
            return Err(fail(fault.clone()));
        }
        let table = db.table_name(self.source().table.name);
        let index = self.source().index.map(|index| index.index);
        if let Some(cursor) = &self.options.resume {
            cursor.check(self, db)?;
        }
        let mut body = Writer::for_request(512);
        body.raw("{\"TableName\":");
        body.quoted(&table);
        if let Some(index) = index {
            body.raw(",\"IndexName\":");
            body.quoted(index);
        }
        let now = db.now();
        let (range, ranged) = self.live_range(now).map_err(fail)?;
        let filters = self
            .expressions(&range, ranged, now, &mut body)
            .map_err(fail)?;
        let is_backward = self
            .options
            .resume
            .as_ref()
            .is_some_and(Cursor::is_backward);
        if self.options.descending != is_backward {
            body.raw(",\"ScanIndexForward\":false");
        }
        if self.options.consistent {
            body.raw(",\"ConsistentRead\":true");
        }
        if wanted == Wanted::Count {
            body.raw(",\"Select\":\"COUNT\"");
        }
        Ok(Frame {
            operation: wire::Operation::Query,
            table,
            index,
            body: body.into_bytes(),
            filters,
            is_nothing: range == KeyRange::Nothing || self.options.limit == Some(0),
        })
    }

    /// The range, and the attribute it is about. No filter may name a key that is queried, so where the
    /// TTL is one, a bound hides what has expired.
    fn live_range(&self, now: Timestamp) -> Result<(KeyRange, Option<&'static str>), Fault> {
        let (range, ranged) = (self.range(), self.draft.ranged);
        let source = self.source();
        let ttl = source.entity.ttl.filter(|ttl| source.is_queried_key(ttl));
        let Some(ttl) = ttl.filter(|_| !self.options.include_expired) else {
            return Ok((range, ranged));
        };
        let first_live = KeyPoint::N(Number::from(now.seconds().saturating_add(1)));
        let known = equals(&self.draft)?;
        if let Some((_, value)) = known.iter().find(|(name, _)| *name == ttl) {
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
        range: &KeyRange,
        ranged: Option<&'static str>,
        now: Timestamp,
        body: &mut Writer,
    ) -> Result<Vec<Filter>, Fault> {
        let mut expression = Expression::default();
        self.key_condition(range, ranged, expression.begin("KeyConditionExpression"))?;
        let filters = self.filter(now, expression.begin("FilterExpression"))?;
        expression.write(body);
        Ok(filters)
    }

    fn key_condition(
        &self,
        range: &KeyRange,
        ranged: Option<&'static str>,
        out: &mut Expression,
    ) -> Result<(), Fault> {
        let mut is_first = true;
        for (name, value) in equals(&self.draft)? {
            out.push(if is_first { "" } else { " AND " });
            out.name(name).push(" = ").value(|writer| {
                writer.raw_bytes(&value);
                Ok(())
            })?;
            is_first = false;
        }
        if let Some(attribute) = ranged {
            write_range(attribute, range, out)?;
        }
        Ok(())
    }

    fn filter(&self, now: Timestamp, out: &mut Expression) -> Result<Vec<Filter>, Fault> {
        let mut filters = Vec::new();
        let source = self.source();
        if let Some(attribute) = source.table.type_attribute
            && source.has_others(self.draft.parts)
        {
            let name = source.entity.stored_name;
            out.name(attribute)
                .push(" = ")
                .value(|writer| name.to_owned().encode(writer))?;
            filters.push(Filter::Type);
        }
        if let Some(attribute) = source.entity.ttl
            && !self.options.include_expired
            && !source.is_queried_key(attribute)
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
        Ok(filters)
    }

    /// Begins to read.
    pub(super) fn fetch(&self, db: &Dynamo, frame: Frame) -> Fetch {
        let start = self.options.resume.as_ref();
        let start = start.map(|cursor| cursor.position().to_vec());
        Fetch::new(db.clone(), self.entity(), frame)
            .start_at(start)
            .looking_at(self.options.page_size, self.options.max_scanned)
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
            let error = Error::new(ErrorKind::InvalidCursor, Stage::Request, message);
            return Err(error.of(self.entity()));
        }
        Ok(())
    }
}

/// The attributes compared by `=`, with their values in DynamoDB JSON.
pub(super) fn equals(draft: &Draft) -> Result<Vec<(&'static str, Vec<u8>)>, Fault> {
    let json = [b"{", &*draft.equals, b"}"].concat();
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
