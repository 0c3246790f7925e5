//! The former name of an attribute that is being renamed.

/// The name under which older programs store an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Former {
    /// The name.
    pub name: &'static str,
    /// Whether writes remove the attribute of this name, instead of keeping it equal.
    pub is_dropped: bool,
}
