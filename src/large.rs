//! Lists and bytes of any length beside an item, which `chunked(seats: Seat)` and `blob(plan)` declare.
//!
//! DynamoDB limits an item to 400 KB. Therefore such a value is stored in *parts* of at most 350 KB, which are items of the same
//! table and never change. The *head* of the value, another item, names them in their order. A write stores new parts first and
//! then changes the head by one transaction, so a reader sees the value before or after it.
//!
//! See [the guide](crate::guide::large_values#lists-of-any-length).

mod blob;
mod chunked;
mod condition;
mod content;
mod delete;
mod failed;
mod head;
mod known_heads;
mod pages;
mod place;
mod position;
mod read;
mod sweep;
mod write;

pub use blob::Blob;
pub use chunked::Chunked;
pub use delete::DeleteLarge;
pub use pages::ListPages;
pub use position::{ListPage, PagePosition};
pub use sweep::{Sweep, SweepReport};
pub use write::LargeWrite;
