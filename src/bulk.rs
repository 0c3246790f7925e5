//! Bulk changes: of the rows that a query finds, or by writes that are given one after the other. Each change is a
//! conditional request of its own.
//!
//! ```text
//! query.update_each(..)   rows with their places              query::job_rows
//! put_each(..)            planned writes                      put
//!   -> each in turn, so many under way                        run
//!   -> what is to be done to a row: change, delete, refill    action, change, refill
//!      a transaction around it                                row_transaction
//!   -> with the mark of the job, if it has a checkpoint       mark
//!   -> sent, again after a lost race, a lost answer           write
//!   -> what became of it, in order                            ledger
//!   -> the place behind all that is finished                  checkpoint
//!   -> counts, and each row that failed                       report
//! ```
//!
//! `truncate` beside it empties tables for tests.
//!
//! The modules below `action` do not know the type of a row: a row is its bytes, and a write is a `PlannedWrite`, which
//! is a plan and what keeps the unique values of its item.

mod action;
mod change;
mod checkpoint;
mod input;
mod job;
mod ledger;
mod mark;
mod put;
mod put_each;
mod refill;
mod report;
mod row_transaction;
mod run;
mod stray;
mod truncate;
mod verbs;
mod write;

pub use change::{RowChange, RowToDelete, WholeRow};
pub use checkpoint::file::FileCheckpoint;
pub use checkpoint::{Checkpoint, CheckpointError, Saving};
pub use job::Bulk;
#[doc(hidden)]
pub use put::PreparedWrite;
pub use put::SingleWrite;
pub(crate) use put::{RestoredValues, RestoringWrite};
pub use put_each::put_each;
pub(crate) use report::too_many_failed;
pub use report::{BulkCounts, BulkProgress, BulkReport, FailedRow};
pub use row_transaction::{JobRow, RowTransaction};
pub use truncate::Truncate;
pub use verbs::BulkExt;
