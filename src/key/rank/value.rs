//! One value of a sort key as bytes that compare as it does, with an end.

use crate::codec::{Fault, NumberParts, Reader, Tag};
use crate::key::point::KeyPoint;

/// Behind the bytes of a value: nothing that goes on is less.
const END: u8 = 0;
/// Before a byte up to its own, so that none of these is an end.
const ESCAPE: u8 = 1;

/// Before the digits of a number stands its exponent, above this.
const ZERO: u16 = 1 << 15;
/// More than that no exponent is.
const MOST: i64 = 1000;

#[inline]
pub(super) fn write_value(reader: &mut Reader<'_>, bytes: &mut Vec<u8>) -> Result<(), Fault> {
    if let Some(text) = reader.plain_text() {
        bytes.extend_from_slice(text);
        bytes.push(END);
        return Ok(());
    }
    if let Some(digits) = reader.plain_digits() {
        write_digits(digits, digits.len() as i64 - 1, bytes);
        return Ok(());
    }
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
#[inline]
fn write_digits(digits: &[u8], exponent: i64, bytes: &mut Vec<u8>) {
    let exponent = exponent.clamp(-MOST, MOST) as i16;
    bytes.extend(
        ZERO.wrapping_add_signed(MOST as i16 + 1 + exponent)
            .to_be_bytes(),
    );
    bytes.extend_from_slice(digits);
    let whole = usize::try_from(exponent).map_or(0, |exponent| exponent + 1);
    bytes.extend((digits.len()..whole).map(|_| b'0'));
    bytes.push(END);
}

/// What came first comes last.
pub(super) fn turn(bytes: &mut [u8], start: usize) {
    let bytes = bytes.iter_mut().skip(start);
    bytes.for_each(|byte| *byte = !*byte);
}
