//! Conditions of a search: attributes of the index that equal a value.

use std::fmt;
use std::marker::PhantomData;

use crate::expr::{Comparison, Condition, Node, Operand, Term};
use crate::json::CodecError;
use crate::path::{Comparable, Path};

/// The path to a value of a known type.
pub trait ValuePath {
    /// The entity.
    type Root;
    /// The type of the value.
    type Value;

    /// The condition that it equals this value.
    fn equals(&self, value: impl Operand<Self::Root, Self::Value>) -> Condition<Self::Root>;
}

impl<R, T, M: Comparable> ValuePath for Path<R, T, M> {
    type Root = R;
    type Value = T;

    fn equals(&self, value: impl Operand<R, T>) -> Condition<R> {
        self.eq(value)
    }
}

/// A field by which a search can filter.
#[derive(Debug)]
pub struct SearchField<P>(P);

impl<P: ValuePath> SearchField<P> {
    #[doc(hidden)]
    pub fn new(path: P) -> Self {
        SearchField(path)
    }

    /// Matches items in which the field equals this value. Searches have no other comparison.
    pub fn eq(&self, value: impl Operand<P::Root, P::Value>) -> SearchFilter<P::Root> {
        SearchFilter::of_condition(self.0.equals(value))
    }
}

/// Comparisons that searches do not have. They exist for the message of the compiler.
macro_rules! other_comparisons {
    ($($name:ident)*) => {
        impl<P: ValuePath> SearchField<P> {
            $(
                #[doc(hidden)]
                pub fn $name<A>(&self, _: A) -> SearchFilter<P::Root>
                where
                    for<'x> SearchFilter<P::Root>: ComparedOtherwise<'x>,
                {
                    SearchFilter::unsupported()
                }
            )*
        }

        impl<E> OutsideIndex<E> {
            $(
                /// Accepts any value, because the field itself is reported.
                pub fn $name<A>(&self, _: A) -> SearchFilter<E> {
                    SearchFilter::unsupported()
                }
            )*
        }
    };
}

other_comparisons!(ne lt le gt ge between any_of starts_with contains);

/// A comparison other than `eq`. Never implemented.
#[diagnostic::on_unimplemented(
    message = "a search has no such comparison",
    label = "searches compare only by `eq`",
    note = "filter by `eq`, and compare the hits in your program: DynamoDB has no other comparison in a search"
)]
pub trait ComparedOtherwise<'x> {}

/// A condition of a search.
#[must_use = "pass it to `filter`"]
pub struct SearchFilter<E> {
    pub(super) equality: Result<Equality, CodecError>,
    entity: PhantomData<fn() -> E>,
}

/// An attribute, and its value in DynamoDB JSON.
pub(super) type Equality = (String, Vec<u8>);

impl<E> SearchFilter<E> {
    /// Never sent, because no program with such a filter compiles.
    fn unsupported() -> Self {
        SearchFilter {
            equality: Err(CodecError::new("a search has no such filter")),
            entity: PhantomData,
        }
    }

    pub(super) fn of_condition(condition: Condition<E>) -> Self {
        let equality = match condition.into_node() {
            Node::Compare(Term::Place(place), Comparison::Eq, Term::Value(json)) => {
                Ok((place.to_string(), json))
            }
            Node::Faulty(fault) => Err(fault),
            _ => Err(CodecError::new(
                "a search compares an attribute with a value, and not with None or another attribute",
            )),
        };
        SearchFilter {
            equality,
            entity: PhantomData,
        }
    }
}

/// Omits the value.
impl<E> fmt::Debug for SearchFilter<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SearchFilter")
    }
}

/// A field that is not in the index.
#[derive(Debug)]
pub struct OutsideIndex<E>(PhantomData<fn() -> E>);

/// A field by which the index filters. Never implemented.
#[diagnostic::on_unimplemented(
    message = "this search cannot filter by the field",
    label = "not among the filters of the vector index",
    note = "list it in the declaration, `filter = [field, ..]`: DynamoDB cannot filter a search by other attributes"
)]
pub trait FilteredBy<'x> {}

impl<E> OutsideIndex<E> {
    /// Never called, because no program with such a call compiles.
    pub fn of_field() -> Self {
        OutsideIndex(PhantomData)
    }

    /// Accepts any value.
    pub fn eq<A>(&self, _: A) -> SearchFilter<E> {
        SearchFilter::unsupported()
    }
}
