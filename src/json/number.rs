//! A number as DynamoDB keeps it: 38 digits, exact.

pub(crate) mod float;
mod neighbour;
pub(crate) mod parts;
mod sum;

use crate::json::number::parts::Parts;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::json::CodecError;
use parts::{EXPONENTS, MAX_DIGITS};

/// A decimal number, exact to 38 digits, from ±1e-130 to ±9.99e125.
///
/// The scale is not kept: `1.10` is `1.1`. Two numbers are equal if their values are, whatever texts they
/// came from.
///
/// ```
/// use dynamo_entity::Number;
/// let number: Number = "001.10e2".parse()?;
/// assert_eq!(number.as_str(), "110");
/// assert!("1e126".parse::<Number>().is_err());
/// # Ok::<(), dynamo_entity::codec::CodecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

impl Number {
    /// The canonical text, without an exponent if that is short.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number of a text that another library made. A text that is not a number is kept as it is and
    /// rejected when it is written, because a conversion cannot return an error.
    pub(crate) fn from_foreign(text: &str) -> Number {
        text.parse().unwrap_or_else(|_| Number(text.into()))
    }

    /// Rejects a number that DynamoDB would not keep.
    pub(crate) fn check_limits(&self) -> Result<(), CodecError> {
        Parts::parse_parts(&self.0)
            .ok_or_else(not_a_number)?
            .check_limits()
    }

    /// The parts of a number that DynamoDB would keep. Each such value has only one text.
    fn kept_parts(&self) -> Option<Parts<'_>> {
        Parts::parse_parts(&self.0).filter(|parts| parts.check_limits().is_ok())
    }

    /// How many bytes the number takes in an item.
    pub fn size(&self) -> usize {
        Parts::parse_parts(&self.0).map_or(1, |parts| parts.stored_size())
    }

    /// The digits without an exponent if this is an integer.
    pub(crate) fn to_integer_text(&self) -> Option<String> {
        let parts = Parts::parse_parts(&self.0)?;
        let whole = parts.digits.len() as i64 <= parts.exponent + 1;
        (whole || parts.digits.is_empty()).then(|| parts.plain_text())
    }

    /// The digits before the point.
    pub(crate) fn to_whole_text(&self) -> Option<String> {
        let mut parts = Parts::parse_parts(&self.0)?;
        let whole = usize::try_from(parts.exponent + 1).unwrap_or(0);
        if let Some(digits) = parts.digits.get(..whole) {
            parts.digits = digits.to_owned().into();
        }
        Some(parts.plain_text())
    }

    /// Whether it is an integer of at most `digits` digits, times ten to a power from `-tens` to `tens`.
    pub(crate) fn is_short(&self, digits: usize, tens: i64) -> bool {
        self.kept_parts().is_some_and(|parts| {
            let count = parts.digits.len();
            count <= digits && (parts.exponent + 1 - count as i64).abs() <= tens
        })
    }

    /// Whether it has at most this many digits.
    pub(crate) fn has_digits(&self, digits: usize) -> bool {
        self.is_short(digits, i64::MAX)
    }

    /// The number times `10^scale`, if that is in range.
    pub(crate) fn scaled_by(&self, scale: i64) -> Option<Number> {
        let parts = Parts::parse_parts(&self.0)?;
        if parts.digits.is_empty() {
            return Some(self.clone());
        }
        let sign = if parts.negative { "-" } else { "" };
        format!("{sign}.{}e{}", parts.digits, parts.exponent + 1 + scale)
            .parse()
            .ok()
    }

    /// The digits without an exponent, up to 256 characters.
    #[cfg(feature = "rust_decimal")]
    pub(crate) fn to_plain_text(&self) -> String {
        Parts::parse_parts(&self.0)
            .map(|parts| parts.plain_text())
            .unwrap_or_default()
    }
}

fn not_a_number() -> CodecError {
    CodecError::mismatch("a number", "other text")
}

