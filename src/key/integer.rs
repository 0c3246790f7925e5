//! Integers in keys: zero-padded, negatives as `-` and the nines' complement, so that they sort.

use super::parse::PartText;
use super::part::{KeyPart, PartWriter};
use crate::codec::Fault;
use crate::schema::Width;

fn push_padded(out: &mut Vec<u8>, digits: &str, width: usize, flip: bool) -> Result<(), Fault> {
    if digits.len() > width {
        return Err(Fault::new(format!(
            "a number of more than the {width} digits of its padding"
        )));
    }
    let digit = |byte: u8| if flip { b'0' + b'9' - byte } else { byte };
    out.extend(std::iter::repeat_n(digit(b'0'), width - digits.len()));
    out.extend(digits.bytes().map(digit));
    Ok(())
}

fn write_unsigned(value: u128, natural: usize, writer: &mut PartWriter<'_>) -> Result<(), Fault> {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(value);
    let width = writer.digits(natural).unwrap_or(digits.len());
    push_padded(writer.out, digits, width, false)
}

fn write_signed(value: i128, natural: usize, writer: &mut PartWriter<'_>) -> Result<(), Fault> {
    let magnitude = value.unsigned_abs();
    let Some(width) = writer.digits(natural) else {
        writer.token(itoa::Buffer::new().format(value));
        return Ok(());
    };
    if value >= 0 {
        return push_padded(
            writer.out,
            itoa::Buffer::new().format(magnitude),
            width,
            false,
        );
    }
    if writer.pad.is_some() && writer.style != crate::schema::Style::Escaped {
        return Err(Fault::new(
            "a negative number in a padded verbatim key: other libraries have no order for it",
        ));
    }
    writer.token("-");
    push_padded(
        writer.out,
        itoa::Buffer::new().format(magnitude),
        width,
        true,
    )
}

/// Digits in exactly the form that is written.
fn parse_digits(raw: &str, width: Option<usize>) -> Option<u128> {
    let fits = match width {
        Some(width) => raw.len() == width,
        None => raw == "0" || !raw.starts_with('0'),
    };
    (fits && !raw.is_empty() && raw.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| raw.parse().ok())
        .flatten()
}

fn parse_signed(text: &PartText<'_>, natural: usize) -> Option<i128> {
    let width = text.digits(natural);
    let Some(negative) = text.raw().strip_prefix('-') else {
        return parse_digits(text.raw(), width)?.try_into().ok();
    };
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
    // Minus zero is nothing that we write.
    (magnitude != 0)
        .then(|| 0i128.checked_sub_unsigned(magnitude))
        .flatten()
}

macro_rules! unsigned_part {
    ($($int:ty: $digits:literal),*) => {$(
        #[diagnostic::do_not_recommend]
        impl KeyPart for $int {
            const WIDTH: Width = Width::Digits($digits);

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), Fault> {
                write_unsigned(*self as u128, $digits, writer)
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                parse_digits(text.raw(), text.digits($digits))?.try_into().ok()
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

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), Fault> {
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
