//! The kind of a stored item: an entity of the model, or something else.

use std::fmt;

use dynamo_entity::schema::TableSchema;
use dynamo_entity::{Item, Value};

/// The partition keys of items that store unique values begin with this text.
pub(crate) const UNIQUE: &str = "$UNIQUE#";

/// The kind of an item, as far as its attributes show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemKind<'s> {
    /// An entity, by its name.
    Entity(&'s str),
    /// An item that stores a unique value.
    UniqueValue,
    /// An item of another program, or of a declaration that no longer exists.
    Other,
    /// The table has several entities, and no attribute for the type.
    Unknown,
}

impl<'s> ItemKind<'s> {
    pub(crate) fn of(item: &Item, schema: &'s TableSchema) -> Self {
        let pk = item.get(&schema.pk.name).and_then(Value::as_text);
        if pk.is_some_and(|pk| pk.starts_with(UNIQUE)) {
            return ItemKind::UniqueValue;
        }
        let Some(attribute) = &schema.type_attribute else {
            return match &schema.entities[..] {
                [entity] => ItemKind::Entity(&entity.name),
                _ => ItemKind::Unknown,
            };
        };
        let stored = item.get(attribute).and_then(Value::as_text);
        let mut entities = schema.entities.iter();
        let found = entities.find(|entity| {
            Some(entity.stored_name.as_str()) == stored && entity.has_constants_of(item)
        });
        found.map_or(ItemKind::Other, |entity| ItemKind::Entity(&entity.name))
    }
}

impl fmt::Display for ItemKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ItemKind::Entity(name) => name,
            ItemKind::UniqueValue => "a unique value",
            ItemKind::Other => "none of this program",
            ItemKind::Unknown => "unknown, because the table has no attribute for the type",
        })
    }
}
