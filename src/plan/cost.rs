//! The cost of requests before they are sent: the rules of DynamoDB, applied to the requests that `explain` shows,
//! the schemas of the tables, and the information of the caller.

mod amount;
mod asked;
mod billed;
mod estimate;
mod reads;
mod touched;
mod vectors;
mod writes;

pub use amount::{Cost, CostAssumption, CostPart};
pub use estimate::Estimate;
