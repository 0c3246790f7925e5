//! Vector indexes, as declared and as data.

use super::json_form::json_record;
use super::json_word::words;
use super::{KeyType, Projection};

/// The distance of a vector index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DistanceFunction {
    /// One minus the cosine of the angle, from 0 (same direction) to 2 (opposite).
    #[default]
    Cosine,
    /// The length of the difference, from 0.
    Euclidean,
    /// The sum of the products: larger is nearer.
    DotProduct,
}

words! {
    DistanceFunction { Cosine: "cosine", Euclidean: "euclidean", DotProduct: "dot_product" }
}

/// A vector index, as an entity declares it.
#[derive(Debug, Clone, Copy)]
pub struct VectorDef {
    /// The name of the search.
    pub name: &'static str,
    /// The index's name in the table.
    pub index: &'static str,
    /// The field with the vector.
    pub field: &'static str,
    /// Its attribute.
    pub attribute: &'static str,
    /// The length of the vectors.
    pub dimensions: usize,
    /// The distance.
    pub distance: DistanceFunction,
    /// The attribute that each search names.
    pub within: Option<VectorKeyDef>,
    /// The attributes by which searches filter.
    pub filters: &'static [VectorKeyDef],
    /// The attributes in the index.
    pub project: Projection,
}

/// An attribute that conditions of searches name.
#[derive(Debug, Clone, Copy)]
pub struct VectorKeyDef {
    /// The field.
    pub field: &'static str,
    /// Its attribute.
    pub attribute: &'static str,
    /// Its type.
    pub ty: KeyType,
}

json_record! {
    /// The search of a vector index by an entity.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct VectorSearchSchema {
        /// Its name.
        pub name: String => must,
        /// The index.
        pub index: String => must,
        /// The field with the vector.
        pub field: String => must,
        /// The field whose value each search names.
        pub within: Option<String> => may,
        /// The fields by which a search can filter.
        pub filters: Vec<String> => may,
    }
}
