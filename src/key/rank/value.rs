//! One value of a sort key as bytes that compare as the value does, with an end marker.

use crate::json::{CodecError, Parts as NumberParts, Reader, Tag, ValueFront};
use crate::key::point::KeyPoint;

/// Ends the bytes of a value. It is the least byte, so a value sorts before those that it is a prefix of.
const END: u8 = 0;
/// Stands before the bytes 0 and 1, which are written one higher, so that none is taken for an `END`.
const ESCAPE: u8 = 1;

/// The number zero. Before the digits of a positive number its exponent is written, as a distance above this.
const ZERO: u16 = 1 << 15;
/// No exponent is larger or smaller than this.
const MOST: i64 = 1000;

/// Most values are shorter.
const SHORT: usize = 48;
/// How many bytes of a value that is not short are known to belong to it: its closing quote would have to fit too.
const KNOWN: usize = SHORT - 1;
/// Few values are longer.
pub(super) const LONG: usize = 128;

/// Writes the next value if it has the usual form, a text without escapes or a plain integer, and is not very long.
#[inline(never)]
pub(super) fn write_usual(json: &[u8], bytes: &mut Vec<u8>) -> bool {
    match ValueFront::<SHORT>::of_value(json, 0) {
        Some((_, front)) if front.len >= KNOWN => write_long(json, bytes),
        front => write_front(front, bytes),
    }
}

#[inline(never)]
fn write_long(json: &[u8], bytes: &mut Vec<u8>) -> bool {
    write_front(ValueFront::<LONG>::of_value(json, KNOWN), bytes)
}

/// Copies more than is kept: a copy of a length that the compiler knows takes a few instructions only.
#[inline(always)]
fn write_front<const N: usize>(
    front: Option<(Tag, ValueFront<'_, N>)>,
    bytes: &mut Vec<u8>,
) -> bool {
    let Some((tag, front)) = front.filter(|(_, front)| front.is_closed()) else {
        return false;
    };
    // A whole number without an exponent, so the number of its digits tells its size.
    if tag == Tag::N {
        bytes.extend_from_slice(&above_zero(front.len as i64 - 1));
    }
    let end = bytes.len() + front.len;
    bytes.extend_from_slice(front.all);
    if let Some(behind) = bytes.get_mut(end) {
        *behind = END;
    }
    bytes.truncate(end + 1);
    true
}

/// Writes the next value, whatever form it has.
pub(super) fn write_value(reader: &mut Reader<'_>, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
    if let Some(text) = reader.usual_text() {
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(END);
        return Ok(());
    }
    match reader.tag()? {
        Tag::N => write_number(&reader.digits()?, bytes),
        _ => write_point(&KeyPoint::read_point(reader)?, bytes),
    }
}

pub(super) fn write_point(point: &KeyPoint, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
    match point {
        KeyPoint::S(text) => write_escaped(text.as_bytes(), bytes),
        KeyPoint::N(number) => return write_number(number.as_str(), bytes),
        KeyPoint::B(value) => write_escaped(value, bytes),
    }
    Ok(())
}

fn write_escaped(value: &[u8], bytes: &mut Vec<u8>) {
    for byte in value {
        match *byte {
            // The end marker must be less than anything that continues a value, so it may not occur
            // in one.
            0..=ESCAPE => bytes.extend([ESCAPE, byte + 1]),
            byte => bytes.push(byte),
        }
    }
    bytes.push(END);
}

/// Writes any number. The bits of a negative one are inverted, so that it sorts in reverse.
fn write_number(text: &str, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
    let number = NumberParts::parse_parts(text)
        .ok_or_else(|| CodecError::mismatch("a number", "other text"))?;
    // Zero has no first digit. It sorts between the negative and the positive numbers.
    if number.digits.is_empty() {
        bytes.extend(ZERO.to_be_bytes());
        return Ok(());
    }
    let start = bytes.len();
    write_digits(number.digits.as_bytes(), number.exponent, bytes);
    if number.negative {
        invert_bytes(bytes, start);
    }
    Ok(())
}

/// Writes the exponent of the first digit, and the digits with zeros up to the decimal point.
fn write_digits(digits: &[u8], exponent: i64, bytes: &mut Vec<u8>) {
    write_exponent(exponent, bytes);
    bytes.extend_from_slice(digits);
    // Zeros up to the point, so that `100` and `1E2` are the same bytes as by the fast way.
    let whole = usize::try_from(exponent.min(MOST)).map_or(0, |exponent| exponent + 1);
    bytes.extend((digits.len()..whole).map(|_| b'0'));
    bytes.push(END);
}

fn write_exponent(exponent: i64, bytes: &mut Vec<u8>) {
    bytes.extend(above_zero(exponent));
}

#[inline]
fn above_zero(exponent: i64) -> [u8; 2] {
    let exponent = exponent.clamp(-MOST, MOST) as i16;
    let above = ZERO.wrapping_add_signed(MOST as i16 + 1 + exponent);
    above.to_be_bytes()
}

/// Inverts all bits, so that the order is reversed.
pub(super) fn invert_bytes(bytes: &mut [u8], start: usize) {
    let bytes = bytes.iter_mut().skip(start);
    bytes.for_each(|byte| *byte = !*byte);
}
