//! Floats and decimals are `N`.

use std::fmt::LowerExp;

use super::DynamoValue;
use crate::json::{CodecError, FloatText, Number, Reader, Writer};

fn write_float(float: impl LowerExp, writer: &mut Writer) -> Result<(), CodecError> {
    let mut text = FloatText::of_float(float);
    let parts = text.as_mut().and_then(FloatText::read_parts);
    let parts = parts.ok_or_else(|| {
        CodecError::new("not a finite number: DynamoDB has no NaN and no infinity")
    })?;
    parts.check_limits()?;
    writer.write_decimal(&parts);
    Ok(())
}

macro_rules! float {
    ($($float:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl DynamoValue for $float {
            stored_as!(N, stringify!($float));

            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                write_float(self, writer)
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                let digits = reader.digits()?;
                let value: $float = digits
                    .parse()
                    .map_err(|_| CodecError::mismatch(stringify!($float), "other text in N"))?;
                // A number beyond the range parses as an infinity, and the text `NaN` parses too.
                if !value.is_finite() {
                    return Err(CodecError::mismatch(stringify!($float), "a number that does not fit"));
                }
                Ok(value)
            }

            /// DynamoDB has one zero, without a sign.
            fn as_stored(&self) -> Option<Self> {
                // A negative zero is stored without its sign.
                Some(*self + 0.0)
            }
        }
    )*};
}

float!(f32 f64);

#[diagnostic::do_not_recommend]
impl DynamoValue for Number {
    stored_as!(N, "Number");

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        self.check_limits()?;
        writer.number(self);
        Ok(())
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        reader.digits()?.parse()
    }

    fn as_stored(&self) -> Option<Self> {
        Some(self.clone())
    }
}

/// Decimals, those of other crates too, converted through the number that DynamoDB keeps.
pub(crate) trait ToNumber: Sized {
    fn to_number(&self) -> Result<Number, CodecError>;
    fn from_number(number: &Number) -> Result<Self, CodecError>;
}

impl ToNumber for Number {
    fn to_number(&self) -> Result<Number, CodecError> {
        Ok(self.clone())
    }

    fn from_number(number: &Number) -> Result<Self, CodecError> {
        Ok(number.clone())
    }
}

#[cfg(feature = "rust_decimal")]
impl ToNumber for rust_decimal::Decimal {
    fn to_number(&self) -> Result<Number, CodecError> {
        self.to_string().parse()
    }

    /// Converts exactly or fails: this type holds 28 digits, DynamoDB 38.
    fn from_number(number: &Number) -> Result<Self, CodecError> {
        Self::from_str_exact(&number.to_plain_text()).map_err(|_| {
            CodecError::mismatch("a decimal of 28 digits", "a number that does not fit")
        })
    }
}

#[cfg(feature = "bigdecimal")]
impl ToNumber for bigdecimal::BigDecimal {
    fn to_number(&self) -> Result<Number, CodecError> {
        let (digits, scale) = self.as_bigint_and_exponent();
        let exponent = scale
            .checked_neg()
            .ok_or_else(|| CodecError::new("a number out of range: its exponent"))?;
        format!("{digits}e{exponent}").parse()
    }

    fn from_number(number: &Number) -> Result<Self, CodecError> {
        number
            .as_str()
            .parse()
            .map_err(|_| CodecError::mismatch("a decimal", "other text in N"))
    }
}

macro_rules! decimal {
    ($($feature:literal $decimal:ty, $name:literal;)*) => {$(
        #[cfg(feature = $feature)]
        #[diagnostic::do_not_recommend]
        impl DynamoValue for $decimal {
            stored_as!(N, $name);

            fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
                writer.number(&self.to_number()?);
                Ok(())
            }

            fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
                Self::from_number(&reader.digits()?.parse()?)
            }

            /// The value without its scale, which is not kept.
            fn as_stored(&self) -> Option<Self> {
                Self::from_number(&self.to_number().ok()?).ok()
            }
        }
    )*};
}

decimal! {
    "rust_decimal" rust_decimal::Decimal, "Decimal";
    "bigdecimal" bigdecimal::BigDecimal, "BigDecimal";
}
