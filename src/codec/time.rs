//! Points in time and calendar dates, the same for every time library.
//!
//! All have one form of text: UTC, RFC 3339, fixed width, nine fractional digits, so that texts sort as times
//! do. Reading accepts more than is written: any RFC 3339 text with an offset, for rows that
//! others wrote.

mod form;
mod kind;
pub(crate) mod text;

use std::str::FromStr;

use super::DynamoValue;
use crate::clock::{Moment, Timestamp};
use crate::error::{Error, ErrorKind, Stage};
use crate::json::{CodecError, Reader, Writer};

pub use form::{Form, FormField};
pub(crate) use form::{decode_formed, encode_as_read, encode_formed, formed_text};
pub(crate) use kind::{TimeKind, TimeValue, parse_time, time_text};
pub(crate) use text::{Precision, TimeText, date_of_day, day_of_date, utc_text};

/// Calls a macro with the types of points in time.
macro_rules! every_moment {
    ($each:ident) => {
        $each! {
            crate::clock::Timestamp;
            std::time::SystemTime;
            #[cfg(feature = "chrono")] chrono::DateTime<chrono::Utc>;
            #[cfg(feature = "time")] ::time::OffsetDateTime;
            #[cfg(feature = "time")] ::time::UtcDateTime;
            #[cfg(feature = "jiff")] jiff::Timestamp;
        }
    };
}

/// Calls a macro with the types of dates, and of dates with a time and without a zone.
macro_rules! every_civil {
    ($each:ident) => {
        $each! {
            #[cfg(feature = "chrono")] chrono::NaiveDate;
            #[cfg(feature = "chrono")] chrono::NaiveDateTime;
            #[cfg(feature = "time")] ::time::Date;
            #[cfg(feature = "time")] ::time::PrimitiveDateTime;
            #[cfg(feature = "jiff")] jiff::civil::Date;
            #[cfg(feature = "jiff")] jiff::civil::DateTime;
        }
    };
}

pub(crate) use {every_civil, every_moment};

/// Values that are stored as the text of their kind.
macro_rules! time_values {
    ($($(#[$cfg:meta])? $value:ty;)*) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl DynamoValue for $value {
            stored_as!(S, <$value as TimeValue>::KIND.name());

            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                writer.plain_text(&time_text(self)?);
                Ok(())
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                let fault = || CodecError::mismatch(Self::KIND.expected(), "other text");
                parse_time(&reader.text()?).ok_or_else(fault)
            }

            fn as_stored(&self) -> Option<Self> {
                parse_time(&time_text(self).ok()?)
            }
        }
    )*};
}

every_moment!(time_values);
every_civil!(time_values);

/// Parses a text of RFC 3339 with an offset, such as `2026-03-01T09:30:00Z`.
///
/// ```
/// use dynamo_entity::Timestamp;
/// let time: Timestamp = "1970-01-01T01:00:07.5+01:00".parse()?;
/// assert_eq!(Some(time), Timestamp::from_unix(7, 500_000_000));
/// assert!("1970-01-01".parse::<Timestamp>().is_err());
/// # Ok::<(), dynamo_entity::Error>(())
/// ```
impl FromStr for Timestamp {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse_time(text).ok_or_else(|| {
            let message = "this is no time: expected a text such as `2026-03-01T09:30:00Z`";
            Error::new(ErrorKind::InvalidValue, Stage::Encode, message)
        })
    }
}

/// The value of a time that was parsed, if it is in the range of the type.
fn moment_of<T: Moment>(time: Timestamp) -> Result<T, CodecError> {
    T::from_timestamp(time)
        .ok_or_else(|| CodecError::mismatch("a timestamp of this type", "one outside its range"))
}
