//! Sums.

use super::Change;
use crate::expr::node::{Node, Term};
use crate::expr::number::{Numeric, SumBound};
use crate::expr::update::UpdateAction;
use crate::json::{CodecError, Reader, Tag};
use crate::key::Arg;
use crate::path::{CanCompute, Mode, Path};

/// Changes of numbers.
impl<R, T, M> Path<R, T, M> {
    /// Adds to the stored number; a missing one counts as zero, or as the field's default. Refused by
    /// a condition if the sum would leave the range of the type.
    pub fn add(&self, value: impl Arg<T>) -> Change<R>
    where
        T: Numeric,
        M: CanCompute,
    {
        self.compute(&value.into_arg(), false)
    }

    /// Subtracts from the stored number; see [`add`](Self::add). An unsigned number never falls below zero.
    pub fn sub(&self, value: impl Arg<T>) -> Change<R>
    where
        T: Numeric,
        M: CanCompute,
    {
        self.compute(&value.into_arg(), true)
    }
}

impl<R, T: Numeric, M: Mode> Path<R, T, M> {
    fn compute(&self, delta: &T, minus: bool) -> Change<R> {
        match self.computed(delta, minus) {
            Ok((action, guard)) => Change::new(self.place(), Ok(action)).guarded(guard),
            Err(fault) => Change::new(self.place(), Err(fault)),
        }
    }

    fn computed(&self, delta: &T, minus: bool) -> Result<(UpdateAction, Option<Node>), CodecError> {
        let start = match self.default()? {
            Some(json) => T::decode(&mut Reader::new(&json))?,
            None => T::zero(),
        };
        let there = |json: Option<Vec<u8>>| {
            json.ok_or_else(|| CodecError::new("a number that is not stored"))
        };
        let sum_bound = delta.sum_bound(minus, &start);
        let sum_bound = sum_bound.map_err(|fault| fault.at(self.place().to_string()))?;
        let guard = match sum_bound {
            Some(sum_bound) => Some(self.guard(&sum_bound)),
            None => self.unless_null(Tag::N),
        };
        let action = UpdateAction::Add {
            start: there(self.json(&start)?)?,
            delta: there(self.json(delta)?)?,
            minus,
        };
        Ok((action, guard))
    }

    /// The condition that the stored number leaves room for the change.
    fn guard(&self, sum_bound: &SumBound) -> Node {
        let bound = Term::Value(format!("{{\"N\":\"{}\"}}", sum_bound.bound.as_str()).into_bytes());
        let fits = Node::Compare(self.here(), sum_bound.comparison, bound);
        let missing = sum_bound
            .start_fits
            .then(|| Node::Missing(self.place().clone()));
        Node::any(missing.into_iter().chain([fits]))
    }
}
