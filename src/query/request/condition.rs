//! The expressions of a query: conditions on the keys, and filters.

use super::options::Wanted;
use super::range_segment::RangeSegment;
use super::selection::Selection;
use crate::clock::Timestamp;
use crate::entity::sentinel::MARK;
use crate::error::Result;
use crate::expr::{Expression, Node};
use crate::json::{CodecError, Number, Reader, Writer};
use crate::key::point::KeyPoint;
use crate::key::range::KeyRange;
use crate::path::Place;
use crate::plan::{Filter, check};
use crate::query::keys::SortKeyTest;

impl Selection {
    /// The range without expired rows, if the TTL is a queried key. A filter cannot name such a key, so a bound
    /// excludes the rows.
    pub(super) fn add_expiry(
        &self,
        mut leg: RangeSegment,
        now: Timestamp,
    ) -> Result<RangeSegment, CodecError> {
        let source = self.query_source();
        let ttl = source
            .ttl_attribute()
            .filter(|ttl| source.is_queried_key(ttl));
        let hides = !self.options.include_expired && !self.draft.is_scan;
        let Some(ttl) = ttl.filter(|_| hides) else {
            return Ok(leg);
        };
        let first_live = KeyPoint::N(Number::from(now.seconds().saturating_add(1)));
        if let Some((_, value)) = leg.equals.iter().find(|(name, _)| *name == ttl) {
            let value = KeyPoint::read_point(&mut Reader::new(value))?;
            // All rows of this query have the same expiry, and it has passed.
            if !KeyRange::All.at_least(first_live).contains_key(&value) {
                leg.range = KeyRange::Nothing;
            }
            return Ok(leg);
        }
        let is_known = |name| leg.equals.iter().any(|(known, _)| *known == name);
        let mut sort = source.sort_keys().iter().map(|key| key.attribute);
        let next = sort.find(|name| !is_known(*name));
        // DynamoDB accepts a bound only directly after known parts, and rejects a filter on a key.
        if next != Some(ttl) || leg.ranged.is_some_and(|ranged| ranged != ttl) {
            let message = format!(
                "expired rows cannot be omitted, because the TTL `{ttl}` is a key after a \
                 part that is not given by `eq`"
            );
            return Err(CodecError::new(message).needing_expired());
        }
        leg.range = leg.range.at_least(first_live);
        leg.ranged = Some(ttl);
        Ok(leg)
    }

    pub(super) fn write_expressions(
        &self,
        leg: &RangeSegment,
        now: Timestamp,
        wanted: Wanted,
        body: &mut Writer,
    ) -> Result<Vec<Filter>, CodecError> {
        let mut expression = Expression::default();
        key_condition(leg, expression.begin_parameter("KeyConditionExpression"))?;
        let filters = self.add_filters(now, expression.begin_parameter("FilterExpression"))?;
        self.add_projection(wanted, expression.begin_parameter("ProjectionExpression"));
        expression.check_limits()?;
        expression.write_members(body);
        Ok(filters)
    }

    /// The attributes that are read. Key attributes are always read, because cursors are built from them, and so are
    /// those by which rows are identified on delivery.
    fn add_projection(&self, wanted: Wanted, out: &mut Expression) {
        let projection = match wanted {
            Wanted::Count => None,
            Wanted::Keys => Some(&[][..]),
            Wanted::Items => self.options.projection.as_deref(),
        };
        let Some(projection) = projection else { return };
        // DynamoDB rejects a projection that names an attribute that a global index lacks, and an older index lacks
        // that of the shape. Without a projection it is returned if the index has it. Keys are the same in each shape.
        let is_selection = wanted == Wanted::Items && !projection.is_empty();
        if is_selection && self.query_source().lists_attributes() {
            return;
        }
        let by_key = self.by_key();
        // The same holds for the constants of entities that the index is older than.
        let names_others = by_key
            .as_ref()
            .is_some_and(|by_key| by_key.decides_of_typed());
        if names_others && wanted == Wanted::Keys && !self.query_source().is_whole() {
            return;
        }
        let ttl = self.hidden_by().filter(|_| wanted == Wanted::Items);
        let identity = by_key.iter().flat_map(|by_key| by_key.attributes());
        // Without these fields, their defaults would be compared with the key.
        let test = self.in_own_format(wanted);
        let tested = test.iter().flat_map(SortKeyTest::deciding_attributes);
        let names = projection.iter().copied().chain(identity).chain(ttl);
        self.name_attributes(names.chain(tested), out);
    }

    fn add_filters(&self, now: Timestamp, out: &mut Expression) -> Result<Vec<Filter>, CodecError> {
        let (filters, node) = self.row_condition(now);
        node.write_condition(out)?;
        Ok(filters)
    }

    /// The condition by which DynamoDB itself exports the rows of this scan.
    pub(crate) fn export_condition(&self, now: Timestamp) -> Result<Node> {
        self.check_filter()?;
        match &self.options.filter {
            // A scan sends no request for it, so its condition is not written there.
            Some(never) if never.is_never() => Ok(never.clone()),
            _ => Ok(self.row_condition(now).1),
        }
    }

    /// The condition for rows, and its parts.
    fn row_condition(&self, now: Timestamp) -> (Vec<Filter>, Node) {
        let mut filters = Vec::new();
        let source = self.query_source();
        let types = source.type_condition(self.draft.parts, self.draft.is_scan);
        let types = match self.options.sentinels && self.draft.is_scan {
            _ if self.options.every_item => None,
            true => types.map(|types| Node::any([types, Node::Exists(Place::of(MARK))])),
            false => types,
        };
        let other = self.options.other_rows.filter(|_| self.draft.is_scan);
        let types = match (types, other) {
            (Some(types), Some(other)) => Some(source.or_rows_of(types, other)),
            (types, _) => types,
        };
        filters.extend(types.as_ref().map(|_| Filter::Type));
        let ttl = self
            .hidden_by()
            .filter(|ttl| self.draft.is_scan || !source.is_queried_key(ttl));
        filters.extend(ttl.map(|_| Filter::Expired));
        let live = ttl.map(|ttl| check::over_condition(ttl, now).not());
        let asked = self.options.filter.clone().filter(|node| !node.is_never());
        filters.extend(asked.as_ref().map(|_| Filter::Condition));
        // They are written as one condition, so that each gets parentheses if it needs them, and all operators count
        // together.
        let node = Node::all(types.into_iter().chain(live).chain(asked));
        (filters, node)
    }
}

fn key_condition(leg: &RangeSegment, out: &mut Expression) -> Result<(), CodecError> {
    for (at, (name, value)) in leg.equals.iter().enumerate() {
        out.push_text(if at == 0 { "" } else { " AND " });
        out.push_name(*name).push_text(" = ").push_json(value);
    }
    if let Some(attribute) = leg.ranged {
        write_range(attribute, &leg.range, out)?;
    }
    Ok(())
}

fn write_range(
    attribute: &'static str,
    range: &KeyRange,
    out: &mut Expression,
) -> Result<(), CodecError> {
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
    out.push_text(" AND ")
        .push_text(before)
        .push_name(attribute)
        .push_text(between);
    for (at, point) in points.into_iter().flatten().enumerate() {
        out.push_text(if at == 0 { "" } else { " AND " });
        out.push_value(|writer| {
            point.write_point(writer);
            Ok(())
        })?;
    }
    out.push_text(if before.is_empty() { "" } else { ")" });
    Ok(())
}
