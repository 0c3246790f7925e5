//! Calls: a planned request, its path through the layers, and the future of its result.

mod confirm;
mod contend;
mod explain;
mod members;
mod operation;
mod outcome;
mod planned;
mod reencoded;
mod running;
mod sent;
mod strong_read;
mod strong_tables;

pub use explain::{Explanation, Filter};
pub(crate) use members::send_members;
pub use operation::{Call, Operation, Steps};
pub(crate) use outcome::{
    AnswerItem, Outcome, ReplyReader, WrittenItem, found_item, returned_item,
};
pub use planned::Plan;
pub(crate) use planned::PlannedRequest;
pub(crate) use running::RunningRequest;
pub(crate) use sent::SentCall;
pub(crate) use strong_read::{begin_get, read_item, read_raw};
#[cfg(feature = "streams")]
pub(crate) use strong_tables::check_transactions;
