//! The fields that vector indexes read.

/// The type of a field with a vector: a `Vector<N>`, or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no vector of a vector index",
    label = "expected a `Vector<N>`",
    note = "write `Vector<768>` with the length that your model makes, or an `Option` of it"
)]
pub trait VectorField {
    /// The vector.
    type Vector;

    /// Its length.
    const DIMENSIONS: usize;
}

/// The vector of a field.
pub type VectorOf<T> = <T as VectorField>::Vector;

impl<T: VectorField> VectorField for Option<T> {
    type Vector = T::Vector;

    const DIMENSIONS: usize = T::DIMENSIONS;
}
