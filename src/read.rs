//! Reads by key.

mod batch_get;
mod get;
mod get_many;
pub(crate) mod meter;
mod pace;
mod progress;
mod raw_row;
mod read_together;
mod reading;
mod snapshot;

pub(crate) use batch_get::{BATCH, BatchGet, Failing, FoundItem, FoundSink, KeyList, TableFrame};
pub use get::{Get, GetForm, Selected, Whole};
pub(crate) use get::{plan_read, projection_of, read_any, read_live};
pub(crate) use get_many::{AllFound, ReadAll, ReadForm, primary_key};
pub use get_many::{FoundStream, GetMany, KeyOf, Listed, Streamed};
pub(crate) use get_many::{PlannedRead, ReadDraft};
pub(crate) use meter::{Meter, RequestCost};
pub(crate) use pace::{Pace, Turn};
pub(crate) use progress::ProgressWatch;
pub use progress::ReadProgress;
#[doc(hidden)]
pub use raw_row::ReadValues;
pub(crate) use raw_row::{
    Answered, RawRow, RawRows, ReadAhead, ReadRow, RowsAhead, entities_ahead, keys_ahead,
};
pub use read_together::{ReadMember, ReadMembers, ReadTogether, read_together};
pub use reading::Reading;
pub use snapshot::{Reads, Snapshot, snapshot};
