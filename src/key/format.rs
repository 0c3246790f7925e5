//! Formats of key templates, and the types of the truncating ones.
//!
//! `{at}` contains the whole value. `{at:date}` contains less, so a key with it takes a *date*: nothing is ever
//! rounded silently. Each format has its own trait, so that the compiler names the missing property of a type.

use std::fmt;
use std::str::FromStr;

use super::moment::plain_time;
use super::parse::KeyParser;
use super::part::KeyPart;
use super::writer::PartPlace;
use crate::clock::{Moment, Timestamp};
use crate::codec::time::{TimeValue, date_of_day, day_of_date, every_civil, every_moment};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::CodecError;
use crate::schema::{Pad, Width};

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
/// `{field:lower}`
pub const LOWER: u8 = 6;
/// `{field:upper}`
pub const UPPER: u8 = 7;
/// `{field:epoch}`
pub const EPOCH: u8 = 8;
/// `{field:epoch_ms}`
pub const EPOCH_MILLIS: u8 = 9;
/// `{field:first}`; with another format, the bits of both.
pub const FIRST: u8 = 16;
/// `{field:last}`; with another format, the bits of both.
pub const LAST: u8 = 32;
/// `{field:ends}`; with another format, the bits of both.
pub const ENDS: u8 = 64;

/// `{field:0N}`: a number, or a newtype of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be padded in a key template",
    label = "not a number",
    note = "a width such as `{{field:08}}` is for numbers and newtypes of them; write `{{field}}`"
)]
pub trait Padded {
    #[doc(hidden)]
    const PADDED: () = ();
}

macro_rules! padded {
    ($($int:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Padded for $int {}
    )*};
}

padded!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

/// The bounds that a derive uses for a truncating format; for other formats it uses [`KeyPart`].
macro_rules! lossy {
    // The declarations. They are not in a supertrait, because the compiler would complain of that one too.
    (trait $part:ty) => {
        /// The width of the part.
        #[doc(hidden)]
        const WIDTH: Width;

        /// The queries that the part supports as text.
        #[doc(hidden)]
        const RANGES: $crate::schema::PartRanges = $crate::schema::PartRanges::Comparable;

        /// The part of this value.
        fn to_part(&self) -> $part;

        /// Writes the part of this value.
        #[doc(hidden)]
        fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError>;

        /// Writes a part.
        #[doc(hidden)]
        fn write_held(part: &$part, place: PartPlace<'_, '_>) -> Result<(), CodecError>;

        /// Reads a part.
        #[doc(hidden)]
        fn parse(
            key: &mut KeyParser<'_>,
            field: &'static str,
            pad: Option<$crate::schema::Pad>,
            after: Option<&'static str>,
        ) -> Result<$part, CodecError>;

        /// Parses a part as a person writes it.
        #[doc(hidden)]
        fn from_plain(text: &str) -> Option<$part>;

        /// Parses the whole field as a person writes it, and truncates it.
        #[doc(hidden)]
        fn from_whole(text: &str) -> Option<$part>;

        /// The part for such a text.
        #[doc(hidden)]
        fn given(text: &str, of: $crate::schema::TextOf) -> Option<Box<dyn std::any::Any>>
        where
            Self: 'static,
        {
            let part = match of {
                $crate::schema::TextOf::Part => Self::from_plain(text),
                $crate::schema::TextOf::Field => Self::from_whole(text),
            };
            $crate::key::given::part_of_text(part, Self::write_held)
        }
    };
    (impl $part:ty, $of:expr) => {
        lossy!(impl $part, $of, <Self as KeyPart>::from_plain);
    };
    (impl $part:ty, $of:expr, $whole:expr) => {
        const WIDTH: Width = <$part as KeyPart>::WIDTH;
        const RANGES: $crate::schema::PartRanges = <$part as KeyPart>::RANGES;

        fn to_part(&self) -> $part {
            let of: fn(&Self) -> $part = $of;
            of(self)
        }

        fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
            let of: fn(&Self) -> $part = $of;
            place.write(&of(self))
        }

        fn write_held(part: &$part, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
            place.write(part)
        }

        fn parse(
            key: &mut KeyParser<'_>,
            field: &'static str,
            pad: Option<$crate::schema::Pad>,
            after: Option<&'static str>,
        ) -> Result<$part, CodecError> {
            key.part(field, pad, after)
        }

        fn from_plain(text: &str) -> Option<$part> {
            <$part as KeyPart>::from_plain(text)
        }

        fn from_whole(text: &str) -> Option<$part> {
            let (of, whole): (fn(&Self) -> $part, fn(&str) -> Option<Self>) = ($of, $whole);
            whole(text).as_ref().map(of)
        }
    };
}

