//! Points in time and calendar dates, of every time library alike.
//!
//! One text for all: UTC, RFC 3339, fixed width, nine fractional digits, so that texts sort as times
//! do. Reading is wider than writing: any RFC 3339 text with an offset is accepted, for rows that
//! others wrote.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{DynamoValue, Fault, Name, Number, Reader, Writer};
use crate::clock::Timestamp;

const DAY: i64 = 86_400;
const BILLION: u32 = 1_000_000_000;
/// Four-digit years: 0000-01-01 to 9999-12-31, in days since 1970.
const FIRST_DAY: i64 = -719_528;
const LAST_DAY: i64 = 2_932_896;

/// A type that is a point in time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a point in time",
    label = "expected `SystemTime` or a timestamp of chrono, time or jiff",
    note = "timestamps of `chrono`, `time` and `jiff` need the feature of that name"
)]
pub trait Moment: Sized {
    /// The point in time.
    fn to_timestamp(&self) -> Timestamp;

    /// The value for a point in time, if the type reaches that far.
    fn from_timestamp(timestamp: Timestamp) -> Option<Self>;
}

/// A type that is a day of the calendar.
pub(crate) trait CalendarDate: Sized {
    /// Days since 1970-01-01.
    fn to_days(&self) -> i64;
    fn from_days(days: i64) -> Option<Self>;
}

/// How many fractional digits a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    Seconds,
    Millis,
    Nanos,
}

/// Year, month and day from days since 1970, in the proleptic Gregorian calendar.
pub(crate) fn civil_from_days(days: i64) -> (i64, u8, u8) {
    // Years that begin in March have their leap day last; eras of 400 years repeat.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as u8, day as u8)
}

/// Days since 1970; `None` if there is no such day.
pub(crate) fn days_from_civil(year: i64, month: u8, day: u8) -> Option<i64> {
    if !(1..=12).contains(&month) || day == 0 {
        return None;
    }
    let shifted = year - i64::from(month <= 2);
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let month_from_march = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    // A day past the month's end would come out as one of the next month.
    (civil_from_days(days) == (year, month, day)).then_some(days)
}

fn push_digits(out: &mut String, value: u64, width: usize) {
    let text = value.to_string();
    for _ in text.len()..width {
        out.push('0');
    }
    out.push_str(&text);
}

fn year_fault() -> Fault {
    Fault::new("a year outside 0000 to 9999")
}

/// `2024-02-29`
pub(crate) fn date_text(days: i64) -> Result<String, Fault> {
    let mut text = String::with_capacity(10);
    push_date(&mut text, days)?;
    Ok(text)
}

fn push_date(text: &mut String, days: i64) -> Result<(), Fault> {
    if !(FIRST_DAY..=LAST_DAY).contains(&days) {
        return Err(year_fault());
    }
    let (year, month, day) = civil_from_days(days);
    push_digits(text, year.unsigned_abs(), 4);
    text.push('-');
    push_digits(text, month.into(), 2);
    text.push('-');
    push_digits(text, day.into(), 2);
    Ok(())
}

/// `2024-02-29T12:30:05.000000001`, without the zone.
pub(crate) fn civil_text(time: Timestamp, precision: Precision) -> Result<String, Fault> {
    let mut text = String::with_capacity(30);
    push_date(&mut text, time.seconds().div_euclid(DAY))?;
    let second = time.seconds().rem_euclid(DAY) as u64;
    // Within a leap second the nanoseconds run on: 23:59:60.5 is 59 seconds and 1.5e9.
    let leap = u64::from(time.nanos() >= BILLION);
    if leap == 1 && second % 60 != 59 {
        return Err(Fault::new(
            "a leap second that is not the sixtieth of its minute",
        ));
    }
    for (separator, value) in [
        ('T', second / 3600),
        (':', second / 60 % 60),
        (':', second % 60 + leap),
    ] {
        text.push(separator);
        push_digits(&mut text, value, 2);
    }
    let nanos = u64::from(time.nanos() % BILLION);
    match precision {
        Precision::Seconds => {}
        Precision::Millis => {
            text.push('.');
            push_digits(&mut text, nanos / 1_000_000, 3);
        }
        Precision::Nanos => {
            text.push('.');
            push_digits(&mut text, nanos, 9);
        }
    }
    Ok(text)
}

/// `2024-02-29T12:30:05.000000001Z`
pub(crate) fn utc_text(time: Timestamp, precision: Precision) -> Result<String, Fault> {
    let mut text = civil_text(time, precision)?;
    text.push('Z');
    Ok(text)
}

/// Cuts a fixed number of digits off the front.
fn take_digits(text: &mut &str, width: usize) -> Option<i64> {
    let digits = text.get(..width)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    *text = text.get(width..)?;
    digits.parse().ok()
}

