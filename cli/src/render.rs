//! Items as text for people, and as JSON for programs.

mod explanation;
mod item;
mod table;

pub(crate) use explanation::{explanation, explanation_json};
pub(crate) use item::{described, json_line, measured};
pub(crate) use table::RowTable;
