//! Points in time and calendar dates, the same for every time library.
//!
//! All have one form of text: UTC, RFC 3339, fixed width, nine fractional digits, so that texts sort as times
//! do. Reading accepts more than is written: any RFC 3339 text with an offset, for rows that
//! others wrote.

#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
mod calendar;
mod form;
pub(crate) mod text;

use std::time::SystemTime;

use super::DynamoValue;
use crate::clock::{Moment, Timestamp};
use crate::json::{CodecError, Reader, Writer};

#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
pub(crate) use calendar::{CalendarDate, CivilTime};
pub use form::{Form, FormField};
pub(crate) use form::{decode_formed, encode_as_read, encode_formed};
pub(crate) use text::{Precision, TimeText, civil_from_days, days_from_civil, parse_utc, utc_text};
#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
pub(crate) use text::{civil_text, date_text, parse_civil, parse_date};

/// Values that are stored as text of one form.
macro_rules! time_values {
    ($($(#[$cfg:meta])? $value:ty, $name:literal, $what:literal, $write:expr, $parse:expr;)*) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl DynamoValue for $value {
            stored_as!(S, $name);

            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                let write: fn(&Self) -> Result<TimeText, CodecError> = $write;
                writer.plain_text(&write(self)?);
                Ok(())
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                let parse: fn(&str) -> Option<Self> = $parse;
                parse(&reader.text()?).ok_or_else(|| CodecError::mismatch($what, "other text"))
            }

            fn as_stored(&self) -> Option<Self> {
                let write: fn(&Self) -> Result<TimeText, CodecError> = $write;
                let parse: fn(&str) -> Option<Self> = $parse;
                parse(&write(self).ok()?)
            }
        }
    )*};
}

#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
use time_values;

/// The value of a time that was parsed, if it is in the range of the type.
fn moment_of<T: Moment>(time: Option<Timestamp>) -> Result<T, CodecError> {
    let time = time.ok_or_else(|| CodecError::mismatch("a timestamp (RFC 3339)", "other text"))?;
    T::from_timestamp(time)
        .ok_or_else(|| CodecError::mismatch("a timestamp of this type", "one outside its range"))
}

/// How each library's type is converted to Unix time and back.
macro_rules! moments {
    ($($feature:literal $moment:ty, |$value:ident| ($seconds:expr, $nanos:expr), $from:expr;)*) => {$(
        #[cfg(feature = $feature)]
        impl Moment for $moment {
            fn to_timestamp(&self) -> Timestamp {
                let $value = self;
                // The libraries keep the nanoseconds below two seconds, so the default is never used.
                Timestamp::from_unix($seconds, $nanos).unwrap_or(Timestamp::EPOCH)
            }

            fn from_timestamp(time: Timestamp) -> Option<Self> {
                let from: fn(Timestamp) -> Option<Self> = $from;
                from(time)
            }
        }
    )*};
}

moments! {
    "chrono" chrono::DateTime<chrono::Utc>,
        |value| (value.timestamp(), value.timestamp_subsec_nanos()),
        |time| chrono::DateTime::from_timestamp(time.seconds(), time.nanos());
    "time" time::OffsetDateTime,
        |value| (value.unix_timestamp(), value.nanosecond()),
        |time| time::OffsetDateTime::from_unix_timestamp(time.seconds()).ok()?
            .checked_add(time::Duration::nanoseconds(time.nanos().into()));
    "time" time::UtcDateTime,
        |value| (value.unix_timestamp(), value.nanosecond()),
        |time| time::UtcDateTime::from_unix_timestamp(time.seconds()).ok()?
            .checked_add(time::Duration::nanoseconds(time.nanos().into()));
    "jiff" jiff::Timestamp,
        |value| (jiff_seconds(*value).0, jiff_seconds(*value).1),
        |time| jiff::Timestamp::new(time.seconds(), 0).ok()?
            .checked_add(jiff::SignedDuration::from_nanos(time.nanos().into())).ok();
}

/// jiff gives the seconds and the nanoseconds of a time before 1970 both as negative numbers.
#[cfg(feature = "jiff")]
fn jiff_seconds(time: jiff::Timestamp) -> (i64, u32) {
    let nanos = i64::from(time.subsec_nanosecond());
    (
        time.as_second() + nanos.div_euclid(1_000_000_000),
        nanos.rem_euclid(1_000_000_000) as u32,
    )
}

fn moment_text<T: Moment>(value: &T) -> Result<TimeText, CodecError> {
    utc_text(value.to_timestamp(), Precision::Nanos)
}

fn parse_moment<T: Moment>(text: &str) -> Option<T> {
    parse_utc(text).and_then(T::from_timestamp)
}

time_values! {
    Timestamp, "timestamp", "a timestamp (RFC 3339)", moment_text, parse_moment;
    SystemTime, "timestamp", "a timestamp (RFC 3339)", moment_text, parse_moment;
    #[cfg(feature = "chrono")]
    chrono::DateTime<chrono::Utc>, "timestamp", "a timestamp (RFC 3339)", moment_text, parse_moment;
    #[cfg(feature = "time")]
    time::OffsetDateTime, "timestamp", "a timestamp (RFC 3339)", moment_text, parse_moment;
    #[cfg(feature = "time")]
    time::UtcDateTime, "timestamp", "a timestamp (RFC 3339)", moment_text, parse_moment;
    #[cfg(feature = "jiff")]
    jiff::Timestamp, "timestamp", "a timestamp (RFC 3339)", moment_text, parse_moment;
}
