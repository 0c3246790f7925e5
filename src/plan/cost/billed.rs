//! The size of an item that DynamoDB bills.

use std::collections::BTreeSet;

use crate::codec::{Item, Value};
use crate::schema::{TableSchema, VectorIndexSchema};

/// A number of a vector.
const NUMBER: usize = 4;

/// The bytes of an item that DynamoDB bills: a vector in a vector index costs 4 bytes for each number.
pub(super) fn billed_size(item: &Item, schema: Option<&TableSchema>) -> usize {
    let indexes = schema.map_or(&[][..], |schema| &schema.vector_indexes);
    let mut seen = BTreeSet::new();
    let vectors = indexes.iter().filter(|index| seen.insert(&index.attribute));
    let sizes = vectors.filter_map(|index| {
        let value = vector_of(item, index)?;
        Some((value.size(), vector_size(index)))
    });
    sizes.fold(item.size(), |size, (written, billed)| {
        size.saturating_sub(written) + billed
    })
}

/// The vector, if the index contains it.
pub(super) fn vector_of<'i>(item: &'i Item, index: &VectorIndexSchema) -> Option<&'i Value> {
    let value = item.get(&index.attribute)?;
    let is_it =
        matches!(value, Value::L(numbers) if numbers.len() == usize::from(index.dimensions));
    is_it.then_some(value)
}

/// The bytes of a vector in an index, and in an item that one of the indexes contains.
pub(super) fn vector_size(index: &VectorIndexSchema) -> usize {
    NUMBER * usize::from(index.dimensions)
}
