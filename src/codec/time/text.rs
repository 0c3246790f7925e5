//! The text of times: UTC, RFC 3339, fixed width. The calendar is that of the crate `time`, which the SDK uses too.

use ::time::{Date, Month};

use crate::clock::Timestamp;
use crate::json::CodecError;

const DAY: i64 = 86_400;
pub(super) const BILLION: u32 = 1_000_000_000;
/// The Julian day of 1970-01-01.
const EPOCH: i64 = 2_440_588;

/// How many fractional digits a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    Seconds,
    Millis,
    Micros,
    Nanos,
}

/// The date that is this many days after 1970-01-01, if the calendar has it.
pub(crate) fn date_of_day(days: i64) -> Option<Date> {
    let julian = i32::try_from(days.checked_add(EPOCH)?).ok()?;
    Date::from_julian_day(julian).ok()
}

/// The days since 1970-01-01; `None` if the calendar does not have the date.
pub(crate) fn day_of_date(year: i32, month: u8, day: u8) -> Option<i64> {
    let date = Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()?;
    Some(i64::from(date.to_julian_day()) - EPOCH)
}

/// The text of a time. It always fits 32 bytes, so it needs no memory of its own.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TimeText {
    bytes: [u8; 32],
    length: usize,
}

impl TimeText {
    pub(super) fn push_str(&mut self, text: &str) {
        let end = self.length + text.len();
        if let Some(place) = self.bytes.get_mut(self.length..end) {
            place.copy_from_slice(text.as_bytes());
            self.length = end;
        }
    }

    pub(super) fn push(&mut self, char: char) {
        self.push_str(char.encode_utf8(&mut [0; 4]));
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// The text in lower case: its letters are `T` and `Z`.
    pub(crate) fn into_lower_case(mut self) -> Self {
        self.bytes.make_ascii_lowercase();
        self
    }
}

impl std::ops::Deref for TimeText {
    type Target = str;

    fn deref(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

fn push_digits(out: &mut TimeText, value: u64, width: usize) {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(value);
    for _ in text.len()..width {
        out.push('0');
    }
    out.push_str(text);
}

fn year_fault() -> CodecError {
    CodecError::new("a year outside 0000 to 9999")
}

/// `2024-02-29`
pub(super) fn date_text(time: Timestamp) -> Result<TimeText, CodecError> {
    let date = date_of_day(time.seconds().div_euclid(DAY));
    // The year has four digits.
    let date = date.filter(|date| (0..=9999).contains(&date.year()));
    let (year, month, day) = date.ok_or_else(year_fault)?.to_calendar_date();
    let mut text = TimeText::default();
    push_digits(&mut text, year.unsigned_abs().into(), 4);
    text.push('-');
    push_digits(&mut text, u8::from(month).into(), 2);
    text.push('-');
    push_digits(&mut text, day.into(), 2);
    Ok(text)
}

/// `2024-02-29T12:30:05.000000001`, without the zone.
pub(super) fn civil_text(time: Timestamp, precision: Precision) -> Result<TimeText, CodecError> {
    let mut text = date_text(time)?;
    let second = time.seconds().rem_euclid(DAY) as u64;
    // Within a leap second the nanoseconds go on counting: 23:59:60.5 is second 59 with 1.5e9 nanoseconds.
    let leap = u64::from(time.nanos() >= BILLION);
    if leap == 1 && second % 60 != 59 {
        return Err(CodecError::new(
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
        Precision::Micros => {
            text.push('.');
            push_digits(&mut text, nanos / 1_000, 6);
        }
        Precision::Nanos => {
            text.push('.');
            push_digits(&mut text, nanos, 9);
        }
    }
    Ok(text)
}

/// `2024-02-29T12:30:05.000000001Z`
pub(crate) fn utc_text(time: Timestamp, precision: Precision) -> Result<TimeText, CodecError> {
    let mut text = civil_text(time, precision)?;
    text.push('Z');
    Ok(text)
}

/// Takes a fixed number of digits off the front.
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
    day_of_date(year as i32, month as u8, day as u8)
}

/// Parses `2024-02-29`.
pub(super) fn parse_date(mut text: &str) -> Option<Timestamp> {
    let days = take_date(&mut text)?;
    text.is_empty()
        .then_some(Timestamp::from_unix(days * DAY, 0)?)
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
pub(super) fn parse_civil(mut text: &str) -> Option<Timestamp> {
    let time = take_civil(&mut text)?;
    text.is_empty().then_some(time)
}

/// Parses any RFC 3339 text, and offsets such as `+0100`.
pub(crate) fn parse_utc(mut text: &str) -> Option<Timestamp> {
    let time = take_civil(&mut text)?;
    let sign = match take_char(&mut text, &['Z', 'z', '+', '-'])? {
        '+' => 1,
        '-' => -1,
        _ => return text.is_empty().then_some(time),
    };
    let hours = take_digits(&mut text, 2).filter(|hours| *hours < 24)?;
    // Some programs leave the colon out.
    let _ = take_char(&mut text, &[':']);
    let minutes = take_digits(&mut text, 2).filter(|minutes| *minutes < 60)?;
    let seconds = time.seconds() - sign * (hours * 3600 + minutes * 60);
    text.is_empty()
        .then_some(Timestamp::from_unix(seconds, time.nanos())?)
}
