//! Integers in keys: padded with zeros, negative ones as `-` and the nines' complement, so that they sort.

use super::part::KeyPart;
use super::part_text::{PartOut, PartText, PartWriter, has_no_negatives};
use crate::json::CodecError;
use crate::schema::Width;

/// The widest padding of a number.
const MOST_DIGITS: usize = 39;

fn push_padded(
    out: &mut PartOut<'_>,
    digits: &str,
    width: usize,
    flip: bool,
) -> Result<(), CodecError> {
    let Some(zeros) = width.checked_sub(digits.len()) else {
        return Err(CodecError::new(format!(
            "a number of more than the {width} digits of its padding"
        )));
    };
    out.extend(&[if flip { b'9' } else { b'0' }; MOST_DIGITS][..zeros.min(MOST_DIGITS)]);
    if !flip {
        out.extend(digits.as_bytes());
        return Ok(());
    }
    // The nines' complement turns the order: of two negative numbers, the one with the greater
    // magnitude is less.
    for byte in digits.bytes() {
        out.extend(&[b'0' + b'9' - byte]);
    }
    Ok(())
}

fn write_unsigned(
    value: u128,
    natural: usize,
    writer: &mut PartWriter<'_>,
) -> Result<(), CodecError> {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(value);
    // Without a width, as other libraries write numbers; they sort as texts then.
    let width = writer.digit_count(natural).unwrap_or(digits.len());
    push_padded(&mut writer.out, digits, width, false)
}

fn write_signed(
    value: i128,
    natural: usize,
    writer: &mut PartWriter<'_>,
) -> Result<(), CodecError> {
    let magnitude = value.unsigned_abs();
    let Some(width) = writer.digit_count(natural) else {
        writer.token(itoa::Buffer::new().format(value));
        return Ok(());
    };
    if value >= 0 {
        return push_padded(
            &mut writer.out,
            itoa::Buffer::new().format(magnitude),
            width,
            false,
        );
    }
    if has_no_negatives(writer.pad, writer.style) {
        return Err(CodecError::new(
            "a negative number in a padded verbatim key: other libraries have no order for it",
        ));
    }
    writer.token("-");
    push_padded(
        &mut writer.out,
        itoa::Buffer::new().format(magnitude),
        width,
        true,
    )
}

/// Parses digits in exactly the form in which they are written.
fn parse_digits(raw: &str, width: Option<usize>) -> Option<u128> {
    let fits = match width {
        Some(width) => raw.len() == width,
        // A leading zero is another text, which this key would never be written as.
        None => raw == "0" || !raw.starts_with('0'),
    };
    (fits && !raw.is_empty() && raw.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| raw.parse().ok())
        .flatten()
}

fn parse_signed(text: &PartText<'_>, natural: usize) -> Option<i128> {
    let width = text.digit_count(natural);
    let Some(negative) = text.raw().strip_prefix('-') else {
        return parse_digits(text.raw(), width)?.try_into().ok();
    };
    if text.has_no_negatives() {
        return None;
    }
    let magnitude = if width.is_some() {
        let flipped: String = negative
            .bytes()
            .map(|byte| {
                byte.is_ascii_digit()
                    .then(|| char::from(b'0' + b'9' - byte))
            })
            .collect::<Option<_>>()?;
        parse_digits(&flipped, width)?
    } else {
        parse_digits(negative, None)?
    };
    // Minus zero is never written, so a key that has it belongs to another program.
    (magnitude != 0)
        .then(|| 0i128.checked_sub_unsigned(magnitude))
        .flatten()
}

macro_rules! unsigned_part {
    ($($int:ty: $digits:literal),*) => {$(
        #[diagnostic::do_not_recommend]
        impl KeyPart for $int {
            const WIDTH: Width = Width::Digits($digits);
            const IS_EXACT: bool = true;

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
                write_unsigned(*self as u128, $digits, writer)
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                parse_digits(text.raw(), text.digit_count($digits))?.try_into().ok()
            }

            fn to_part(&self) -> Self {
                self.clone()
            }
        }
    )*};
}

unsigned_part!(u8: 3, u16: 5, u32: 10, u64: 20, usize: 20, u128: 39);

macro_rules! signed_part {
    ($($int:ty: $digits:literal),*) => {$(
        #[diagnostic::do_not_recommend]
        impl KeyPart for $int {
            const WIDTH: Width = Width::Signed($digits);
            const IS_EXACT: bool = true;

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
                write_signed(*self as i128, $digits, writer)
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                parse_signed(text, $digits)?.try_into().ok()
            }

            fn to_part(&self) -> Self {
                self.clone()
            }
        }
    )*};
}

signed_part!(i8: 3, i16: 5, i32: 10, i64: 19, isize: 19, i128: 39);
