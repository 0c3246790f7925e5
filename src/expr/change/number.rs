//! Sums.

use super::{Change, UntypedChange, operand_of, unless_null};
use crate::codec::DynamoValue;
use crate::expr::comparison::Comparison;
use crate::expr::node::{Node, Term};
use crate::expr::number::{Numeric, SumBound, SumRange};
use crate::expr::operand::{Operand, OperandValue};
use crate::expr::update::{UpdateAction, UpdateOperand};
use crate::json::{CodecError, Number, Reader, Tag};
use crate::path::{CanCompute, CanSet, Comparable, Mode, Path, Place, ValuePlace};

/// Changes of numbers.
impl<R, T, M> Path<R, T, M> {
    /// Adds to the stored number; a missing one counts as zero, or as the field's default. Fails with a conflict if
    /// the sum would leave the range of the type.
    ///
    /// For another attribute, it adds the value that the attribute has before the update. The attribute must exist,
    /// and both must be within half the range of their type, because no condition can add them.
    #[doc(alias = "increment")]
    pub fn add(&self, value: impl Operand<R, T>) -> Change<R>
    where
        T: Numeric,
        M: CanCompute,
    {
        self.compute_change(value.given_operand(), false)
    }

    /// Subtracts from the stored number; see [`add`](Self::add). An unsigned number never falls below zero: another
    /// attribute that is subtracted must be less than or equal to this number.
    #[doc(alias = "decrement")]
    pub fn sub(&self, value: impl Operand<R, T>) -> Change<R>
    where
        T: Numeric,
        M: CanCompute,
    {
        self.compute_change(value.given_operand(), true)
    }

    /// Sets it to the sum of another attribute and a value, or of two other attributes, as they are before the update.
    /// They must exist, and the sum must be in the range of the type; otherwise the update fails with a conflict. Two
    /// attributes must each be within half the range of their type, because no condition can add them.
    pub fn set_sum<N>(&self, first: Path<R, T, N>, second: impl Operand<R, T>) -> Change<R>
    where
        T: Numeric,
        M: CanSet + Comparable,
        N: Comparable,
    {
        let sum = first.value_place().sum_with(second.given_operand(), false);
        set_computed(self.place(), first.place(), sum).into()
    }

    /// Sets it to the first attribute minus a value, or minus another attribute; see [`set_sum`](Self::set_sum). An
    /// unsigned number never falls below zero: an attribute that is subtracted must be less than or equal to the first.
    pub fn set_difference<N>(&self, first: Path<R, T, N>, second: impl Operand<R, T>) -> Change<R>
    where
        T: Numeric,
        M: CanSet + Comparable,
        N: Comparable,
    {
        let difference = first.value_place().sum_with(second.given_operand(), true);
        set_computed(self.place(), first.place(), difference).into()
    }
}

/// The change to a sum of other places, with the condition that it is possible.
fn set_computed(
    here: &Place,
    first: &Place,
    sum: Result<(UpdateAction, Node), CodecError>,
) -> UntypedChange {
    // A number that is stored in another form would be copied as it is.
    let computed = here.check_form(first).and(sum);
    let (action, guard) = match computed {
        Ok((action, guard)) => (Ok(action), Some(guard)),
        Err(fault) => (Err(fault), None),
    };
    UntypedChange::new(here.clone(), action).guarded_by(guard)
}

impl<R, T: Numeric, M: Mode> Path<R, T, M> {
    fn compute_change(&self, delta: OperandValue<T>, minus: bool) -> Change<R> {
        let unless_null = unless_null::<M>(self.place(), Tag::N);
        let computed = self.value_place().sum_change(delta, minus, unless_null);
        computed.into()
    }
}

impl<T: Numeric> ValuePlace<T> {
    /// The sum, and the condition that it is possible. If the range of the type requires no condition, only the other
    /// condition is used.
    fn sum_change(
        &self,
        delta: OperandValue<T>,
        minus: bool,
        unless_null: Option<Node>,
    ) -> UntypedChange {
        let computed = match delta {
            OperandValue::Value(delta) => self.computed_by(&delta, minus, unless_null),
            OperandValue::At(place) => self.computed_from(place, minus, unless_null),
        };
        let (action, guard) = match computed {
            Ok((action, guard)) => (Ok(action), guard),
            Err(fault) => (Err(fault), None),
        };
        UntypedChange::new(self.inner_place().clone(), action).guarded_by(guard)
    }

    fn computed_by(
        &self,
        delta: &T,
        minus: bool,
        unless_null: Option<Node>,
    ) -> Result<(UpdateAction, Option<Node>), CodecError> {
        let start = self.start_value()?;
        let sum_bound = delta.sum_bound(minus, &start);
        let sum_bound = sum_bound.map_err(|fault| fault.at(self.inner_place().to_string()))?;
        let guard = match sum_bound {
            Some(sum_bound) => Some(sum_guard(self.inner_place(), &sum_bound)),
            None => unless_null,
        };
        let action = UpdateAction::Add {
            start: self.number_json(&start)?,
            delta: UpdateOperand::Json(self.number_json(delta)?),
            minus,
        };
        Ok((action, guard))
    }

