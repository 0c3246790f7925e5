//! What was given on the command line, read as the model says.

mod item;
mod range;

pub(crate) use item::item_of_json;
pub(crate) use range::GivenRange;
