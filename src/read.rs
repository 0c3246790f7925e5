//! Reads by key.

mod batch_get;
mod batch_reader;
mod get;
mod get_many;
mod key_reads;
pub(crate) mod meter;
mod pace;
mod progress;
mod raw_row;
mod reading;
mod transact_get;

pub use batch_get::{BatchGet, batch_get};
pub(crate) use batch_reader::{
    BATCH, BatchReader, Failing, FoundItem, FoundSink, KeyList, TableFrame,
};
pub use get::Get;
pub use get::form::{GetForm, Selected, Whole};
pub(crate) use get::{plan_read, projection_of, read_any, read_live};
pub use get_many::GetMany;
pub use get_many::asked::BatchGetRequest;
pub(crate) use get_many::asked::{AllFound, ReadForm, primary_key};
pub use get_many::input::{KeyOf, Listed, Streamed};
pub use get_many::stream::FoundStream;
pub use key_reads::{FoundReader, KeyReads, ReadRequest};
pub(crate) use meter::{Meter, RequestCost};
pub(crate) use pace::{Pace, Turn};
pub(crate) use progress::ProgressWatch;
pub use progress::ReadProgress;
#[doc(hidden)]
pub use raw_row::ReadValues;
pub(crate) use raw_row::{
    Answered, RawRow, RawRows, ReadAhead, ReadRow, RowsAhead, entities_ahead, keys_ahead,
};
pub use reading::Reading;
pub use transact_get::{TransactGet, TransactGetRequest, transact_get};
