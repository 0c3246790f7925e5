//! The requests of a query: its settings, and the requests of each lane.

mod binding;
mod condition;
mod cursor_maker;
mod frame;
mod lane;
mod lane_read;
mod options;
mod range_segment;
mod selection;

pub(crate) use cursor_maker::CursorMaker;
pub(crate) use frame::RequestFrame;
pub(crate) use lane::key_point;
pub(crate) use lane_read::LaneRead;
pub(crate) use options::{Hydration, Options, Wanted};
pub(crate) use selection::Selection;