fn take_char(text: &mut &str, one_of: &[char]) -> Option<char> {
    let found = text.chars().next().filter(|char| one_of.contains(char))?;
    *text = text.get(found.len_utf8()..)?;
    Some(found)
}

fn take_date(text: &mut &str) -> Option<i64> {
    let year = take_digits(text, 4)?;
    take_char(text, &['-'])?;
    let month = take_digits(text, 2)?;
    take_char(text, &['-'])?;
    let day = take_digits(text, 2)?;
    days_from_civil(year, month as u8, day as u8)
}

/// Parses `2024-02-29`.
pub(crate) fn parse_date(mut text: &str) -> Option<i64> {
    let days = take_date(&mut text)?;
    text.is_empty().then_some(days)
}

fn take_civil(text: &mut &str) -> Option<Timestamp> {
    let days = take_date(text)?;
    take_char(text, &['T', 't', ' '])?;
    let hour = take_digits(text, 2).filter(|hour| *hour < 24)?;
    take_char(text, &[':'])?;
    let minute = take_digits(text, 2).filter(|minute| *minute < 60)?;
    take_char(text, &[':'])?;
    let second = take_digits(text, 2).filter(|second| *second <= 60)?;
    let nanos = take_fraction(text)?;
    let leap = second == 60;
    let second = days * DAY + hour * 3600 + minute * 60 + second - i64::from(leap);
    Timestamp::from_unix(second, nanos + if leap { BILLION } else { 0 })
}

/// The nanoseconds after the seconds, 0 to 9 digits.
fn take_fraction(text: &mut &str) -> Option<u32> {
    if take_char(text, &['.', ',']).is_none() {
        return Some(0);
    }
    let width = text.bytes().take_while(u8::is_ascii_digit).count();
    if width == 0 || width > 9 {
        return None;
    }
    let value = take_digits(text, width)?;
    Some((value * 10i64.pow(9 - width as u32)) as u32)
}

/// Parses a date and time without a zone.
pub(crate) fn parse_civil(mut text: &str) -> Option<Timestamp> {
    let time = take_civil(&mut text)?;
    text.is_empty().then_some(time)
}

/// Parses any RFC 3339 text.
pub(crate) fn parse_utc(mut text: &str) -> Option<Timestamp> {
    let time = take_civil(&mut text)?;
    let sign = match take_char(&mut text, &['Z', 'z', '+', '-'])? {
        '+' => 1,
        '-' => -1,
        _ => return text.is_empty().then_some(time),
    };
    let hours = take_digits(&mut text, 2).filter(|hours| *hours < 24)?;
    take_char(&mut text, &[':'])?;
    let minutes = take_digits(&mut text, 2).filter(|minutes| *minutes < 60)?;
    let seconds = time.seconds() - sign * (hours * 3600 + minutes * 60);
    text.is_empty()
        .then_some(Timestamp::from_unix(seconds, time.nanos())?)
}

/// The value of a text, with the type's own range.
fn moment_of<T: Moment>(time: Option<Timestamp>) -> Result<T, Fault> {
    let time = time.ok_or_else(|| Fault::mismatch("a timestamp (RFC 3339)", "other text"))?;
    T::from_timestamp(time)
        .ok_or_else(|| Fault::mismatch("a timestamp of this type", "one outside its range"))
}

// --- foreign stored forms

/// How a point in time is stored where the table is not ours alone: `#[dynamo(format = "..")]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Seconds since 1970, `N`.
    Epoch,
    /// Milliseconds since 1970, `N`.
    EpochMillis,
    /// RFC 3339 in UTC with as many fractional digits as needed (none, 3, 6 or 9), `S`.
    Rfc3339,
}

pub(crate) fn encode_formed(time: Timestamp, form: Form, writer: &mut Writer) -> Result<(), Fault> {
    let unit = match form {
        Form::Epoch => BILLION,
        Form::EpochMillis => 1_000_000,
        Form::Rfc3339 => return encode_rfc3339(time, writer),
    };
    let nanos = i128::from(time.seconds()) * i128::from(BILLION) + i128::from(time.nanos());
    let unit = i128::from(unit);
    if nanos % unit != 0 {
        return Err(Fault::new(match form {
            Form::Epoch => {
                "a time with a fraction of a second: `format = \"epoch\"` holds whole seconds, so cut it off before, or use \"epoch_ms\""
            }
            _ => {
                "a time with a fraction of a millisecond: `format = \"epoch_ms\"` holds whole milliseconds, so cut it off before"
            }
        }));
    }
    writer.integer(nanos / unit);
    Ok(())
}

