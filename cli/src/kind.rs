//! The kind of a stored item: an entity of the model, or something else.

use std::fmt;

use dynamo_entity::schema::{IdentifyBy, TableSchema};
use dynamo_entity::{Item, Value};

/// The partition keys of the rows of lists and blobs begin with this text.
pub(crate) const LARGE: &str = "$LARGE#";

/// The partition keys of items that store unique values begin with this text.
pub(crate) const UNIQUE: &str = "$UNIQUE#";

/// The kind of an item, as far as its attributes show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemKind<'s> {
    /// An entity, by its name.
    Entity(&'s str),
    /// An item that stores a unique value.
    UniqueValue,
    /// A row of a list or a blob.
    LargeValue,
    /// An item of another program, or of a declaration that no longer exists.
    Other,
    /// The table has several entities, and no attribute for the type.
    Unknown,
}

impl<'s> ItemKind<'s> {
    pub(crate) fn of(item: &Item, schema: &'s TableSchema) -> Self {
        let pk = item.get(&schema.pk.name).and_then(Value::as_text);
        let mut uniques = schema.entities.iter().flat_map(|entity| &entity.uniques);
        if pk.is_some_and(|pk| pk.starts_with(LARGE)) {
            return ItemKind::LargeValue;
        }
        if pk.is_some_and(|pk| pk.starts_with(UNIQUE))
            || uniques.any(|unique| unique.has_row_key_of(item, schema))
        {
            return ItemKind::UniqueValue;
        }
        if schema.type_attribute.is_none() {
            return match &schema.entities[..] {
                [entity] => ItemKind::Entity(&entity.name),
                _ => ItemKind::Unknown,
            };
        }
        let mut entities = schema.entities.iter();
        let found = entities.find(|entity| {
            let stored = entity.type_attribute_in(schema);
            let stored = stored.and_then(|attribute| item.get(attribute)?.as_text());
            Some(entity.stored_name.as_str()) == stored
                && entity.has_constants_of(item)
                && (schema.identify_by != Some(IdentifyBy::Key) || entity.has_key_of(item))
        });
        found.map_or(ItemKind::Other, |entity| ItemKind::Entity(&entity.name))
    }
}

impl fmt::Display for ItemKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ItemKind::Entity(name) => name,
            ItemKind::UniqueValue => "a unique value",
            ItemKind::LargeValue => "a part of a list or a blob",
            ItemKind::Other => "none of this program",
            ItemKind::Unknown => "unknown, because the table has no attribute for the type",
        })
    }
}

#[cfg(test)]
mod tests {
    use dynamo_entity::prelude::*;

    use super::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", verbatim, identify_by = key, entities(Order, Refund))]
    struct Shop;

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, rename = "order", key(pk = "$shop#{customer}", sk = "$order#{number}"))]
    struct Order {
        customer: String,
        number: u32,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = Shop, rename = "order", key(pk = "$refunds#{customer}", sk = "$order#{number}"))]
    struct Refund {
        customer: String,
        number: u32,
    }

    #[test]
    fn the_key_tells_entities_of_one_type_apart() {
        let declared = Shop::schema();
        // Without the declaration, the texts of the templates remain.
        let read = TableSchema::from_json(&declared.to_json()).expect("a schema");
        for schema in [&declared, &read] {
            for (pk, kind) in [
                ("$shop#ann", ItemKind::Entity("Order")),
                ("$refunds#ann", ItemKind::Entity("Refund")),
                ("$stock#ann", ItemKind::Other),
            ] {
                let item = format!(
                    r#"{{"pk":"{pk}","sk":"$order#7","customer":"ann","number":7,"_type":"order"}}"#
                );
                let item = Item::from_json(&item).expect("an item");
                assert_eq!(ItemKind::of(&item, schema), kind, "{pk}");
            }
        }
    }
}
