//! The arguments for typed key parts.

/// An argument that gives a `T`: a `T` or a `&T`, and a `&str` for text; also a `&&str`, which iterating over a slice of
/// texts returns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `{T}`",
    label = "expected `{T}` or `&{T}`"
)]
pub trait Arg<T> {
    /// The value.
    fn into_arg(self) -> T;
}

impl<T> Arg<T> for T {
    fn into_arg(self) -> T {
        self
    }
}

impl<T: Clone> Arg<T> for &T {
    fn into_arg(self) -> T {
        self.clone()
    }
}

impl Arg<String> for &str {
    fn into_arg(self) -> String {
        self.to_owned()
    }
}

#[diagnostic::do_not_recommend]
impl Arg<String> for &&str {
    fn into_arg(self) -> String {
        (*self).to_owned()
    }
}
