//! The typed chain: from the parts of a key to a query and its verbs.

mod collection;
mod kind;
mod matches;
mod misuse;
mod part;
mod part_tuple;
mod partition;
mod query;
mod reach;
mod scan;
mod stage;
mod verbs;

pub use collection::in_partition;
pub use kind::{
    Bare, BareActor, BareTime, BareTtl, BareVersion, Formatted, PartKind, PlacedKind, TogetherKind,
};
pub use matches::{OfCollection, OfEntity, StoredRow};
pub use misuse::{FilledIndex, FilledUnique, KnownUpTo, NextPart, TakesRange};
pub use part::{
    NotNext, ORDERED, OrderedPart, PartFollows, PartOrder, SortPart, UNORDERED, order_of,
};
pub use part_tuple::{PartTuple, PartValues, SortParts, TuplesBetween};
pub use partition::{AnyOf, KeyArg, One, PartitionArg, Several, any_of};
pub use query::{Query, SortKeyIn};
pub use reach::{
    Anywhere, Hydrated, InGlobalIndex, InLocalIndex, InOrder, InTable, IndexIsGlobal, Reach,
    ReachOfIndex, StrongReads, WholeTable,
};
pub use stage::{Chosen, QueryStage, RowOf};
pub use verbs::QueryExt;