pub(super) use lossy;

/// `{field:s}`: a timestamp.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cut to seconds in a key template",
    label = "not a timestamp",
    note = "`{{field:s}}` is for timestamps, not for newtypes of them; write `{{field}}`"
)]
pub trait ToSeconds: Sized {
    lossy!(trait Seconds<Self>);
}

#[diagnostic::do_not_recommend]
impl<T: Moment + Clone> ToSeconds for T {
    lossy!(
        impl Seconds<T>,
        |time| Seconds(cut_or_whole(time, 1_000_000_000)),
        plain_time
    );
}

/// `{field:ms}`: a timestamp.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cut to milliseconds in a key template",
    label = "not a timestamp",
    note = "`{{field:ms}}` is for timestamps, not for newtypes of them; write `{{field}}`"
)]
pub trait ToMillis: Sized {
    lossy!(trait Millis<Self>);
}

#[diagnostic::do_not_recommend]
impl<T: Moment + Clone> ToMillis for T {
    lossy!(
        impl Millis<T>,
        |time| Millis(cut_or_whole(time, 1_000_000)),
        plain_time
    );
}

/// `{field:date}`: a timestamp or a date.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no date for a key template",
    label = "neither a timestamp nor a date",
    note = "`{{field:date}}` is for the timestamps and dates of `chrono`, `time` and `jiff`, not for newtypes of them; write `{{field}}`"
)]
pub trait ToDate {
    /// The type of the date.
    type Date: KeyPart + 'static;

    lossy!(trait Self::Date);
}

/// `{field:month}`: a timestamp or a date.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no month for a key template",
    label = "neither a timestamp nor a date",
    note = "`{{field:month}}` is for timestamps and dates, not for newtypes of them; write `{{field}}`"
)]
pub trait ToMonth: Sized {
    lossy!(trait YearMonth);

    /// This day, or the time at which it begins; days are counted from 1970-01-01.
    #[doc(hidden)]
    fn at_day(days: i64) -> Option<Self>;
}

/// The function by which a derive reads a part. The last argument is the text after the part, as for [`KeyParser::part`].
pub type ParsePart<P> = fn(
    &mut KeyParser<'_>,
    &'static str,
    Option<Pad>,
    Option<&'static str>,
) -> Result<P, CodecError>;

/// A point in time, truncated to whole seconds: the key part of `{at:s}`, `{at:s:lower}` and `{at:epoch}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seconds<T>(T);

/// A point in time, truncated to whole milliseconds: the key part of `{at:ms}`, `{at:ms:lower}` and `{at:epoch_ms}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis<T>(T);

fn cut_time<T: Moment>(time: &T, unit: u32) -> Option<T> {
    let time = time.to_timestamp();
    T::from_timestamp(Timestamp::from_unix(
        time.seconds(),
        time.nanos() / unit * unit,
    )?)
}

/// The truncated time, or the whole one: truncating fails only at the edge of a type's range, and writing truncates
/// the text anyway.
fn cut_or_whole<T: Moment + Clone>(time: &T, unit: u32) -> T {
    cut_time(time, unit).unwrap_or_else(|| time.clone())
}

