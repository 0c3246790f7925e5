//! Formats of key templates, and the types that go with the lossy ones.
//!
//! `{at}` holds the whole value. `{at:date}` holds less, so a key with it takes a *date*: nothing is
//! ever rounded in silence. [`PartAs`] says which type stands for which format.

use std::borrow::Cow;
use std::fmt;

use super::KeyPart;
use crate::clock::Timestamp;
use crate::codec::Moment;
use crate::codec::time;

/// `{field}`
pub const PLAIN: u8 = 0;
/// `{field:0N}`
pub const PADDED: u8 = 1;
/// `{field:s}`
pub const SECONDS: u8 = 2;
/// `{field:ms}`
pub const MILLIS: u8 = 3;
/// `{field:date}`
pub const DATE: u8 = 4;
/// `{field:month}`
pub const MONTH: u8 = 5;

/// A field's type in a template with one of the formats.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in a key template with this format",
    label = "no key part, or not with this format",
    note = "`{{field:08}}` is for integers, `:s`, `:ms` for timestamps, `:date` and `:month` for timestamps and dates",
    note = "key parts are text, integers, `bool`, timestamps, dates, UUIDs, ULIDs, unit enums, and newtypes of these with `#[derive(DynamoValue)]`",
    note = "floats and decimals have no order as text: give the key a bare field, `pk = field`, to use the native number type"
)]
pub trait PartAs<const FORMAT: u8>: Sized {
    /// What the key holds.
    type Part: KeyPart;

    /// The part of this value.
    fn part(&self) -> Cow<'_, Self::Part>;
}

