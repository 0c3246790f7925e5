//! The content of a cursor.

use super::spot::Reached;
use crate::dynamo::CursorTag;
use crate::query::keys::SortCondition;

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CursorPlace {
    pub(crate) backward: bool,
    pub(crate) binding: u64,
    /// The original bounds of the query.
    pub(crate) asked: SortCondition,
    pub(crate) at: At,
    pub(crate) tag: Option<CursorTag>,
}

/// The target of a cursor.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum At {
    /// The key attributes of a row, as entries of a JSON object.
    Row(Vec<u8>),
    /// The progress of each segment of a scan.
    Segments(Vec<Reached>),
}
