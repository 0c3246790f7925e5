//! The positions of the parts of a declaration, so that a rule can report at the user's own token.
//!
//! The model contains the meaning, and `expand` reads only that; the marks are for messages.

use proc_macro2::Span;

/// The options of a field, as far as they were written.
#[derive(Clone, Copy, Default)]
pub(crate) struct FieldMarks {
    pub(crate) rename: Option<Span>,
    pub(crate) role: Option<Span>,
    pub(crate) form: Option<Span>,
    pub(crate) default: Option<Span>,
    pub(crate) former: Option<Span>,
    pub(crate) personal: Option<Span>,
}

/// Parallel to `Entity`.
pub(crate) struct EntityMarks {
    pub(crate) fields: Vec<FieldMarks>,
    pub(crate) indexes: Vec<IndexMarks>,
}

/// Parallel to `Index`.
#[derive(Clone, Copy)]
pub(crate) struct IndexMarks {
    pub(crate) rename: Option<Span>,
    pub(crate) when: Option<Span>,
    pub(crate) project: Option<Span>,
}

/// Parallel to `Value`.
#[derive(Default)]
pub(crate) struct ValueMarks {
    pub(crate) tag: Option<Span>,
    /// One list for a struct, one for each variant of an enum.
    pub(crate) fields: Vec<Vec<FieldMarks>>,
}
