//! `query`: read many rows, by the key of a table or an index.
//!
//! A query begins with an access pattern, such as `Order::by_status(..)`, or with a scan. The parts of its sort key follow,
//! each a [`SortPart`]. Every stage is a query with the operations of [`QueryExt`]: pages, streams, counts and settings.
//!
//! ```text
//! Order::by_status(s)   stage: a draft of the keys                            keys, chain
//!   .placed_at()        the next part of the sort key                        chain
//!   .lt(cutoff)         a query: draft and settings                          request, chain
//!   .limit(20)          the same                                             chain
//!   .page(&db)          frame of the request, one for each partition         request
//!                       -> answer by answer, partitions merged               engine: fetch, lanes, gather, row_merger
//!                       -> at a pace, with progress told                     `read`: meter, pace, progress
//!                       -> the items behind the rows, if asked for           engine: row_source
//!                       -> rows and cursors                                  engine: page, position; cursor
//!   .stream(&db)        -> rows, one after the other                         engine: stream
//!   .update_each(..)    -> rows and their places, for a job                  job_rows, engine: walk
//! ```
//!
//! Nothing waits down to the request, and nothing below `engine` knows the type of a row. The subjects have one order,
//! and each imports only those before it: `keys`, `cursor`, `request`, `engine`, `chain`, `dynamic`, `job_rows`.

mod chain;
mod cursor;
mod dynamic;
mod engine;
mod job_rows;
mod keys;
mod request;

pub use chain::{
    AnyOf, Anywhere, Chosen, Hydrated, InGlobalIndex, InLocalIndex, InOrder, InTable, KeyArg,
    PartTuple, PartValues, Query, QueryExt, QueryStage, Reach, SortPart, SortParts, StrongReads,
    TuplesBetween, WholeTable, any_of,
};
#[doc(hidden)]
pub use chain::{
    Bare, BareActor, BareTime, BareTtl, BareVersion, FilledIndex, FilledUnique, Formatted,
    IndexIsGlobal, KnownUpTo, NextPart, NotNext, ORDERED, OfCollection, OfEntity, One, OrderedPart,
    PartFollows, PartKind, PartOrder, PartitionArg, PlacedKind, ReachOfIndex, RowOf, Several,
    SortKeyIn, StoredRow, TakesRange, TogetherKind, UNORDERED, in_partition, order_of,
};
pub(crate) use cursor::spot::{PositionChange, RowSpot};
pub use cursor::{Cursor, ResumeFrom};
pub use dynamic::{DynamicCollection, DynamicEntity, DynamicQuery, DynamicSortPart};
pub(crate) use engine::{Fetch, Places, Walk};
pub use engine::{Page, PartOfItem, RowOfEntity, RowStream, RowsHold};
#[doc(hidden)]
pub use engine::{RowsOf, holds_all};
pub(crate) use job_rows::JobRows;
pub(crate) use keys::RowKind;
#[doc(hidden)]
pub use keys::{KeyDraft, PartForm, QuerySource, WriteFront, WriteTemplate};
