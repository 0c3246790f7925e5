//! Conditions on one path: those for any value, and those for values that have an order.

use std::cmp::Ordering;
use std::ops::{Bound, Range, RangeInclusive};

use super::comparison::Comparison;
use super::condition::Condition;
use super::node::{Node, Term};
use super::operand::{Operand, OperandValue};
use crate::codec::{DynamoValue, Value};
use crate::json::{CodecError, Reader, Tag};
use crate::key::{Arg, Ordered};
use crate::path::{Comparable, Path, Sorted};

/// `a..b`, which excludes `b`, `a..=b`, which includes it, or two [`Bound`]s, of which each may be either. An `Option` of
/// one of these is open at both ends if it is `None`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of `{T}`",
    label = "expected `a..b`, `a..=b` or `(Bound::Excluded(a), Bound::Included(b))`",
    note = "for one open end write `ge`, `lt` and the like"
)]
pub trait Between<T> {
    /// The lower and the upper end.
    #[doc(hidden)]
    fn range_ends(self) -> (Bound<T>, Bound<T>);
}

impl<T, A: Arg<T>> Between<T> for Range<A> {
    fn range_ends(self) -> (Bound<T>, Bound<T>) {
        let (low, high) = (self.start.into_arg(), self.end.into_arg());
        (Bound::Included(low), Bound::Excluded(high))
    }
}

impl<T, A: Arg<T>> Between<T> for RangeInclusive<A> {
    fn range_ends(self) -> (Bound<T>, Bound<T>) {
        let (low, high) = self.into_inner();
        (
            Bound::Included(low.into_arg()),
            Bound::Included(high.into_arg()),
        )
    }
}

impl<T, A: Arg<T>> Between<T> for (Bound<A>, Bound<A>) {
    fn range_ends(self) -> (Bound<T>, Bound<T>) {
        (self.0.map(A::into_arg), self.1.map(A::into_arg))
    }
}

/// An optional range: `None` leaves both ends open.
#[diagnostic::do_not_recommend]
impl<T, B: Between<T>> Between<T> for Option<B> {
    fn range_ends(self) -> (Bound<T>, Bound<T>) {
        self.map_or((Bound::Unbounded, Bound::Unbounded), B::range_ends)
    }
}

/// Conditions that every path has.
///
/// A comparison with a missing attribute, or with a value of another type, does not hold, except `ne`.
/// NULL, as other programs write it, is a value with its own type.
impl<R, T, M> Path<R, T, M> {
    /// Equals this value, or the value of that other attribute.
    pub fn eq(&self, other: impl Operand<R, T>) -> Condition<R>
    where
        M: Comparable,
    {
        match self.operand_term(other.given_operand()) {
            Ok(Some(term)) => self.compare_terms(Comparison::Eq, term),
            Ok(None) => self.missing(),
            Err(fault) => Node::Faulty(fault).into(),
        }
    }

    /// Differs from it. Holds for a missing attribute too.
    pub fn ne(&self, other: impl Operand<R, T>) -> Condition<R>
    where
        M: Comparable,
    {
        match self.operand_term(other.given_operand()) {
            Ok(Some(term)) => self.compare_terms(Comparison::Ne, term),
            Ok(None) => self.exists(),
            Err(fault) => Node::Faulty(fault).into(),
        }
    }

    /// Is one of these values, or the value of one of these other attributes; without any, it never holds.
    pub fn is_in<A: Operand<R, T>>(&self, values: impl IntoIterator<Item = A>) -> Condition<R>
    where
        M: Comparable,
    {
        let (mut listed, mut others, mut absent) = (Vec::new(), Vec::new(), false);
        for value in values {
            match self.operand_term(value.given_operand()) {
                Ok(Some(Term::Value(json))) => listed.push(json),
                // IN with an attribute is the same as an equality, which costs no place in the list.
                Ok(Some(term)) => {
                    others.push(Node::Compare(self.path_term(), Comparison::Eq, term));
                }
                Ok(None) => absent = true,
                Err(fault) => return Node::Faulty(fault).into(),
            }
        }
        let missing = absent.then(|| Node::Missing(self.place().clone()));
        let is_in = (!listed.is_empty()).then(|| Node::In(self.path_term(), listed));
        Node::any(missing.into_iter().chain(is_in).chain(others)).into()
    }

