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

pub(crate) fn encode(place: &CursorPlace) -> String {
    let backward = if place.backward { BACKWARD } else { 0 };
    let signed_flag = if place.tag.is_some() { SIGNED } else { 0 };
    let mut bytes = vec![kind(place), backward | signed_flag];
    bytes.extend(payload(place));
    bytes.extend(place.tag.iter().flatten());
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(&bytes)
}

/// The content covered by a tag: everything but the direction, which the client may choose.
pub(crate) fn signed(place: &CursorPlace) -> Vec<u8> {
    let mut bytes = vec![kind(place)];
    bytes.extend(payload(place));
    bytes
}

fn kind(place: &CursorPlace) -> u8 {
    match place.at {
        At::Row(_) => ROW,
        At::Segments(_) => SEGMENTS,
    }
}

fn payload(place: &CursorPlace) -> Vec<u8> {
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
    bytes.push(asked.word());
    for bound in asked.bounds() {
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
pub(crate) fn decode(text: &str) -> Option<CursorPlace> {
    let bytes = base64_simd::URL_SAFE_NO_PAD
        .decode_to_vec(text.as_bytes())
        .ok()?;
    let mut rest = Rest(&bytes);
    let kind = rest.byte()?;
    let flags = rest.byte()?;
    // A later version may give these bits a meaning that this version would ignore.
    if flags & !(BACKWARD | SIGNED) != 0 {
        return None;
    }
    let binding = u64::from_le_bytes(rest.array()?);
    let asked = rest.asked()?;
    let at = match kind {
        ROW => At::Row(rest.block()?.to_vec()),
        SEGMENTS => At::Segments(rest.segments()?),
        _ => return None,
    };
    let tag = match flags & SIGNED {
        0 => None,
        _ => Some(rest.array::<TAG_SIZE>()?),
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

    fn segments(&mut self) -> Option<Vec<Reached>> {
        let mut segments = Vec::new();
        loop {
            segments.push(match self.byte()? {
                NO_MORE => return Some(segments),
                NOTHING => Reached::Nothing,
                BEHIND => Reached::Behind(self.block()?.into()),
                END => Reached::End,
                _ => return None,
            });
        }
    }

    fn asked(&mut self) -> Option<SortCondition> {
        Some(match self.byte()? {
            0 => SortCondition::Anything,
            word @ 1..=9 => {
                let sides = word - 1;
                SortCondition::Between(self.bound(sides % 3)?, self.bound(sides / 3)?)
            }
            10 => SortCondition::StartsWith(std::str::from_utf8(self.block()?).ok()?.to_owned()),
            _ => return None,
        })
    }

    /// One side of a range: no bound for a 0, otherwise a bound that the range includes for a 2.
    fn bound(&mut self, side: u8) -> Option<Option<Bound>> {
        if side == 0 {
            return Some(None);
        }
        let (point, included) = (self.point()?, side == 2);
        Some(Some(Bound { point, included }))
    }

    fn point(&mut self) -> Option<KeyPoint> {
        let tag = self.byte()?;
        let value = self.block()?;
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
