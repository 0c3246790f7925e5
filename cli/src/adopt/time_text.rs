//! Times as programs write them: which format a value has, and what key texts contain of it.

use dynamo_entity::key::YearMonth;
use dynamo_entity::{Number, Timestamp, Value};

/// The format of an attribute that contains a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeForm {
    /// Nine digits, the format of the library.
    Nanos,
    /// Three digits, as JavaScript writes.
    Millis,
    /// 0, 3, 6 or 9 digits, as many as needed.
    Shortest,
    EpochSeconds,
    EpochMillis,
    /// `+00:00`, with six digits unless they are zero.
    Python,
    /// `+0000`, with six digits.
    Pynamo,
}

/// A time of RFC 3339 in UTC.
#[derive(Debug, Clone, Copy)]
struct TimeText<'t> {
    civil: &'t str,
    digits: usize,
    offset: &'t str,
    time: Timestamp,
}

fn time_text(text: &str) -> Option<TimeText<'_>> {
    const PATTERN: &[u8] = b"0000-00-00T00:00:00";
    let civil = text.get(..PATTERN.len())?;
    let fits = |(byte, pattern): (u8, &u8)| match pattern {
        b'0' => byte.is_ascii_digit(),
        _ => byte == *pattern,
    };
    // A leap second has no number of seconds since 1970 of its own.
    if !civil.bytes().zip(PATTERN).all(fits) || civil.ends_with("60") {
        return None;
    }
    let rest = &text[PATTERN.len()..];
    let (fraction, offset) = match rest.strip_prefix('.') {
        None => ("", rest),
        Some(rest) => rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?),
    };
    // Longer fractions are times too, but no type of the library keeps all of their digits.
    let is_valid = fraction.len() <= 9 && (rest == offset || !fraction.is_empty());
    if !is_valid || !["Z", "+00:00", "+0000"].contains(&offset) {
        return None;
    }
    let time = match fraction {
        "" => format!("{civil}Z"),
        fraction => format!("{civil}.{fraction}Z"),
    };
    Some(TimeText {
        civil,
        digits: fraction.len(),
        offset,
        time: time.parse().ok()?,
    })
}

impl TimeForm {
    const TEXTS: [TimeForm; 5] = [
        TimeForm::Millis,
        TimeForm::Nanos,
        TimeForm::Shortest,
        TimeForm::Python,
        TimeForm::Pynamo,
    ];

    /// The format of all these texts.
    pub(crate) fn of_texts(texts: &[&str]) -> Option<TimeForm> {
        let mut forms = TimeForm::TEXTS.into_iter();
        forms.find(|form| !texts.is_empty() && texts.iter().all(|text| form.has_text(text)))
    }

    /// The format of all these numbers, by their size.
    pub(crate) fn of_numbers(numbers: &[&Number]) -> Option<TimeForm> {
        let digits = |number: &Number| {
            let text = number.as_str();
            text.bytes()
                .all(|digit| digit.is_ascii_digit())
                .then_some(text.len())
        };
        let all = |wanted: usize| {
            !numbers.is_empty() && numbers.iter().all(|number| digits(number) == Some(wanted))
        };
        match () {
            () if all(10) => Some(TimeForm::EpochSeconds),
            () if all(13) => Some(TimeForm::EpochMillis),
            () => None,
        }
    }

    /// Whether a time that is read from the text is written as this text.
    pub(crate) fn has_text(self, text: &str) -> bool {
        let Some(TimeText {
            digits,
            offset,
            time,
            ..
        }) = time_text(text)
        else {
            return false;
        };
        // Programs that write as few digits as possible write them in groups of three.
        let nanos = time.nanos();
        let needed = match () {
            () if nanos == 0 => 0,
            () if nanos % 1_000_000 == 0 => 3,
            () if nanos % 1_000 == 0 => 6,
            () => 9,
        };
        match self {
            TimeForm::Nanos => (digits, offset) == (9, "Z"),
            TimeForm::Millis => (digits, offset) == (3, "Z"),
            TimeForm::Shortest => (digits, offset) == (needed, "Z"),
            TimeForm::Python => offset == "+00:00" && digits == if nanos == 0 { 0 } else { 6 },
            TimeForm::Pynamo => (digits, offset) == (6, "+0000"),
            TimeForm::EpochSeconds | TimeForm::EpochMillis => false,
        }
    }

