//! A planned transaction: its members, its request, and the meaning of its failure.

mod limits;
mod member;
mod owner;
mod refused;
mod request;
mod transact_write;

pub(crate) use limits::{MOST, check_limits};
pub use member::TransactionMember;
pub(crate) use owner::Owner;
pub(crate) use refused::{Participant, explain_refusal, keys_of};
pub(crate) use request::{pattern_of, request_of, transaction_of};
pub use transact_write::{BoxedWrite, Named, TransactWrite};
