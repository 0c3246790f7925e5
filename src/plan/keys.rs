//! The primary key of an item: the names of its attributes, and their values.

use std::fmt;

use crate::json::{CodecError, Writer};
use crate::key::point::points_of;
use crate::schema::TableDef;

/// The names of a table's key attributes, which a put item does not show.
pub(crate) type KeyNames = (&'static str, Option<&'static str>);

/// The key attributes of the items of a request.
#[derive(Debug, Clone)]
pub(crate) enum ItemKeys {
    One(Option<KeyNames>),
    /// One for each operation of the request, in their order.
    AnyOf(Vec<Option<KeyNames>>),
}

impl ItemKeys {
    /// The names of the operation at this position.
    pub(crate) fn names_at(&self, at: usize) -> Option<KeyNames> {
        match self {
            ItemKeys::One(names) => *names,
            ItemKeys::AnyOf(names) => names.get(at).copied().flatten(),
        }
    }
}

/// A primary key, compared by value: its attributes as this library writes them, an object of DynamoDB JSON.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ItemKey(Vec<u8>);

/// Never shows the values.
impl fmt::Debug for ItemKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ItemKey")
    }
}

impl ItemKey {
    /// The key that this library has written.
    pub(crate) fn from_json(json: Vec<u8>) -> Self {
        ItemKey(json)
    }

    /// The key of any item in the table, from an object with its key attributes.
    pub(crate) fn in_table(table: &TableDef, object: &[u8]) -> Result<Self, CodecError> {
        let names: Vec<_> = table.key_names().collect();
        // Numbers are written again in one format, because DynamoDB regards 1 and 1.0 as one key.
        let points = points_of(object, &names)?;
        let mut writer = Writer::default();
        writer.push_raw("{");
        for (name, point) in names.into_iter().zip(points) {
            writer.dynamic_name(name);
            point.write_point(&mut writer);
        }
        writer.push_raw("}");
        Ok(ItemKey(writer.into_bytes()))
    }

    /// The key attributes as an object of DynamoDB JSON.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        self.0.clone()
    }
}