    /// Whether a time that is read from the value is written as this value.
    pub(crate) fn has_value(self, value: &Value) -> bool {
        match value {
            Value::S(text) => self.has_text(text),
            Value::N(number) => {
                let largest = match self {
                    TimeForm::EpochSeconds => 9_999_999_999,
                    TimeForm::EpochMillis => 9_999_999_999_999,
                    _ => return false,
                };
                number
                    .as_str()
                    .parse::<u64>()
                    .is_ok_and(|units| units <= largest)
            }
            _ => false,
        }
    }
}

/// The part of a key text that a time is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimePart {
    Millis,
    Seconds,
    MillisLower,
    SecondsLower,
    EpochMillis,
    EpochSeconds,
    Date,
    Month,
    Year,
}

impl TimePart {
    pub(crate) const ALL: [TimePart; 9] = [
        TimePart::Millis,
        TimePart::Seconds,
        TimePart::MillisLower,
        TimePart::SecondsLower,
        TimePart::EpochMillis,
        TimePart::EpochSeconds,
        TimePart::Date,
        TimePart::Month,
        TimePart::Year,
    ];

    /// The format in a template.
    pub(crate) fn word(self) -> &'static str {
        match self {
            TimePart::Millis => "ms",
            TimePart::Seconds => "s",
            TimePart::MillisLower => "ms:lower",
            TimePart::SecondsLower => "s:lower",
            TimePart::EpochMillis => "epoch_ms",
            TimePart::EpochSeconds => "epoch",
            TimePart::Date => "date",
            TimePart::Month => "month",
            TimePart::Year => "year",
        }
    }

    /// The number of characters in a key.
    pub(crate) fn width(self) -> usize {
        match self {
            TimePart::Millis | TimePart::MillisLower => 24,
            TimePart::Seconds | TimePart::SecondsLower => 20,
            TimePart::EpochMillis => 13,
            TimePart::EpochSeconds | TimePart::Date => 10,
            TimePart::Month => 7,
            TimePart::Year => 4,
        }
    }

    /// The text in a key; None if the value has none in this format.
    pub(crate) fn text(self, value: &Value) -> Option<String> {
        match value {
            Value::S(text) => {
                let TimeText { civil, time, .. } = time_text(text)?;
                let millis = time.nanos() / 1_000_000;
                let text = match self {
                    TimePart::Millis | TimePart::MillisLower => format!("{civil}.{millis:03}Z"),
                    TimePart::Seconds | TimePart::SecondsLower => format!("{civil}Z"),
                    TimePart::EpochMillis => {
                        count(i128::from(time.seconds()) * 1_000 + i128::from(millis), 13)?
                    }
                    TimePart::EpochSeconds => count(i128::from(time.seconds()), 10)?,
                    TimePart::Date | TimePart::Month | TimePart::Year => {
                        civil.get(..self.width())?.to_owned()
                    }
                };
                Some(match self {
                    TimePart::MillisLower | TimePart::SecondsLower => text.to_ascii_lowercase(),
                    _ => text,
                })
            }
            Value::N(number) => {
                let units: i128 = number.as_str().parse().ok()?;
                let digits = number.as_str().len();
                match (self, digits) {
                    (TimePart::EpochMillis, 13) => count(units, 13),
                    (TimePart::EpochSeconds, 10) => count(units, 10),
                    (TimePart::EpochSeconds, 13) => count(units / 1_000, 10),
                    (TimePart::Date | TimePart::Month | TimePart::Year, 10 | 13) => {
                        let seconds = if digits == 13 { units / 1_000 } else { units };
                        date_text(seconds.try_into().ok()?)?
                            .get(..self.width())
                            .map(str::to_owned)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The day of this second.
fn date_text(seconds: i64) -> Option<String> {
    let month = YearMonth::from(Timestamp::from_unix(seconds, 0)?);
    let first: Timestamp = month.first_day()?;
    let day = (seconds - first.seconds()) / 86_400 + 1;
    Some(format!("{month}-{day:02}"))
}

/// A count since 1970 in its width.
fn count(units: i128, width: usize) -> Option<String> {
    let text = format!("{units:0width$}");
    (units >= 0 && text.len() == width).then_some(text)
}
