//! Types that sort in DynamoDB like their values.

use super::format::{Millis, Seconds, YearMonth};

/// A type that DynamoDB compares by order: text by its bytes, numbers by value, binary by its bytes. Timestamps and
/// dates are text that sorts correctly, and enums with `#[dynamo(order)]` are numbers. Other enums are stored as
/// their names, whose order is almost never intended.
#[diagnostic::on_unimplemented(
    message = "DynamoDB has no order for `{Self}`",
    label = "neither text, nor a number, nor binary, nor an enum with an order",
    note = "`lt`, `le`, `gt`, `ge` and `between` are for text, numbers, binary, timestamps, dates and newtypes of these; `eq`, `ne` and `is_in` are for all types",
    note = "an enum is stored as the names of its variants, unless it has an order: `#[dynamo(order)] enum Priority {{ Low = 10, High = 20 }}` is stored as these numbers"
)]
pub trait Ordered {}

/// A part of a key whose values sort like its texts.
#[diagnostic::on_unimplemented(
    message = "the keys do not sort by the values of `{Self}`",
    label = "only `eq` is possible for a part of this type",
    note = "an enum is stored as the names of its variants, unless it has an order: `#[dynamo(order)] enum Priority {{ Low = 10, High = 20 }}` is stored as these numbers",
    note = "for a type with a `KeyPart` of your own, whose texts sort as its values do, write `impl dynamo_entity::expr::Ordered`"
)]
pub trait SortedPart {}

#[diagnostic::do_not_recommend]
impl<T: Ordered> SortedPart for T {}

macro_rules! sorted {
    ($($part:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl SortedPart for $part {}
    )*};
}

// These have an order in keys, but are no attributes that DynamoDB compares.
sorted!(bool, YearMonth);

#[diagnostic::do_not_recommend]
impl<T> SortedPart for Seconds<T> {}

#[diagnostic::do_not_recommend]
impl<T> SortedPart for Millis<T> {}