fn encode_rfc3339(time: Timestamp, writer: &mut Writer) -> Result<(), Fault> {
    let nanos = time.nanos() % BILLION;
    let cut = match () {
        () if nanos == 0 => 10,
        () if nanos % 1_000_000 == 0 => 6,
        () if nanos % 1_000 == 0 => 3,
        () => 0,
    };
    let mut text = civil_text(time, Precision::Nanos)?;
    text.truncate(text.len() - cut);
    text.push('Z');
    writer.plain_text(&text);
    Ok(())
}

fn decode_formed(reader: &mut Reader<'_>, form: Form) -> Result<Timestamp, Fault> {
    let wrong = || Fault::mismatch("a timestamp", "a number out of range");
    match form {
        Form::Epoch => epoch(&reader.digits()?, 9).ok_or_else(wrong),
        Form::EpochMillis => epoch(&reader.digits()?, 6).ok_or_else(wrong),
        Form::Rfc3339 => parse_utc(&reader.text()?)
            .ok_or_else(|| Fault::mismatch("a timestamp (RFC 3339)", "other text")),
    }
}

/// A number of units, each `10^scale` nanoseconds; a fraction down to a nanosecond is kept.
fn epoch(digits: &str, scale: i64) -> Option<Timestamp> {
    let number: Number = digits.parse().ok()?;
    let nanos: i128 = number.scaled(scale)?.to_integer_text()?.parse().ok()?;
    let seconds = i64::try_from(nanos.div_euclid(i128::from(BILLION))).ok()?;
    Timestamp::from_unix(seconds, nanos.rem_euclid(i128::from(BILLION)) as u32)
}

