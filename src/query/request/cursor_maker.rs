//! Cursors of one query: created, and checked when they come back.

use std::fmt;
use std::sync::Arc;

use super::binding;
use super::lane::point_of;
use super::selection::Selection;
use crate::dynamo::{Dynamo, Secret};
use crate::error::Result;
use crate::json::CodecError;
use crate::key::check_key;
use crate::key::json::KeyJson;
use crate::query::cursor::Cursor;
use crate::query::cursor::place::{At, CursorPlace};
use crate::query::cursor::spot::{Reached, RowSpot};
use crate::query::keys::SortCondition;
/// Creates the cursors of one query.
#[derive(Clone)]
pub(crate) struct CursorMaker {
    binding: u64,
    asked: SortCondition,
    names: Arc<[&'static str]>,
    is_segmented: bool,
    secret: Option<Secret>,
}

impl CursorMaker {
    pub(crate) fn new(selection: &Selection, db: &Dynamo) -> Self {
        CursorMaker {
            binding: binding::bind_query(selection, db),
            asked: selection.sort_condition().clone(),
            names: selection.query_source().key_attributes().into(),
            is_segmented: selection.options.segments.is_some(),
            secret: db.cursor_secret().cloned(),
        }
    }

    /// Whether it is a scan in segments.
    pub(crate) fn is_segmented(&self) -> bool {
        self.is_segmented
    }

    /// The number that identifies this query.
    pub(crate) fn query_binding(&self) -> u64 {
        self.binding
    }

    /// The cursor of a row.
    pub(crate) fn at_row(&self, row: &[u8]) -> Result<Cursor, CodecError> {
        self.row_position(row)
            .map(|position| self.cursor_at(At::Row(position)))
    }

    /// The key attributes of a row, as entries of a JSON object. Rows contain them in any order. Here they have the
    /// order of the schema and this library's format, so that one position always has the same text.
    pub(crate) fn row_position(&self, row: &[u8]) -> Result<Vec<u8>, CodecError> {
        KeyJson::of_object(row, &self.names).map(KeyJson::into_bytes)
    }

    /// A position that DynamoDB may have returned, in the same order and format.
    fn in_order(&self, entries: &[u8]) -> Vec<u8> {
        let ordered = self.row_position(&[b"{", entries, b"}"].concat());
        // A position that cannot be read is rejected when the cursor is used.
        ordered.unwrap_or_else(|_| entries.to_vec())
    }

    /// The cursor for the progress of each segment; None if no segment was begun.
    pub(crate) fn at_spot(&self, spot: &RowSpot) -> Option<Cursor> {
        let RowSpot(reached) = spot;
        if reached.iter().all(|reached| *reached == Reached::Nothing) {
            return None;
        }
        if self.is_segmented {
            let reached = reached.iter().map(|reached| match reached {
                Reached::Behind(position) => Reached::Behind(self.in_order(position).into()),
                other @ (Reached::Nothing | Reached::End) => other.clone(),
            });
            return Some(self.cursor_at(At::Segments(reached.collect())));
        }
        match reached.first()? {
            Reached::Behind(position) => Some(self.cursor_at(At::Row(self.in_order(position)))),
            Reached::Nothing | Reached::End => None,
        }
    }

    fn cursor_at(&self, at: At) -> Cursor {
        let place = CursorPlace {
            backward: false,
            binding: self.binding,
            asked: self.asked.clone(),
            at,
            tag: None,
        };
        Cursor::sign_place(place, self.secret.as_ref())
    }
}

impl fmt::Debug for CursorMaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CursorMaker")
    }
}

impl Selection {
    /// Returns an error for a cursor of another query. Everything is checked, because a client may have sent it and
    /// it becomes part of a request.
    pub(super) fn check_cursor(&self, cursor: &Cursor, db: &Dynamo) -> Result<()> {
        let fail = |message| Err(Cursor::cursor_error(message).of(self.entity_name()));
        // The signature is checked first, so that nothing else of a forged cursor is evaluated.
        if let Some(secret) = db.cursor_secret()
            && !cursor.is_signed_by(secret)
        {
            return fail("the cursor was not made with this secret, or was changed");
        }
        if cursor.query_binding() != binding::bind_query(self, db)
            || !cursor.fits_segments(self.options.segments)
        {
            return fail(
                "the cursor belongs to another query: it differs in table, index, partition, parts, order, filter or the number of segments",
            );
        }
        if cursor.is_backward() && self.draft.is_scan {
            return fail("a scan has no order to turn around");
        }
        let is_inside =
            |position| is_inside(self, cursor.sort_condition(), position).unwrap_or(false);
        match cursor.lane_positions().all(is_inside) {
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
    let source = selection.query_source();
    let object = [b"{", position, b"}"].concat();
    // The bytes become a part of a request, and a client may have written them, so they must be exactly the bytes that
    // this library writes.
    if KeyJson::of_object(&object, &source.key_attributes())?.as_bytes() != position {
        return Ok(false);
    }
    for (key, role) in source.key_defs() {
        let point = point_of(position, key.attribute)?;
        if point.key_type() != key.ty
            || check_key(point.is_empty(), point.encoded_size(), role).is_err()
        {
            return Ok(false);
        }
    }
    // Forged bounds could include the rows of other users, or have a type that the key does not have.
    let draft = &selection.draft;
    let bound = draft.bound_type();
    if !asked
        .given_bounds()
        .all(|asked| Some(asked.point.key_type()) == bound)
    {
        return Ok(false);
    }
    let is_within = |front| {
        draft
            .key_range(front, asked)
            .lies_in(&draft.group_range(front))
    };
    if asked.kind_byte() != draft.asked.kind_byte() || !draft.fronts.iter().all(is_within) {
        return Ok(false);
    }
    Ok(selection.lane_of_position(position)?.is_some())
}