    fn computed_from(
        &self,
        place: Place,
        minus: bool,
        unless_null: Option<Node>,
    ) -> Result<(UpdateAction, Option<Node>), CodecError> {
        refuse_same(self.inner_place(), &place, minus)?;
        let start = self.number_json(&self.start_value()?)?;
        let guard = match T::half_range()? {
            Some(half) => room_for(self.inner_place(), &place, minus, &start, &half)?,
            None => {
                let is_number = Node::IsType(place.clone(), Tag::N);
                Node::all(unless_null.into_iter().chain([is_number]))
            }
        };
        let delta = operand_of(self.inner_place(), place)?;
        let action = UpdateAction::Add {
            start,
            delta,
            minus,
        };
        Ok((action, Some(guard)))
    }

    /// The number here plus or minus another one. Unlike in [`sum_change`](Self::sum_change), it must exist.
    fn sum_with(
        &self,
        second: OperandValue<T>,
        minus: bool,
    ) -> Result<(UpdateAction, Node), CodecError> {
        let first = self.inner_place();
        let (second, guard) = match second {
            OperandValue::Value(delta) => {
                let bound = delta.sum_bound(minus, &T::zero());
                let guard = match bound.map_err(|fault| fault.at(first.to_string()))? {
                    // A missing attribute compares with nothing.
                    Some(SumBound {
                        comparison, bound, ..
                    }) => {
                        Node::Compare(Term::Place(first.clone()), comparison, Term::number(&bound))
                    }
                    None => Node::IsType(first.clone(), Tag::N),
                };
                (UpdateOperand::Json(self.number_json(&delta)?), guard)
            }
            OperandValue::At(second) => {
                // No condition can add the two numbers, so each is limited for itself.
                refuse_same(first, &second, minus)?;
                let guard = match T::half_range()? {
                    Some(half) => room_in_both(first, &second, minus, &half),
                    None => {
                        let numbers = [first, &second];
                        Node::all(numbers.map(|place| Node::IsType(place.clone(), Tag::N)))
                    }
                };
                (operand_of(first, second)?, guard)
            }
        };
        let first = first.clone();
        let action = UpdateAction::SetSum {
            first,
            second,
            minus,
        };
        Ok((action, guard))
    }

    /// The value of a missing number.
    fn start_value(&self) -> Result<T, CodecError> {
        match self.default()? {
            Some(json) => T::decode(&mut Reader::new(&json)),
            None => Ok(T::zero()),
        }
    }

    fn number_json(&self, number: &T) -> Result<Vec<u8>, CodecError> {
        let json = self.encode_value(number)?;
        json.ok_or_else(|| CodecError::new("a number that is not stored"))
    }
}

fn refuse_same(first: &Place, second: &Place, minus: bool) -> Result<(), CodecError> {
    if minus && first == second {
        let fault = CodecError::new("an attribute minus itself is zero: `set` it to that");
        return Err(fault.at(first.to_string()));
    }
    Ok(())
}

/// The condition that both numbers exist, and that their sum or difference fits the type.
fn room_in_both(first: &Place, second: &Place, minus: bool, half: &SumRange) -> Node {
    let (first, second) = (Term::Place(first.clone()), Term::Place(second.clone()));
    if minus && half.is_unsigned {
        return Node::Compare(first, Comparison::Ge, second);
    }
    within_half(first, half).and(within_half(second, half))
}

fn within_half(number: Term, half: &SumRange) -> Node {
    Node::Between(number, Term::number(&half.least), Term::number(&half.most))
}

/// The condition that the other number exists, and that the sum or the difference of the two fits the type. DynamoDB
/// conditions cannot add, so each is kept within half the range.
fn room_for(
    here: &Place,
    other: &Place,
    minus: bool,
    start: &[u8],
    half: &SumRange,
) -> Result<Node, CodecError> {
    let missing = || Node::Missing(here.clone());
    let (here, there) = (Term::Place(here.clone()), Term::Place(other.clone()));
    if minus && half.is_unsigned {
        let start = Term::Value(start.to_vec());
        let from_start = Node::Compare(there.clone(), Comparison::Le, start);
        let from_here = Node::Compare(here, Comparison::Ge, there);
        return Ok(Node::any([missing().and(from_start), from_here]));
    }
    let start = Number::decode(&mut Reader::new(start))?;
    let start_fits = (&half.least..=&half.most).contains(&&start);
    let fits = start_fits.then(missing).into_iter();
    Ok(Node::any(fits.chain([within_half(here, half)])).and(within_half(there, half)))
}

/// The condition that the stored number leaves room for the change.
fn sum_guard(here: &Place, sum_bound: &SumBound) -> Node {
    let term = Term::Place(here.clone());
    let fits = Node::Compare(term, sum_bound.comparison, Term::number(&sum_bound.bound));
    let missing = sum_bound.start_fits.then(|| Node::Missing(here.clone()));
    Node::any(missing.into_iter().chain([fits]))
}
