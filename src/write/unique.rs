//! Unique values (law W9): an item in the same table for each value, written in the same transaction.
//!
//! Such an item, a *sentinel*, has the value as its key and the key of its owner as its content, so two owners would
//! need the same item, and only the first one gets it. The changes of sentinels are planned from the values before
//! and after a write ([`changes`]). If the values before are not known, the item is read first ([`rewrite`]), and
//! the write takes effect only if it is unchanged.

mod changes;
mod look_up;
mod planned_write;
mod rewrite;
mod rules;
mod sentinel;
mod values;

pub(crate) use changes::{HeldUniqueValues, UniqueChanges};
pub use look_up::LookUp;
pub(crate) use planned_write::{FailedCondition, PlannedWrite, attributes_of, given_up};
pub(crate) use rewrite::{Intent, Main, Rewrite, item_id};
pub(crate) use rules::{concerns, depends_on, must_read, ttl_field};
pub(crate) use sentinel::{Sentinel, take_over};
pub(crate) use values::{
    LoadedUniques, ReadUniqueValues, as_loaded, entering, loaded, stored_values, values_as_stored,
};
pub use values::{no_sentinels, sentinels_of};
