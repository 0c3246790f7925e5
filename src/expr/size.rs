//! The size of a text or binary, and the number of elements of a collection.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};

use super::comparison::Comparison;
use super::condition::Condition;
use super::node::{Node, Term};
use super::number::Numeric;
use crate::path::{Comparable, Path, Place};

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
    pub fn eq(&self, size: impl SizeOperand<R>) -> Condition<R> {
        self.compare_size(Comparison::Eq, size.given_size())
    }

    /// Has any other size. Holds for a missing attribute too, except for a set, which is empty then.
    pub fn ne(&self, size: impl SizeOperand<R>) -> Condition<R> {
        self.compare_size(Comparison::Ne, size.given_size())
    }

    /// Is smaller.
    pub fn lt(&self, size: impl SizeOperand<R>) -> Condition<R> {
        self.compare_size(Comparison::Lt, size.given_size())
    }

    /// Has at most this size.
    pub fn le(&self, size: impl SizeOperand<R>) -> Condition<R> {
        self.compare_size(Comparison::Le, size.given_size())
    }

    /// Is larger.
    pub fn gt(&self, size: impl SizeOperand<R>) -> Condition<R> {
        self.compare_size(Comparison::Gt, size.given_size())
    }

    /// Has at least this size.
    pub fn ge(&self, size: impl SizeOperand<R>) -> Condition<R> {
        self.compare_size(Comparison::Ge, size.given_size())
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
        Node::Between(self.size_term(), Term::number(&least), Term::number(&most)).into()
    }

    fn compare_size(&self, comparison: Comparison, than: SizeValue) -> Condition<R> {
        match than {
            SizeValue::Number(than) => self.compare_number(comparison, than),
            SizeValue::At(place) => match self.place.clone().in_form(0).check_form(&place) {
                Ok(()) => self.compare_place(comparison, place).into(),
                Err(fault) => Node::Faulty(fault).into(),
            },
        }
    }

    /// A comparison that holds for an empty set is written as "not the opposite": a set that is missing, or stored as
    /// NULL, has no size, and no comparison with it holds except `<>`.
    fn compare_number(&self, comparison: Comparison, than: usize) -> Condition<R> {
        let here = |comparison| Node::Compare(self.size_term(), comparison, Term::number(&than));
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

    /// A set without a size is compared as zero, as far as the other attribute exists.
    fn compare_place(&self, comparison: Comparison, place: Place) -> Node {
        let than = Term::Place(place);
        if !self.absent_is_empty {
            return Node::Compare(self.size_term(), comparison, than);
        }
        // `ne` holds also for a missing number, so it is not the same as "less or greater".
        if comparison == Comparison::Ne {
            return self.compare_terms(Comparison::Eq, than).not();
        }
        self.compare_terms(comparison, than)
    }

    fn compare_terms(&self, comparison: Comparison, than: Term) -> Node {
        // Every size is at least 0, so this fails only for a set that is missing or NULL.
        let has_size = Node::Compare(self.size_term(), Comparison::Ge, Term::number(&0));
        let of_empty = Node::Compare(Term::number(&0), comparison, than.clone());
        let of_size = Node::Compare(self.size_term(), comparison, than);
        Node::any([of_size, has_size.not().and(of_empty)])
    }

    fn size_term(&self) -> Term {
        Term::Size(self.place.clone())
    }
}

/// A size that another one is compared with: a `usize`, or the path of a number.
#[diagnostic::on_unimplemented(
    message = "a size cannot be compared with a `{Self}`",
    label = "expected a `usize` or the path of a number"
)]
pub trait SizeOperand<R> {
    #[doc(hidden)]
    fn given_size(self) -> SizeValue;
}

/// A number, or the place of one.
#[doc(hidden)]
#[derive(Debug)]
pub enum SizeValue {
    Number(usize),
    At(Place),
}

impl<R> SizeOperand<R> for usize {
    fn given_size(self) -> SizeValue {
        SizeValue::Number(self)
    }
}

#[diagnostic::do_not_recommend]
impl<R, T: Numeric, M: Comparable> SizeOperand<R> for Path<R, T, M> {
    fn given_size(self) -> SizeValue {
        SizeValue::At(self.place().clone())
    }
}

#[diagnostic::do_not_recommend]
impl<R, T: Numeric, M: Comparable> SizeOperand<R> for &Path<R, T, M> {
    fn given_size(self) -> SizeValue {
        SizeValue::At(self.place().clone())
    }
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
