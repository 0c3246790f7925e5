//! A number as DynamoDB keeps it: 38 digits, exact.

mod neighbour;

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::Fault;

/// The most significant digits that are kept.
const MAX_DIGITS: usize = 38;
/// The exponents of the first digit: 1e-130 to 9.99e125.
const EXPONENTS: std::ops::RangeInclusive<i64> = -130..=125;
/// Numbers up to this many characters are written without an exponent.
const PLAIN_LENGTH: i64 = 40;

/// A decimal number, exact to 38 digits, from ±1e-130 to ±9.99e125.
///
/// Scale is not kept: `1.10` is `1.1`. Two numbers are equal if their values are, whatever text they
/// came from.
///
/// ```
/// use dynamo_entity::Number;
/// let number: Number = "001.10e2".parse()?;
/// assert_eq!(number.as_str(), "110");
/// assert!("1e126".parse::<Number>().is_err());
/// # Ok::<(), dynamo_entity::Fault>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

/// `0.d1d2d3... * 10^(exponent + 1)`: the exponent is the first digit's.
struct Parts<'a> {
    negative: bool,
    /// Without leading or trailing zeros; empty for zero.
    digits: std::borrow::Cow<'a, str>,
    exponent: i64,
}

impl Number {
    /// The canonical text, plain where that is short.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number of a text that another library made. A text that is no number is kept as it is and
    /// refused when it is written: a conversion has no place for an error.
    pub(crate) fn foreign(text: &str) -> Number {
        text.parse().unwrap_or_else(|_| Number(text.into()))
    }

    /// Whether DynamoDB would keep it.
    pub(super) fn check(&self) -> Result<(), Fault> {
        check(&split(&self.0).ok_or_else(not_a_number)?)
    }

    /// The parts of a number that DynamoDB would keep. Its text is the only one of its value.
    fn kept(&self) -> Option<Parts<'_>> {
        split(&self.0).filter(|parts| check(parts).is_ok())
    }

    /// Bytes that the number costs in an item.
    pub fn size(&self) -> usize {
        let Some(parts) = split(&self.0) else {
            return 1;
        };
        let whole = (parts.exponent + 1).clamp(0, parts.digits.len() as i64) as usize;
        let fraction = parts.digits.len() - whole;
        let sign = usize::from(parts.negative && !parts.digits.is_empty());
        whole.div_ceil(2) + fraction.div_ceil(2) + 1 + sign
    }

    /// The digits without an exponent if this is an integer.
    pub(crate) fn to_integer_text(&self) -> Option<String> {
        let parts = split(&self.0)?;
        let whole = parts.digits.len() as i64 <= parts.exponent + 1;
        (whole || parts.digits.is_empty()).then(|| plain(&parts))
    }

    /// The digits before the point.
    pub(crate) fn to_whole_text(&self) -> Option<String> {
        let mut parts = split(&self.0)?;
        let whole = usize::try_from(parts.exponent + 1).unwrap_or(0);
        if let Some(digits) = parts.digits.get(..whole) {
            parts.digits = digits.to_owned().into();
        }
        Some(plain(&parts))
    }

    /// Whether it is an integer of up to so many digits, times or by up to so many tens.
    pub(super) fn is_short(&self, digits: usize, tens: i64) -> bool {
        self.kept().is_some_and(|parts| {
            let count = parts.digits.len();
            count <= digits && (parts.exponent + 1 - count as i64).abs() <= tens
        })
    }

    /// The number times `10^scale`, if that is in range.
    pub(crate) fn scaled(&self, scale: i64) -> Option<Number> {
        let parts = split(&self.0)?;
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
        split(&self.0)
            .map(|parts| plain(&parts))
            .unwrap_or_default()
    }
}

/// Takes a number's text apart; `None` if it is none.
fn split(text: &str) -> Option<Parts<'_>> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], parse_exponent(&unsigned[at + 1..])?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let all = if fraction.is_empty() {
        std::borrow::Cow::Borrowed(whole)
    } else {
        std::borrow::Cow::Owned([whole, fraction].concat())
    };
    let leading = all.len() - all.trim_start_matches('0').len();
    let trailing = all.trim_end_matches('0').len();
    let significant = match all {
        _ if leading >= trailing => std::borrow::Cow::Borrowed(""),
        std::borrow::Cow::Borrowed(all) => std::borrow::Cow::Borrowed(&all[leading..trailing]),
        std::borrow::Cow::Owned(all) => std::borrow::Cow::Owned(all[leading..trailing].to_owned()),
    };
    let exponent = exponent
        .checked_add(whole.len() as i64)?
        .checked_sub(leading as i64 + 1)?;
    let zero = significant.is_empty();
    Some(Parts {
        negative,
        exponent: if zero { 0 } else { exponent },
        digits: significant,
    })
}

/// An exponent of any length; those beyond all limits are cut, they are refused anyway.
fn parse_exponent(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(
        sign * digits
            .parse::<i64>()
            .unwrap_or(i64::MAX / 4)
            .min(i64::MAX / 4),
    )
}

/// Without an exponent.
fn plain(parts: &Parts<'_>) -> String {
    let digits = &*parts.digits;
    if digits.is_empty() {
        return "0".to_owned();
    }
    let sign = if parts.negative { "-" } else { "" };
    let count = digits.len() as i64;
    let whole = parts.exponent + 1;
    if whole >= count {
        format!("{sign}{digits}{}", "0".repeat((whole - count) as usize))
    } else if whole > 0 {
        let (front, back) = digits.split_at(whole as usize);
        format!("{sign}{front}.{back}")
    } else {
        format!("{sign}0.{}{digits}", "0".repeat(-whole as usize))
    }
}

/// The one text of a value.
fn canonical(parts: &Parts<'_>) -> String {
    let length = if parts.exponent < 0 {
        parts.digits.len() as i64 - parts.exponent
    } else {
        (parts.exponent + 1).max(parts.digits.len() as i64)
    };
    if length <= PLAIN_LENGTH {
        return plain(parts);
    }
    let sign = if parts.negative { "-" } else { "" };
    let (first, rest) = parts.digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}E{}", parts.exponent)
}

fn not_a_number() -> Fault {
    Fault::mismatch("a number", "other text")
}

fn check(parts: &Parts<'_>) -> Result<(), Fault> {
    if parts.digits.len() > MAX_DIGITS {
        return Err(Fault::new(
            "a number of more than 38 digits: DynamoDB keeps 38",
        ));
    }
    if !EXPONENTS.contains(&parts.exponent) {
        return Err(Fault::new(
            "a number out of range: DynamoDB keeps 1e-130 to 9.99e125, and their negatives",
        ));
    }
    Ok(())
}

impl FromStr for Number {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let parts = split(text).ok_or_else(not_a_number)?;
        check(&parts)?;
        Ok(Number(canonical(&parts).into_boxed_str()))
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

/// By value. A text that is no number, which only a conversion can have brought, comes after all
/// numbers, by its text.
impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.kept(), other.kept()) {
            (Some(left), Some(right)) => compare(&left, &right),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => self.0.cmp(&other.0),
        }
    }
}

fn compare(left: &Parts<'_>, right: &Parts<'_>) -> Ordering {
    let sign = |parts: &Parts<'_>| match (parts.digits.is_empty(), parts.negative) {
        (true, _) => 0,
        (false, true) => -1,
        (false, false) => 1,
    };
    let magnitude = || {
        left.exponent
            .cmp(&right.exponent)
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
        let mut numbers = ["5x", "6", "1e200", "NaN", "1e11", "10e199", ""].map(Number::foreign);
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
