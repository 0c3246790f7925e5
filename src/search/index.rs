//! A vector index as a type.

use crate::entity::DynamoEntity;
use crate::key::IndexPart;
use crate::query::RowsOf;
use crate::schema::{KeyType, VectorDef};
use crate::search::condition::ValuePath;
use crate::search::score::Score;

/// A vector index of an entity. The derive implements it for a type such as `DocumentSimilar`.
pub trait VectorIndex: 'static {
    /// The entity.
    type Entity: DynamoEntity;
    /// The content of a row: the whole entity, or its key.
    #[doc(hidden)]
    type Rows: RowsOf<Self::Entity>;
    /// The type of scores.
    type Score: Score;
    /// The fields by which a search can filter.
    type Filters: 'static;
    /// Whether each search names a partition.
    #[doc(hidden)]
    type Start;

    #[doc(hidden)]
    const FILTERS: &'static Self::Filters;
    #[doc(hidden)]
    const INDEX: &'static VectorDef;
}

/// A vector index with partitions, declared with `within = field`.
#[diagnostic::on_unimplemented(
    message = "this vector index has no partitions",
    label = "`within` needs some",
    note = "declare the field with `within = field` in `vector(..)`"
)]
pub trait PartitionedIndex: VectorIndex {
    /// The path of the field.
    #[doc(hidden)]
    type Path: ValuePath<Root = Self::Entity>;

    #[doc(hidden)]
    fn partition_path() -> Self::Path;
}

/// A search of all items of an index without partitions.
#[derive(Debug)]
pub struct WholeIndex(());

/// A search of an index with partitions that does not name one yet.
#[derive(Debug)]
pub struct NoPartition(());

/// A search of one partition.
#[derive(Debug)]
pub struct WithinPartition(());

/// A search that can be sent.
#[diagnostic::on_unimplemented(
    message = "this search names no partition",
    label = "not complete yet",
    note = "the vector index is declared with `within = ..`, so each search names one value: write `.within(value)`"
)]
pub trait Searchable: 'static {}

impl Searchable for WholeIndex {}
impl Searchable for WithinPartition {}

/// The type of a field by which a search can filter, or that is the partition of a vector index.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a filter or the partition of a vector index",
    label = "not text, a number or bytes, or an `Option` of one",
    note = "DynamoDB compares only texts, numbers and bytes in a search: for a `bool`, use an enum with `#[derive(DynamoValue)]`, which is stored as text"
)]
pub trait SearchKey {
    #[doc(hidden)]
    const TYPE: KeyType;
}

#[diagnostic::do_not_recommend]
impl<T: IndexPart> SearchKey for T {
    const TYPE: KeyType = <T as IndexPart>::TYPE;
}
