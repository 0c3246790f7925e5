//! How a part of a sort key is written.

use crate::json::{CodecError, Name};
use crate::key::{KeyTarget, PartOf, WritePlace};

/// How a part of a sort key is written.
#[derive(Clone, Copy)]
pub enum PartForm {
    /// The function that writes the key of an item writes the part too.
    Template(WriteTemplate),
    /// The part is the attribute of this name.
    Value(Name),
}

/// Writes a template with one of its parts.
pub type WriteTemplate =
    for<'v> fn(PartOf<'v, WritePlace<'v>>, KeyTarget<'_>) -> Result<(), CodecError>;
