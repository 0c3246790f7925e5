//! The facts that are known about an item before a write of it: what was loaded, and what conditions require.

mod loaded;
mod source;

pub(crate) use loaded::loaded_condition;
pub(crate) use source::{UpdateOrigin, attribute_of, known, split, tell_changes};
pub(super) use source::{field_of, formerly_of, source};
