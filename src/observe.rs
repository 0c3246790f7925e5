//! The cost of requests: an observer of a connection is called for each, with the units that it consumed.

mod answer_counts;
mod capacity_by_pattern;
mod event;
mod histogram;
mod hot_keys;
mod observers;
#[cfg(feature = "metrics")]
mod recorder;
mod requested_action;
mod space_saving;
#[cfg(feature = "tracing")]
mod span;

pub use crate::schema::Pattern;
pub use crate::wire::{PartitionKey, SdkFallback, WirePath};

/// The former name of [`SdkFallback`].
#[doc(hidden)]
#[deprecated(note = "renamed to `SdkFallback`")]
pub type Detour = SdkFallback;
pub use answer_counts::Consumed;
pub use capacity_by_pattern::{CapacityByPattern, PatternUsage};
pub use event::RequestEvent;
pub use hot_keys::{HotKeys, HotPartition};
pub(crate) use observers::Observers;
#[cfg(feature = "metrics")]
pub use recorder::metrics_observer;
pub use requested_action::RequestedAction;
