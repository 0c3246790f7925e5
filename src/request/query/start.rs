//! Where the read of each partition begins: at its front, or behind the row of a cursor.

use std::cmp::Ordering;

use super::cursor;
use super::selection::{Frame, Selection, Wanted};
use crate::codec::Fault;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result};
use crate::key::point::KeyPoint;
use crate::key::range::{Bound, KeyRange};

/// The read of one partition.
pub(super) struct Read {
    pub(super) frame: Frame,
    /// The key that it begins behind.
    pub(super) start: Option<Vec<u8>>,
}

/// Where the read of a partition begins.
#[derive(Clone, Default)]
pub(super) struct Start {
    /// Behind this key.
    pub(super) key: Option<Vec<u8>>,
    /// Within these bounds.
    lower: Option<Bound>,
    upper: Option<Bound>,
    /// It has been read.
    is_over: bool,
    /// Which part of a scan, of how many.
    pub(super) segment: Option<(u32, u32)>,
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

impl Selection {
    /// The read of each partition.
    pub(super) fn reads(&self, db: &Dynamo, wanted: Wanted) -> Result<Vec<Read>> {
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

    /// Where the read of each partition begins: behind the cursor's row, in the order of all.
    fn starts(&self) -> Result<Vec<Start>, Fault> {
        let count = self.draft.partitions.len();
        let Some(cursor) = &self.options.resume else {
            return Ok(vec![Start::default(); count]);
        };
        let position = cursor.position();
        let own = cursor::partition_of(self, position)?.unwrap_or(count);
        let (down, sort) = (self.reads_down(), self.source().sort());
        let point = match sort {
            [key] if !self.options.by_partition => Some(cursor::point_of(position, key.attribute)?),
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

    /// The range behind a row of another partition.
    pub(super) fn begun_at(
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
}
