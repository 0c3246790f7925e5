//! `Transaction`: several writes and checks that take effect together, or not at all.

mod hand_over;
mod transaction;
mod unit_of_work;

pub use crate::plan::{BoxedWrite, Named, TransactWrite};
#[cfg(feature = "streams")]
pub(crate) use hand_over::send_planned;
pub use transaction::{Stored, Transaction};
pub use unit_of_work::{UnitOfWork, transact, try_transact};
