//! The progress of a read: a scan in segments has a position in each of them, and any other read has one.

use std::fmt;
use std::sync::Arc;

/// The progress of a segment.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) enum Reached {
    #[default]
    Nothing,
    /// After a key: its attributes as entries of a JSON object.
    Behind(Arc<[u8]>),
    End,
}

/// The progress of each segment; a read without segments is one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowSpot(pub(crate) Vec<Reached>);

/// The change of a position by a row, or by a response without rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PositionChange {
    pub(crate) segment: usize,
    pub(crate) reached: Reached,
}

impl PositionChange {
    /// After a key: its attributes as entries of a JSON object.
    pub(crate) fn after_position(segment: usize, position: Vec<u8>) -> Self {
        PositionChange {
            segment,
            reached: Reached::Behind(position.into()),
        }
    }
}

impl RowSpot {
    pub(crate) fn pass_row(&mut self, mark: PositionChange) {
        if self.0.len() <= mark.segment {
            self.0.resize(mark.segment + 1, Reached::Nothing);
        }
        if let Some(reached) = self.0.get_mut(mark.segment) {
            *reached = mark.reached;
        }
    }
}

/// Leaves keys out.
impl fmt::Debug for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reached::Nothing => "Nothing",
            Reached::Behind(_) => "Behind",
            Reached::End => "End",
        })
    }
}
