//! `when(..)` of an index: what fields hold of an item that is in it.

/// A field that can be compared with a value of a `when`.
#[diagnostic::on_unimplemented(
    message = "`when` compares a `{Self}` with a `{V}`",
    label = "these two cannot be compared",
    note = "the type of the field needs `PartialEq`, and the value has that type; text may be a `&str`, and an `Option` is compared with what it holds or with `None`"
)]
pub trait When<V> {
    /// Whether the field holds the value.
    fn holds(&self, value: &V) -> bool;
}

impl<T: PartialEq> When<T> for T {
    fn holds(&self, value: &T) -> bool {
        self == value
    }
}

#[diagnostic::do_not_recommend]
impl<T: PartialEq> When<T> for Option<T> {
    fn holds(&self, value: &T) -> bool {
        self.as_ref() == Some(value)
    }
}

#[diagnostic::do_not_recommend]
impl When<&str> for String {
    fn holds(&self, value: &&str) -> bool {
        self == value
    }
}

#[diagnostic::do_not_recommend]
impl When<&str> for Option<String> {
    fn holds(&self, value: &&str) -> bool {
        self.as_deref() == Some(value)
    }
}

/// A value of a `when`. Its type is settled before that of the field is looked at.
#[derive(Debug)]
pub struct WhenValue<'v, V>(pub &'v V);

impl<V> WhenValue<'_, V> {
    /// Whether a field holds the value.
    pub fn is_held_by<T: When<V>>(&self, field: &T) -> bool {
        field.holds(self.0)
    }
}

/// A field that supports `when(field = None)`.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` is never None",
    label = "`None` is for an `Option`",
    note = "make the field an `Option`, or compare it with a value of its type"
)]
pub trait WhenAbsent {
    /// Whether the field is None, so that the item has no attribute for it.
    fn is_absent(&self) -> bool;
}

#[diagnostic::do_not_recommend]
impl<T> WhenAbsent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

/// How a function of a `when` takes a field: by reference, text as `&str`, and what is `Copy` also by value.
#[diagnostic::on_unimplemented(
    message = "the function of this `when` takes a `{Self}` where the field is a `{T}`",
    label = "this field does not fit the function's parameter",
    note = "the function takes its fields in this order: each by reference, as `&{T}`, or by value if it is `Copy`; text also as `&str`, a `Vec` as a slice, an `Option` also as `Option<&_>` or `Option<&str>`"
)]
pub trait WhenArgument<'f, T> {
    /// The argument for the field.
    fn of(field: &'f T) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'f, T> WhenArgument<'f, T> for &'f T {
    fn of(field: &'f T) -> Self {
        field
    }
}

#[diagnostic::do_not_recommend]
impl<T: Copy> WhenArgument<'_, T> for T {
    fn of(field: &T) -> Self {
        *field
    }
}

#[diagnostic::do_not_recommend]
impl<'f> WhenArgument<'f, String> for &'f str {
    fn of(field: &'f String) -> Self {
        field
    }
}

#[diagnostic::do_not_recommend]
impl<'f, T> WhenArgument<'f, Vec<T>> for &'f [T] {
    fn of(field: &'f Vec<T>) -> Self {
        field
    }
}

#[diagnostic::do_not_recommend]
impl<'f, T> WhenArgument<'f, Option<T>> for Option<&'f T> {
    fn of(field: &'f Option<T>) -> Self {
        field.as_ref()
    }
}

#[diagnostic::do_not_recommend]
impl<'f> WhenArgument<'f, Option<String>> for Option<&'f str> {
    fn of(field: &'f Option<String>) -> Self {
        field.as_deref()
    }
}

/// The result of a function of a `when`.
#[diagnostic::on_unimplemented(
    message = "the function of a `when` returns `bool`, not `{Self}`",
    label = "not a condition",
    note = "it decides whether the item is in the index; return `true` or `false`"
)]
pub trait WhenAnswer {
    /// Whether the item is in the index.
    fn holds(self) -> bool;
}

impl WhenAnswer for bool {
    fn holds(self) -> bool {
        self
    }
}
