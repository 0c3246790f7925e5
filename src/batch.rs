//! `Batch`: many puts and deletes, of any entities and tables, through `BatchWriteItem`.
//!
//! ```text
//! puts and deletes                                       Batch
//!   -> written once, the last one of each key            plan
//!   -> 25 in a request, and 16 MB of JSON                request
//!   -> sent, and what is left out sent again             send
//!   -> done, left, or wrong                              ledger, report
//! ```

mod builder;
mod error;
mod key;
mod ledger;
mod plan;
mod report;
mod request;
mod row_deletes;
mod send;
mod settings;
mod streamed;
mod writes;

pub use builder::Batch;
pub use error::BatchError;
pub use key::BatchKey;
pub use ledger::BatchProgress;
pub use report::BatchReport;
pub(crate) use row_deletes::{DeleteOutcome, MOST_DELETES, RowDeletes};
pub use send::BatchSend;
pub use settings::BatchCounts;
pub use streamed::BatchStream;
pub use writes::{BatchEntity, BatchWrite};
