//! Traits that no type implements: the compiler shows their messages where a chain goes on wrongly.

/// A stage that knows all parts before one. No type implements it: the method of a part that is used too early has
/// this bound.
#[diagnostic::on_unimplemented(
    message = "a part of the sort key is skipped",
    label = "an earlier part is not known here",
    note = "name the parts of a sort key from left to right, as in its template: `.eq(..)` continues with the next one"
)]
pub trait KnownUpTo<'x> {}

/// A query that takes another range. No type implements it.
#[diagnostic::on_unimplemented(
    message = "this query has its range already",
    label = "a range ends the chain",
    note = "DynamoDB reads one range of keys: give both ends to `between(a..b)`, and omit rows with `filter(..)`"
)]
pub trait TakesRange<'x> {}

/// A part that can follow a range, or a part without a value. No type implements it.
#[diagnostic::on_unimplemented(
    message = "no part of the sort key can follow here",
    label = "after a range or another verb, or after a part that was not given",
    note = "DynamoDB reads one range of keys: give the parts from left to right, all but the last one by `eq(..)`, then filter, limit and the like",
    note = "for both ends of a range write `between(a..b)`; to omit other rows use `filter(..)`"
)]
pub trait NextPart<'x> {
    /// Never called: no type implements this.
    fn never<T>() -> T;
}
