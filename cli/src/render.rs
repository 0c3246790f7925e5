//! Items as text for people, and as JSON for programs.

mod column;
mod explanation;
mod grid;
mod item;
mod table;

pub(crate) use explanation::{explanation, explanation_json};
pub(crate) use grid::RowGrid;
pub(crate) use item::{cell, described, json_line, measured};
pub(crate) use table::RowTable;
