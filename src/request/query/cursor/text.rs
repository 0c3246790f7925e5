//! The text of a cursor: base64url of a version, flags, binding, bounds, position and tag.

use super::Place;
use super::binding::TAG_SIZE;
use crate::key::point::KeyPoint;
use crate::key::range::KeyRange;

const VERSION: u8 = 1;
const BACKWARD: u8 = 1;
const SIGNED: u8 = 2;

pub(super) fn encode(place: &Place) -> String {
    let backward = if place.backward { BACKWARD } else { 0 };
    let signed_flag = if place.tag.is_some() { SIGNED } else { 0 };
    let mut bytes = vec![VERSION, backward | signed_flag];
    bytes.extend(payload(place));
    bytes.extend(place.tag.iter().flatten());
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(&bytes)
}

/// What a tag covers: all but the direction, which is the client's to choose.
pub(super) fn signed(place: &Place) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    bytes.extend(payload(place));
    bytes
}

fn payload(place: &Place) -> Vec<u8> {
    let mut bytes = place.binding.to_le_bytes().to_vec();
    push_range(&mut bytes, &place.range);
    push_block(&mut bytes, &place.position);
    bytes
}

fn push_block(bytes: &mut Vec<u8>, block: &[u8]) {
    // Keys are of a few kilobytes.
    let length = u32::try_from(block.len()).unwrap_or(u32::MAX);
    bytes.extend(length.to_le_bytes());
    bytes.extend_from_slice(block);
}

fn push_range(bytes: &mut Vec<u8>, range: &KeyRange) {
    let (kind, points) = match range {
        KeyRange::All => (0, [None, None]),
        KeyRange::Nothing => (1, [None, None]),
        KeyRange::Exactly(point) => (2, [Some(point), None]),
        KeyRange::StartsWith(point) => (3, [Some(point), None]),
        KeyRange::Above(point, included) => (4 + u8::from(*included), [Some(point), None]),
        KeyRange::Below(point, included) => (6 + u8::from(*included), [Some(point), None]),
        KeyRange::Between(lower, upper) => (8, [Some(lower), Some(upper)]),
    };
    bytes.push(kind);
    for point in points.into_iter().flatten() {
        let (tag, value) = match point {
            KeyPoint::S(text) => (b'S', text.as_bytes()),
            KeyPoint::N(number) => (b'N', number.as_str().as_bytes()),
            KeyPoint::B(bytes) => (b'B', &bytes[..]),
        };
        bytes.push(tag);
        push_block(bytes, value);
    }
}

/// The cursor of a text, if it is one that we could have made.
pub(super) fn decode(text: &str) -> Option<Place> {
    let bytes = base64_simd::URL_SAFE_NO_PAD
        .decode_to_vec(text.as_bytes())
        .ok()?;
    let mut rest = Rest(&bytes);
    if rest.byte()? != VERSION {
        return None;
    }
    let flags = rest.byte()?;
    if flags & !(BACKWARD | SIGNED) != 0 {
        return None;
    }
    let binding = u64::from_le_bytes(rest.array()?);
    let range = rest.range()?;
    let position = rest.block()?.to_vec();
    let tag = match flags & SIGNED {
        0 => None,
        _ => Some(rest.array::<TAG_SIZE>()?),
    };
    rest.0.is_empty().then_some(Place {
        backward: flags & BACKWARD != 0,
        binding,
        range,
        position,
        tag,
    })
}

/// What is still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn block(&mut self) -> Option<&'a [u8]> {
        let length = u32::from_le_bytes(self.array()?);
        self.take(usize::try_from(length).ok()?)
    }

    fn range(&mut self) -> Option<KeyRange> {
        Some(match self.byte()? {
            0 => KeyRange::All,
            1 => KeyRange::Nothing,
            2 => KeyRange::Exactly(self.point()?),
            3 => KeyRange::StartsWith(self.point()?),
            kind @ 4..=5 => KeyRange::Above(self.point()?, kind == 5),
            kind @ 6..=7 => KeyRange::Below(self.point()?, kind == 7),
            8 => KeyRange::Between(self.point()?, self.point()?),
            _ => return None,
        })
    }

    fn point(&mut self) -> Option<KeyPoint> {
        let tag = self.byte()?;
        let value = self.block()?;
        let text = || std::str::from_utf8(value).ok();
        Some(match tag {
            b'S' => KeyPoint::S(text()?.to_owned()),
            b'N' => KeyPoint::N(text()?.parse().ok()?),
            b'B' => KeyPoint::B(value.to_vec()),
            _ => return None,
        })
    }
}
