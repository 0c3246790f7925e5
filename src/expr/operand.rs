//! The other side of a comparison: a value, or another attribute.

use crate::path::{Comparable, Path, Place};

/// A value that can be compared with a path of type `T`, or stored there: `T`, `&T`, `&str` for text, or another path
/// of the same type.
#[diagnostic::on_unimplemented(
    message = "a `{T}` cannot be compared with, set to or changed by a `{Self}`",
    label = "expected `{T}`, `&{T}` or a path of that type",
    note = "for an `Option` write `set_or_remove`, or compare with `exists` or `missing`"
)]
pub trait Operand<R, T> {
    #[doc(hidden)]
    fn given_operand(self) -> OperandValue<T>;
}

/// A value, or the place of one.
#[doc(hidden)]
#[derive(Debug)]
pub enum OperandValue<T> {
    Value(T),
    At(Place),
}

impl<R, T> Operand<R, T> for T {
    fn given_operand(self) -> OperandValue<T> {
        OperandValue::Value(self)
    }
}

#[diagnostic::do_not_recommend]
impl<R, T: Clone> Operand<R, T> for &T {
    fn given_operand(self) -> OperandValue<T> {
        OperandValue::Value(self.clone())
    }
}

#[diagnostic::do_not_recommend]
impl<R> Operand<R, String> for &str {
    fn given_operand(self) -> OperandValue<String> {
        OperandValue::Value(self.to_owned())
    }
}

#[diagnostic::do_not_recommend]
impl<R> Operand<R, String> for &&str {
    fn given_operand(self) -> OperandValue<String> {
        OperandValue::Value((*self).to_owned())
    }
}

#[diagnostic::do_not_recommend]
impl<R, T, M: Comparable> Operand<R, T> for Path<R, T, M> {
    fn given_operand(self) -> OperandValue<T> {
        OperandValue::At(self.place().clone())
    }
}

#[diagnostic::do_not_recommend]
impl<R, T, M: Comparable> Operand<R, T> for &Path<R, T, M> {
    fn given_operand(self) -> OperandValue<T> {
        OperandValue::At(self.place().clone())
    }
}
