//! A sample of an entity, and its places.

use crate::codec::{Item, Value};
use crate::error::{Error, Result};
use crate::schema::{EntitySchema, Placement, TableSchema};

/// An item of an entity as it is stored, with its places.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// The name of the entity.
    pub(super) entity: String,
    pub(super) item: Item,
    pub(super) placement: Placement,
    /// Which of the generated samples it is.
    pub(super) variation: usize,
}

impl Sample {
    /// Places an item in its stored form.
    pub(super) fn of_json(
        schema: &TableSchema,
        entity: &EntitySchema,
        json: &[u8],
        variation: usize,
    ) -> Result<Self> {
        let fail = |fault| Error::encode("Item", fault);
        Ok(Sample {
            entity: entity.name.clone(),
            item: Item::from_dynamo_json(json).map_err(fail)?,
            placement: schema.place_json(json, entity)?,
            variation,
        })
    }

    /// The value of a field, if the item has it.
    pub(super) fn field_value(&self, entity: &EntitySchema, name: &str) -> Option<&Value> {
        let attribute = entity.field(name)?.attribute.as_deref()?;
        self.item.get(attribute)
    }
}
