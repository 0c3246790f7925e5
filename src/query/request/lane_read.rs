//! The start of the read of each partition: at its front, or after the row of a cursor.

use std::cmp::Ordering;

use super::frame::RequestFrame;
use super::lane::point_of;
use super::options::{MAX_SEGMENTS, Wanted};
use super::range_segment::RangeSegment;
use super::selection::Selection;
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result};
use crate::json::CodecError;
use crate::key::point::KeyPoint;
use crate::key::range::KeyRange;
use crate::query::cursor::Cursor;
use crate::query::cursor::spot::{Reached, RowSpot};
use crate::query::keys::KeyLane;

/// The read of one lane.
pub(crate) struct LaneRead {
    /// The requests that are sent one after the other.
    pub(crate) frames: Vec<RequestFrame>,
    /// The key after which the first request begins.
    pub(crate) start: Option<Vec<u8>>,
    /// Whether the start is in a segment of a scan: only DynamoDB knows which keys are in it.
    pub(crate) is_of_segment: bool,
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
    pub(crate) fn lane_reads(&self, db: &Dynamo, wanted: Wanted) -> Result<Vec<LaneRead>> {
        let fail = |fault| Error::encode(self.entity_name(), fault);
        if let Some(fault) = &self.draft.fault {
            return Err(fail(fault.clone()));
        }
        self.check_filter()?;
        self.check_projection()?;
        if let Some(cursor) = &self.options.resume {
            self.check_cursor(cursor, db)?;
        }
        if let Some(segments) = self.options.segments {
            return self.segment_reads(segments, db, wanted);
        }
        let place = self.lane_position().map_err(fail)?;
        let now = db.now();
        let read = |(at, lane)| -> Result<LaneRead, CodecError> {
            let (legs, start) = self.lane_segments(at, lane, place.as_ref(), now)?;
            let frames = self.request_frames(legs, db, now, wanted)?;
            Ok(LaneRead {
                frames,
                start,
                is_of_segment: false,
            })
        };
        let lanes = self.draft.key_lanes().enumerate();
        lanes.map(|lane| read(lane).map_err(fail)).collect()
    }

    /// The reads of a scan in segments.
    fn segment_reads(&self, segments: u32, db: &Dynamo, wanted: Wanted) -> Result<Vec<LaneRead>> {
        if segments > MAX_SEGMENTS {
            let message = format!(
                "a scan can have at most {MAX_SEGMENTS} segments, and this one has {segments}"
            );
            return Err(self.query_error(ErrorKind::Rejected, &message));
        }
        if self.options.hydration.is_some() {
            let message = "a scan in segments reads whole items by itself: remove `hydrate`";
            return Err(self.query_error(ErrorKind::Rejected, message));
        }
        let now = db.now();
        let RowSpot(reached) = self.first_spot();
        let read = |(segment, reached): (u32, Reached)| {
            let leg = RangeSegment {
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
            let frames = self.request_frames(legs, db, now, wanted);
            let frames = frames.map_err(|fault| Error::encode(self.entity_name(), fault))?;
            Ok(LaneRead {
                frames,
                start,
                is_of_segment: true,
            })
        };
        (0..segments).zip(reached).map(read).collect()
    }

    fn request_frames(
        &self,
        legs: Vec<RangeSegment>,
        db: &Dynamo,
        now: Timestamp,
        wanted: Wanted,
    ) -> Result<Vec<RequestFrame>, CodecError> {
        let frame = |leg| self.request_frame(self.add_expiry(leg, now)?, db, now, wanted);
        let frames = legs.into_iter().map(frame);
        let frames = frames.filter(|frame| !frame.as_ref().is_ok_and(|frame| frame.is_nothing));
        frames.collect()
    }

    /// The position of the cursor.
    fn lane_position(&self) -> Result<Option<LanePosition>, CodecError> {
        let position = self
            .options
            .resume
            .as_ref()
            .and_then(Cursor::start_position);
        let Some(position) = position else {
            return Ok(None);
        };
        let lane = self.lane_of_position(position)?.unwrap_or(usize::MAX);
        let point = |name| Ok((name, point_of(position, name)?));
        let names = self
            .query_source()
            .sort_keys()
            .iter()
            .map(|key| key.attribute);
        let sort = (!self.options.by_partition).then(|| names.map(point).collect());
        Ok(Some(LanePosition {
            lane,
            position: position.to_vec(),
            sort: sort.transpose()?,
        }))
    }

    /// The ranges of a lane, and the key after which they begin.
    fn lane_segments(
        &self,
        at: usize,
        lane: KeyLane<'_>,
        place: Option<&LanePosition>,
        now: Timestamp,
    ) -> Result<(Vec<RangeSegment>, Option<Vec<u8>>), CodecError> {
        let whole = RangeSegment {
            equals: self.draft.lane_equalities(lane)?,
            range: self.draft.key_range(lane.front, self.sort_condition()),
            ranged: self.draft.ranged_attribute(),
            segment: None,
        };
        let Some(place) = place else {
            return Ok((vec![whole], None));
        };
        // Rows with equal sort keys are delivered in the order of their lanes, so lanes before the cursor's have
        // already returned theirs.
        let is_over = match at.cmp(&place.lane) {
            Ordering::Equal => {
                let live = self.add_expiry(whole, now)?;
                let unique = self.query_source().unique_sort_key();
                return live.behind_own(place.position.clone(), self.reads_down(), unique);
            }
            other => other.is_lt() != self.begins_with_the_last_lane(),
        };
        let legs = match &place.sort {
            None if is_over => Vec::new(),
            None => vec![whole],
            Some(sort) => whole.after_position(sort, self.reads_down(), !is_over)?,
        };
        Ok((legs, None))
    }
}
