//! The elements that extend a list: given elements, or another list of the item.

use super::collection::List;
use super::operand::OperandValue;
use crate::key::Arg;
use crate::path::{Comparable, Path};

/// The elements of a list of type `T`, given as anything that iterates over them, or the path of another list of this type.
#[diagnostic::on_unimplemented(
    message = "a `{T}` cannot be extended by a `{Self}`",
    label = "expected the elements of a `{T}`, or a path of that type",
    note = "elements are an array, a `Vec` or an iterator; for one element write `push` or `push_front`"
)]
pub trait Elements<R, T> {
    #[doc(hidden)]
    fn given_operand(self) -> OperandValue<T>;
}

#[diagnostic::do_not_recommend]
impl<R, T: List, I> Elements<R, T> for I
where
    I: IntoIterator,
    I::Item: Arg<T::Element>,
{
    fn given_operand(self) -> OperandValue<T> {
        OperandValue::Value(self.into_iter().map(Arg::into_arg).collect())
    }
}

#[diagnostic::do_not_recommend]
impl<R, T: List, M: Comparable> Elements<R, T> for Path<R, T, M> {
    fn given_operand(self) -> OperandValue<T> {
        OperandValue::At(self.place().clone())
    }
}

#[diagnostic::do_not_recommend]
impl<R, T: List, M: Comparable> Elements<R, T> for &Path<R, T, M> {
    fn given_operand(self) -> OperandValue<T> {
        OperandValue::At(self.place().clone())
    }
}
