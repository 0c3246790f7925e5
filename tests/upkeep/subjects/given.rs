//! Random values from small sets, so that equal ones are frequent, and key texts that are built by hand.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use dynamo_entity::{Item, Value};
use fastrand::Rng;

/// Text that may be empty.
pub fn text(rng: &mut Rng) -> String {
    let texts = ["", "a", "b", "a#b", "é%"];
    rng.choice(texts).unwrap_or_default().to_owned()
}

/// Text that is not empty.
pub fn filled(rng: &mut Rng) -> String {
    rng.choice(["a", "b", "a#b"]).unwrap_or_default().to_owned()
}

pub fn maybe<T>(rng: &mut Rng, value: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    (rng.u32(0..3) > 0).then(|| value(rng))
}

/// A time within minutes of the start of the test, sometimes with a fraction. All of them lie in the real
/// future, because DynamoDB Local deletes expired items by its own clock.
pub fn time(rng: &mut Rng) -> DateTime<Utc> {
    let millis = rng.i64(-3..3) * 60_000 + rng.choice([0, 0, 250]).unwrap_or(0);
    DateTime::from_timestamp_millis(3_918_276_000_000 + millis).unwrap_or_default()
}

/// Such a time, or one 30 days before it.
pub fn date(rng: &mut Rng) -> DateTime<Utc> {
    let days = if rng.bool() { 30 } else { 0 };
    time(rng) - TimeDelta::days(days)
}

/// Such a time in whole seconds.
pub fn second(rng: &mut Rng) -> DateTime<Utc> {
    let time = time(rng).timestamp();
    DateTime::from_timestamp(time, 0).unwrap_or_default()
}

/// The time as a key writes it.
pub fn timed(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Nanos, true)
}

pub fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('#', "%23")
}

pub fn padded(number: u64, digits: usize) -> String {
    format!("{number:0digits$}")
}

/// A negative number as a key writes it: a minus sign and the nines' complement.
pub fn signed(number: i64, digits: usize) -> String {
    if number >= 0 {
        return format!("{number:0digits$}");
    }
    let nines = 10_i64.pow(digits as u32) - 1;
    format!("-{:0digits$}", nines + number)
}

/// Writes a time in the spelling of another program.
pub fn respell(rng: &mut Rng, item: &mut Item, name: &str) {
    let Some(time) = item.get(name).and_then(Value::as_text) else {
        return;
    };
    let Ok(time) = time.parse::<DateTime<Utc>>() else {
        return;
    };
    let format = match rng.u32(0..4) {
        0 => SecondsFormat::Millis,
        1 => SecondsFormat::Micros,
        2 => SecondsFormat::AutoSi,
        _ => return,
    };
    item.insert(name, time.to_rfc3339_opts(format, rng.bool()));
}
