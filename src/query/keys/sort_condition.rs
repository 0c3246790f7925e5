//! The condition on the first unknown part of the sort key.

use crate::key::range::{Bound, KeyRange};

/// The condition on a part of a sort key. For a template, the bounds are texts of the part alone, so that one
/// condition fits after several fronts, and a cursor can contain it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum SortCondition {
    Anything,
    Between(Option<Bound>, Option<Bound>),
    StartsWith(String),
}

impl SortCondition {
    /// The kind of condition without its values: its bounds, and whether they are included.
    pub(crate) fn kind_byte(&self) -> u8 {
        let side = |bound: &Option<Bound>| match bound {
            None => 0,
            Some(bound) => 1 + u8::from(bound.included),
        };
        match self {
            SortCondition::Anything => 0,
            SortCondition::Between(lower, upper) => 1 + side(lower) + 3 * side(upper),
            SortCondition::StartsWith(_) => 10,
        }
    }

    /// The condition on an attribute that is the part itself.
    pub(super) fn native_range(&self) -> KeyRange {
        match self {
            SortCondition::Anything => KeyRange::All,
            SortCondition::Between(lower, upper) => {
                KeyRange::of_bounds(lower.clone(), upper.clone())
            }
            SortCondition::StartsWith(text) => KeyRange::starting_with(text.clone()),
        }
    }

    /// The bounds of the condition.
    pub(crate) fn given_bounds(&self) -> impl Iterator<Item = &Bound> {
        let (lower, upper) = match self {
            SortCondition::Between(lower, upper) => (lower.as_ref(), upper.as_ref()),
            SortCondition::Anything | SortCondition::StartsWith(_) => (None, None),
        };
        lower.into_iter().chain(upper)
    }
}
