//! The values of the command line, read by the types of the model.

mod item;
mod range;

pub(crate) use item::item_of_json;
pub(crate) use range::GivenRange;