    /// The attribute exists; a NULL of another program counts too.
    #[doc(alias = "attribute_exists")]
    pub fn exists(&self) -> Condition<R> {
        Node::Exists(self.place().clone()).into()
    }

    /// The attribute does not exist, or is NULL, as other programs write None. Both are read as None.
    pub fn is_none(&self) -> Condition<R> {
        let null = Node::IsType(self.place().clone(), Tag::Null);
        Node::any([Node::Missing(self.place().clone()), null]).into()
    }

    /// The attribute exists and is not NULL.
    pub fn is_some(&self) -> Condition<R> {
        let null = Node::IsType(self.place().clone(), Tag::Null);
        Node::Exists(self.place().clone()).and(null.not()).into()
    }

    /// The attribute does not exist.
    #[doc(alias = "attribute_not_exists")]
    pub fn missing(&self) -> Condition<R> {
        Node::Missing(self.place().clone()).into()
    }

    /// The attribute has this DynamoDB type.
    #[doc(alias = "attribute_type")]
    pub fn is_type(&self, tag: Tag) -> Condition<R> {
        Node::IsType(self.place().clone(), tag).into()
    }

    pub(super) fn path_term(&self) -> Term {
        Term::Place(self.place().clone())
    }

    /// The other side, or `None` for a value that means an absent attribute.
    fn operand_term(&self, given: OperandValue<T>) -> Result<Option<Term>, CodecError> {
        match given {
            OperandValue::Value(value) => {
                Ok(self.value_place().encode_compared(&value)?.map(Term::Value))
            }
            OperandValue::At(place) if place == *self.place() => {
                let fault = CodecError::new("an attribute cannot be compared with itself");
                Err(fault.at(place.to_string()))
            }
            OperandValue::At(place) => {
                self.place().check_form(&place)?;
                Ok(Some(Term::Place(place)))
            }
        }
    }

    fn compare_terms(&self, comparison: Comparison, term: Term) -> Condition<R> {
        Node::Compare(self.path_term(), comparison, term).into()
    }

    fn compare_ordered(&self, comparison: Comparison, given: OperandValue<T>) -> Condition<R> {
        match self.operand_term(given) {
            Ok(Some(term)) => self.compare_terms(comparison, term),
            // Nothing is before or after a missing value.
            Ok(None) => Node::any([]).into(),
            Err(fault) => Node::Faulty(fault).into(),
        }
    }
}

/// Conditions on values that have an order.
impl<R, T, M> Path<R, T, M> {
    /// Is less.
    pub fn lt(&self, other: impl Operand<R, T>) -> Condition<R>
    where
        T: Ordered,
        M: Sorted,
    {
        self.compare_ordered(Comparison::Lt, other.given_operand())
    }

    /// Is less or equal.
    pub fn le(&self, other: impl Operand<R, T>) -> Condition<R>
    where
        T: Ordered,
        M: Sorted,
    {
        self.compare_ordered(Comparison::Le, other.given_operand())
    }

    /// Is greater.
    pub fn gt(&self, other: impl Operand<R, T>) -> Condition<R>
    where
        T: Ordered,
        M: Sorted,
    {
        self.compare_ordered(Comparison::Gt, other.given_operand())
    }

    /// Is greater or equal.
    pub fn ge(&self, other: impl Operand<R, T>) -> Condition<R>
    where
        T: Ordered,
        M: Sorted,
    {
        self.compare_ordered(Comparison::Ge, other.given_operand())
    }