/// A field with a foreign form: a moment, or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no foreign stored form",
    label = "not a timestamp, nor an `Option` of one",
    note = "`format` is for timestamps: `SystemTime` and, with the feature of that name, those of `chrono`, `time` and `jiff`"
)]
pub trait FormField: Sized {
    #[doc(hidden)]
    fn encode_as(&self, form: Form, name: &Name, writer: &mut Writer) -> Result<(), Fault>;
    #[doc(hidden)]
    fn decode_as(reader: &mut Reader<'_>, form: Form) -> Result<Self, Fault>;
    #[doc(hidden)]
    fn absent_form() -> Option<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: Moment> FormField for T {
    fn encode_as(&self, form: Form, name: &Name, writer: &mut Writer) -> Result<(), Fault> {
        writer.name(name);
        encode_formed(self.to_timestamp(), form, writer)
    }

    fn decode_as(reader: &mut Reader<'_>, form: Form) -> Result<Self, Fault> {
        moment_of(Some(decode_formed(reader, form)?))
    }

    fn absent_form() -> Option<Self> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: Moment> FormField for Option<T> {
    fn encode_as(&self, form: Form, name: &Name, writer: &mut Writer) -> Result<(), Fault> {
        self.as_ref()
            .map_or(Ok(()), |value| value.encode_as(form, name, writer))
    }

    fn decode_as(reader: &mut Reader<'_>, form: Form) -> Result<Self, Fault> {
        if reader.take_null()? {
            Ok(None)
        } else {
            T::decode_as(reader, form).map(Some)
        }
    }

    fn absent_form() -> Option<Self> {
        Some(None)
    }
}

// --- the types

impl Moment for Timestamp {
    fn to_timestamp(&self) -> Timestamp {
        *self
    }

    fn from_timestamp(timestamp: Timestamp) -> Option<Self> {
        Some(timestamp)
    }
}

impl Moment for SystemTime {
    fn to_timestamp(&self) -> Timestamp {
        Timestamp::from(*self)
    }

    fn from_timestamp(time: Timestamp) -> Option<Self> {
        let nanos = Duration::from_nanos(time.nanos().into());
        let seconds = Duration::from_secs(time.seconds().unsigned_abs());
        let whole = if time.seconds() < 0 {
            UNIX_EPOCH.checked_sub(seconds)
        } else {
            UNIX_EPOCH.checked_add(seconds)
        };
        whole?.checked_add(nanos)
    }
}

/// Each library's own way to Unix time.
macro_rules! moments {
    ($($feature:literal $moment:ty, |$value:ident| ($seconds:expr, $nanos:expr), $from:expr;)*) => {$(
        #[cfg(feature = $feature)]
        impl Moment for $moment {
            fn to_timestamp(&self) -> Timestamp {
                let $value = self;
                // The libraries keep the nanoseconds below two seconds; zero is never used.
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

/// jiff counts both parts with the sign of the whole.
#[cfg(feature = "jiff")]
fn jiff_seconds(time: jiff::Timestamp) -> (i64, u32) {
    let nanos = i64::from(time.subsec_nanosecond());
    (
        time.as_second() + nanos.div_euclid(1_000_000_000),
        nanos.rem_euclid(1_000_000_000) as u32,
    )
}

/// Dates and times without a zone: as if in UTC.
pub(crate) trait CivilTime: Sized {
    fn to_civil(&self) -> Timestamp;
    fn from_civil(time: Timestamp) -> Option<Self>;
}

#[cfg(feature = "chrono")]
impl CivilTime for chrono::NaiveDateTime {
    fn to_civil(&self) -> Timestamp {
        self.and_utc().to_timestamp()
    }

    fn from_civil(time: Timestamp) -> Option<Self> {
        chrono::DateTime::from_timestamp(time.seconds(), time.nanos()).map(|time| time.naive_utc())
    }
}

#[cfg(feature = "time")]
impl CivilTime for time::PrimitiveDateTime {
    fn to_civil(&self) -> Timestamp {
        self.assume_utc().to_timestamp()
    }

    fn from_civil(time: Timestamp) -> Option<Self> {
        let utc = time::OffsetDateTime::from_timestamp(time)?;
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
        Timestamp::from_unix(days * DAY + seconds, nanos).unwrap_or(Timestamp::EPOCH)
    }

    fn from_civil(time: Timestamp) -> Option<Self> {
        let date = jiff::civil::Date::from_days(time.seconds().div_euclid(DAY))?;
        let second = time.seconds().rem_euclid(DAY);
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
        days_from_civil(self.year().into(), self.month() as u8, self.day() as u8).unwrap_or(0)
    }

    fn from_days(days: i64) -> Option<Self> {
        let (year, month, day) = civil_from_days(days);
        jiff::civil::Date::new(i16::try_from(year).ok()?, month as i8, day as i8).ok()
    }
}

macro_rules! time_values {
    ($($(#[$cfg:meta])? $value:ty, $what:literal, $write:expr, $parse:expr;)*) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl DynamoValue for $value {
            fn encode(&self, writer: &mut Writer) -> Result<(), Fault> {
                let write: fn(&Self) -> Result<String, Fault> = $write;
                writer.plain_text(&write(self)?);
                Ok(())
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
                let parse: fn(&str) -> Option<Self> = $parse;
                parse(&reader.text()?).ok_or_else(|| Fault::mismatch($what, "other text"))
            }
        }
    )*};
}

fn moment_text<T: Moment>(value: &T) -> Result<String, Fault> {
    utc_text(value.to_timestamp(), Precision::Nanos)
}

fn parse_moment<T: Moment>(text: &str) -> Option<T> {
    parse_utc(text).and_then(T::from_timestamp)
}

#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
fn civil_time_text<T: CivilTime>(value: &T) -> Result<String, Fault> {
    civil_text(value.to_civil(), Precision::Nanos)
}

#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
fn parse_civil_time<T: CivilTime>(text: &str) -> Option<T> {
    parse_civil(text).and_then(T::from_civil)
}

#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
fn calendar_text<T: CalendarDate>(value: &T) -> Result<String, Fault> {
    date_text(value.to_days())
}

#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
fn parse_calendar<T: CalendarDate>(text: &str) -> Option<T> {
    parse_date(text).and_then(T::from_days)
}

time_values! {
    Timestamp, "a timestamp (RFC 3339)", moment_text, parse_moment;
    SystemTime, "a timestamp (RFC 3339)", moment_text, parse_moment;
    #[cfg(feature = "chrono")]
    chrono::DateTime<chrono::Utc>, "a timestamp (RFC 3339)", moment_text, parse_moment;
    #[cfg(feature = "chrono")]
    chrono::NaiveDateTime, "a date and time", civil_time_text, parse_civil_time;
    #[cfg(feature = "chrono")]
    chrono::NaiveDate, "a date", calendar_text, parse_calendar;
    #[cfg(feature = "time")]
    time::OffsetDateTime, "a timestamp (RFC 3339)", moment_text, parse_moment;
    #[cfg(feature = "time")]
    time::UtcDateTime, "a timestamp (RFC 3339)", moment_text, parse_moment;
    #[cfg(feature = "time")]
    time::PrimitiveDateTime, "a date and time", civil_time_text, parse_civil_time;
    #[cfg(feature = "time")]
    time::Date, "a date", calendar_text, parse_calendar;
    #[cfg(feature = "jiff")]
    jiff::Timestamp, "a timestamp (RFC 3339)", moment_text, parse_moment;
    #[cfg(feature = "jiff")]
    jiff::civil::DateTime, "a date and time", civil_time_text, parse_civil_time;
    #[cfg(feature = "jiff")]
    jiff::civil::Date, "a date", calendar_text, parse_calendar;
}
