//! A range of keys that requests read one after the other, and its rest after the row of a cursor.

use std::cmp::Ordering;

use super::lane::point_of;
use crate::json::{CodecError, Reader, Writer};
use crate::key::point::KeyPoint;
use crate::key::range::{Bound, KeyRange};
use crate::query::keys::Equals;

/// A range of keys that requests read one after the other.
#[derive(Clone)]
pub(super) struct RangeSegment {
    pub(super) equals: Equals,
    pub(super) range: KeyRange,
    /// The attribute of the range.
    pub(super) ranged: Option<&'static str>,
    /// The number of a segment of a scan, and how many there are.
    pub(super) segment: Option<(u32, u32)>,
}

impl RangeSegment {
    /// The rest of the leg after a row of its own lane. DynamoDB does not begin at a key outside of the range, and a
    /// range that depends on the time may have moved past the row.
    pub(super) fn behind_own(
        self,
        position: Vec<u8>,
        down: bool,
        unique: Option<&'static str>,
    ) -> Result<(Vec<RangeSegment>, Option<Vec<u8>>), CodecError> {
        let end = self.last_key(unique, down)?;
        if self.range == KeyRange::Nothing || end.is_some_and(|end| end.is_at(&position)) {
            return Ok((Vec::new(), None));
        }
        let Some(name) = self.ranged else {
            return Ok((vec![self], Some(position)));
        };
        let point = point_of(&position, name)?;
        if self.range.contains_key(&point) {
            return Ok((vec![self], Some(position)));
        }
        // The row is outside of the range, which may depend on the time: the query then either has
        // not reached the range yet or has passed it.
        let (first, _) = self.range.clone().range_ends();
        let order = first.and_then(|first| point.compare_points(&first));
        let is_below = order.is_some_and(Ordering::is_le);
        Ok(match is_below == down {
            true => (Vec::new(), None),
            false => (vec![self], None),
        })
    }

    /// The last possible key, if no two rows share a sort key.
    pub(crate) fn last_key(
        &self,
        unique: Option<&'static str>,
        down: bool,
    ) -> Result<Option<LastKey>, CodecError> {
        let Some(name) = unique else { return Ok(None) };
        if let Some((_, value)) = self.equals.iter().find(|(known, _)| *known == name) {
            let point = KeyPoint::read_point(&mut Reader::new(value))?;
            return Ok(Some(LastKey { name, point }));
        }
        let range = Some(&self.range).filter(|_| self.ranged == Some(name));
        let end = range.and_then(|range| {
            let (first, last) = range.clone().range_ends();
            let end = if down { first } else { last };
            // An excluded bound is no key of the range, so no row can be at it.
            end.filter(|end| range.contains_key(end))
        });
        Ok(end.map(|point| LastKey { name, point }))
    }

    /// The rest of the leg after these values of the sort key; `ties` includes the rows with exactly these values.
    /// DynamoDB accepts one range, on the last attribute that is named, so each attribute that may differ needs a
    /// leg.
    pub(super) fn after_position(
        self,
        sort: &[(&'static str, KeyPoint)],
        down: bool,
        ties: bool,
    ) -> Result<Vec<RangeSegment>, CodecError> {
        let mut known = 0;
        for (name, point) in sort {
            let Some((_, value)) = self.equals.iter().find(|(known, _)| known == name) else {
                break;
            };
            known += 1;
            match KeyPoint::read_point(&mut Reader::new(value))?.compare_points(point) {
                Some(Ordering::Equal) | None => {}
                Some(order) if order.is_lt() == down => return Ok(vec![self]),
                Some(_) => return Ok(Vec::new()),
            }
        }
        let free = sort.get(known..).unwrap_or_default();
        // All attributes are fixed, so the rows of this lane have one sort key, which is equal to
        // that of the cursor.
        if free.is_empty() {
            return Ok(if ties { vec![self] } else { Vec::new() });
        }
        // The rows that differ in the last attribute only come directly after the cursor, so that
        // segment is read first.
        let legs = (0..free.len()).rev();
        let legs = legs.map(|at| self.part_segment(free, at, down, ties && at + 1 == free.len()));
        Ok(legs.collect())
    }

    /// The rows whose first value that differs is the one at `at`.
    fn part_segment(
        &self,
        free: &[(&'static str, KeyPoint)],
        at: usize,
        down: bool,
        held: bool,
    ) -> RangeSegment {
        let mut leg = self.clone();
        for (name, point) in free.iter().take(at) {
            // The query has a range on this attribute that the cursor's value does not meet.
            if leg.ranged.take() == Some(*name) && !leg.range.contains_key(point) {
                return leg.without_rows();
            }
            leg.range = KeyRange::All;
            let mut value = Writer::default();
            point.write_point(&mut value);
            leg.equals.push((name, value.into_bytes()));
        }
        if let Some((name, point)) = free.get(at) {
            let bound = Some(Bound {
                point: point.clone(),
                included: held,
            });
            let (lower, upper) = if down { (None, bound) } else { (bound, None) };
            leg.range = leg.range.within_bounds(lower, upper);
            leg.ranged = Some(name);
        }
        leg
    }

    fn without_rows(self) -> RangeSegment {
        RangeSegment {
            range: KeyRange::Nothing,
            ..self
        }
    }

    /// The earliest position of its rows, as values of the front of the sort key.
    pub(crate) fn first_keys(
        &self,
        sort: impl Iterator<Item = &'static str>,
        down: bool,
    ) -> Result<Vec<KeyPoint>, CodecError> {
        let mut begins = Vec::new();
        for name in sort {
            if let Some((_, value)) = self.equals.iter().find(|(known, _)| *known == name) {
                begins.push(KeyPoint::read_point(&mut Reader::new(value))?);
                continue;
            }
            let range = self.range.clone();
            let (first, last) = range.range_ends();
            let end = if down { last } else { first };
            begins.extend(end.filter(|_| self.ranged == Some(name)));
            break;
        }
        Ok(begins)
    }
}

/// The last value of the sort key in a read. No request begins after it, because some engines reject that.
#[derive(Debug, Clone)]
pub(crate) struct LastKey {
    name: &'static str,
    point: KeyPoint,
}

impl LastKey {
    /// Whether a key, as entries of a JSON object, has this value.
    pub(crate) fn is_at(&self, position: &[u8]) -> bool {
        point_of(position, self.name).is_ok_and(|point| point == self.point)
    }
}
