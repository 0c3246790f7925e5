//! The row of an item under another primary key, and the functions that lead to it, without the types of the entities.

use std::fmt;

use crate::error::Result;
use crate::schema::{EntityDef, TableDef};

/// The row of an item under another primary key.
pub(crate) struct SecondRow {
    /// The key attributes, as an object of DynamoDB JSON.
    pub(crate) key: Vec<u8>,
    /// The item, likewise.
    pub(crate) item: Vec<u8>,
}

/// Never shows the values.
impl fmt::Debug for SecondRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecondRow")
    }
}

/// The functions between the two declarations of an item.
#[derive(Clone, Copy)]
pub struct SecondKey {
    /// The other declaration.
    pub(crate) def: &'static EntityDef,
    /// The table of both.
    pub(crate) table: &'static TableDef,
    /// Returns the other row of this one.
    pub(crate) row: fn(&[u8]) -> Result<SecondRow>,
    /// Returns the key of this row, from the other one.
    pub(crate) key_of: fn(&[u8]) -> Result<Vec<u8>>,
}

impl fmt::Debug for SecondKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecondKey({})", self.def.type_name)
    }
}