    /// `a..b` excludes `b`, `a..=b` includes it, and `(Bound::Excluded(a), Bound::Excluded(b))` excludes both. An
    /// empty or reversed range contains nothing. Two open ends check only that the attribute exists.
    pub fn between(&self, range: impl Between<T>) -> Condition<R>
    where
        T: Ordered,
        M: Sorted,
    {
        let (low, high) = range.range_ends();
        match self
            .encode_end(low)
            .and_then(|low| Ok(low.zip(self.encode_end(high)?)))
        {
            Ok(Some((low, high))) => self.within_bounds(low, high).into(),
            Ok(None) => Node::any([]).into(),
            Err(fault) => Node::Faulty(fault).into(),
        }
    }

    /// One end of a range in DynamoDB JSON. None if no value compares with it.
    fn encode_end(&self, end: Bound<T>) -> Result<Option<Bound<Vec<u8>>>, CodecError> {
        Ok(match end {
            Bound::Included(value) => self
                .value_place()
                .encode_compared(&value)?
                .map(Bound::Included),
            Bound::Excluded(value) => self
                .value_place()
                .encode_compared(&value)?
                .map(Bound::Excluded),
            Bound::Unbounded => Some(Bound::Unbounded),
        })
    }

    /// Handles reversed ends here, because DynamoDB rejects a BETWEEN with them instead of finding nothing.
    fn within_bounds(&self, low: Bound<Vec<u8>>, high: Bound<Vec<u8>>) -> Node {
        if let (
            Bound::Included(from) | Bound::Excluded(from),
            Bound::Included(to) | Bound::Excluded(to),
        ) = (&low, &high)
        {
            let holds_ends = matches!((&low, &high), (Bound::Included(_), Bound::Included(_)));
            match compare_values(from, to) {
                Some(Ordering::Greater) => return Node::any([]),
                Some(Ordering::Equal) if !holds_ends => return Node::any([]),
                _ => {}
            }
        }
        let side =
            |comparison, value| Node::Compare(self.path_term(), comparison, Term::Value(value));
        let lower = match low {
            Bound::Included(low) => match high {
                Bound::Included(high) => {
                    return Node::Between(self.path_term(), Term::Value(low), Term::Value(high));
                }
                Bound::Excluded(_) | Bound::Unbounded => Some(side(Comparison::Ge, low)),
            },
            Bound::Excluded(low) => Some(side(Comparison::Gt, low)),
            Bound::Unbounded => None,
        };
        let upper = match high {
            Bound::Included(high) => Some(side(Comparison::Le, high)),
            Bound::Excluded(high) => Some(side(Comparison::Lt, high)),
            Bound::Unbounded => None,
        };
        if lower.is_none() && upper.is_none() {
            return Node::Exists(self.place().clone());
        }
        Node::all(lower.into_iter().chain(upper))
    }
}

/// The order of two values in DynamoDB JSON, if they have one.
fn compare_values(left: &[u8], right: &[u8]) -> Option<Ordering> {
    let read = |json| Value::decode(&mut Reader::new(json)).ok();
    match (read(left)?, read(right)?) {
        (Value::S(left), Value::S(right)) => Some(left.cmp(&right)),
        (Value::N(left), Value::N(right)) => Some(left.cmp(&right)),
        (Value::B(left), Value::B(right)) => Some(left.cmp(&right)),
        _ => None,
    }
}

/// A type that a Rust operator could compare a path with. No type implements it, because DynamoDB compares, and only
/// `.eq(..)` and the other methods build a condition.
#[diagnostic::on_unimplemented(
    message = "a path is compared by a method, not by an operator",
    label = "write `.eq(..)`, `.ne(..)`, `.lt(..)`, `.le(..)`, `.gt(..)` or `.ge(..)` instead of the operator",
    note = "the service compares, so nothing is known here yet: the methods make a condition, and `&`, `|` and `!` combine those"
)]
pub trait OperatorOperand {}

/// Never used: no type implements the bound. It lets the compiler message name the method to write.
impl<R, T, M, V: OperatorOperand> PartialEq<V> for Path<R, T, M> {
    fn eq(&self, _: &V) -> bool {
        false
    }
}

/// Never used, like the implementation above.
impl<R, T, M, V: OperatorOperand> PartialOrd<V> for Path<R, T, M> {
    fn partial_cmp(&self, _: &V) -> Option<Ordering> {
        None
    }
}
