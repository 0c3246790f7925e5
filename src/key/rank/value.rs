//! One value of a sort key as bytes that compare as it does, with an end.

use crate::codec::{Fault, Front, NumberParts, Reader, Tag};
use crate::key::point::KeyPoint;

/// Behind the bytes of a value: nothing that goes on is less.
const END: u8 = 0;
/// Before a byte up to its own, so that none of these is an end.
const ESCAPE: u8 = 1;

/// Before the digits of a number stands its exponent, above this.
const ZERO: u16 = 1 << 15;
/// More than that no exponent is.
const MOST: i64 = 1000;

/// Most values are no longer.
const SHORT: usize = 48;

/// The value ahead, if it has the usual form: a text without escapes, or a plain integer.
#[inline(never)]
pub(super) fn write_usual(json: &[u8], bytes: &mut Vec<u8>) -> bool {
    let Some((tag, front)) = Front::of(json) else {
        return false;
    };
    if tag == Tag::N {
        write_exponent(front.len as i64 - 1, bytes);
    }
    write_front(front, bytes);
    true
}

/// The value ahead, whatever form it has.
pub(super) fn write_value(reader: &mut Reader<'_>, bytes: &mut Vec<u8>) -> Result<(), Fault> {
    match reader.tag()? {
        Tag::N => write_number(&reader.digits()?, bytes),
        _ => write_point(&KeyPoint::read(reader)?, bytes),
    }
}

pub(super) fn write_point(point: &KeyPoint, bytes: &mut Vec<u8>) -> Result<(), Fault> {
    match point {
        KeyPoint::S(text) => write_escaped(text.as_bytes(), bytes),
        KeyPoint::N(number) => return write_number(number.as_str(), bytes),
        KeyPoint::B(value) => write_escaped(value, bytes),
    }
    Ok(())
}

/// As it stands there. A copy of a length that the compiler knows is a few instructions, so more is copied than is kept.
#[inline(always)]
fn write_front(front: Front<'_>, bytes: &mut Vec<u8>) {
    match front.all.first_chunk::<SHORT>() {
        Some(chunk) if front.len <= SHORT => {
            let end = bytes.len() + front.len;
            bytes.extend_from_slice(chunk);
            bytes.truncate(end);
        }
        _ => write_long(front.all.get(..front.len), bytes),
    }
    bytes.push(END);
}

#[inline(never)]
fn write_long(value: Option<&[u8]>, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(value.unwrap_or_default());
}

fn write_escaped(value: &[u8], bytes: &mut Vec<u8>) {
    for byte in value {
        match *byte {
            0..=ESCAPE => bytes.extend([ESCAPE, byte + 1]),
            byte => bytes.push(byte),
        }
    }
    bytes.push(END);
}

/// Any number; of a negative one all is turned.
fn write_number(text: &str, bytes: &mut Vec<u8>) -> Result<(), Fault> {
    let number = NumberParts::of(text).ok_or_else(|| Fault::mismatch("a number", "other text"))?;
    if number.digits.is_empty() {
        bytes.extend(ZERO.to_be_bytes());
        return Ok(());
    }
    let start = bytes.len();
    write_digits(number.digits.as_bytes(), number.exponent, bytes);
    if number.negative {
        turn(bytes, start);
    }
    Ok(())
}

/// The exponent of the first digit, and the digits as far as the point at least.
fn write_digits(digits: &[u8], exponent: i64, bytes: &mut Vec<u8>) {
    write_exponent(exponent, bytes);
    bytes.extend_from_slice(digits);
    let whole = usize::try_from(exponent.min(MOST)).map_or(0, |exponent| exponent + 1);
    bytes.extend((digits.len()..whole).map(|_| b'0'));
    bytes.push(END);
}

#[inline]
fn write_exponent(exponent: i64, bytes: &mut Vec<u8>) {
    let exponent = exponent.clamp(-MOST, MOST) as i16;
    let above = ZERO.wrapping_add_signed(MOST as i16 + 1 + exponent);
    bytes.extend_from_slice(&above.to_be_bytes());
}

/// What came first comes last.
pub(super) fn turn(bytes: &mut [u8], start: usize) {
    let bytes = bytes.iter_mut().skip(start);
    bytes.for_each(|byte| *byte = !*byte);
}
