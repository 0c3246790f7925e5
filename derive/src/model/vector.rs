//! Vector indexes of an entity.

use proc_macro2::Span;
use syn::Ident;

use super::index::IndexProjection;
use super::words::Words;

/// `vector(similar, field = embedding, distance = cosine)`: a vector index, and the function that searches it.
pub(crate) struct VectorIndex {
    /// The name of the search, which becomes a method.
    pub(crate) name: Ident,
    /// The field with the vector.
    pub(crate) field: FieldUse,
    pub(crate) distance: Distance,
    /// The field whose value each search names.
    pub(crate) within: Option<FieldUse>,
    /// The fields by which a search can filter.
    pub(crate) filters: Vec<FieldUse>,
    /// Indexes into `Entity::fields`.
    pub(crate) project: IndexProjection<usize>,
    /// The stored name of the index: `rename`, otherwise `name`.
    pub(crate) stored: String,
    pub(crate) stored_at: Span,
    /// The lints that its `allow(..)` names.
    pub(crate) allows: Vec<String>,
}

/// A field of an entity, and where it was named.
#[derive(Clone, Copy)]
pub(crate) struct FieldUse {
    /// An index into `Entity::fields`.
    pub(crate) at: usize,
    pub(crate) span: Span,
}

/// The distance between two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distance {
    Cosine,
    Euclidean,
    DotProduct,
}

impl Distance {
    pub(crate) const WORDS: Words<Distance> = Words(&[
        ("cosine", Distance::Cosine),
        ("euclidean", Distance::Euclidean),
        ("dot_product", Distance::DotProduct),
    ]);
}

impl VectorIndex {
    /// The fields that a condition of a search can name.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &FieldUse> {
        self.within.iter().chain(&self.filters)
    }
}
