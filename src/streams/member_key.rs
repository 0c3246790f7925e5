//! The key of an item of a collection, with the entity to which it belongs.

use std::fmt;

use crate::codec::Item;
use crate::entity::{DynamoEntity, Key, read_key};
use crate::error::Result;
use crate::schema::EntityDef;

/// The key of an item of a collection. [`of`](Self::of) returns the typed key of an entity.
#[derive(Clone, PartialEq, Eq)]
pub struct MemberKey {
    pub(super) entity: Option<&'static str>,
    pub(super) name: &'static str,
    pub(super) json: Vec<u8>,
    /// Whether the entity is not known, because only a type would identify it.
    is_of_any: bool,
}

impl MemberKey {
    pub(super) fn new(entity: Option<&'static EntityDef>, json: &[u8]) -> Self {
        MemberKey {
            entity: entity.map(|entity| entity.id),
            name: entity.map_or("Item", |entity| entity.type_name),
            json: json.to_vec(),
            is_of_any: false,
        }
    }

    /// The key of an item whose type is not known: of any entity whose templates it fits.
    pub(super) fn of_any_entity(self) -> Self {
        MemberKey {
            entity: None,
            name: "Item",
            is_of_any: true,
            ..self
        }
    }

    /// Returns the name of the entity, or `Item` if the key belongs to no entity.
    pub fn entity(&self) -> &'static str {
        self.name
    }

    /// Returns the typed key of `E`, or `None` if the key belongs to another entity. In a table with `identify_by = type`,
    /// a key does not show its entity, so it is returned for each entity whose templates it fits.
    pub fn of<E: DynamoEntity>(&self) -> Result<Option<Key<E>>> {
        if self.is_of_any && !E::ENTITY.has_key(&self.json) {
            return Ok(None);
        }
        let is_own = self.is_of_any || self.entity == Some(E::ENTITY.id);
        is_own.then(|| read_key(&self.json)).transpose()
    }

    /// Returns the key as stored.
    pub fn to_item(&self) -> Result<Item> {
        Item::from_dynamo_json(&self.json).map_err(crate::error::Error::undecodable)
    }
}

/// Shows the key, because it identifies the item.
impl fmt::Debug for MemberKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = String::from_utf8_lossy(&self.json);
        write!(f, "MemberKey<{}>({json})", self.name)
    }
}
