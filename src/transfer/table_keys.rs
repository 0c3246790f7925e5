//! The key attributes of a table and of its indexes, and the check that an item fits them.

use crate::codec::{Item, Value};
use crate::json::CodecError;
use crate::schema::{EntityDef, KeyAttribute, KeyDef, KeyType, TableDef, TableSchema};

/// The key attributes of a table and of its indexes. DynamoDB rejects items in which they have other types.
pub(super) struct KeysOfTable {
    pub(super) primary: Vec<KeyAttribute>,
    of_indexes: Vec<KeyAttribute>,
}

impl KeysOfTable {
    pub(super) fn of_table(table: &TableDef, entities: &[&EntityDef]) -> Self {
        let defs = entities.iter().flat_map(|entity| {
            let of_indexes = entity.index_keys();
            let own = [&entity.pk].into_iter().chain(&entity.sk);
            own.chain(of_indexes)
        });
        let defs: Vec<&KeyDef> = defs.collect();
        let key = |name: &&str| KeyAttribute {
            name: (*name).to_owned(),
            ty: defs
                .iter()
                .find(|key| key.attribute == *name)
                .map_or(KeyType::S, |key| key.ty),
        };
        let indexes = table.indexes.iter();
        let of_indexes = indexes.flat_map(|index| index.pk.iter().chain(index.sk));
        KeysOfTable {
            primary: table.key_names().map(|name| key(&name)).collect(),
            of_indexes: of_indexes.map(key).collect(),
        }
    }

    pub(super) fn of_schema(schema: &TableSchema) -> Self {
        let indexes = schema.global_indexes.iter().chain(&schema.local_indexes);
        let keys = indexes.flat_map(|index| index.keys());
        KeysOfTable {
            primary: [&schema.pk]
                .into_iter()
                .chain(&schema.sk)
                .cloned()
                .collect(),
            of_indexes: keys.cloned().collect(),
        }
    }

    /// The primary key of an item, if all of its keys can be stored.
    pub(super) fn primary_key(&self, item: &Item) -> Result<Item, CodecError> {
        // DynamoDB rejects an item whose attribute does not fit the key of an index; here the line
        // gets an error that names the attribute.
        for key in &self.of_indexes {
            if let Some(value) = item.get(&key.name) {
                check_key(key, value)?;
            }
        }
        let keys = self.primary.iter().map(|key| {
            let value = item.get(&key.name);
            let value = value.ok_or_else(|| CodecError::new("it is missing").at(&*key.name))?;
            check_key(key, value)?;
            Ok((key.name.clone(), value.clone()))
        });
        keys.collect()
    }
}

fn check_key(key: &KeyAttribute, value: &Value) -> Result<(), CodecError> {
    let (tag, is_empty) = match value {
        Value::S(text) => (KeyType::S, text.is_empty()),
        Value::N(_) => (KeyType::N, false),
        Value::B(bytes) => (KeyType::B, bytes.is_empty()),
        other => return Err(CodecError::mismatch("a key", other.tag().name()).at(&*key.name)),
    };
    if tag != key.ty {
        let expected = match key.ty {
            KeyType::S => "S",
            KeyType::N => "N",
            KeyType::B => "B",
        };
        return Err(CodecError::mismatch(expected, value.tag().name()).at(&*key.name));
    }
    match is_empty {
        true => Err(CodecError::new("a key cannot be empty").at(&*key.name)),
        false => Ok(()),
    }
}
