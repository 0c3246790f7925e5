//! Where an item is: its key in the table, and in each index its key there, or why it is not in that index.

use super::{EntitySchema, IndexSchema, KeyAttribute, KeyType, PatternSchema, TableSchema};
use crate::codec::{Item, Value};
use crate::error::{Error, ErrorKind, Result, Stage};

/// Where an item is; see [`TableSchema::place`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Placement {
    /// The attributes of the primary key.
    pub key: Item,
    /// Each index of the table, global ones first.
    pub indexes: Vec<IndexPlacement>,
    /// The items beside it that keep its unique values.
    pub sentinels: Vec<Placement>,
}

/// Whether an item is in an index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct IndexPlacement {
    /// The name of the index.
    pub index: String,
    /// The attributes of its key in the index, or why it is not there.
    pub place: Result<Item, NotIndexed>,
}

/// Why an item is not in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotIndexed {
    /// The item has no attribute of this name, which is a key of the index, and its entity has no access pattern there.
    NoPattern {
        /// The key attribute.
        attribute: String,
    },
    /// These fields are missing, which a key of the index is made of.
    Missing {
        /// The key attribute.
        attribute: String,
        /// The fields; empty if the item is of no entity that is known.
        fields: Vec<String>,
    },
    /// The condition of the access pattern does not hold, as it is written.
    Condition(String),
}

impl Placement {
    /// The place in the index of this name; None if there is no such index.
    pub fn index(&self, name: &str) -> Option<&Result<Item, NotIndexed>> {
        let mut indexes = self.indexes.iter();
        indexes
            .find(|found| found.index == name)
            .map(|found| &found.place)
    }
}

impl TableSchema {
    /// Where the service keeps an item of this table, by its attributes alone: in the table, and in each index that all of
    /// its key attributes are there for.
    ///
    /// An item that the service refuses is an error of kind [`InvalidKey`](crate::error::ErrorKind::InvalidKey): without
    /// its key, or with a key attribute of another type or without content.
    pub fn place_item(&self, item: &Item) -> Result<Placement> {
        self.place_of(item, None)
    }

    /// The same, where the entity is known.
    pub(crate) fn place_of(&self, item: &Item, entity: Option<&EntitySchema>) -> Result<Placement> {
        let own = std::iter::once(&self.pk).chain(&self.sk);
        let mut key = Item::new();
        for attribute in own {
            match self.value(item, attribute)? {
                Some(value) => key.insert(attribute.name.clone(), value.clone()),
                None => return Err(self.refused(&attribute.name, "is not there")),
            };
        }
        let indexes = self.global_indexes.iter().chain(&self.local_indexes);
        let indexes = indexes.map(|index| {
            Ok(IndexPlacement {
                index: index.name.clone(),
                place: self.place_in(item, index, entity)?,
            })
        });
        Ok(Placement {
            key,
            indexes: indexes.collect::<Result<_>>()?,
            sentinels: Vec::new(),
        })
    }

    fn place_in(
        &self,
        item: &Item,
        index: &IndexSchema,
        entity: Option<&EntitySchema>,
    ) -> Result<Result<Item, NotIndexed>> {
        let mut key = Item::new();
        let mut missing = None;
        // All are looked at, for one of another type is refused in every case.
        for attribute in index.pk.iter().chain(&index.sk) {
            match self.value(item, attribute)? {
                Some(value) => {
                    key.insert(attribute.name.clone(), value.clone());
                }
                None => missing = missing.or(Some(attribute)),
            }
        }
        Ok(match missing {
            None => Ok(key),
            Some(attribute) => Err(NotIndexed::of(item, index, attribute, entity)),
        })
    }

    /// The value of a key attribute, if it is there; an error if the service takes no such item.
    fn value<'i>(&self, item: &'i Item, attribute: &KeyAttribute) -> Result<Option<&'i Value>> {
        let name = &attribute.name;
        let Some(value) = item.get(name) else {
            return Ok(None);
        };
        let is_empty = match (attribute.ty, value) {
            (KeyType::S, Value::S(text)) => text.is_empty(),
            (KeyType::B, Value::B(bytes)) => bytes.is_empty(),
            (KeyType::N, Value::N(_)) => false,
            _ => return Err(self.refused(name, "has another type than the key attribute")),
        };
        match is_empty {
            true => Err(self.refused(name, "is empty, which no key attribute may be")),
            false => Ok(Some(value)),
        }
    }

    #[cold]
    fn refused(&self, attribute: &str, why: &str) -> Error {
        let table = &self.name;
        let message = format!("the table `{table}` does not take this item: `{attribute}` {why}");
        Error::new(ErrorKind::InvalidKey, Stage::Key, message).at(attribute)
    }
}

impl NotIndexed {
    fn of(
        item: &Item,
        index: &IndexSchema,
        attribute: &KeyAttribute,
        entity: Option<&EntitySchema>,
    ) -> Self {
        let attribute = attribute.name.clone();
        let Some(entity) = entity else {
            let fields = Vec::new();
            return NotIndexed::Missing { attribute, fields };
        };
        let mut patterns = entity.patterns.iter();
        let Some(pattern) = patterns.find(|pattern| pattern.index == index.name) else {
            return NotIndexed::NoPattern { attribute };
        };
        let fields = missing_fields(item, pattern, entity);
        match &pattern.when {
            Some(condition) if fields.is_empty() => NotIndexed::Condition(condition.clone()),
            _ => NotIndexed::Missing { attribute, fields },
        }
    }
}

/// The fields of a pattern that an item does not have, or has as empty text.
fn missing_fields(item: &Item, pattern: &PatternSchema, entity: &EntitySchema) -> Vec<String> {
    let keys = pattern.pk.iter().chain(&pattern.sk);
    let is_missing = |field: &&str| {
        let attribute = entity
            .field(field)
            .and_then(|field| field.attribute.as_deref());
        // A field without an attribute stands in the primary key, so it is there.
        attribute.is_some_and(|attribute| match item.get(attribute) {
            None | Some(Value::Null) => true,
            Some(Value::S(text)) => text.is_empty(),
            Some(_) => false,
        })
    };
    let missing = keys.flat_map(|key| key.fields()).filter(is_missing);
    let mut missing: Vec<String> = missing.map(str::to_owned).collect();
    missing.dedup();
    missing
}
