//! The kinds of times, and the conversions of each time library.

use super::text::{
    Precision, TimeText, civil_text, date_text, parse_civil, parse_date, parse_utc, utc_text,
};
use crate::clock::{Moment, Timestamp};
use crate::json::CodecError;

/// A kind of times, which determines their text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(any(feature = "chrono", feature = "time", feature = "jiff")),
    expect(dead_code, reason = "the other kinds are types of these libraries")
)]
pub(crate) enum TimeKind {
    /// A point in time, in UTC.
    Moment,
    /// A date and a time without a zone.
    Civil,
    /// A date.
    Date,
}

impl TimeKind {
    /// Its name in models.
    pub(super) const fn name(self) -> &'static str {
        match self {
            TimeKind::Moment => "timestamp",
            TimeKind::Civil => "civil_time",
            TimeKind::Date => "date",
        }
    }

    /// Its description in errors.
    pub(super) const fn expected(self) -> &'static str {
        match self {
            TimeKind::Moment => "a timestamp (RFC 3339)",
            TimeKind::Civil => "a date and time",
            TimeKind::Date => "a date",
        }
    }

    /// The number of bytes of its text.
    pub(crate) const fn width(self) -> usize {
        match self {
            TimeKind::Moment => "2024-02-29T12:30:05.000000001Z".len(),
            TimeKind::Civil => "2024-02-29T12:30:05.000000001".len(),
            TimeKind::Date => "2024-02-29".len(),
        }
    }
}

/// A type of times. Values without a zone are converted as if they were in UTC, and a date as if it were its first
/// moment.
pub(crate) trait TimeValue: Sized {
    const KIND: TimeKind;

    fn to_time(&self) -> Timestamp;
    fn from_time(time: Timestamp) -> Option<Self>;
}

/// The text of a time, in the form of its kind.
pub(crate) fn time_text<T: TimeValue>(value: &T) -> Result<TimeText, CodecError> {
    let time = value.to_time();
    match T::KIND {
        TimeKind::Moment => utc_text(time, Precision::Nanos),
        TimeKind::Civil => civil_text(time, Precision::Nanos),
        TimeKind::Date => date_text(time),
    }
}

pub(crate) fn parse_time<T: TimeValue>(text: &str) -> Option<T> {
    let time = match T::KIND {
        TimeKind::Moment => parse_utc(text),
        TimeKind::Civil => parse_civil(text),
        TimeKind::Date => parse_date(text),
    };
    time.and_then(T::from_time)
}

impl<T: Moment> TimeValue for T {
    const KIND: TimeKind = TimeKind::Moment;

    fn to_time(&self) -> Timestamp {
        self.to_timestamp()
    }

    fn from_time(time: Timestamp) -> Option<Self> {
        T::from_timestamp(time)
    }
}

#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
fn unix(seconds: i64, nanos: u32) -> Timestamp {
    // The libraries keep the nanoseconds below two seconds, so the default is never used.
    Timestamp::from_unix(seconds, nanos).unwrap_or(Timestamp::EPOCH)
}

/// The types of each library: points in time, dates with a time, and dates.
macro_rules! times {
    ($($feature:literal
        $(moment $moment:ty: |$value:ident| $unix:expr, |$time:ident| $of:expr;)*
        civil $civil:ty: |$clock:ident| $utc:expr, |$read:ident| $of_utc:expr;
        date $date:ty: |$day:ident| $midnight:expr;
    )*) => {$(
        $(
            #[cfg(feature = $feature)]
            impl Moment for $moment {
                fn to_timestamp(&self) -> Timestamp {
                    let $value = *self;
                    $unix
                }

                fn from_timestamp($time: Timestamp) -> Option<Self> {
                    $of
                }
            }
        )*

        #[cfg(feature = $feature)]
        impl TimeValue for $civil {
            const KIND: TimeKind = TimeKind::Civil;

            fn to_time(&self) -> Timestamp {
                let $clock = *self;
                $utc
            }

            fn from_time($read: Timestamp) -> Option<Self> {
                $of_utc
            }
        }

        #[cfg(feature = $feature)]
        impl TimeValue for $date {
            const KIND: TimeKind = TimeKind::Date;

            fn to_time(&self) -> Timestamp {
                let $day = *self;
                $midnight.to_time()
            }

            fn from_time(time: Timestamp) -> Option<Self> {
                <$civil>::from_time(time).map(|time| time.date())
            }
        }
    )*};
}

times! {
    "chrono"
        moment chrono::DateTime<chrono::Utc>:
            |value| unix(value.timestamp(), value.timestamp_subsec_nanos()),
            |time| chrono::DateTime::from_timestamp(time.seconds(), time.nanos());
        civil chrono::NaiveDateTime:
            |clock| clock.and_utc().to_timestamp(),
            |time| <chrono::DateTime<chrono::Utc>>::from_time(time).map(|time| time.naive_utc());
        date chrono::NaiveDate: |day| day.and_time(chrono::NaiveTime::MIN);
    "time"
        moment time::OffsetDateTime:
            |value| unix(value.unix_timestamp(), value.nanosecond()),
            |time| time::OffsetDateTime::from_unix_timestamp(time.seconds()).ok()?
                .checked_add(time::Duration::nanoseconds(time.nanos().into()));
        moment time::UtcDateTime:
            |value| unix(value.unix_timestamp(), value.nanosecond()),
            |time| time::UtcDateTime::from_unix_timestamp(time.seconds()).ok()?
                .checked_add(time::Duration::nanoseconds(time.nanos().into()));
        civil time::PrimitiveDateTime:
            |clock| clock.assume_utc().to_timestamp(),
            |time| time::UtcDateTime::from_time(time)
                .map(|time| time::PrimitiveDateTime::new(time.date(), time.time()));
        date time::Date: |day| day.midnight();
    "jiff"
        moment jiff::Timestamp:
            |value| of_duration(value.as_duration()),
            |time| jiff::Timestamp::from_duration(duration_of(time)?).ok();
        civil jiff::civil::DateTime:
            |clock| of_duration(clock.duration_since(EPOCH)),
            // This type has no leap seconds.
            |time| EPOCH.checked_add(duration_of(time).filter(|_| time.nanos() < super::text::BILLION)?).ok();
        date jiff::civil::Date: |day| day.at(0, 0, 0, 0);
}

#[cfg(feature = "jiff")]
const EPOCH: jiff::civil::DateTime = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);

/// jiff gives the seconds and the nanoseconds of a time before 1970 both as negative numbers.
#[cfg(feature = "jiff")]
fn of_duration(since_epoch: jiff::SignedDuration) -> Timestamp {
    let nanos = i64::from(since_epoch.subsec_nanos());
    unix(
        since_epoch.as_secs() + nanos.div_euclid(1_000_000_000),
        nanos.rem_euclid(1_000_000_000) as u32,
    )
}

#[cfg(feature = "jiff")]
fn duration_of(time: Timestamp) -> Option<jiff::SignedDuration> {
    let nanos = jiff::SignedDuration::from_nanos(time.nanos().into());
    jiff::SignedDuration::from_secs(time.seconds()).checked_add(nanos)
}
