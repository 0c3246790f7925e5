//! Times as texts of keys, and as a person writes them.

use crate::clock::Moment;
use crate::codec::time::{TimeKind, TimeText, TimeValue, parse_time};
use crate::json::CodecError;

/// Parses text that is written in exactly this spelling.
pub(super) fn parse_exactly<T>(
    raw: &str,
    parse: impl Fn(&str) -> Option<T>,
    write: impl Fn(&T) -> Result<TimeText, CodecError>,
) -> Option<T> {
    parse(raw).filter(|value| write(value).is_ok_and(|text| &*text == raw))
}

/// A time as a person writes it: in any form of RFC 3339, or as a date, which is its first moment in UTC.
pub(super) fn plain_time<T: TimeValue>(text: &str) -> Option<T> {
    match T::KIND == TimeKind::Moment && text.len() == TimeKind::Date.width() {
        true => parse_time(&format!("{text}T00:00:00Z")),
        false => parse_time(text),
    }
}

/// A time that a cut keeps whole, so that nothing is rounded in silence.
pub(super) fn parse_uncut<T: Moment, C>(
    text: &str,
    cut: fn(T) -> Option<C>,
    get: fn(&C) -> &T,
) -> Option<C> {
    let time: T = plain_time(text)?;
    let whole = time.to_timestamp();
    cut(time).filter(|cut| get(cut).to_timestamp() == whole)
}
