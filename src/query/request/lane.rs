//! The lane of a query that contains an item or a position.

use super::selection::Selection;
use crate::json::{CodecError, Reader, find_member};
use crate::key::point::KeyPoint;
impl Selection {
    /// Whether the keys of an item are in the queried range.
    pub(crate) fn keys_match(&self, json: &[u8]) -> Result<bool, CodecError> {
        // An index holds the item only if all of its keys are there.
        for key in self.draft.source.sort_keys() {
            if key_point(json, key.attribute)?.is_none() {
                return Ok(false);
            }
        }
        Ok(self.lane_of(json)?.is_some())
    }

    /// The lane that contains a position.
    pub(super) fn lane_of_position(&self, position: &[u8]) -> Result<Option<usize>, CodecError> {
        self.lane_of(&[b"{", position, b"}"].concat())
    }

    /// The lane that contains an item, by its key attributes.
    pub(crate) fn lane_of(&self, json: &[u8]) -> Result<Option<usize>, CodecError> {
        let ranged = self.draft.ranged_attribute();
        let point = ranged.map(|name| key_point(json, name)).transpose()?;
        let point = point.flatten();
        'lanes: for (at, lane) in self.draft.key_lanes().enumerate() {
            for (name, value) in self.draft.lane_equalities(lane)? {
                let wanted = KeyPoint::read_point(&mut Reader::new(&value))?;
                if key_point(json, name)?.as_ref() != Some(&wanted) {
                    continue 'lanes;
                }
            }
            let range = || self.draft.key_range(lane.front, self.sort_condition());
            if ranged.is_none()
                || point
                    .as_ref()
                    .is_some_and(|point| range().contains_key(point))
            {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
}

/// A key attribute of an item.
pub(crate) fn key_point(json: &[u8], wanted: &str) -> Result<Option<KeyPoint>, CodecError> {
    let found = find_member(json, wanted)?;
    found
        .map(|json| KeyPoint::read_point(&mut Reader::new(json)))
        .transpose()
}

/// A key attribute among the entries of an object.
pub(super) fn point_of(entries: &[u8], wanted: &str) -> Result<KeyPoint, CodecError> {
    let json = [b"{", entries, b"}"].concat();
    let found = find_member(&json, wanted)?;
    let found = found.ok_or_else(|| CodecError::new("the key attribute is missing"))?;
    KeyPoint::read_point(&mut Reader::new(found))
}
