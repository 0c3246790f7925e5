//! The text of times: UTC, RFC 3339, fixed width. It uses only arithmetic and no type of a time library.

use crate::clock::Timestamp;
use crate::json::CodecError;

pub(super) const DAY: i64 = 86_400;
pub(super) const BILLION: u32 = 1_000_000_000;
/// Four-digit years: 0000-01-01 to 9999-12-31, in days since 1970.
const FIRST_DAY: i64 = -719_528;
const LAST_DAY: i64 = 2_932_896;

/// How many fractional digits a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    Seconds,
    Millis,
    Nanos,
}

/// Year, month and day from days since 1970, in the proleptic Gregorian calendar.
pub(crate) fn civil_from_days(days: i64) -> (i64, u8, u8) {
    // Years are counted from March, so that the leap day is the last one; the calendar repeats every 400 years.
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

/// The text of a time. It always fits 32 bytes, so it needs no memory of its own.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TimeText {
    bytes: [u8; 32],
    length: usize,
}

impl TimeText {
    fn push_str(&mut self, text: &str) {
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
#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
pub(crate) fn date_text(days: i64) -> Result<TimeText, CodecError> {
    let mut text = TimeText::default();
    push_date(&mut text, days)?;
    Ok(text)
}

fn push_date(text: &mut TimeText, days: i64) -> Result<(), CodecError> {
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
pub(crate) fn civil_text(time: Timestamp, precision: Precision) -> Result<TimeText, CodecError> {
    let mut text = TimeText::default();
    push_date(&mut text, time.seconds().div_euclid(DAY))?;
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
    days_from_civil(year, month as u8, day as u8)
}

/// Parses `2024-02-29`.
#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
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
#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
pub(crate) fn parse_civil(mut text: &str) -> Option<Timestamp> {
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
