//! A position in the rows of a query, as opaque text.
//!
//! It contains the key attributes of a row and the bounds of its query, so that a query that began five days ago
//! continues with its original bounds. It is bound to everything else that determines the rows and their order. The
//! cursor of a scan in segments contains the position in each segment.

pub(crate) mod place;
pub(crate) mod spot;
mod text;

use crate::query::cursor::place::{At, CursorPlace};
use crate::query::cursor::spot::{Reached, RowSpot};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::dynamo::Secret;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::query::keys::SortCondition;

/// A position in the rows of a query: after one of them, or before it.
///
/// A client can receive it and send it back, as text (`Display`, `FromStr`) or with serde, and
/// [`resume`](crate::query::QueryExt::resume) continues from there. It is valid only for its own query, in the same
/// table, partition and order. The limit may differ, and so may the bounds of a range: the cursor keeps its original
/// bounds.
///
/// The text is encoded, not encrypted: it shows the key of a row. Without a [secret](crate::Dynamo::with_cursor_secret), a
/// client can also forge one, within the same partition.
#[derive(Clone, PartialEq, Eq)]
pub struct Cursor(Arc<CursorPlace>);

impl Cursor {
    /// The cursor of a place, signed by the secret if there is one.
    pub(crate) fn sign_place(mut place: CursorPlace, secret: Option<&Secret>) -> Cursor {
        place.tag = secret.map(|secret| secret.sign_bytes(&text::signed_bytes(&place)));
        Cursor(Arc::new(place))
    }

    /// Selects the rows before this row, instead of those after it. For [`page`](crate::query::QueryExt::page).
    #[must_use]
    pub fn backwards(self) -> Cursor {
        let mut place = Arc::unwrap_or_clone(self.0);
        // The tag does not cover the direction, so a cursor can be turned without the secret.
        place.backward = true;
        Cursor(Arc::new(place))
    }

    pub(crate) fn is_backward(&self) -> bool {
        self.0.backward
    }

    pub(crate) fn sort_condition(&self) -> &SortCondition {
        &self.0.asked
    }

    /// The key attributes of its row; None for a scan in segments.
    pub(crate) fn start_position(&self) -> Option<&[u8]> {
        match &self.0.at {
            At::Row(position) => Some(position),
            At::Segments(_) => None,
        }
    }

    /// The progress of each segment.
    pub(crate) fn row_spot(&self) -> RowSpot {
        RowSpot(match &self.0.at {
            At::Row(position) => vec![Reached::Behind(position.as_slice().into())],
            At::Segments(reached) => reached.clone(),
        })
    }

    /// Whether it has the same number of segments as the scan, or both have none.
    pub(crate) fn fits_segments(&self, segments: Option<u32>) -> bool {
        let own = match &self.0.at {
            At::Row(_) => None,
            At::Segments(reached) => Some(reached.len()),
        };
        own == segments.and_then(|segments| usize::try_from(segments).ok())
    }

    /// The keys that it points to.
    pub(crate) fn lane_positions(&self) -> impl Iterator<Item = &[u8]> {
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

    pub(crate) fn query_binding(&self) -> u64 {
        self.0.binding
    }

    pub(crate) fn is_signed_by(&self, secret: &Secret) -> bool {
        let tag = self.0.tag.as_ref();
        // With a secret, a cursor without a tag is rejected too; otherwise removing the tag would
        // make any forgery valid.
        tag.is_some_and(|tag| secret.verify_tag(&text::signed_bytes(&self.0), tag))
    }

    pub(crate) fn cursor_error(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::InvalidCursor, Stage::Request, message)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::encode_cursor(&self.0))
    }
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let place = text::decode_cursor(text)
            .ok_or_else(|| Cursor::cursor_error("this text is not a cursor"))?;
        Ok(Cursor(Arc::new(place)))
    }
}

/// The text shows a key, so only `Display` writes it.
impl fmt::Debug for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cursor")
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

/// A [`Cursor`], or an `Option` of one: `None` means the start.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no cursor",
    label = "expected a `Cursor` or an `Option<Cursor>`",
    note = "a text is read first: `text.parse::<Cursor>()?`"
)]
pub trait ResumeFrom {
    #[doc(hidden)]
    fn into_cursor(self) -> Option<Cursor>;
}

impl ResumeFrom for Cursor {
    fn into_cursor(self) -> Option<Cursor> {
        Some(self)
    }
}

impl ResumeFrom for Option<Cursor> {
    fn into_cursor(self) -> Option<Cursor> {
        self
    }
}
