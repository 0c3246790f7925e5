//! Operations: values that are planned, sent and read.
//!
//! A verb of an entity or a key makes an operation. `send` plans it on the spot, without waiting for
//! anything, into a table and a body of DynamoDB JSON ([`Request`](crate::wire::Request)); what it
//! returns is a future that borrows nothing of the entity. It may therefore outlive the entity, be spawned
//! and be dropped at any time. Dropping it before it is done leaves the outcome of a write open.

mod awaited;
mod backoff;
mod batch;
mod batch_get;
mod bulk;
mod call;
mod check;
mod condition_check;
mod confirm;
mod contention;
mod create;
mod delete;
mod draft;
mod explain;
#[cfg(feature = "testing")]
pub(crate) mod fake;
mod get;
mod get_many;
mod guard;
mod idempotent;
mod modify;
mod put;
pub(crate) mod query;
mod rate;
mod raw_row;
mod read_together;
mod repeatable;
mod respell;
mod retry_budget;
mod size;
mod snapshot;
mod task;
mod together;
mod transact;
mod unique;
mod update;
mod upkeep;
mod upsert;

pub use batch::{
    Batch, BatchCounts, BatchError, BatchKey, BatchProgress, BatchReport, BatchSend, BatchWrite,
};
pub use bulk::{
    Bulk, BulkCounts, BulkProgress, BulkReport, Checkpoint, CheckpointError, FailedRow,
    FileCheckpoint, RowChange, Saving, SingleWrite, Truncate, WholeRow, put_each,
};
pub use call::{Call, Operation, Steps};
pub use condition_check::Check;
pub use create::Create;
pub use delete::{Delete, ReturningNothing, ReturningOld};
pub use explain::Explanation;
pub use get::{Get, GetForm, Selected, Whole};
pub use get_many::{FoundStream, GetMany, KeyOf, Listed, Streamed};
pub use guard::{Checked, Conditional, Guard, Guarded, Open, Reserving, Unconditional, Versioned};
pub use idempotent::Idempotent;
pub use modify::{Modify, TryModify};
pub use put::Put;
pub use query::{
    Anywhere, Cursor, Each, Filter, Hydrated, InGlobalIndex, InLocalIndex, InOrder, InTable, Page,
    PartOfItem, Query, QueryVerbs, Reach, ReadProgress, Reading, ResumeFrom, RowOfEntity,
    RowStream, SortPart, StrongReads, WholeTable, each,
};
pub use read_together::{ReadMember, ReadMembers, ReadTogether, read_together};
pub use repeatable::Repeatable;
pub use respell::reread;
pub use retry_budget::RetryBudget;
pub use snapshot::{Reads, Snapshot, snapshot};
pub use transact::{Stored, TransactWrite, Transaction};
pub use unique::{LookUp, no_sentinels, sentinels_of};
pub(crate) use unique::{MARK, is_sentinel, owner_of};
pub use update::{ReturningChanged, ReturningNew, Update};
pub use upsert::Upsert;