impl<T: Moment> Seconds<T> {
    /// Returns the second that contains this time. `None` at the edge of the type's range.
    pub fn floor(time: T) -> Option<Self> {
        cut_time(&time, 1_000_000_000).map(Seconds)
    }

    /// The time.
    pub fn get(&self) -> &T {
        &self.0
    }
}

impl<T: Moment> Millis<T> {
    /// Returns the millisecond that contains this time. `None` at the edge of the type's range.
    pub fn floor(time: T) -> Option<Self> {
        cut_time(&time, 1_000_000).map(Millis)
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
/// assert_eq!("2024-02".parse::<YearMonth>()?, month);
/// let day: chrono::DateTime<chrono::Utc> = "2024-02-29T12:00:00Z".parse().unwrap();
/// assert_eq!(YearMonth::from(day), month);
/// assert_eq!(month.next(), YearMonth::new(2024, 3));
/// assert_eq!(month.first_day(), "2024-02-01T00:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().ok());
/// # Ok::<(), dynamo_entity::Error>(())
/// ```
///
/// It is created from every time and date that a key can truncate, in UTC. If its year is not from 0 to 9999, writing
/// the key is an error.
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

    /// The first month of a year, which is from 0 to 9999 in a key.
    pub(super) const fn january(year: u16) -> Self {
        YearMonth { year, month: 1 }
    }

    /// The year.
    pub const fn year(self) -> u16 {
        self.year
    }

    /// The month, 1 to 12.
    pub const fn month(self) -> u8 {
        self.month
    }

    /// The month after this one; `None` after December of 9999.
    pub const fn next(self) -> Option<Self> {
        match self.month {
            12 => YearMonth::new(self.year.saturating_add(1), 1),
            month => YearMonth::new(self.year, month + 1),
        }
    }

    /// The month before this one; `None` before January of the year 0.
    pub const fn previous(self) -> Option<Self> {
        match (self.month, self.year) {
            (1, 0) => None,
            (1, year) => YearMonth::new(year - 1, 12),
            (month, year) => YearMonth::new(year, month - 1),
        }
    }

    /// Its first day, as a date or as the time at which the day begins in UTC; `None` if that is outside the range of
    /// the type. If a key contains the whole time, query a month by a range from this day up to that of the
    /// [`next`](Self::next) month.
    pub fn first_day<T: ToMonth>(self) -> Option<T> {
        let month = YearMonth::new(self.year, self.month)?;
        T::at_day(day_of_date(month.year.into(), month.month, 1)?)
    }

    pub(super) fn parse_month(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        YearMonth::new(year.parse().ok()?, month.parse().ok()?)
            // Only the form that is written: `parse` also accepts `+1` and other numbers of digits.
            .filter(|value| value.to_string() == text)
    }

    /// A year out of range is rejected when the key is written.
    pub(super) fn of_time(time: Timestamp) -> Self {
        let date = date_of_day(time.seconds().div_euclid(86_400));
        let year = date.and_then(|date| u16::try_from(date.year()).ok());
        YearMonth {
            year: year.unwrap_or(u16::MAX),
            month: date.map_or(1, |date| date.month().into()),
        }
    }
}

impl fmt::Display for YearMonth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

/// Parses the output of `Display`, and nothing else.
impl FromStr for YearMonth {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        YearMonth::parse_month(text).ok_or_else(|| {
            let message = "this is no month: expected a text such as `2024-02`";
            Error::new(ErrorKind::InvalidKey, Stage::Key, message)
        })
    }
}

