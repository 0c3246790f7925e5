//! `search`: the items whose vectors are nearest to a given one.
//!
//! `#[dynamo(vector(similar, field = embedding, distance = cosine))]` declares a vector index and the function that searches
//! it, `Document::similar(&vector, 10)`. It returns a [`Search`], whose `send` returns the nearest items as [`Hit`]s, the
//! nearest first.
//!
//! The subjects have one order, and each imports only those before it: `score`, `condition`, `index`, `request`, `answer`,
//! `chain`.

mod answer;
mod chain;
mod condition;
mod index;
mod request;
mod score;

#[doc(hidden)]
pub use chain::IndexSearch;
pub use chain::{HydratedSearch, Search};
#[doc(hidden)]
pub use condition::{ComparedOtherwise, FilteredBy, OutsideIndex, ValuePath};
pub use condition::{SearchField, SearchFilter};
pub use index::{
    NoPartition, PartitionedIndex, SearchKey, Searchable, VectorIndex, WholeIndex, WithinPartition,
};
pub use score::{Distance, Hit, Score, Similarity};
