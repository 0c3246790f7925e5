//! Numbers with a fraction in keys: the shortest text, also padded with zeros, or a fixed number of decimals.
//!
//! The shortest text is that of other programs: `String(value)` of JavaScript for floats, and `str(Decimal)` of Python and
//! `BigDecimal.toString()` of Java for decimals without zeros at the end. It does not sort like the numbers. However, the texts of
//! `{price:06.2}` do, because all of them have one width and two decimals, and none is negative.

use std::fmt::LowerExp;

use super::format::{PLAIN, Padded};
use super::part::KeyPart;
use super::part_text::{PartText, PartWriter};
use crate::codec::ToNumber;
use crate::json::{CodecError, FloatText, Number, Parts};
use crate::schema::{Pad, PartRanges, Width};

/// `{field:06.2}` and `{field:.2}`
pub const FIXED: u8 = 13;

/// `{field}` and `{field:06}` of a float. A decimal has another number, because its exponents have another letter.
const FLOAT: u8 = 255;

/// The format of a number without fixed decimals. `holds` contains the characters other than digits in the texts of its type.
pub const fn number_format(holds: &str) -> u8 {
    match holds.as_bytes() {
        [.., b'e'] => FLOAT,
        _ => PLAIN,
    }
}

/// `{field:06.2}` or `{field:.2}`: a number with a fraction, or a newtype of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no decimals in a key template",
    label = "not a number with a fraction",
    note = "decimals such as `{{field:06.2}}` are for `f64`, `f32`, `Number`, the decimals of `rust_decimal` and `bigdecimal`, and newtypes of these; an integer has a width alone, `{{field:06}}`"
)]
pub trait FixedDecimals {
    #[doc(hidden)]
    const FIXED: () = ();
}

/// A range of exponents. The text of a number has no exponent if the exponent of its first digit is in the range.
struct PlainRange {
    from: i64,
    to: i64,
    /// The text before an exponent, without its minus sign.
    letter: &'static str,
}

/// `String(value)` of JavaScript.
const JAVA_SCRIPT: PlainRange = PlainRange {
    from: -6,
    to: 20,
    letter: "e",
};

/// `str(Decimal)` of Python and `toString()` of Java. DynamoDB returns large numbers with all of their zeros, so these
/// programs write no exponent for them.
const DECIMAL: PlainRange = PlainRange {
    from: -6,
    to: i64::MAX,
    letter: "E",
};

impl PlainRange {
    /// The shortest text of a number.
    fn shortest_text(&self, number: &Parts<'_>) -> String {
        if (self.from..=self.to).contains(&number.exponent) {
            return number.plain_text();
        }
        let (first, rest) = number.digits.split_at(1);
        let minus = if number.negative { "-" } else { "" };
        let point = if rest.is_empty() { "" } else { "." };
        let (letter, exponent) = (self.letter, number.exponent);
        format!("{minus}{first}{point}{rest}{letter}{exponent:+}")
    }
}

/// The text with this number of decimals.
fn fixed_text(number: &Parts<'_>, decimals: usize) -> Result<String, CodecError> {
    let mut text = number.plain_text();
    let has = text.split_once('.').map_or(0, |(_, after)| after.len());
    // If the key were rounded, two numbers would have one key, and the number of a row would not give its key.
    if has > decimals {
        return Err(CodecError::new(format!(
            "a number of {has} decimals, and the key has {decimals}: round it before it is stored"
        )));
    }
    if has == 0 && decimals > 0 {
        text.push('.');
    }
    text.extend(std::iter::repeat_n('0', decimals - has));
    Ok(text)
}

fn write_number(
    number: &Parts<'_>,
    shortest: &PlainRange,
    writer: &mut PartWriter<'_>,
) -> Result<(), CodecError> {
    let Some(Pad { width, decimals }) = writer.pad else {
        writer.token(&shortest.shortest_text(number));
        return Ok(());
    };
    let text = match decimals {
        Some(decimals) => fixed_text(number, decimals)?,
        None => shortest.shortest_text(number),
    };
    if width > 0 && number.negative {
        return Err(CodecError::new(
            "a negative number in a padded key: zeros before its sign have no order",
        ));
    }
    if width > 0 && text.len() > width {
        return Err(CodecError::new(format!(
            "a number of {} characters, and its padding has {width}",
            text.len()
        )));
    }
    writer.token(&format!("{text:0>width$}"));
    Ok(())
}

