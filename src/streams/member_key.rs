//! The key of an item of a collection. The key itself identifies the entity.

use std::fmt;

use crate::codec::Item;
use crate::entity::{DynamoEntity, Key, read_key};
use crate::error::Result;
use crate::schema::EntityDef;

/// The key of an item of a collection.
#[derive(Clone, PartialEq, Eq)]
pub struct MemberKey {
    pub(super) entity: Option<&'static str>,
    pub(super) name: &'static str,
    pub(super) json: Vec<u8>,
}

impl MemberKey {
    pub(super) fn new(entity: Option<&'static EntityDef>, json: &[u8]) -> Self {
        MemberKey {
            entity: entity.map(|entity| entity.id),
            name: entity.map_or("Item", |entity| entity.type_name),
            json: json.to_vec(),
        }
    }

    /// The name of its entity, or `Item` if it belongs to none.
    pub fn entity(&self) -> &'static str {
        self.name
    }

    /// The key as one of `E`. `None` if it is the key of another entity.
    pub fn of<E: DynamoEntity>(&self) -> Result<Option<Key<E>>> {
        let is_own = self.entity == Some(E::ENTITY.id);
        is_own.then(|| read_key(&self.json)).transpose()
    }

    /// The key as stored.
    pub fn to_item(&self) -> Result<Item> {
        Item::from_dynamo_json(&self.json).map_err(crate::error::Error::undecodable)
    }
}

/// Keys are shown, because they name the item.
impl fmt::Debug for MemberKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = String::from_utf8_lossy(&self.json);
        write!(f, "MemberKey<{}>({json})", self.name)
    }
}
