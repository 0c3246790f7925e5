//! Timestamps and dates in keys: UTC, RFC 3339, fixed width.

use super::format::{Millis, Seconds, YearMonth};
use super::moment::{parse_exactly, parse_uncut, plain_time};
use super::part::KeyPart;
use super::part_text::{PartText, PartWriter};
use crate::clock::Moment;
use crate::codec::time::{
    Precision, TimeText, TimeValue, every_civil, every_moment, parse_time, time_text, utc_text,
};
use crate::json::CodecError;
use crate::schema::Width;

macro_rules! time_parts {
    ($($(#[$cfg:meta])? $part:ty;)*) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl KeyPart for $part {
            const WIDTH: Width = Width::Fixed(<$part as TimeValue>::KIND.width());
            const IS_EXACT: bool = true;

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
                writer.token(&time_text(self)?);
                Ok(())
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                parse_exactly(text.raw(), parse_time, time_text)
            }

            fn from_plain(text: &str) -> Option<Self> {
                plain_time(text)
            }

            fn to_part(&self) -> Self {
                self.clone()
            }
        }
    )*};
}

every_moment!(time_parts);
every_civil!(time_parts);

macro_rules! cut_parts {
    ($($part:ident $width:literal;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Moment + Clone> KeyPart for $part<T> {
            const WIDTH: Width = Width::Fixed($width);
            const IS_EXACT: bool = true;

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
                writer.token(&cut_text(self.get(), Precision::$part)?);
                Ok(())
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                let time = parse_exactly(text.raw(), parse_time, |time| cut_text(time, Precision::$part));
                time.and_then($part::floor)
            }

            fn from_plain(text: &str) -> Option<Self> {
                parse_uncut(text, $part::floor, $part::get)
            }

            fn to_part(&self) -> Self {
                self.clone()
            }
        }
    )*};
}

cut_parts! {
    Seconds 20;
    Millis 24;
}

/// The text of a time without the digits behind this precision.
pub(super) fn cut_text<T: Moment>(time: &T, precision: Precision) -> Result<TimeText, CodecError> {
    utc_text(time.to_timestamp(), precision)
}

#[diagnostic::do_not_recommend]
impl KeyPart for YearMonth {
    const WIDTH: Width = Width::Fixed(7);
    const IS_EXACT: bool = true;

    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
        if self.year() > 9999 {
            return Err(CodecError::new("a year outside 0000 to 9999"));
        }
        writer.token(&self.to_string());
        Ok(())
    }

    fn parse_part(text: &PartText<'_>) -> Option<Self> {
        YearMonth::parse_month(text.raw())
    }

    fn to_part(&self) -> Self {
        *self
    }
}
