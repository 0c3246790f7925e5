//! `when(field = value)` of an index.

/// A field that can be compared with the value of a `when`.
#[diagnostic::on_unimplemented(
    message = "`when` compares a `{Self}` with a `{V}`",
    label = "these two cannot be compared",
    note = "the type of the field needs `PartialEq`, and the value has that type; text may be a `&str`"
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
