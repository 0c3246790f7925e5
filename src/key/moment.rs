//! Times as texts of keys, and as a person writes them.

use crate::clock::Moment;
use crate::codec::time::{self, Precision, TimeText};
use crate::json::CodecError;

/// Parses text that is written in exactly this spelling.
pub(super) fn parse_exactly<T>(
    raw: &str,
    parse: impl Fn(&str) -> Option<T>,
    write: impl Fn(&T) -> Result<TimeText, CodecError>,
) -> Option<T> {
    parse(raw).filter(|value| write(value).is_ok_and(|text| &*text == raw))
}

pub(super) fn moment_text<T: Moment>(
    value: &T,
    precision: Precision,
) -> Result<TimeText, CodecError> {
    time::utc_text(value.to_timestamp(), precision)
}

pub(super) fn parse_moment<T: Moment>(raw: &str, precision: Precision) -> Option<T> {
    parse_exactly(
        raw,
        |raw| time::parse_utc(raw).and_then(T::from_timestamp),
        |value| moment_text(value, precision),
    )
}

/// A time as a person writes it: in any form of RFC 3339, or as a date, which is its first moment in UTC.
pub(super) fn plain_moment<T: Moment>(text: &str) -> Option<T> {
    let is_date = text.len() == "2026-03-01".len();
    let time = match is_date {
        true => time::parse_utc(&format!("{text}T00:00:00Z")),
        false => time::parse_utc(text),
    };
    time.and_then(T::from_timestamp)
}

/// A time that a cut keeps whole, so that nothing is rounded in silence.
pub(super) fn parse_uncut<T: Moment, C>(
    text: &str,
    cut: fn(T) -> Option<C>,
    get: fn(&C) -> &T,
) -> Option<C> {
    let time: T = plain_moment(text)?;
    let whole = time.to_timestamp();
    cut(time).filter(|cut| get(cut).to_timestamp() == whole)
}