#[cold]
fn minus_zero() -> CodecError {
    CodecError::new("a negative zero, which DynamoDB stores as 0: write `value + 0.0`")
}

fn write_float(
    float: impl LowerExp,
    is_minus_zero: bool,
    writer: &mut PartWriter<'_>,
) -> Result<(), CodecError> {
    if is_minus_zero {
        return Err(minus_zero());
    }
    let mut text = FloatText::of_float(float);
    let number = text.as_mut().and_then(FloatText::read_parts);
    let number = number.ok_or_else(|| {
        CodecError::new("not a finite number: a key has no text of NaN and of infinities")
    })?;
    number.check_limits()?;
    if let Some(decimals) = writer.pad.and_then(|pad| pad.decimals) {
        check_exact_digits(&number, decimals)?;
    }
    write_number(&number, &JAVA_SCRIPT, writer)
}

/// Rejects a float whose digits other programs write in another way. `toFixed` of JavaScript and the formats of Python and
/// Rust write the exact binary value. It differs from the shortest text in the digits that the shortest text does not have.
fn check_exact_digits(number: &Parts<'_>, decimals: usize) -> Result<(), CodecError> {
    let text = fixed_text(number, decimals)?;
    let exact = number.plain_text().parse::<f64>().ok();
    let is_exact = exact.is_some_and(|exact| format!("{exact:.decimals$}") == text);
    // From 1e21 upwards, `toFixed` writes an exponent.
    if is_exact && number.exponent <= JAVA_SCRIPT.to {
        return Ok(());
    }
    Err(CodecError::new(format!(
        "a float that has no {decimals} exact decimals: use a decimal type, or fewer decimals"
    )))
}

/// Whether a float is exactly the number of a text, for example one of the command line. Otherwise the key would be that of
/// another number.
fn is_exact_text(text: &str, float: impl LowerExp) -> bool {
    let given: Option<Number> = text.parse().ok();
    let mut shortest = FloatText::of_float(float);
    let number = shortest.as_mut().and_then(FloatText::read_parts);
    let number = number.and_then(|number| number.plain_text().parse::<Number>().ok());
    given.is_some() && given == number
}

/// A text in another format is rejected, because the number is written again and compared with the text.
macro_rules! float_part {
    ($($float:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl KeyPart for $float {
            const WIDTH: Width = Width::Decimal;
            const HOLDS: &'static str = "-.+e";
            const RANGES: PartRanges = PartRanges::Fixed;

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
                let is_minus_zero = *self == 0.0 && self.is_sign_negative();
                write_float(self, is_minus_zero, writer)
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                text.raw().parse().ok().filter(|float: &$float| float.is_finite())
            }

            fn from_plain(text: &str) -> Option<Self> {
                let float = text.parse::<$float>().ok()?;
                is_exact_text(text, float).then_some(float)
            }

            fn to_part(&self) -> Self {
                *self
            }
        }

        #[diagnostic::do_not_recommend]
        impl Padded for $float {}

        #[diagnostic::do_not_recommend]
        impl FixedDecimals for $float {}
    )*};
}

float_part!(f32 f64);

macro_rules! decimal_part {
    ($($(#[$cfg:meta])? $decimal:ty;)*) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl KeyPart for $decimal {
            const WIDTH: Width = Width::Decimal;
            const HOLDS: &'static str = "-.+";
            const RANGES: PartRanges = PartRanges::Fixed;

            fn write_part(&self, writer: &mut PartWriter<'_>) -> Result<(), CodecError> {
                let number = self.to_number()?;
                number.check_limits()?;
                let parts = Parts::parse_parts(number.as_str());
                parts.map_or(Ok(()), |parts| write_number(&parts, &DECIMAL, writer))
            }

            fn parse_part(text: &PartText<'_>) -> Option<Self> {
                ToNumber::from_number(&text.raw().parse().ok()?).ok()
            }

            fn to_part(&self) -> Self {
                self.clone()
            }
        }

        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl Padded for $decimal {}

        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl FixedDecimals for $decimal {}
    )*};
}

decimal_part! {
    Number;
    #[cfg(feature = "rust_decimal")] rust_decimal::Decimal;
    #[cfg(feature = "bigdecimal")] bigdecimal::BigDecimal;
}