impl FromStr for Number {
    type Err = CodecError;

    fn from_str(text: &str) -> Result<Self, CodecError> {
        let parts = Parts::parse_parts(text).ok_or_else(not_a_number)?;
        parts.check_limits()?;
        Ok(Number(parts.canonical_text().into_boxed_str()))
    }
}

macro_rules! from_small_integer {
    ($($int:ty)*) => {$(
        impl From<$int> for Number {
            fn from(value: $int) -> Self {
                Number(value.to_string().into_boxed_str())
            }
        }
    )*};
}

from_small_integer!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

/// Numbers compare by value. A text that is not a number, which only a conversion can have made, comes after all
/// numbers, in the order of texts.
impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.kept_parts(), other.kept_parts()) {
            (Some(left), Some(right)) => compare_parts(&left, &right),
            // A number that DynamoDB cannot keep comes from another server or from a caller. It
            // only needs a position in the order that never changes.
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => self.0.cmp(&other.0),
        }
    }
}

fn compare_parts(left: &Parts<'_>, right: &Parts<'_>) -> Ordering {
    let sign = |parts: &Parts<'_>| match (parts.digits.is_empty(), parts.negative) {
        (true, _) => 0,
        (false, true) => -1,
        (false, false) => 1,
    };
    let magnitude = || {
        left.exponent
            .cmp(&right.exponent)
            // Digits have no zeros at either end, so with equal exponents they compare like
            // fractions.
            .then_with(|| left.digits.cmp(&right.digits))
    };
    match sign(left).cmp(&sign(right)) {
        Ordering::Equal if left.negative => magnitude().reverse(),
        Ordering::Equal => magnitude(),
        unequal => unequal,
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_has_one_text() {
        for (text, canonical) in [
            ("0", "0"),
            ("-0.00e9", "0"),
            ("+7", "7"),
            ("007.50", "7.5"),
            ("1e3", "1000"),
            ("-12.5E-2", "-0.125"),
            (".5", "0.5"),
            ("5.", "5"),
            ("1e125", "1E125"),
            ("123e-130", "1.23E-128"),
            (
                "99999999999999999999999999999999999999",
                "99999999999999999999999999999999999999",
            ),
        ] {
            assert_eq!(
                text.parse::<Number>().unwrap().as_str(),
                canonical,
                "{text}"
            );
        }
    }

    #[test]
    fn what_dynamodb_does_not_keep_is_refused() {
        for text in [
            "",
            "-",
            ".",
            "1e",
            "e5",
            "abc",
            "1e126",
            "1e-131",
            "NaN",
            "1 ",
            "0x1",
            "1e99999999999999999999",
            "123456789012345678901234567890123456789",
            "1.1.1",
            "--1",
        ] {
            assert!(text.parse::<Number>().is_err(), "{text}");
        }
    }

    #[test]
    fn size_counts_pairs_of_digits() {
        for (text, size) in [
            ("0", 1),
            ("1", 2),
            ("-42", 3),
            ("100", 2),
            ("123", 3),
            ("1.5", 3),
            ("0.001", 2),
        ] {
            assert_eq!(text.parse::<Number>().unwrap().size(), size, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_comes_last() {
        let mut numbers =
            ["5x", "6", "1e200", "NaN", "1e11", "10e199", ""].map(Number::from_foreign);
        numbers.sort();
        let texts: Vec<&str> = numbers.iter().map(Number::as_str).collect();
        let expected = ["6", "100000000000", "", "10e199", "1e200", "5x", "NaN"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn order_is_by_value() {
        let texts = [
            "-1e100", "-20", "-3", "-0.5", "0", "0.05", "0.5", "2", "10", "11.5", "1e100",
        ];
        let mut numbers: Vec<Number> = texts
            .iter()
            .rev()
            .map(|text| text.parse().unwrap())
            .collect();
        numbers.sort();
        let expected: Vec<Number> = texts.iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(numbers, expected);
    }
}
