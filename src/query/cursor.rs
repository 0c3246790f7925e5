//! A position in the rows of a query, as opaque text.
//!
//! It contains the key attributes of a row and the bounds of its query, so that a query that began five days ago
//! continues with its original bounds. It is bound to everything else that determines the rows and their order. The
//! cursor of a scan in segments contains the position in each segment.

mod binding;
mod text;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::position::{Reached, RowSpot};
use super::selection::Selection;
use super::sort_condition::SortCondition;
use crate::dynamo::{CursorTag, Dynamo, Secret};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, member};
use crate::key::check_key;
use crate::key::json::KeyJson;
use crate::key::point::KeyPoint;

/// A position in the rows of a query: after one of them, or before it.
///
/// A client can receive it and send it back, as text (`Display`, `FromStr`) or with serde, and
/// [`resume`](crate::query::QueryVerbs::resume) continues from there. It is valid only for its own query, in the same
/// table, partition and order. The limit may differ, and so may the bounds of a range: the cursor keeps its original
/// bounds.
///
/// The text is encoded, not encrypted: it shows the key of a row. Without a [secret](Dynamo::with_cursor_secret), a
/// client can also forge one, within the same partition.
#[derive(Clone, PartialEq, Eq)]
pub struct Cursor(Arc<CursorPlace>);

#[derive(Clone, PartialEq, Eq)]
struct CursorPlace {
    backward: bool,
    binding: u64,
    /// The original bounds of the query.
    asked: SortCondition,
    at: At,
    tag: Option<CursorTag>,
}

/// The target of a cursor.
#[derive(Clone, PartialEq, Eq)]
enum At {
    /// The key attributes of a row, as entries of a JSON object.
    Row(Vec<u8>),
    /// The progress of each segment of a scan.
    Segments(Vec<Reached>),
}

impl Cursor {
    /// Selects the rows before this row, instead of those after it. For [`page`](crate::query::QueryVerbs::page).
    #[must_use]
    pub fn backwards(self) -> Cursor {
        let mut place = Arc::unwrap_or_clone(self.0);
        place.backward = true;
        Cursor(Arc::new(place))
    }

    pub(super) fn is_backward(&self) -> bool {
        self.0.backward
    }

    pub(super) fn asked(&self) -> &SortCondition {
        &self.0.asked
    }

    /// The key attributes of its row; None for a scan in segments.
    pub(super) fn position(&self) -> Option<&[u8]> {
        match &self.0.at {
            At::Row(position) => Some(position),
            At::Segments(_) => None,
        }
    }

    /// The progress of each segment.
    pub(super) fn spot(&self) -> RowSpot {
        RowSpot(match &self.0.at {
            At::Row(position) => vec![Reached::Behind(position.as_slice().into())],
            At::Segments(reached) => reached.clone(),
        })
    }

    /// The keys that it points to.
    fn positions(&self) -> impl Iterator<Item = &[u8]> {
        let (row, segments) = match &self.0.at {
            At::Row(position) => (Some(position.as_slice()), &[][..]),
            At::Segments(reached) => (None, &reached[..]),
        };
        let segments = segments.iter().filter_map(|reached| match reached {
            Reached::Behind(position) => Some(&**position),
            Reached::Nothing | Reached::End => None,
        });
        row.into_iter().chain(segments)
    }

    /// Whether it has the same number of segments as the scan, or both have none.
    fn fits(&self, segments: Option<u32>) -> bool {
        let own = match &self.0.at {
            At::Row(_) => None,
            At::Segments(reached) => Some(reached.len()),
        };
        own == segments.and_then(|segments| usize::try_from(segments).ok())
    }

    /// Returns an error for a cursor of another query. Everything is checked, because a client may have sent it and
    /// it becomes part of a request.
    pub(super) fn check(&self, selection: &Selection, db: &Dynamo) -> Result<()> {
        let fail = |message| Err(refused(message).of(selection.entity()));
        if let Some(secret) = db.cursor_secret()
            && !self
                .0
                .tag
                .as_ref()
                .is_some_and(|tag| secret.verify(&text::signed(&self.0), tag))
        {
            return fail("the cursor was not made with this secret, or was changed");
        }
        if self.0.binding != binding::of(selection, db) || !self.fits(selection.options.segments) {
            return fail(
                "the cursor belongs to another query: it differs in table, index, partition, parts, order, filter or the number of segments",
            );
        }
        if self.is_backward() && selection.draft.is_scan {
            return fail("a scan has no order to turn around");
        }
        let is_inside = |position| is_inside(selection, self.asked(), position).unwrap_or(false);
        match self.positions().all(is_inside) {
            true => Ok(()),
            false => fail("the cursor points to a place outside the query"),
        }
    }
}

