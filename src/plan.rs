//! A planned operation: its request, its condition, and the meaning of its response.
//!
//! The files of a subject are in its folder: `transaction` makes one request of several writes, `call` sends a request, and
//! `cost` estimates it. All three take the writes of the files beside this one.

mod call;
pub(crate) mod check;
mod cost;
mod keys;
mod meaning;
pub(crate) mod own_type;
mod reencode_guards;
pub(crate) mod size;
mod transaction;
mod write_request;
pub(crate) mod written;

#[doc(hidden)]
pub use call::Plan;
#[cfg(feature = "streams")]
pub(crate) use call::check_transactions;
pub(crate) use call::{
    AnswerItem, Outcome, PlannedRequest, ReplyReader, RunningRequest, SentCall, WrittenItem,
    begin_get, found_item, read_item, read_raw, returned_item, send_members,
};
pub use call::{Call, Explanation, Filter, Operation, Steps};
pub(crate) use check::{ConditionFailure, LoadedItem, Precondition, expires_at, is_expired};
pub use cost::{Cost, CostAssumption, CostPart, Estimate};
pub(crate) use keys::ItemKey;
pub(crate) use meaning::Meaning;
#[cfg(feature = "testing")]
pub(crate) use meaning::taken_value;
#[doc(hidden)]
pub use reencode_guards::reread;
#[doc(hidden)]
pub use transaction::TransactionMember;
pub use transaction::{BoxedWrite, Named, TransactWrite};
pub(crate) use transaction::{MOST, Owner, Participant, check_limits, explain_refusal, pattern_of};
#[doc(hidden)]
pub use write_request::Returned;
pub(crate) use write_request::{WriteRequest, WriteVerb};
