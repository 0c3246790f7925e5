//! Numbers that DynamoDB can add to, and the limits of their sums.

use super::comparison::Comparison;
use crate::codec::DynamoValue;
use crate::json::{CodecError, Number};

/// A number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    label = "nothing to add to",
    note = "`add` and `sub` are for integers, floats, decimals, `Number` and newtypes of these; a list has `push`, a set `insert`"
)]
pub trait Numeric: DynamoValue {
    /// What a missing attribute counts as.
    fn zero() -> Self;

    /// What has to hold for the stored number so that the sum, or the difference, fits this type.
    #[doc(hidden)]
    fn sum_bound(&self, minus: bool, start: &Self) -> Result<Option<SumBound>, CodecError>;
}

/// The condition on the stored number that makes the sum fit its type.
#[doc(hidden)]
#[derive(Debug)]
pub struct SumBound {
    pub comparison: Comparison,
    pub bound: Number,
    /// Whether the number that a missing attribute counts as meets the condition too.
    pub start_fits: bool,
}

/// The largest number of 38 digits.
const MAX: i128 = 10_i128.pow(38) - 1;

fn bound_of(
    change: i128,
    range: (i128, i128),
    start: i128,
) -> Result<Option<SumBound>, CodecError> {
    let (comparison, bound) = match change {
        0 => return Ok(None),
        1.. => (Comparison::Le, range.1.saturating_sub(change)),
        _ => (Comparison::Ge, range.0.saturating_sub(change)),
    };
    Ok(Some(SumBound {
        comparison,
        bound: bound.to_string().parse()?,
        start_fits: comparison.holds(&start, &bound),
    }))
}

fn wide() -> CodecError {
    CodecError::new("a number of more than 38 digits")
}

macro_rules! integers {
    ($($int:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Numeric for $int {
            fn zero() -> Self {
                0
            }

            fn sum_bound(&self, minus: bool, start: &Self) -> Result<Option<SumBound>, CodecError> {
                let whole = |value: $int| i128::try_from(value).map_err(|_| wide());
                let clamped = |value: $int, or: i128| i128::try_from(value).unwrap_or(or).clamp(-MAX, MAX);
                let delta = whole(*self)?;
                let change = if minus { delta.checked_neg().ok_or_else(wide)? } else { delta };
                let range = (clamped(<$int>::MIN, -MAX), clamped(<$int>::MAX, MAX));
                bound_of(change, range, whole(*start)?)
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// Types whose range DynamoDB checks itself, or that have no limit that matters.
macro_rules! unbounded {
    ($($(#[$cfg:meta])? $number:ty, $zero:expr;)*) => {$(
        $(#[$cfg])?
        #[diagnostic::do_not_recommend]
        impl Numeric for $number {
            fn zero() -> Self {
                $zero
            }

            fn sum_bound(&self, _: bool, _: &Self) -> Result<Option<SumBound>, CodecError> {
                Ok(None)
            }
        }
    )*};
}

unbounded! {
    f64, 0.0;
    Number, Number::from(0_u8);
    #[cfg(feature = "bigdecimal")]
    bigdecimal::BigDecimal, bigdecimal::BigDecimal::from(0);
}

/// Sums that are too large would be stored, but could not be read.
#[diagnostic::do_not_recommend]
impl Numeric for f32 {
    fn zero() -> Self {
        0.0
    }

    fn sum_bound(&self, minus: bool, start: &Self) -> Result<Option<SumBound>, CodecError> {
        let change = if minus { -*self } else { *self };
        let (comparison, bound) = match change {
            0.0 => return Ok(None),
            change if change < 0.0 => (Comparison::Ge, Self::MIN - change),
            change => (Comparison::Le, Self::MAX - change),
        };
        Ok(Some(SumBound {
            comparison,
            bound: format!("{bound:e}").parse()?,
            start_fits: comparison.holds(start, &bound),
        }))
    }
}

/// A sum has to fit with as many digits after the point as the change has. If the stored number has more digits,
/// whether the sum fits is only seen when it is read.
#[cfg(feature = "rust_decimal")]
#[diagnostic::do_not_recommend]
impl Numeric for rust_decimal::Decimal {
    fn zero() -> Self {
        Self::ZERO
    }

    fn sum_bound(&self, minus: bool, start: &Self) -> Result<Option<SumBound>, CodecError> {
        let change = if minus { -*self } else { *self }.normalize();
        let (comparison, mut end) = match change {
            change if change.is_zero() => return Ok(None),
            change if change.is_sign_negative() => (Comparison::Ge, Self::MIN),
            _ => (Comparison::Le, Self::MAX),
        };
        end.set_scale(change.scale()).map_err(|_| wide())?;
        // Both numbers have the same sign and the same scale, so this is exact.
        let bound = end - change;
        Ok(Some(SumBound {
            comparison,
            bound: bound.to_string().parse()?,
            start_fits: comparison.holds(start, &bound),
        }))
    }
}
