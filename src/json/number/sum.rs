//! Sums of decimal numbers, exact or not at all.

use super::Number;
use super::parts::Parts;

/// The digits that are added at once.
const DIGITS: i64 = 38;

impl Number {
    /// The sum, or the difference; `None` if it needs more digits than DynamoDB keeps.
    pub(crate) fn sum_with(&self, other: &Number, minus: bool) -> Option<Number> {
        let (left, right) = (
            Parts::parse_parts(self.as_str())?,
            Parts::parse_parts(other.as_str())?,
        );
        let scale_of = |parts: &Parts<'_>| parts.exponent - parts.digits.len() as i64 + 1;
        let scale = match (left.digits.is_empty(), right.digits.is_empty()) {
            (true, _) => scale_of(&right),
            (_, true) => scale_of(&left),
            _ => scale_of(&left).min(scale_of(&right)),
        };
        let whole = |parts: &Parts<'_>, negate: bool| -> Option<i128> {
            if parts.digits.is_empty() {
                return Some(0);
            }
            let zeros = scale_of(parts) - scale;
            // Together the two span more digits than DynamoDB adds at once, so its sum would not be exact.
            if zeros + parts.digits.len() as i64 > DIGITS {
                return None;
            }
            let digits: i128 = parts.digits.parse().ok()?;
            let whole = digits.checked_mul(10_i128.checked_pow(u32::try_from(zeros).ok()?)?)?;
            Some(if parts.negative != negate {
                -whole
            } else {
                whole
            })
        };
        let sum = whole(&left, false)?.checked_add(whole(&right, minus)?)?;
        let sum: Number = format!("{sum}E{scale}").parse().ok()?;
        sum.check_limits().ok().map(|()| sum)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Sums of scaled integers are the scaled sums.
        #[test]
        fn sums_are_exact(left in -1_000_000_i64..1_000_000, right in -1_000_000_i64..1_000_000, scale in -20_i32..20, minus: bool) {
            let number = |whole: i64| -> Number { format!("{whole}E{scale}").parse().unwrap() };
            let sum = number(left).sum_with(&number(right), minus);
            prop_assert_eq!(sum, Some(number(if minus { left - right } else { left + right })));
        }
    }

    #[test]
    fn a_sum_of_too_many_digits_is_none() {
        let number = |text: &str| -> Number { text.parse().unwrap() };
        assert_eq!(number("1E30").sum_with(&number("1E-30"), false), None);
        assert_eq!(
            number("0").sum_with(&number("1E-30"), true),
            Some(number("-1E-30"))
        );
        assert_eq!(
            number("1E100").sum_with(&number("0"), false),
            Some(number("1E100"))
        );
    }
}
