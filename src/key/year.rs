//! Years of the calendar: `{field:year}`.

use std::fmt;
use std::str::FromStr;

use super::foreign_time::{
    EpochMillis, EpochSeconds, JavaScriptTime, PynamoTime, PythonTime, Rfc3339Seconds,
};
use super::format::{ToDate, ToMonth, YearMonth, lossy};
use super::native::KeyValue;
use super::order::SortedPart;
use super::parse::KeyParser;
use super::part::KeyPart;
use super::part_text::{PartText, PartWriter};
use super::writer::PartPlace;
use crate::clock::{Moment, Timestamp};
use crate::codec::time::{every_civil, every_moment};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::CodecError;
use crate::schema::Width;

/// `{field:year}`
pub const YEAR: u8 = 12;

/// `{field:year}`: a timestamp or a date.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no year for a key template",
    label = "neither a timestamp nor a date",
    note = "`{{field:year}}` is for timestamps and dates, not for newtypes of them; write `{{field}}`"
)]
pub trait ToYear: Sized {
    lossy!(trait Year);
}

/// A year of the calendar: the key part of `{at:year}`, written `2024`.
///
/// ```
/// use dynamo_entity::key::Year;
/// let year = Year::new(2024).expect("a year");
/// assert_eq!(year.to_string(), "2024");
/// assert!(Year::new(12_024).is_none());
/// assert_eq!("2024".parse::<Year>()?, year);
/// let day: chrono::DateTime<chrono::Utc> = "2024-02-29T12:00:00Z".parse().unwrap();
/// assert_eq!(Year::from(day), year);
/// assert_eq!(year.next(), Year::new(2025));
/// assert_eq!(year.first_day(), "2024-01-01T00:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().ok());
/// # Ok::<(), dynamo_entity::Error>(())
/// ```
///
/// You can convert every time and date that a key can truncate to its year in UTC. If this year is not from 0 to 9999, writing
/// the key is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Year(u16);

impl Year {
    /// A year from 0 to 9999.
    pub const fn new(year: u16) -> Option<Self> {
        match year {
            0..=9999 => Some(Year(year)),
            _ => None,
        }
    }

    /// The number of the year.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// The year after this one; `None` after 9999.
    pub const fn next(self) -> Option<Self> {
        Year::new(self.0.saturating_add(1))
    }

    /// The year before this one; `None` before the year 0.
    pub const fn previous(self) -> Option<Self> {
        match self.0.checked_sub(1) {
            Some(year) => Year::new(year),
            None => None,
        }
    }

    /// The first day of the year, as a date or as the time at which the day begins in UTC; `None` if it is outside the range
    /// of the type. If a key contains the whole time, query a year by a range from this day up to the first day of the
    /// [`next`](Self::next) year.
    pub fn first_day<T: ToMonth>(self) -> Option<T> {
        self.first_month().first_day()
    }

    /// The first month of the year.
    pub const fn first_month(self) -> YearMonth {
        YearMonth::january(self.0)
    }

    fn parse_year(text: &str) -> Option<Self> {
        // `parse` also accepts `+202` and fewer digits, but a year has one text.
        let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        is_year.then(|| text.parse().ok()).flatten().map(Year)
    }
}

impl fmt::Display for Year {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.0)
    }
}

/// Parses the output of `Display`, and nothing else.
impl FromStr for Year {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Year::parse_year(text).ok_or_else(|| {
            let message = "this is no year: expected a text such as `2024`";
            Error::new(ErrorKind::InvalidKey, Stage::Key, message)
        })
    }
}

#[diagnostic::do_not_recommend]
impl KeyPart for Year {
    const WIDTH: Width = Width::Fixed(4);
    const IS_EXACT: bool = true;

    fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
        // The conversion of a time outside these years gives such a number.
        if self.0 > 9999 {
            return Err(CodecError::new("a year outside 0000 to 9999"));
        }
        writer.token(&self.to_string());
        Ok(())
    }

    fn parse_part(text: &PartText<'_>) -> Option<Self> {
        Year::parse_year(text.raw())
    }

    fn to_part(&self) -> Self {
        *self
    }
}

#[diagnostic::do_not_recommend]
impl SortedPart for Year {}

macro_rules! year_of {
    ($($(#[$cfg:meta])? $time:ty;)*) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl ToYear for $time {
            lossy!(impl Year, |time| Year::from(*time));
        }

        $(#[$cfg])?
        impl From<$time> for Year {
            fn from(time: $time) -> Self {
                Year(YearMonth::from(time).year())
            }
        }
    )*};
}

every_moment!(year_of);
every_civil!(year_of);

/// A key may contain a time in the format of another program, and another key a part of this time.
macro_rules! foreign_parts {
    ($($name:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Moment + Clone> ToYear for $name<T> {
            lossy!(
                impl Year,
                |time| Year(YearMonth::of_time(time.get().to_timestamp()).year()),
                <Self as KeyValue>::from_plain
            );
        }

        #[diagnostic::do_not_recommend]
        impl<T: Moment + Clone> ToMonth for $name<T> {
            lossy!(
                impl YearMonth,
                |time| YearMonth::of_time(time.get().to_timestamp()),
                <Self as KeyValue>::from_plain
            );

            fn at_day(days: i64) -> Option<Self> {
                let day = Timestamp::from_unix(days.checked_mul(86_400)?, 0)?;
                T::from_timestamp(day).and_then($name::floor)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Moment + Clone + ToDate> ToDate for $name<T> {
            type Date = T::Date;

            lossy!(
                impl T::Date,
                |time| T::to_part(time.get()),
                <Self as KeyValue>::from_plain
            );
        }
    )*};
}

foreign_parts!(EpochSeconds EpochMillis JavaScriptTime Rfc3339Seconds PythonTime PynamoTime);

impl From<YearMonth> for Year {
    fn from(month: YearMonth) -> Self {
        Year(month.year())
    }
}
