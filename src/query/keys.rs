//! The keys that a query reads: their source, and the draft that a chain builds.

mod combinations;
mod draft;
mod members;
mod part_form;
mod sort_condition;
mod source;
mod type_attribute;

pub(crate) use draft::{Equals, KeyLane, SortKeyFront};
pub use draft::{KeyDraft, WriteFront};
pub use part_form::{PartForm, WriteTemplate};
pub(crate) use sort_condition::SortCondition;
pub use source::QuerySource;
pub(crate) use source::SortKeyTest;
pub(crate) use type_attribute::{ByKey, RowKind};
