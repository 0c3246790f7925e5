//! The time in the format of signatures: `20240229T123005Z`.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::codec::time::date_of_day;

const DAY: u64 = 86_400;
/// The first second of the year 10000.
const END: u64 = 253_402_300_800;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::wire) struct Date([u8; 16]);

impl Date {
    /// None outside the years 1970 to 9999.
    pub(in crate::wire) fn new(time: SystemTime) -> Option<Self> {
        let seconds = time.duration_since(UNIX_EPOCH).ok()?.as_secs();
        if seconds >= END {
            return None;
        }
        let date = date_of_day(i64::try_from(seconds / DAY).ok()?)?;
        let (year, month, day) = date.to_calendar_date();
        let year = u64::try_from(year).ok()?;
        let mut text = *b"00000000T000000Z";
        let parts = [
            (0, year / 100),
            (2, year % 100),
            (4, u8::from(month).into()),
            (6, day.into()),
            (9, seconds % DAY / 3600),
            (11, seconds / 60 % 60),
            (13, seconds % 60),
        ];
        for (at, part) in parts {
            text[at] += (part / 10) as u8;
            text[at + 1] += (part % 10) as u8;
        }
        Some(Date(text))
    }

    /// Reads the date that a request was signed with.
    pub(in crate::wire) fn parse_text(text: &str) -> Option<Self> {
        let text: [u8; 16] = text.as_bytes().try_into().ok()?;
        let is_digits = |range: std::ops::Range<usize>| text[range].iter().all(u8::is_ascii_digit);
        (is_digits(0..8) && text[8] == b'T' && is_digits(9..15) && text[15] == b'Z')
            .then_some(Date(text))
    }

    pub(in crate::wire) fn date_time(&self) -> &str {
        // The conversion never fails, because all bytes are ASCII.
        str::from_utf8(&self.0).unwrap_or_default()
    }

    /// `20240229`
    pub(super) fn day_text(&self) -> &str {
        self.date_time().get(..8).unwrap_or_default()
    }
}
