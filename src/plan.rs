//! A planned operation: what is sent, under which condition, and what its answer means.

mod call;
pub(crate) mod check;
pub(crate) mod confirm;
pub(crate) mod contention;
mod cost;
mod explain;
mod reencode_guards;
pub(crate) mod size;
mod strong_read;
mod strong_tables;
mod task;
mod transaction;
mod write_request;

#[doc(hidden)]
pub use call::Plan;
pub(crate) use call::{
    AnswerItem, Outcome, PlannedRequest, ReplyReader, SentCall, WrittenItem, found_item,
    returned_item,
};
pub use call::{Call, Operation, Steps};
pub(crate) use check::{ConditionFailure, LoadedItem, Precondition, expires_at, is_expired};
pub(crate) use confirm::{ItemKeys, KeyNames};
pub use cost::{Cost, CostAssumption, CostPart, Estimate};
pub use explain::{Explanation, Filter};
#[doc(hidden)]
pub use reencode_guards::reread;
pub(crate) use reencode_guards::{SentWrite, is_null, reencoded, respell_members};
pub(crate) use strong_read::{read_item, read_raw};
pub(crate) use task::RunningRequest;
pub(crate) use transaction::limits::{MOST, check as check_limits};
pub(crate) use transaction::meaning::Meaning;
#[cfg(feature = "testing")]
pub(crate) use transaction::meaning::taken;
pub(crate) use transaction::member::ItemKey;
#[doc(hidden)]
pub use transaction::member::TransactionMember;
pub use transaction::member::{BoxedWrite, Named, TransactWrite};
pub(crate) use transaction::owner::Owner;
pub(crate) use transaction::refused::{Participant, explain, keys_of};
pub(crate) use transaction::request::{
    pattern_of, plan_of, plan_of_one, request_of, transaction_of,
};
#[doc(hidden)]
pub use write_request::Returned;
pub(crate) use write_request::{WriteRequest, WriteVerb};
