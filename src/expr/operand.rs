//! The other side of a comparison: a value, or another attribute.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};

use super::comparison::Comparison;
use super::condition::Condition;
use super::node::{Node, Term};
use crate::path::{Path, Place};

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
impl<R, T, M> Operand<R, T> for Path<R, T, M> {
    fn given_operand(self) -> OperandValue<T> {
        OperandValue::At(self.place().clone())
    }
}

#[diagnostic::do_not_recommend]
impl<R, T, M> Operand<R, T> for &Path<R, T, M> {
    fn given_operand(self) -> OperandValue<T> {
        OperandValue::At(self.place().clone())
    }
}

/// The size of a text or binary, see [`size`](Path::size), or the number of elements of a collection, see
/// [`len`](Path::len).
///
/// A missing attribute has no size, so only `ne` holds for it. A missing set counts as empty,
/// because DynamoDB stores no empty sets.
pub struct Size<R> {
    place: Place,
    /// Whether a missing attribute counts as empty.
    absent_is_empty: bool,
    kind: PhantomData<fn() -> R>,
}

impl<R> Size<R> {
    pub(super) fn new(place: &Place, absent_is_empty: bool) -> Self {
        Size {
            place: place.clone(),
            absent_is_empty,
            kind: PhantomData,
        }
    }

    /// Has exactly this size.
    pub fn eq(&self, size: usize) -> Condition<R> {
        self.compare_size(Comparison::Eq, size)
    }

    /// Has any other size. Holds for a missing attribute too, except for a set, which is empty then.
    pub fn ne(&self, size: usize) -> Condition<R> {
        self.compare_size(Comparison::Ne, size)
    }

    /// Is smaller.
    pub fn lt(&self, size: usize) -> Condition<R> {
        self.compare_size(Comparison::Lt, size)
    }

    /// Has at most this size.
    pub fn le(&self, size: usize) -> Condition<R> {
        self.compare_size(Comparison::Le, size)
    }

    /// Is larger.
    pub fn gt(&self, size: usize) -> Condition<R> {
        self.compare_size(Comparison::Gt, size)
    }

    /// Has at least this size.
    pub fn ge(&self, size: usize) -> Condition<R> {
        self.compare_size(Comparison::Ge, size)
    }

    /// `a..b` excludes `b`, `a..=b` includes it. No size is in an empty or reversed range.
    pub fn between(&self, sizes: impl SizeRange) -> Condition<R> {
        let (least, beyond) = sizes.least_and_beyond();
        let most = match beyond.checked_sub(1) {
            Some(most) if least <= most => most,
            _ => return Node::any([]).into(),
        };
        if self.absent_is_empty && least == 0 {
            return self.le(most);
        }
        Node::Between(self.size_term(), number_term(least), number_term(most)).into()
    }

    /// A comparison that holds for an empty set is written as "not the opposite": a set that is missing, or stored as
    /// NULL, has no size, and no comparison with it holds except `<>`.
    fn compare_size(&self, comparison: Comparison, than: usize) -> Condition<R> {
        let here = |comparison| Node::Compare(self.size_term(), comparison, number_term(than));
        if !self.absent_is_empty {
            return here(comparison).into();
        }
        let comparison = match comparison {
            Comparison::Eq if than == 0 => Comparison::Le,
            Comparison::Ne if than == 0 => Comparison::Gt,
            other => other,
        };
        if comparison.holds_for(&0, &than) {
            here(comparison.swapped_sides()).not().into()
        } else {
            here(comparison).into()
        }
    }

    fn size_term(&self) -> Term {
        Term::Size(self.place.clone())
    }
}

fn number_term(size: usize) -> Term {
    Term::Value(format!("{{\"N\":\"{size}\"}}").into_bytes())
}

/// `a..b` or `a..=b`.
pub trait SizeRange {
    #[doc(hidden)]
    fn least_and_beyond(self) -> (usize, usize);
}

impl SizeRange for Range<usize> {
    fn least_and_beyond(self) -> (usize, usize) {
        (self.start, self.end)
    }
}

impl SizeRange for RangeInclusive<usize> {
    fn least_and_beyond(self) -> (usize, usize) {
        (*self.start(), self.end().saturating_add(1))
    }
}

impl<R> fmt::Debug for Size<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Size({})", self.place)
    }
}
