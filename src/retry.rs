//! The time and number of retries.

mod backoff;
mod concurrent;
mod rate;
mod retry_budget;

pub(crate) use backoff::Backoff;
pub(crate) use concurrent::{CONCURRENCY, as_they_come, run_together};
pub(crate) use rate::Rate;
pub use retry_budget::RetryBudget;
pub(crate) use retry_budget::{Rounds, SharedBudget};
