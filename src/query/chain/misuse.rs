//! Traits that no type implements: the compiler shows their messages where a chain goes on wrongly.

/// A stage that knows all parts before one. No type implements it: the method of a part that is used too early has
/// this bound.
#[diagnostic::on_unimplemented(
    message = "a part of the sort key is skipped",
    label = "an earlier part is not known here",
    note = "name the parts of a sort key from left to right, as in its template: `.eq(..)` continues with the next one"
)]
pub trait KnownUpTo<'x> {}

/// An entity whose index every item is in. No type implements it: the query of an access pattern with `filling` has this
/// bound.
#[diagnostic::on_unimplemented(
    message = "this access pattern of `{Self}` is `filling`, so no program may query it yet",
    label = "items that were written before the index was declared are not in it",
    note = "first deploy this declaration everywhere, so that every write keeps the index",
    note = "then fill it: `{Self}::scan().refill().send(&db).await?.complete()?`",
    note = "then check: `{Self}::scan().unfilled(&db).await?` is 0",
    note = "then remove the word `filling`, and deploy the queries"
)]
pub trait FilledIndex<'x> {}

/// An entity whose items have all taken their unique values. No type implements it: the look-up of a unique value with
/// `filling` has this bound.
#[diagnostic::on_unimplemented(
    message = "this unique value of `{Self}` is `filling`, so no program may look it up yet",
    label = "items that were written before it was declared have not taken their values",
    note = "first deploy this declaration everywhere, so that every write keeps the values",
    note = "then fill it: `{Self}::scan().refill().send(&db).await?.complete()?`",
    note = "then check: `{Self}::scan().unfilled(&db).await?` is 0",
    note = "then remove the word `filling`, and deploy the look-ups"
)]
pub trait FilledUnique<'x> {}

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
