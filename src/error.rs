//! All failures, as one opaque type. Messages contain names, never values.

mod failed_operation;
mod kind;
mod opaque;
mod remedy;
mod suggestion;
#[cfg(test)]
mod tests;
mod throttle;

pub use failed_operation::Failed;
pub(crate) use failed_operation::OperationPlace;
pub use kind::{ErrorKind, Stage};
pub use opaque::Error;
pub use remedy::Remedy;
pub(crate) use suggestion::nearest_word;
pub use throttle::{Throttle, ThrottleLimit, ThrottledLoad};

/// The result of everything in this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;
