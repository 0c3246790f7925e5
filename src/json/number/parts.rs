//! Takes the text of a number apart, and writes it in one canonical form.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::json::CodecError;

/// How many significant digits DynamoDB keeps.
pub(super) const MAX_DIGITS: usize = 38;
/// The exponents that the first digit may have: 1e-130 to 9.99e125.
pub(super) const EXPONENTS: RangeInclusive<i64> = -130..=125;
/// Numbers up to this many characters are written without an exponent.
const PLAIN_LENGTH: i64 = 40;

/// `0.d1d2d3... * 10^(exponent + 1)`: the exponent is that of the first digit.
pub(crate) struct Parts<'a> {
    pub(crate) negative: bool,
    /// Without leading or trailing zeros; empty for zero.
    pub(crate) digits: Cow<'a, str>,
    pub(crate) exponent: i64,
}

impl<'a> Parts<'a> {
    /// Takes the text of a number apart; `None` for other text.
    pub(crate) fn parse_parts(text: &'a str) -> Option<Self> {
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
            Cow::Borrowed(whole)
        } else {
            Cow::Owned([whole, fraction].concat())
        };
        let leading = all.len() - all.trim_start_matches('0').len();
        let trailing = all.trim_end_matches('0').len();
        let significant = match all {
            // Only zeros, whose sign and exponent mean nothing.
            _ if leading >= trailing => Cow::Borrowed(""),
            Cow::Borrowed(all) => Cow::Borrowed(&all[leading..trailing]),
            Cow::Owned(all) => Cow::Owned(all[leading..trailing].to_owned()),
        };
        let exponent = exponent
            .checked_add(whole.len() as i64)?
            .checked_sub(leading as i64 + 1)?;
        let zero = significant.is_empty();
        Some(Parts {
            negative,
            // Zeros of any scale must be equal.
            exponent: if zero { 0 } else { exponent },
            digits: significant,
        })
    }

    /// Rejects a number that DynamoDB would not keep.
    pub(crate) fn check_limits(&self) -> Result<(), CodecError> {
        if self.digits.len() > MAX_DIGITS {
            return Err(CodecError::new(
                "a number of more than 38 digits: DynamoDB keeps 38",
            ));
        }
        if !EXPONENTS.contains(&self.exponent) {
            return Err(CodecError::new(
                "a number out of range: DynamoDB keeps 1e-130 to 9.99e125, and their negatives",
            ));
        }
        Ok(())
    }

    /// How many bytes the number takes in an item.
    pub(in crate::json) fn stored_size(&self) -> usize {
        // DynamoDB packs two digits into a byte, on each side of the point.
        let whole = (self.exponent + 1).clamp(0, self.digits.len() as i64) as usize;
        let fraction = self.digits.len() - whole;
        let sign = usize::from(self.negative && !self.digits.is_empty());
        whole.div_ceil(2) + fraction.div_ceil(2) + 1 + sign
    }

    /// The text without an exponent.
    pub(crate) fn plain_text(&self) -> String {
        let mut text = String::new();
        self.write_plain(&mut |part| text.push_str(part));
        text
    }

    /// The canonical text of the value.
    pub(super) fn canonical_text(&self) -> String {
        let mut text = String::new();
        self.write_digits(&mut |part| text.push_str(part));
        text
    }

    /// Hands over the canonical text of the value, piece by piece.
    pub(in crate::json) fn write_digits(&self, push: &mut impl FnMut(&str)) {
        let length = if self.exponent < 0 {
            self.digits.len() as i64 - self.exponent
        } else {
            (self.exponent + 1).max(self.digits.len() as i64)
        };
        // Long runs of zeros would cost bytes in every request.
        if length <= PLAIN_LENGTH {
            return self.write_plain(push);
        }
        let (first, rest) = self.digits.split_at(1);
        push(if self.negative { "-" } else { "" });
        push(first);
        push(if rest.is_empty() { "" } else { "." });
        push(rest);
        push("E");
        push(itoa::Buffer::new().format(self.exponent));
    }

    fn write_plain(&self, push: &mut impl FnMut(&str)) {
        if self.digits.is_empty() {
            return push("0");
        }
        if self.negative {
            push("-");
        }
        let whole = self.exponent + 1;
        match usize::try_from(whole) {
            Ok(whole) if whole >= self.digits.len() => {
                push(&self.digits);
                push_zeros(whole - self.digits.len(), push);
            }
            Ok(whole) if whole > 0 => {
                let (front, back) = self.digits.split_at(whole);
                push(front);
                push(".");
                push(back);
            }
            _ => {
                push("0.");
                push_zeros(whole.unsigned_abs() as usize, push);
                push(&self.digits);
            }
        }
    }
}

fn push_zeros(mut count: usize, push: &mut impl FnMut(&str)) {
    const ZEROS: &str = "00000000000000000000000000000000";
    while let Some(left) = count.checked_sub(ZEROS.len()) {
        push(ZEROS);
        count = left;
    }
    push(ZEROS.get(..count).unwrap_or_default());
}

/// Parses an exponent of any length. One beyond all limits is cut: the number is rejected anyway.
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
