//! Integers of up to 128 bits are `N`.

use std::str::FromStr;

use super::DynamoValue;
use crate::json::{CodecError, Number, Reader, Tag, Writer};

/// Reads an integer: a short one, as most are, directly, and any other spelling of a number through `parse`.
#[inline]
fn read_integer<T: FromStr + TryFrom<i64>>(
    reader: &mut Reader<'_>,
    what: &str,
) -> Result<T, CodecError> {
    let mut ahead = reader.clone();
    if let Some(value) = ahead.usual_integer()
        && let Ok(value) = T::try_from(value)
    {
        *reader = ahead;
        return Ok(value);
    }
    parse_integer(&reader.digits()?, what)
}

/// The integer of a number's text. The service may return `1E3` or `5.0` for what others
/// stored: such texts are converted exactly through [`Number`].
pub(super) fn parse_integer<T: FromStr>(digits: &str, what: &str) -> Result<T, CodecError> {
    if let Ok(value) = digits.parse() {
        return Ok(value);
    }
    // Other programs write integers as `1E2` or `5.0`.
    let number: Number = digits.parse()?;
    let integer = number.to_integer_text();
    integer
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| CodecError::mismatch(what, "a number that does not fit"))
}

macro_rules! integer {
    ($($int:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl DynamoValue for $int {
            stored_as!(N, stringify!($int));

            #[inline]
            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                writer.write_integer(*self);
                Ok(())
            }

            #[inline]
            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                read_integer(reader, stringify!($int))
            }

            fn as_stored(&self) -> Option<Self> {
                Some(*self)
            }
        }
    )*};
}

integer!(i8 i16 i32 i64 isize u16 u32 u64 usize);

#[diagnostic::do_not_recommend]
impl DynamoValue for u8 {
    stored_as!(N, "u8");

    const SLICE: Tag = Tag::B;

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        writer.write_integer(*self);
        Ok(())
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        read_integer(reader, "u8")
    }

    /// A slice of bytes is binary, not a list of numbers.
    fn encode_slice(slice: &[Self], writer: &mut Writer) -> Result<(), CodecError> {
        writer.binary(slice);
        Ok(())
    }

    fn decode_vec(reader: &mut Reader<'_>) -> Result<Vec<Self>, CodecError> {
        reader.binary()
    }

    fn as_stored(&self) -> Option<Self> {
        Some(*self)
    }
}

/// The widest integers have more digits than DynamoDB keeps.
macro_rules! wide_integer {
    ($($int:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl DynamoValue for $int {
            stored_as!(N, stringify!($int));

            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                check_width(self.unsigned_abs_u128())?;
                writer.write_integer(*self);
                Ok(())
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                read_integer(reader, stringify!($int))
            }

            fn as_stored(&self) -> Option<Self> {
                Some(*self)
            }
        }
    )*};
}

wide_integer!(i128 u128);

pub(crate) trait Magnitude {
    fn unsigned_abs_u128(self) -> u128;
}

impl Magnitude for i128 {
    fn unsigned_abs_u128(self) -> u128 {
        self.unsigned_abs()
    }
}

impl Magnitude for u128 {
    fn unsigned_abs_u128(self) -> u128 {
        self
    }
}

/// DynamoDB keeps 38 digits. An integer of 39 digits that ends in zeros would fit, but its neighbours would not:
/// it is rejected all the same, so that only its size decides whether an integer fits.
pub(crate) fn check_width(magnitude: u128) -> Result<(), CodecError> {
    if magnitude >= 10u128.pow(38) {
        return Err(CodecError::new(
            "an integer over 38 digits: DynamoDB keeps 38",
        ));
    }
    Ok(())
}
