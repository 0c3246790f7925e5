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
    /// The value of a missing attribute.
    fn zero() -> Self;

    /// The condition on the stored number which makes the sum, or the difference, fit this type.
    #[doc(hidden)]
    fn sum_bound(&self, minus: bool, start: &Self) -> Result<Option<SumBound>, CodecError>;

    /// The range in which any two numbers have a sum and, if negative ones exist, a difference of this type. None if
    /// the type has no range.
    #[doc(hidden)]
    fn half_range() -> Result<Option<SumRange>, CodecError>;
}

/// The half of the range of a type.
#[doc(hidden)]
#[derive(Debug)]
pub struct SumRange {
    pub least: Number,
    pub most: Number,
    /// Whether the type has no negative numbers.
    pub is_unsigned: bool,
}

impl SumRange {
    fn of_bounds(
        least: impl ToString,
        most: impl ToString,
    ) -> Result<Option<SumRange>, CodecError> {
        let least: Number = least.to_string().parse()?;
        Ok(Some(SumRange {
            is_unsigned: least == Number::from(0_u8),
            least,
            most: most.to_string().parse()?,
        }))
    }
}

/// The condition on the stored number that makes the sum fit its type.
#[doc(hidden)]
#[derive(Debug)]
pub struct SumBound {
    pub comparison: Comparison,
    pub bound: Number,
    /// Whether the value of a missing attribute meets the condition too.
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
        start_fits: comparison.holds_for(&start, &bound),
    }))
}

fn too_wide() -> CodecError {
    CodecError::new("a number of more than 38 digits")
}

/// The range of an integer; DynamoDB stores 38 digits.
macro_rules! limits {
    ($int:ty) => {{
        let clamped = |value: $int, or: i128| i128::try_from(value).unwrap_or(or).clamp(-MAX, MAX);
        (clamped(<$int>::MIN, -MAX), clamped(<$int>::MAX, MAX))
    }};
}

macro_rules! integers {
    ($($int:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Numeric for $int {
            fn zero() -> Self {
                0
            }

            fn sum_bound(&self, minus: bool, start: &Self) -> Result<Option<SumBound>, CodecError> {
                let whole = |value: $int| i128::try_from(value).map_err(|_| too_wide());
                let delta = whole(*self)?;
                let change = if minus { delta.checked_neg().ok_or_else(too_wide)? } else { delta };
                bound_of(change, limits!($int), whole(*start)?)
            }

            fn half_range() -> Result<Option<SumRange>, CodecError> {
                let (least, most) = limits!($int);
                SumRange::of_bounds(least / 2, most / 2)
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// Types whose range DynamoDB checks itself, or without a relevant limit.
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

            fn half_range() -> Result<Option<SumRange>, CodecError> {
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
            start_fits: comparison.holds_for(start, &bound),
        }))
    }

    fn half_range() -> Result<Option<SumRange>, CodecError> {
        let half = |end: Self| format!("{:e}", end / 2.0);
        SumRange::of_bounds(half(Self::MIN), half(Self::MAX))
    }
}

/// A sum must fit with as many fractional digits as the change has. If the stored number has more digits, an error
/// appears only when the sum is read.
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
        end.set_scale(change.scale()).map_err(|_| too_wide())?;
        // Both numbers have the same sign and the same scale, so this is exact.
        let bound = end - change;
        Ok(Some(SumBound {
            comparison,
            bound: bound.to_string().parse()?,
            start_fits: comparison.holds_for(start, &bound),
        }))
    }

    fn half_range() -> Result<Option<SumRange>, CodecError> {
        // The end is odd, and the least is its negative: the half of an odd number would be rounded up.
        let most = (Self::MAX - Self::ONE) / Self::TWO;
        SumRange::of_bounds(-most, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half<T: Numeric>() -> (i128, i128, bool) {
        let half = T::half_range().expect("numbers").expect("a range");
        let whole = |number: &Number| number.as_str().parse().expect("an integer");
        (whole(&half.least), whole(&half.most), half.is_unsigned)
    }

    /// The sum and the difference of any two numbers of the half fit the type, and of the next ones they do not.
    #[test]
    fn sums_of_halves_fit() {
        macro_rules! check {
            ($($int:ty)*) => {$({
                let (least, most, is_unsigned) = half::<$int>();
                let range = i128::from(<$int>::MIN)..=i128::from(<$int>::MAX);
                for sum in [2 * least, 2 * most, least - most, most - least] {
                    assert!(range.contains(&sum) || is_unsigned && sum < 0, "{sum}");
                }
                for beyond in [2 * (most + 1), 2 * (least - 1)] {
                    assert!(!range.contains(&beyond), "{beyond}");
                }
                assert_eq!(is_unsigned, <$int>::MIN == 0);
            })*};
        }
        check!(i8 i16 i32 i64 u8 u16 u32 u64);
        assert_eq!(half::<i128>(), (-(MAX / 2), MAX / 2, false));
        assert_eq!(half::<u128>(), (0, MAX / 2, true));
        const { assert!(2 * (MAX / 2 + 1) > MAX) };
    }

    #[cfg(feature = "rust_decimal")]
    #[test]
    fn sums_of_half_decimals_fit() {
        use rust_decimal::Decimal;
        let half = Decimal::half_range().expect("numbers").expect("a range");
        for end in [half.least, half.most] {
            let end: Decimal = end.as_str().parse().expect("a decimal");
            assert!(end.checked_add(end).is_some() && end.checked_sub(-end).is_some());
            assert!(end.abs() > Decimal::MAX / Decimal::TWO - Decimal::TWO);
        }
    }
}