/// Whether a position is in the range of the query.
fn is_inside(
    selection: &Selection,
    asked: &SortCondition,
    position: &[u8],
) -> Result<bool, CodecError> {
    let source = selection.source();
    let object = [b"{", position, b"}"].concat();
    // It goes into a request as it is, so it has to be exactly what this library writes.
    if KeyJson::of(&object, &source.key_attributes())?.as_bytes() != position {
        return Ok(false);
    }
    for (key, role) in source.keys() {
        let point = point_of(position, key.attribute)?;
        if point.ty() != key.ty || check_key(point.is_empty(), point.size(), role).is_err() {
            return Ok(false);
        }
    }
    // Made-up bounds would show the rows of others, or have a type that the key does not have.
    let draft = &selection.draft;
    let bound = draft.bound_type();
    if !asked.bounds().all(|asked| Some(asked.point.ty()) == bound) {
        return Ok(false);
    }
    let is_within = |front| draft.range(front, asked).lies_in(&draft.group(front));
    if asked.word() != draft.asked.word() || !draft.fronts.iter().all(is_within) {
        return Ok(false);
    }
    Ok(lane_of(selection, position)?.is_some())
}

/// The lane that contains a position.
pub(super) fn lane_of(selection: &Selection, position: &[u8]) -> Result<Option<usize>, CodecError> {
    selection.lane_of(&[b"{", position, b"}"].concat())
}

/// A key attribute among the entries of an object.
pub(super) fn point_of(entries: &[u8], wanted: &str) -> Result<KeyPoint, CodecError> {
    let json = [b"{", entries, b"}"].concat();
    let found = member(&json, wanted)?;
    let found = found.ok_or_else(|| CodecError::new("the key attribute is missing"))?;
    KeyPoint::read(&mut Reader::new(found))
}

/// Creates the cursors of one query.
#[derive(Clone)]
pub(super) struct CursorMaker {
    binding: u64,
    asked: SortCondition,
    names: Arc<[&'static str]>,
    is_segmented: bool,
    secret: Option<Secret>,
}

impl CursorMaker {
    pub(super) fn new(selection: &Selection, db: &Dynamo) -> Self {
        CursorMaker {
            binding: binding::of(selection, db),
            asked: selection.asked().clone(),
            names: selection.source().key_attributes().into(),
            is_segmented: selection.options.segments.is_some(),
            secret: db.cursor_secret().cloned(),
        }
    }

    /// Whether it is a scan in segments.
    pub(super) fn is_segmented(&self) -> bool {
        self.is_segmented
    }

    /// The number that identifies this query.
    pub(super) fn binding(&self) -> u64 {
        self.binding
    }

    /// The cursor of a row.
    pub(super) fn at_row(&self, row: &[u8]) -> Result<Cursor, CodecError> {
        self.position(row)
            .map(|position| self.cursor(At::Row(position)))
    }

    /// The key attributes of a row, as entries of a JSON object. Rows contain them in any order. Here they have the
    /// order of the schema and this library's format, so that one position always has the same text.
    pub(super) fn position(&self, row: &[u8]) -> Result<Vec<u8>, CodecError> {
        KeyJson::of(row, &self.names).map(KeyJson::into_bytes)
    }

    /// A position that DynamoDB may have returned, in the same order and format.
    fn in_order(&self, entries: &[u8]) -> Vec<u8> {
        let ordered = self.position(&[b"{", entries, b"}"].concat());
        // What cannot be read is refused when it comes back.
        ordered.unwrap_or_else(|_| entries.to_vec())
    }

    /// The cursor for the progress of each segment; None if no segment was begun.
    pub(super) fn at_spot(&self, spot: &RowSpot) -> Option<Cursor> {
        let RowSpot(reached) = spot;
        if reached.iter().all(|reached| *reached == Reached::Nothing) {
            return None;
        }
        if self.is_segmented {
            let reached = reached.iter().map(|reached| match reached {
                Reached::Behind(position) => Reached::Behind(self.in_order(position).into()),
                other @ (Reached::Nothing | Reached::End) => other.clone(),
            });
            return Some(self.cursor(At::Segments(reached.collect())));
        }
        match reached.first()? {
            Reached::Behind(position) => Some(self.cursor(At::Row(self.in_order(position)))),
            Reached::Nothing | Reached::End => None,
        }
    }

    fn cursor(&self, at: At) -> Cursor {
        let mut place = CursorPlace {
            backward: false,
            binding: self.binding,
            asked: self.asked.clone(),
            at,
            tag: None,
        };
        place.tag = self
            .secret
            .as_ref()
            .map(|secret| secret.sign(&text::signed(&place)));
        Cursor(Arc::new(place))
    }
}

fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidCursor, Stage::Request, message)
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::encode(&self.0))
    }
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let place = text::decode(text).ok_or_else(|| refused("this text is no cursor"))?;
        Ok(Cursor(Arc::new(place)))
    }
}

/// The text shows a key, so only `Display` writes it.
impl fmt::Debug for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cursor")
    }
}

impl fmt::Debug for CursorMaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CursorMaker")
    }
}

impl Serialize for Cursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl de::Visitor<'_> for Text {
            type Value = Cursor;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the text of a cursor")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Cursor, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}
