//! Calendar dates and times without a zone, for each time library.

use super::text::{Precision, TimeText, civil_text, date_text, parse_civil, parse_date};
use crate::clock::Timestamp;
use crate::codec::DynamoValue;
use crate::json::{CodecError, Reader, Writer};

/// A type that is a calendar date.
pub(crate) trait CalendarDate: Sized {
    /// Days since 1970-01-01.
    fn to_days(&self) -> i64;
    fn from_days(days: i64) -> Option<Self>;
}

/// A date and time without a zone, stored as if in UTC.
pub(crate) trait CivilTime: Sized {
    fn to_civil(&self) -> Timestamp;
    fn from_civil(time: Timestamp) -> Option<Self>;
}

#[cfg(feature = "chrono")]
impl CivilTime for chrono::NaiveDateTime {
    fn to_civil(&self) -> Timestamp {
        crate::clock::Moment::to_timestamp(&self.and_utc())
    }

    fn from_civil(time: Timestamp) -> Option<Self> {
        chrono::DateTime::from_timestamp(time.seconds(), time.nanos()).map(|time| time.naive_utc())
    }
}

#[cfg(feature = "time")]
impl CivilTime for time::PrimitiveDateTime {
    fn to_civil(&self) -> Timestamp {
        crate::clock::Moment::to_timestamp(&self.assume_utc())
    }

    fn from_civil(time: Timestamp) -> Option<Self> {
        let utc = <time::OffsetDateTime as crate::clock::Moment>::from_timestamp(time)?;
        Some(time::PrimitiveDateTime::new(utc.date(), utc.time()))
    }
}

#[cfg(feature = "jiff")]
impl CivilTime for jiff::civil::DateTime {
    fn to_civil(&self) -> Timestamp {
        let days = self.date().to_days();
        let time = self.time();
        let seconds = i64::from(time.hour()) * 3600
            + i64::from(time.minute()) * 60
            + i64::from(time.second());
        let nanos = time.subsec_nanosecond().unsigned_abs();
        Timestamp::from_unix(days * super::text::DAY + seconds, nanos).unwrap_or(Timestamp::EPOCH)
    }

    fn from_civil(time: Timestamp) -> Option<Self> {
        let date = jiff::civil::Date::from_days(time.seconds().div_euclid(super::text::DAY))?;
        let second = time.seconds().rem_euclid(super::text::DAY);
        let clock = jiff::civil::Time::new(
            (second / 3600) as i8,
            (second / 60 % 60) as i8,
            (second % 60) as i8,
            i32::try_from(time.nanos()).ok()?,
        );
        clock.ok().map(|clock| date.to_datetime(clock))
    }
}

#[cfg(feature = "chrono")]
impl CalendarDate for chrono::NaiveDate {
    fn to_days(&self) -> i64 {
        i64::from(chrono::Datelike::num_days_from_ce(self)) - 719_163
    }

    fn from_days(days: i64) -> Option<Self> {
        chrono::NaiveDate::from_num_days_from_ce_opt(i32::try_from(days + 719_163).ok()?)
    }
}

#[cfg(feature = "time")]
impl CalendarDate for time::Date {
    fn to_days(&self) -> i64 {
        i64::from(self.to_julian_day()) - 2_440_588
    }

    fn from_days(days: i64) -> Option<Self> {
        time::Date::from_julian_day(i32::try_from(days + 2_440_588).ok()?).ok()
    }
}

#[cfg(feature = "jiff")]
impl CalendarDate for jiff::civil::Date {
    fn to_days(&self) -> i64 {
        // Every day of this type exists in the calendar.
        super::text::days_from_civil(self.year().into(), self.month() as u8, self.day() as u8)
            .unwrap_or(0)
    }

    fn from_days(days: i64) -> Option<Self> {
        let (year, month, day) = super::text::civil_from_days(days);
        jiff::civil::Date::new(i16::try_from(year).ok()?, month as i8, day as i8).ok()
    }
}

fn civil_time_text<T: CivilTime>(value: &T) -> Result<TimeText, CodecError> {
    civil_text(value.to_civil(), Precision::Nanos)
}

fn parse_civil_time<T: CivilTime>(text: &str) -> Option<T> {
    parse_civil(text).and_then(T::from_civil)
}

fn calendar_text<T: CalendarDate>(value: &T) -> Result<TimeText, CodecError> {
    date_text(value.to_days())
}

fn parse_calendar<T: CalendarDate>(text: &str) -> Option<T> {
    parse_date(text).and_then(T::from_days)
}

super::time_values! {
    #[cfg(feature = "chrono")]
    chrono::NaiveDateTime, "civil_time", "a date and time", civil_time_text, parse_civil_time;
    #[cfg(feature = "chrono")]
    chrono::NaiveDate, "date", "a date", calendar_text, parse_calendar;
    #[cfg(feature = "time")]
    time::PrimitiveDateTime, "civil_time", "a date and time", civil_time_text, parse_civil_time;
    #[cfg(feature = "time")]
    time::Date, "date", "a date", calendar_text, parse_calendar;
    #[cfg(feature = "jiff")]
    jiff::civil::DateTime, "civil_time", "a date and time", civil_time_text, parse_civil_time;
    #[cfg(feature = "jiff")]
    jiff::civil::Date, "date", "a date", calendar_text, parse_calendar;
}
