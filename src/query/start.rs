//! The start of the read of each partition: at its front, or after the row of a cursor.

use std::cmp::Ordering;

use super::condition::equals;
use super::cursor::{self, Cursor};
use super::draft::KeyLane;
use super::position::{Reached, RowSpot};
use super::scan::MAX_SEGMENTS;
use super::selection::{RequestFrame, Selection, Wanted};
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{CodecError, Reader, Writer};
use crate::key::point::KeyPoint;
use crate::key::range::{Bound, KeyRange};

/// Attributes compared by `=`, with their values in DynamoDB JSON.
pub(super) type Equals = Vec<(&'static str, Vec<u8>)>;

/// A range of keys that requests read one after the other.
#[derive(Clone)]
pub(super) struct Leg {
    pub(super) equals: Equals,
    pub(super) range: KeyRange,
    /// The attribute of the range.
    pub(super) ranged: Option<&'static str>,
    /// The number of a segment of a scan, and how many there are.
    pub(super) segment: Option<(u32, u32)>,
}

/// The last value of the sort key in a read. No request begins after it, because some engines reject that.
#[derive(Debug, Clone)]
pub(super) struct LastKey {
    name: &'static str,
    point: KeyPoint,
}

impl LastKey {
    /// Whether a key, as entries of a JSON object, has this value.
    pub(super) fn is_at(&self, position: &[u8]) -> bool {
        cursor::point_of(position, self.name).is_ok_and(|point| point == self.point)
    }
}

/// The read of one lane.
pub(super) struct LaneRead {
    /// The requests that are sent one after the other.
    pub(super) frames: Vec<RequestFrame>,
    /// The key after which the first request begins.
    pub(super) start: Option<Vec<u8>>,
    /// Whether the start is in a segment of a scan: only DynamoDB knows which keys are in it.
    pub(super) is_of_segment: bool,
}

/// A position among the rows of all lanes.
struct LanePosition {
    lane: usize,
    /// The key attributes of the row, as entries of a JSON object.
    position: Vec<u8>,
    /// The values of the sort key; None if lanes come one after the other.
    sort: Option<Vec<(&'static str, KeyPoint)>>,
}

impl Selection {
    /// The read of each lane.
    pub(super) fn reads(&self, db: &Dynamo, wanted: Wanted) -> Result<Vec<LaneRead>> {
        let fail = |fault| Error::encode(self.entity(), fault);
        if let Some(fault) = &self.draft.fault {
            return Err(fail(fault.clone()));
        }
        self.check_filter()?;
        self.check_projection()?;
        if let Some(cursor) = &self.options.resume {
            cursor.check(self, db)?;
        }
        if let Some(segments) = self.options.segments {
            return self.segments(segments, db, wanted);
        }
        let place = self.place().map_err(fail)?;
        let now = db.now();
        let read = |(at, lane)| -> Result<LaneRead, CodecError> {
            let (legs, start) = self.legs(at, lane, place.as_ref(), now)?;
            let frames = self.frames(legs, db, now, wanted)?;
            Ok(LaneRead {
                frames,
                start,
                is_of_segment: false,
            })
        };
        let lanes = self.draft.lanes().enumerate();
        lanes.map(|lane| read(lane).map_err(fail)).collect()
    }

    /// The previous progress of each segment.
    pub(super) fn begin(&self) -> RowSpot {
        match &self.options.resume {
            Some(cursor) => cursor.spot(),
            None => {
                let segments = self.options.segments.unwrap_or(1).min(MAX_SEGMENTS);
                RowSpot((0..segments).map(|_| Reached::Nothing).collect())
            }
        }
    }

    /// The reads of a scan in segments.
    fn segments(&self, segments: u32, db: &Dynamo, wanted: Wanted) -> Result<Vec<LaneRead>> {
        if segments > MAX_SEGMENTS {
            let message =
                format!("a scan has up to {MAX_SEGMENTS} segments, and this one {segments}");
            return Err(self.refused(ErrorKind::Rejected, &message));
        }
        if self.options.hydration.is_some() {
            let message = "a scan in segments reads whole items by itself: leave `hydrate` out";
            return Err(self.refused(ErrorKind::Rejected, message));
        }
        let now = db.now();
        let RowSpot(reached) = self.begin();
        let read = |(segment, reached): (u32, Reached)| {
            let leg = Leg {
                equals: Vec::new(),
                range: KeyRange::All,
                ranged: None,
                segment: Some((segment, segments)),
            };
            let (legs, start) = match reached {
                Reached::Nothing => (vec![leg], None),
                Reached::Behind(position) => (vec![leg], Some(position.to_vec())),
                Reached::End => (Vec::new(), None),
            };
            let frames = self.frames(legs, db, now, wanted);
            let frames = frames.map_err(|fault| Error::encode(self.entity(), fault))?;
            Ok(LaneRead {
                frames,
                start,
                is_of_segment: true,
            })
        };
        (0..segments).zip(reached).map(read).collect()
    }

    fn frames(
        &self,
        legs: Vec<Leg>,
        db: &Dynamo,
        now: Timestamp,
        wanted: Wanted,
    ) -> Result<Vec<RequestFrame>, CodecError> {
        let frame = |leg| self.frame(self.live(leg, now)?, db, now, wanted);
        let frames = legs.into_iter().map(frame);
        let frames = frames.filter(|frame| !frame.as_ref().is_ok_and(|frame| frame.is_nothing));
        frames.collect()
    }

    /// The position of the cursor.
    fn place(&self) -> Result<Option<LanePosition>, CodecError> {
        let position = self.options.resume.as_ref().and_then(Cursor::position);
        let Some(position) = position else {
            return Ok(None);
        };
        let lane = cursor::lane_of(self, position)?.unwrap_or(usize::MAX);
        let point = |name| Ok((name, cursor::point_of(position, name)?));
        let names = self.source().sort().iter().map(|key| key.attribute);
        let sort = (!self.options.by_partition).then(|| names.map(point).collect());
        Ok(Some(LanePosition {
            lane,
            position: position.to_vec(),
            sort: sort.transpose()?,
        }))
    }

    /// The ranges of a lane, and the key after which they begin.
    fn legs(
        &self,
        at: usize,
        lane: KeyLane<'_>,
        place: Option<&LanePosition>,
        now: Timestamp,
    ) -> Result<(Vec<Leg>, Option<Vec<u8>>), CodecError> {
        let whole = Leg {
            equals: equals(&self.draft, lane)?,
            range: self.draft.range(lane.front, self.asked()),
            ranged: self.draft.ranged(),
            segment: None,
        };
        let Some(place) = place else {
            return Ok((vec![whole], None));
        };
        // Rows with the same sort key come in the order of their lanes.
        let is_over = match at.cmp(&place.lane) {
            Ordering::Equal => {
                let live = self.live(whole, now)?;
                let unique = self.source().unique_sort_key();
                return live.behind_own(place.position.clone(), self.reads_down(), unique);
            }
            other => other.is_lt() != self.begins_with_the_last_lane(),
        };
        let legs = match &place.sort {
            None if is_over => Vec::new(),
            None => vec![whole],
            Some(sort) => whole.behind(sort, self.reads_down(), !is_over)?,
        };
        Ok((legs, None))
    }
}

impl Leg {
    /// The rest of the leg after a row of its own lane. DynamoDB does not begin at a key outside of the range, and a
    /// range that depends on the time may have moved past the row.
    fn behind_own(
        self,
        position: Vec<u8>,
        down: bool,
        unique: Option<&'static str>,
    ) -> Result<(Vec<Leg>, Option<Vec<u8>>), CodecError> {
        let end = self.end(unique, down)?;
        if self.range == KeyRange::Nothing || end.is_some_and(|end| end.is_at(&position)) {
            return Ok((Vec::new(), None));
        }
        let Some(name) = self.ranged else {
            return Ok((vec![self], Some(position)));
        };
        let point = cursor::point_of(&position, name)?;
        if self.range.contains(&point) {
            return Ok((vec![self], Some(position)));
        }
        let (first, _) = self.range.clone().ends();
        let order = first.and_then(|first| point.compare(&first));
        let is_below = order.is_some_and(Ordering::is_le);
        Ok(match is_below == down {
            true => (Vec::new(), None),
            false => (vec![self], None),
        })
    }

    /// The last possible key, if no two rows share a sort key.
    pub(super) fn end(
        &self,
        unique: Option<&'static str>,
        down: bool,
    ) -> Result<Option<LastKey>, CodecError> {
        let Some(name) = unique else { return Ok(None) };
        if let Some((_, value)) = self.equals.iter().find(|(known, _)| *known == name) {
            let point = KeyPoint::read(&mut Reader::new(value))?;
            return Ok(Some(LastKey { name, point }));
        }
        let range = Some(&self.range).filter(|_| self.ranged == Some(name));
        let end = range.and_then(|range| {
            let (first, last) = range.clone().ends();
            let end = if down { first } else { last };
            end.filter(|end| range.contains(end))
        });
        Ok(end.map(|point| LastKey { name, point }))
    }

    /// The rest of the leg after these values of the sort key; `ties` includes the rows with exactly these values.
    /// DynamoDB accepts one range, on the last attribute that is named, so each attribute that may differ needs a
    /// leg.
    fn behind(
        self,
        sort: &[(&'static str, KeyPoint)],
        down: bool,
        ties: bool,
    ) -> Result<Vec<Leg>, CodecError> {
        let mut known = 0;
        for (name, point) in sort {
            let Some((_, value)) = self.equals.iter().find(|(known, _)| known == name) else {
                break;
            };
            known += 1;
            match KeyPoint::read(&mut Reader::new(value))?.compare(point) {
                Some(Ordering::Equal) | None => {}
                Some(order) if order.is_lt() == down => return Ok(vec![self]),
                Some(_) => return Ok(Vec::new()),
            }
        }
        let free = sort.get(known..).unwrap_or_default();
        if free.is_empty() {
            return Ok(if ties { vec![self] } else { Vec::new() });
        }
        let legs = (0..free.len()).rev();
        let legs = legs.map(|at| self.leg(free, at, down, ties && at + 1 == free.len()));
        Ok(legs.collect())
    }

    /// The rows whose first value that differs is the one at `at`.
    fn leg(&self, free: &[(&'static str, KeyPoint)], at: usize, down: bool, held: bool) -> Leg {
        let mut leg = self.clone();
        for (name, point) in free.iter().take(at) {
            if leg.ranged.take() == Some(*name) && !leg.range.contains(point) {
                return leg.nothing();
            }
            leg.range = KeyRange::All;
            let mut value = Writer::default();
            point.write(&mut value);
            leg.equals.push((name, value.into_bytes()));
        }
        if let Some((name, point)) = free.get(at) {
            let bound = Some(Bound {
                point: point.clone(),
                included: held,
            });
            let (lower, upper) = if down { (None, bound) } else { (bound, None) };
            leg.range = leg.range.within(lower, upper);
            leg.ranged = Some(name);
        }
        leg
    }

    fn nothing(self) -> Leg {
        Leg {
            range: KeyRange::Nothing,
            ..self
        }
    }

    /// The earliest position of its rows, as values of the front of the sort key.
    pub(super) fn begins(
        &self,
        sort: impl Iterator<Item = &'static str>,
        down: bool,
    ) -> Result<Vec<KeyPoint>, CodecError> {
        let mut begins = Vec::new();
        for name in sort {
            if let Some((_, value)) = self.equals.iter().find(|(known, _)| *known == name) {
                begins.push(KeyPoint::read(&mut Reader::new(value))?);
                continue;
            }
            let range = self.range.clone();
            let (first, last) = range.ends();
            let end = if down { last } else { first };
            begins.extend(end.filter(|_| self.ranged == Some(name)));
            break;
        }
        Ok(begins)
    }
}
