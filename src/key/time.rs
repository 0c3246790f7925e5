//! Timestamps and dates in keys: UTC, RFC 3339, fixed width.

use super::format::{Millis, Seconds, YearMonth};
#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
use super::moment::parse_exactly;
use super::moment::{moment_text, parse_moment, parse_uncut, plain_moment};
use super::part::KeyPart;
use super::part_text::{PartText, PartWriter};
use crate::clock::{Moment, Timestamp};
#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
use crate::codec::time;
use crate::codec::time::{Precision, TimeText};
use crate::json::CodecError;
use crate::schema::Width;

macro_rules! time_parts {
    ($($(#[$cfg:meta])? $part:ty, $width:literal, $write:expr, $parse:expr, $plain:expr;)*) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl KeyPart for $part {
            const WIDTH: Width = Width::Fixed($width);
            const IS_EXACT: bool = true;

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
                let write: fn(&Self) -> Result<TimeText, CodecError> = $write;
                writer.token(&write(self)?);
                Ok(())
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                let parse: fn(&str) -> Option<Self> = $parse;
                parse(text.raw())
            }

            fn from_plain(text: &str) -> Option<Self> {
                let plain: fn(&str) -> Option<Self> = $plain;
                plain(text)
            }

            fn to_part(&self) -> Self {
                self.clone()
            }
        }
    )*};
}

macro_rules! moment_parts {
    ($($(#[$cfg:meta])? $part:ty),*) => {
        time_parts! {$(
            $(#[$cfg])? $part, 30,
                |value| moment_text(value, Precision::Nanos),
                |raw| parse_moment(raw, Precision::Nanos),
                plain_moment;
        )*}
    };
}

moment_parts!(
    Timestamp,
    std::time::SystemTime,
    #[cfg(feature = "chrono")] chrono::DateTime<chrono::Utc>,
    #[cfg(feature = "time")] time_crate::OffsetDateTime,
    #[cfg(feature = "time")] time_crate::UtcDateTime,
    #[cfg(feature = "jiff")] jiff::Timestamp
);

#[cfg(feature = "time")]
use ::time as time_crate;

macro_rules! civil_parts {
    ($($feature:literal $date:ty, $datetime:ty;)*) => {
        time_parts! {$(
            #[cfg(feature = $feature)] $date, 10,
                |value| time::date_text(time::CalendarDate::to_days(value)),
                |raw| parse_exactly(
                    raw,
                    |raw| time::parse_date(raw).and_then(time::CalendarDate::from_days),
                    |value| time::date_text(time::CalendarDate::to_days(value)),
                ),
                |text| time::parse_date(text).and_then(time::CalendarDate::from_days);
            #[cfg(feature = $feature)] $datetime, 29,
                |value| time::civil_text(time::CivilTime::to_civil(value), Precision::Nanos),
                |raw| parse_exactly(
                    raw,
                    |raw| time::parse_civil(raw).and_then(time::CivilTime::from_civil),
                    |value| time::civil_text(time::CivilTime::to_civil(value), Precision::Nanos),
                ),
                |text| time::parse_civil(text).and_then(time::CivilTime::from_civil);
        )*}
    };
}

civil_parts! {
    "chrono" chrono::NaiveDate, chrono::NaiveDateTime;
    "time" time_crate::Date, time_crate::PrimitiveDateTime;
    "jiff" jiff::civil::Date, jiff::civil::DateTime;
}

#[diagnostic::do_not_recommend]
impl<T: Moment + Clone> KeyPart for Seconds<T> {
    const WIDTH: Width = Width::Fixed(20);
    const IS_EXACT: bool = true;

    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
        writer.token(&moment_text(self.get(), Precision::Seconds)?);
        Ok(())
    }

    fn parse_part(text: &PartText<'_>) -> Option<Self> {
        parse_moment(text.raw(), Precision::Seconds).and_then(Seconds::floor)
    }

    fn from_plain(text: &str) -> Option<Self> {
        parse_uncut(text, Seconds::floor, Seconds::get)
    }

    fn to_part(&self) -> Self {
        self.clone()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Moment + Clone> KeyPart for Millis<T> {
    const WIDTH: Width = Width::Fixed(24);
    const IS_EXACT: bool = true;

    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
        writer.token(&moment_text(self.get(), Precision::Millis)?);
        Ok(())
    }

    fn parse_part(text: &PartText<'_>) -> Option<Self> {
        parse_moment(text.raw(), Precision::Millis).and_then(Millis::floor)
    }

    fn from_plain(text: &str) -> Option<Self> {
        parse_uncut(text, Millis::floor, Millis::get)
    }

    fn to_part(&self) -> Self {
        self.clone()
    }
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