macro_rules! month_of {
    ($($(#[$cfg:meta])? $time:ty;)*) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl ToMonth for $time {
            lossy!(impl YearMonth, |time| YearMonth::from(*time));

            fn at_day(days: i64) -> Option<Self> {
                TimeValue::from_time(Timestamp::from_unix(days.checked_mul(86_400)?, 0)?)
            }
        }

        $(#[$cfg])?
        impl From<$time> for YearMonth {
            fn from(time: $time) -> Self {
                YearMonth::of_time(time.to_time())
            }
        }
    )*};
}

every_moment!(month_of);
every_civil!(month_of);

macro_rules! date_of {
    ($($feature:literal $from:ty, $date:ty, $of:expr;)*) => {$(
        #[cfg(feature = $feature)]
        #[diagnostic::do_not_recommend]
        impl ToDate for $from {
            type Date = $date;

            lossy!(impl $date, $of);
        }
    )*};
}

date_of! {
    "chrono" chrono::DateTime<chrono::Utc>, chrono::NaiveDate, |at| at.date_naive();
    "chrono" chrono::NaiveDateTime, chrono::NaiveDate, |at| at.date();
    "chrono" chrono::NaiveDate, chrono::NaiveDate, |date| *date;
    "time" ::time::OffsetDateTime, ::time::Date, |at| utc_date(*at);
    "time" ::time::UtcDateTime, ::time::Date, |at| at.date();
    "time" ::time::PrimitiveDateTime, ::time::Date, |at| at.date();
    "time" ::time::Date, ::time::Date, |date| *date;
    "jiff" jiff::Timestamp, jiff::civil::Date, |at| at.to_zoned(jiff::tz::TimeZone::UTC).date();
    "jiff" jiff::civil::DateTime, jiff::civil::Date, |at| at.date();
    "jiff" jiff::civil::Date, jiff::civil::Date, |date| *date;
}

/// The day in UTC. A day outside of the type's range is also outside of the years of keys, so any rejected day can
/// represent it.
#[cfg(feature = "time")]
fn utc_date(at: ::time::OffsetDateTime) -> ::time::Date {
    // The date is that in UTC, so that one moment has one key wherever it was taken.
    at.checked_to_offset(::time::UtcOffset::UTC)
        .map_or(::time::Date::MIN, ::time::OffsetDateTime::date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_follow_each_other_to_the_edges() {
        let (mut month, mut count) = (YearMonth::new(0, 1).unwrap(), 1);
        assert_eq!(month.previous(), None);
        while let Some(next) = month.next() {
            assert_eq!(next.previous(), Some(month));
            assert!(next > month && next.to_string() > month.to_string());
            month = next;
            count += 1;
        }
        assert_eq!((month.to_string().as_str(), count), ("9999-12", 120_000));
        // What is made of a time outside of these years is no month of a key, and has no neighbours.
        let day = |days: i64| Timestamp::from_unix(days * 86_400, 0).unwrap();
        let far = YearMonth::of_time(day(i32::MAX.into()));
        assert_eq!((far.next(), far.first_day::<Timestamp>()), (None, None));
        let before = YearMonth::of_time(day(-800_000));
        assert_eq!(
            (before.next(), before.first_day::<Timestamp>()),
            (None, None)
        );
    }

    #[test]
    fn the_first_day_is_the_first_of_its_month() {
        let mut month = YearMonth::new(0, 1);
        while let Some(this) = month {
            let begin: Timestamp = this.first_day().unwrap();
            assert_eq!(YearMonth::from(begin), this);
            assert_eq!(begin.seconds().rem_euclid(86_400), 0);
            let before = Timestamp::from_unix(begin.seconds() - 1, 0).unwrap();
            assert_eq!(
                Some(YearMonth::from(before)).filter(|_| this.year() > 0),
                this.previous().filter(|_| this.year() > 0)
            );
            month = this.next();
        }
        #[cfg(feature = "chrono")]
        {
            let leap = YearMonth::new(2024, 2).unwrap();
            assert_eq!(
                leap.first_day(),
                chrono::NaiveDate::from_ymd_opt(2024, 2, 1)
            );
        }
        #[cfg(feature = "time")]
        assert!(
            YearMonth::new(9999, 12)
                .unwrap()
                .first_day::<::time::Date>()
                .is_some()
        );
        #[cfg(feature = "jiff")]
        assert!(
            YearMonth::new(0, 1)
                .unwrap()
                .first_day::<jiff::civil::Date>()
                .is_some()
        );
    }
}
