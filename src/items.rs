//! Items of tables without a declared entity: one item by its key, as it is stored.

mod get;
mod table;
mod write;

pub use get::GetItem;
pub use table::ItemTable;
pub use write::WriteItem;