macro_rules! whole {
    ($format:ident: $($(#[$cfg:meta])? $part:ty),* $(,)?) => {$(
        $(#[$cfg])?
        impl PartAs<$format> for $part {
            type Part = Self;

            fn part(&self) -> Cow<'_, Self> {
                Cow::Borrowed(self)
            }
        }
    )*};
}

whole!(PLAIN:
    String, Box<str>, std::sync::Arc<str>, Cow<'static, str>, char, bool,
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize,
    Timestamp, std::time::SystemTime, YearMonth,
    #[cfg(feature = "chrono")] chrono::DateTime<chrono::Utc>,
    #[cfg(feature = "chrono")] chrono::NaiveDate,
    #[cfg(feature = "chrono")] chrono::NaiveDateTime,
    #[cfg(feature = "time")] ::time::OffsetDateTime,
    #[cfg(feature = "time")] ::time::UtcDateTime,
    #[cfg(feature = "time")] ::time::Date,
    #[cfg(feature = "time")] ::time::PrimitiveDateTime,
    #[cfg(feature = "jiff")] jiff::Timestamp,
    #[cfg(feature = "jiff")] jiff::civil::Date,
    #[cfg(feature = "jiff")] jiff::civil::DateTime,
    #[cfg(feature = "uuid")] uuid::Uuid,
    #[cfg(feature = "ulid")] ulid::Ulid,
);

whole!(PADDED: u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

/// A point in time, cut to whole seconds: the key part of `{at:s}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seconds<T>(T);

/// A point in time, cut to whole milliseconds: the key part of `{at:ms}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis<T>(T);

fn cut<T: Moment>(time: &T, unit: u32) -> Option<T> {
    let time = time.to_timestamp();
    T::from_timestamp(Timestamp::from_unix(
        time.seconds(),
        time.nanos() / unit * unit,
    )?)
}

impl<T: Moment> Seconds<T> {
    /// The second this time is in. `None` at the very edge of the type's range.
    pub fn floor(time: T) -> Option<Self> {
        cut(&time, 1_000_000_000).map(Seconds)
    }

    /// The time.
    pub fn get(&self) -> &T {
        &self.0
    }
}

impl<T: Moment> Millis<T> {
    /// The millisecond this time is in. `None` at the very edge of the type's range.
    pub fn floor(time: T) -> Option<Self> {
        cut(&time, 1_000_000).map(Millis)
    }

    /// The time.
    pub fn get(&self) -> &T {
        &self.0
    }
}

/// A month of the calendar: the key part of `{at:month}`, written `2024-02`.
///
/// ```
/// use dynamo_entity::key::YearMonth;
/// let month = YearMonth::new(2024, 2).expect("a month");
/// assert_eq!(month.to_string(), "2024-02");
/// assert!(YearMonth::new(2024, 13).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct YearMonth {
    year: u16,
    month: u8,
}

impl YearMonth {
    /// A month from 1 to 12 of a year from 0 to 9999.
    pub const fn new(year: u16, month: u8) -> Option<Self> {
        if year > 9999 || month == 0 || month > 12 {
            return None;
        }
        Some(YearMonth { year, month })
    }

    /// The year.
    pub const fn year(self) -> u16 {
        self.year
    }

    /// The month, 1 to 12.
    pub const fn month(self) -> u8 {
        self.month
    }

    fn of_days(days: i64) -> Self {
        let (year, month, _) = time::civil_from_days(days);
        // A year outside is refused when the key is written: it does not fit four digits.
        let year = u16::try_from(year).unwrap_or(u16::MAX);
        YearMonth { year, month }
    }
}

impl fmt::Display for YearMonth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

/// Timestamps with their lossy formats. Cutting fails only at the edge of a type's range, and the text
/// is cut in any case.
macro_rules! lossy_moment {
    ($($(#[$cfg:meta])? $moment:ty),* $(,)?) => {$(
        $(#[$cfg])?
        impl PartAs<SECONDS> for $moment {
            type Part = Seconds<Self>;

            fn part(&self) -> Cow<'_, Seconds<Self>> {
                Cow::Owned(Seconds(cut(self, 1_000_000_000).unwrap_or(*self)))
            }
        }

        $(#[$cfg])?
        impl PartAs<MILLIS> for $moment {
            type Part = Millis<Self>;

            fn part(&self) -> Cow<'_, Millis<Self>> {
                Cow::Owned(Millis(cut(self, 1_000_000).unwrap_or(*self)))
            }
        }

        $(#[$cfg])?
        impl PartAs<MONTH> for $moment {
            type Part = YearMonth;

            fn part(&self) -> Cow<'_, YearMonth> {
                Cow::Owned(YearMonth::of_days(self.to_timestamp().seconds().div_euclid(86_400)))
            }
        }
    )*};
}

lossy_moment!(
    Timestamp,
    std::time::SystemTime,
    #[cfg(feature = "chrono")] chrono::DateTime<chrono::Utc>,
    #[cfg(feature = "time")] ::time::OffsetDateTime,
    #[cfg(feature = "time")] ::time::UtcDateTime,
    #[cfg(feature = "jiff")] jiff::Timestamp,
);

macro_rules! lossy_date {
    ($($feature:literal $moment:ty, $date:ty, $of:expr;)*) => {$(
        #[cfg(feature = $feature)]
        impl PartAs<DATE> for $moment {
            type Part = $date;

            fn part(&self) -> Cow<'_, $date> {
                let of: fn(&Self) -> $date = $of;
                Cow::Owned(of(self))
            }
        }
    )*};
}

lossy_date! {
    "chrono" chrono::DateTime<chrono::Utc>, chrono::NaiveDate, |at| at.date_naive();
    "chrono" chrono::NaiveDateTime, chrono::NaiveDate, |at| at.date();
    "time" ::time::OffsetDateTime, ::time::Date, |at| utc_date(*at);
    "time" ::time::UtcDateTime, ::time::Date, |at| at.date();
    "time" ::time::PrimitiveDateTime, ::time::Date, |at| at.date();
    "jiff" jiff::Timestamp, jiff::civil::Date, |at| at.to_zoned(jiff::tz::TimeZone::UTC).date();
    "jiff" jiff::civil::DateTime, jiff::civil::Date, |at| at.date();
}

/// The day in UTC. One that the type does not reach is past the years of keys at either end: it comes
/// as a day that is refused.
#[cfg(feature = "time")]
fn utc_date(at: ::time::OffsetDateTime) -> ::time::Date {
    at.checked_to_offset(::time::UtcOffset::UTC)
        .map_or(::time::Date::MIN, ::time::OffsetDateTime::date)
}

macro_rules! date_format {
    ($($feature:literal $date:ty;)*) => {$(
        #[cfg(feature = $feature)]
        impl PartAs<DATE> for $date {
            type Part = Self;

            fn part(&self) -> Cow<'_, Self> {
                Cow::Borrowed(self)
            }
        }

        #[cfg(feature = $feature)]
        impl PartAs<MONTH> for $date {
            type Part = YearMonth;

            fn part(&self) -> Cow<'_, YearMonth> {
                Cow::Owned(YearMonth::of_days(time::CalendarDate::to_days(self)))
            }
        }
    )*};
}

date_format! {
    "chrono" chrono::NaiveDate;
    "time" ::time::Date;
    "jiff" jiff::civil::Date;
}
