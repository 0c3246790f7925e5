//! The settings of a query.

use crate::expr::Node;
use crate::query::cursor::Cursor;
use crate::read::{ProgressWatch, ReadAhead};
use crate::schema::EntityDef;

/// A cursor contains a position for each segment, so their number is limited.
pub(super) const MAX_SEGMENTS: u32 = 1000;

/// The settings of a query.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    pub(crate) descending: bool,
    pub(crate) consistent: bool,
    pub(crate) include_expired: bool,
    /// Whether a scan returns every item of the table, also those that are rows of no entity.
    pub(crate) every_item: bool,
    /// Whether a scan returns the items that keep unique values, too.
    pub(crate) sentinels: bool,
    /// The entity of which a scan returns the rows, too.
    pub(crate) other_rows: Option<&'static EntityDef>,
    /// The maximum number of rows to return.
    pub(crate) limit: Option<usize>,
    /// The maximum number of items to read in one request, and in total.
    pub(crate) page_size: Option<usize>,
    pub(crate) max_scanned: Option<usize>,
    pub(crate) resume: Option<Cursor>,
    /// Whether one partition is read after the other.
    pub(crate) by_partition: bool,
    /// The filter.
    pub(crate) filter: Option<Node>,
    /// The attributes that are read in addition to the key; None reads all.
    pub(crate) projection: Option<Vec<&'static str>>,
    /// How the items of the rows are read, if they are.
    pub(crate) hydration: Option<Hydration>,
    /// The number of segments of a scan that are read concurrently. Never 0.
    pub(crate) segments: Option<u32>,
    /// How rows are decoded as they arrive.
    pub(crate) ahead: Option<ReadAhead>,
    /// The read units that may be consumed per second.
    pub(crate) read_units: Option<u32>,
    /// The listener for progress.
    pub(crate) watch: Option<ProgressWatch>,
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

/// The parts of the items that are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hydration {
    /// The attributes to read; None reads all.
    pub(crate) attributes: Option<Vec<&'static str>>,
}
