//! The next and the previous one among the numbers that DynamoDB can keep.
//!
//! Numbers have at most 38 digits, so there are finitely many, and an excluded bound can be written as
//! an included one.

use super::{EXPONENTS, MAX_DIGITS, Number};
use crate::json::CodecError;

/// The least mantissa of 38 digits.
const LEAST: u128 = 10u128.pow(MAX_DIGITS as u32 - 1);

impl Number {
    /// The least number above this one.
    pub(crate) fn next_number(&self) -> Option<Number> {
        self.step_number(false)
    }

    /// The greatest number below this one.
    pub(crate) fn previous_number(&self) -> Option<Number> {
        self.step_number(true)
    }

    fn step_number(&self, down: bool) -> Option<Number> {
        let parts = self.kept_parts()?;
        if parts.digits.is_empty() {
            return write_number(down, LEAST, *EXPONENTS.start()).ok();
        }
        let padding = u32::try_from(MAX_DIGITS - parts.digits.len()).ok()?;
        let mantissa = parts.digits.parse::<u128>().ok()? * 10u128.pow(padding);
        let outward = parts.negative == down;
        let (mantissa, exponent) = match (outward, mantissa) {
            // All 38 digits are nines, so the next number has a greater exponent.
            (true, _) if mantissa + 1 == LEAST * 10 => (LEAST, parts.exponent + 1),
            (true, _) => (mantissa + 1, parts.exponent),
            (false, LEAST) => (LEAST * 10 - 1, parts.exponent - 1),
            (false, _) => (mantissa - 1, parts.exponent),
        };
        // Below the least magnitude there is only zero.
        if exponent < *EXPONENTS.start() {
            return Some(Number::from(0u8));
        }
        write_number(parts.negative, mantissa, exponent).ok()
    }
}

/// The number with this mantissa of 38 digits, by the exponent of its first digit.
fn write_number(negative: bool, mantissa: u128, exponent: i64) -> Result<Number, CodecError> {
    let sign = if negative { "-" } else { "" };
    format!("{sign}{mantissa}e{}", exponent - MAX_DIGITS as i64 + 1).parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn neighbours_are_one_unit_of_the_last_digit_apart() {
        for (low, high) in [
            ("5", "5.0000000000000000000000000000000000001"),
            ("0.99999999999999999999999999999999999999", "1"),
            ("-1", "-0.99999999999999999999999999999999999999"),
            ("-1e-130", "0"),
            ("0", "1e-130"),
            (
                "9.9999999999999999999999999999999999998e125",
                "9.9999999999999999999999999999999999999e125",
            ),
        ] {
            assert_eq!(number(low).next_number(), Some(number(high)), "after {low}");
            assert_eq!(
                number(high).previous_number(),
                Some(number(low)),
                "before {high}"
            );
        }
    }

    #[test]
    fn the_range_ends() {
        let most = "9.9999999999999999999999999999999999999e125";
        assert_eq!(number(most).next_number(), None);
        assert_eq!(number(&format!("-{most}")).previous_number(), None);
    }
}
