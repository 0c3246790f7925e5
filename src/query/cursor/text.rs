//! The text of a cursor: base64url of a kind, flags, binding, bounds, position or positions, and tag.

use super::place::{At, CursorPlace};
use super::spot::Reached;
use crate::dynamo::TAG_SIZE;
use crate::key::point::KeyPoint;
use crate::key::range::Bound;
use crate::query::keys::SortCondition;

/// The first byte: the kind of the position and the version of its format. A tag covers this byte too, so one kind is
/// never mistaken for the other.
const ROW: u8 = 1;
const SEGMENTS: u8 = 2;

const BACKWARD: u8 = 1;
const SIGNED: u8 = 2;

/// The byte before each segment, and after the last one.
const NO_MORE: u8 = 0;
const NOTHING: u8 = 1;
const BEHIND: u8 = 2;
const END: u8 = 3;

pub(crate) fn encode_cursor(place: &CursorPlace) -> String {
    let backward = if place.backward { BACKWARD } else { 0 };
    let signed_flag = if place.tag.is_some() { SIGNED } else { 0 };
    let mut bytes = vec![kind_byte(place), backward | signed_flag];
    bytes.extend(encode_payload(place));
    bytes.extend(place.tag.iter().flatten());
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(&bytes)
}

/// The content covered by a tag: everything but the direction, which the client may choose.
pub(crate) fn signed_bytes(place: &CursorPlace) -> Vec<u8> {
    let mut bytes = vec![kind_byte(place)];
    bytes.extend(encode_payload(place));
    bytes
}

fn kind_byte(place: &CursorPlace) -> u8 {
    match place.at {
        At::Row(_) => ROW,
        At::Segments(_) => SEGMENTS,
    }
}

fn encode_payload(place: &CursorPlace) -> Vec<u8> {
    let mut bytes = place.binding.to_le_bytes().to_vec();
    push_asked(&mut bytes, &place.asked);
    match &place.at {
        At::Row(position) => push_block(&mut bytes, position),
        At::Segments(reached) => push_segments(&mut bytes, reached),
    }
    bytes
}

/// Writes each segment after a byte of its own, so that a forged number of segments reserves no memory.
fn push_segments(bytes: &mut Vec<u8>, segments: &[Reached]) {
    for reached in segments {
        match reached {
            Reached::Nothing => bytes.push(NOTHING),
            Reached::Behind(position) => {
                bytes.push(BEHIND);
                push_block(bytes, position);
            }
            Reached::End => bytes.push(END),
        }
    }
    bytes.push(NO_MORE);
}

fn push_block(bytes: &mut Vec<u8>, block: &[u8]) {
    // The conversion never fails in practice, because a key has at most a few kilobytes.
    let length = u32::try_from(block.len()).unwrap_or(u32::MAX);
    bytes.extend(length.to_le_bytes());
    bytes.extend_from_slice(block);
}

fn push_asked(bytes: &mut Vec<u8>, asked: &SortCondition) {
    bytes.push(asked.kind_byte());
    for bound in asked.given_bounds() {
        let (tag, value) = match &bound.point {
            KeyPoint::S(text) => (b'S', text.as_bytes()),
            KeyPoint::N(number) => (b'N', number.as_str().as_bytes()),
            KeyPoint::B(bytes) => (b'B', &bytes[..]),
        };
        bytes.push(tag);
        push_block(bytes, value);
    }
    if let SortCondition::StartsWith(text) = asked {
        push_block(bytes, text.as_bytes());
    }
}

/// The cursor of a text, if this library could have created it.
pub(crate) fn decode_cursor(text: &str) -> Option<CursorPlace> {
    let bytes = base64_simd::URL_SAFE_NO_PAD
        .decode_to_vec(text.as_bytes())
        .ok()?;
    let mut rest = Rest(&bytes);
    let kind = rest.take_byte()?;
    let flags = rest.take_byte()?;
    // A later version may give these bits a meaning that this version would ignore.
    if flags & !(BACKWARD | SIGNED) != 0 {
        return None;
    }
    let binding = u64::from_le_bytes(rest.take_array()?);
    let asked = rest.take_condition()?;
    let at = match kind {
        ROW => At::Row(rest.take_block()?.to_vec()),
        SEGMENTS => At::Segments(rest.take_segments()?),
        _ => return None,
    };
    let tag = match flags & SIGNED {
        0 => None,
        _ => Some(rest.take_array::<TAG_SIZE>()?),
    };
    // A tag does not cover bytes after it, so a text with more bytes is rejected.
    rest.0.is_empty().then_some(CursorPlace {
        backward: flags & BACKWARD != 0,
        binding,
        asked,
        at,
        tag,
    })
}

/// The rest of the text.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take_bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn take_byte(&mut self) -> Option<u8> {
        self.take_bytes(1)?.first().copied()
    }

    fn take_array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take_bytes(N)?.try_into().ok()
    }

    fn take_block(&mut self) -> Option<&'a [u8]> {
        let length = u32::from_le_bytes(self.take_array()?);
        self.take_bytes(usize::try_from(length).ok()?)
    }

    fn take_segments(&mut self) -> Option<Vec<Reached>> {
        let mut segments = Vec::new();
        loop {
            segments.push(match self.take_byte()? {
                NO_MORE => return Some(segments),
                NOTHING => Reached::Nothing,
                BEHIND => Reached::Behind(self.take_block()?.into()),
                END => Reached::End,
                _ => return None,
            });
        }
    }

    fn take_condition(&mut self) -> Option<SortCondition> {
        Some(match self.take_byte()? {
            0 => SortCondition::Anything,
            word @ 1..=9 => {
                let sides = word - 1;
                SortCondition::Between(self.take_bound(sides % 3)?, self.take_bound(sides / 3)?)
            }
            10 => {
                SortCondition::StartsWith(std::str::from_utf8(self.take_block()?).ok()?.to_owned())
            }
            _ => return None,
        })
    }

    /// One side of a range: no bound for a 0, otherwise a bound that the range includes for a 2.
    fn take_bound(&mut self, side: u8) -> Option<Option<Bound>> {
        if side == 0 {
            return Some(None);
        }
        let (point, included) = (self.take_point()?, side == 2);
        Some(Some(Bound { point, included }))
    }

    fn take_point(&mut self) -> Option<KeyPoint> {
        let tag = self.take_byte()?;
        let value = self.take_block()?;
        // The text comes from a client, so nothing in it is trusted: each value is parsed again,
        // and an invalid one ends the decoding.
        let text = || std::str::from_utf8(value).ok();
        Some(match tag {
            b'S' => KeyPoint::S(text()?.to_owned()),
            b'N' => KeyPoint::N(text()?.parse().ok()?),
            b'B' => KeyPoint::B(value.to_vec()),
            _ => return None,
        })
    }
}
