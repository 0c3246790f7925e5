//! Lists and bytes of any length, in rows of their own.

use proc_macro2::Span;
use syn::{Ident, Type};

/// `chunked(seats: Seat)` or `blob(plan)`: a value of an item that is stored in parts beside it.
pub(crate) struct LargeValue {
    /// The name of the function.
    pub(crate) name: Ident,
    /// The type of the elements of a list; `None` for bytes.
    pub(crate) element: Option<Type>,
    /// `rename`, otherwise the name: the keys of the rows contain it.
    pub(crate) stored: String,
    pub(crate) stored_at: Span,
    /// Whether the contents of the parts are objects outside of DynamoDB.
    pub(crate) is_outside: bool,
}

impl LargeValue {
    /// The word that declares it.
    pub(crate) fn word(&self) -> &'static str {
        match self.element {
            Some(_) => "chunked",
            None => "blob",
        }
    }
}
