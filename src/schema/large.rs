//! The declarations of lists and blobs that are stored beside an item.

use super::TypeOf;

/// `chunked(seats: Seat)` or `blob(plan)`: a value of any size in rows of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargeDef {
    /// The name of the function.
    pub name: &'static str,
    /// The name in the keys of the rows.
    pub stored: &'static str,
    /// Whether it is bytes, and not a list.
    pub is_blob: bool,
    /// Whether the contents of its parts are objects outside of DynamoDB.
    pub outside: bool,
}

/// The declaration of such a value besides its [`LargeDef`].
#[derive(Debug, Clone, Copy)]
pub struct LargeModel {
    /// The type of the elements of a list.
    pub element: Option<TypeOf>,
    /// The same as it is written; empty for bytes.
    pub rust_type: &'static str,
}
