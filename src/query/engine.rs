//! The reading engine: sends the requests, and returns rows in order.

mod all;
mod answer;
mod expiry_filter;
mod explain;
mod fetch;
mod hydrated;
mod lane_reader;
mod lanes;
mod merge_tree;
mod page;
mod position;
mod row;
mod row_merger;
mod row_source;
mod run;
mod stream;
mod walk;

pub(crate) use all::{Kept, Take, count_rows, read_all, read_rows};
pub(crate) use explain::explain_query;
pub(crate) use fetch::Fetch;
pub use page::Page;
pub(crate) use page::read_page;
pub use row::{PartOfItem, RowOfEntity, RowsHold, RowsOf, holds_all};
pub use stream::RowStream;
pub(crate) use walk::{Places, Walk};
