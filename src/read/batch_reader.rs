//! Many items by their keys, through `BatchGetItem`. Every read of many items by keys is this one.
//!
//! ```text
//! keys, each of a frame: a table and how it is read      KeyList
//!   -> each once, with a number                           KeyList::twins
//!   -> 100 in a request, a table in one frame             KeyList::into_chunks
//!   -> requested, and omitted ones again                  chunk
//!   -> read as they come, told apart by their keys        answer
//!   -> handed over, in any order                          each
//! ```

mod answer;
mod chunk;
mod each;
mod frame;
mod key_list;
mod request;

pub(crate) use each::FoundSink;
pub(crate) use frame::{BATCH, BatchReader, Failing, FoundItem, TableFrame};
pub(crate) use key_list::KeyList;
