//! The location of an entity according to the schema: its key, its keys in the indexes, and the items that store its
//! unique values.

use super::sentinel::MARK;
use super::{DynamoEntity, encode_as_is};
use crate::codec::{Item, Value};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::CodecError;
use crate::key::{Role, check_key};
use crate::schema::{
    EntitySchema, IndexPlacement, IndexSchema, KeyAttribute, KeyContent, KeySchema, KeyType,
    NotIndexed, PartSchema, PieceSchema, Placement, Presence, TableSchema, VectorIndexSchema,
};

impl TableSchema {
    /// Returns the location of an entity: its key in the table, and for each index its key there, or the reason why
    /// it is not in it. Nothing is sent; the same code writes the keys into requests.
    ///
    /// Managed fields have the values in the struct. If they are part of a key, such as `created_at`, a put will
    /// write the time of the put.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::schema::NotIndexed;
    ///
    /// #[derive(DynamoEntity)]
    /// #[dynamo(table = "jobs", key(pk = "JOB#{id}"))]
    /// #[dynamo(gsi(by_owner, pk = "OWNER#{owner}", sk = "{id}"))]
    /// struct Job { id: u32, owner: Option<String> }
    ///
    /// let mut job = Job { id: 7, owner: Some("ann".into()) };
    /// let place = Job::schema().place(&job)?;
    /// assert_eq!(place.key.get("pk").and_then(|pk| pk.as_text()), Some("JOB#0000000007"));
    /// let key = place.index("by_owner").expect("it is declared").as_ref().expect("it has an owner");
    /// assert_eq!(key.get("by_owner_pk").and_then(|pk| pk.as_text()), Some("OWNER#ann"));
    ///
    /// job.owner = None;
    /// let place = Job::schema().place(&job)?;
    /// let why = place.index("by_owner").expect("it is declared").as_ref().expect_err("it has none");
    /// assert!(matches!(why, NotIndexed::Missing { fields, .. } if fields == &["owner"]));
    /// # Ok::<(), dynamo_entity::Error>(())
    /// ```
    pub fn place<E: DynamoEntity>(&self, entity: &E) -> Result<Placement> {
        let fail = |fault: CodecError| Error::encode(E::ENTITY.type_name, fault);
        let json = encode_as_is(entity).map_err(fail)?;
        self.place_json(&json, self.declared::<E>()?)
    }

    /// The declaration of an entity in this schema.
    pub(crate) fn declared<E: DynamoEntity>(&self) -> Result<&EntitySchema> {
        let declared = |known: &&EntitySchema| {
            let origin = known.origin.0;
            origin.is_some_and(|origin| origin.entity.id == E::ENTITY.id)
        };
        self.entities.iter().find(declared).ok_or_else(|| {
            let (entity, table) = (E::ENTITY.type_name, &self.name);
            let message = format!(
                "`{entity}` is not declared in this schema of the table `{table}`: take `schema()` of its own table"
            );
            Error::config(message)
        })
    }

    /// The places of an item of this entity in its stored form. Without constants, as in a schema from JSON, the items
    /// that keep its unique values are unknown.
    pub(crate) fn place_json(&self, json: &[u8], entity: &EntitySchema) -> Result<Placement> {
        let name = entity
            .origin
            .0
            .map_or("Item", |declared| declared.entity.type_name);
        let fail = |fault: CodecError| Error::encode(name, fault);
        let item = Item::from_dynamo_json(json).map_err(fail)?;
        let mut placement = self.place_of(&item, Some(entity))?;
        if let Some(declared) = entity.origin.0 {
            let keys = (declared.entity.sentinels)(json).map_err(fail)?;
            let sentinels = keys.iter().map(|sentinel| {
                let mut key = Item::from_dynamo_json(&sentinel.json).map_err(fail)?;
                let Some(row) = &sentinel.unique.row else {
                    return self.place_item(&self.sentinel(key, &item));
                };
                for constant in row.constants {
                    key.insert(constant.attribute, constant.item_value());
                }
                self.place_item(&key)
            });
            placement.sentinels = sentinels.collect::<Result<_>>()?;
        }
        Ok(placement)
    }

    /// The location of an item of this table, by its attributes alone: its key in the table, and in each index for
    /// which it has all key attributes.
    ///
    /// An item that DynamoDB would reject is an error of kind [`InvalidKey`](crate::error::ErrorKind::InvalidKey):
    /// without its key, or with a key attribute of another type or without content.
    pub fn place_item(&self, item: &Item) -> Result<Placement> {
        self.place_of(item, None)
    }

    /// The same, where the entity is known.
    fn place_of(&self, item: &Item, entity: Option<&EntitySchema>) -> Result<Placement> {
        let mut key = Item::new();
        for attribute in self.keys() {
            match self.value(item, attribute)? {
                Some(value) => key.insert(attribute.name.clone(), value.clone()),
                None => return Err(self.refused(&attribute.name, "it is not there")),
            };
        }
        let indexes = self.indexes().map(|index| {
            Ok(IndexPlacement {
                index: index.name.clone(),
                place: self.place_in(item, index, entity)?,
            })
        });
        let vectors = self.vector_indexes.iter().map(|index| {
            Ok(IndexPlacement {
                index: index.name.clone(),
                place: self.place_in_vectors(item, index, entity)?,
            })
        });
        Ok(Placement {
            key,
            indexes: indexes.chain(vectors).collect::<Result<_>>()?,
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
        for attribute in index.keys() {
            match self.value(item, attribute)? {
                Some(value) => {
                    key.insert(attribute.name.clone(), value.clone());
                }
                None => missing = missing.or(Some(attribute)),
            }
        }
        Ok(match missing {
            None => Ok(key),
            Some(attribute) => Err(why_not(item, index, attribute, entity)),
        })
    }

    /// DynamoDB does not index an item without the vector or without the attribute that searches name, and it does not report
    /// that.
    fn place_in_vectors(
        &self,
        item: &Item,
        index: &VectorIndexSchema,
        entity: Option<&EntitySchema>,
    ) -> Result<Result<Item, NotIndexed>> {
        // These checks come first, because DynamoDB rejects such an item also if the index would omit it.
        let has_vector = self.check_vector(item, index)?;
        for filter in &index.filters {
            self.check_filter(item, filter)?;
        }
        let mut key = Item::new();
        if let Some(within) = &index.within {
            let Some(value) = self.value(item, within)? else {
                let searches = entity.into_iter().flat_map(|entity| &entity.searches);
                let mut searches = searches.filter(|search| search.index == index.name);
                let field = searches.find_map(|search| search.within.clone());
                return Ok(Err(NotIndexed::Missing {
                    attribute: within.name.clone(),
                    fields: field.into_iter().collect(),
                }));
            };
            key.insert(within.name.clone(), value.clone());
        }
        match has_vector {
            true => Ok(Ok(key)),
            false => Ok(Err(NotIndexed::NoVector {
                attribute: index.attribute.clone(),
            })),
        }
    }

    /// Whether the item has a vector; an error if DynamoDB rejects the write of this item, whatever else it contains.
    fn check_vector(&self, item: &Item, index: &VectorIndexSchema) -> Result<bool> {
        let name = &index.attribute;
        let numbers = match item.get(name) {
            None => return Ok(false),
            Some(Value::L(numbers)) => numbers,
            Some(_) => return Err(self.refused(name, "it is not a vector")),
        };
        if numbers.len() != usize::from(index.dimensions) {
            let why = format!(
                "it has {} numbers, and the vector index has {}",
                numbers.len(),
                index.dimensions
            );
            return Err(self.refused(name, &why));
        }
        let number = |value: &Value| match value {
            Value::N(number) => number.to_string().parse::<f32>().ok(),
            _ => None,
        };
        let is_bad = |value: &Value| number(value).is_none_or(|number| !number.is_finite());
        match numbers.iter().position(is_bad) {
            None => Ok(true),
            Some(at) => {
                let why = format!("element {at} is not a number that a vector index can contain");
                Err(self.refused(name, &why))
            }
        }
    }

    /// Checks an attribute by which searches filter. It may be absent or empty, but not of another type.
    fn check_filter(&self, item: &Item, filter: &KeyAttribute) -> Result<()> {
        let name = &filter.name;
        match (filter.ty, item.get(name)) {
            (_, None)
            | (KeyType::S, Some(Value::S(_)))
            | (KeyType::N, Some(Value::N(_)))
            | (KeyType::B, Some(Value::B(_))) => Ok(()),
            _ => Err(self.refused(
                name,
                "it has another type than the filter of a vector index",
            )),
        }
    }

    /// The value of a key attribute, if it exists; an error if the service takes no such item.
    fn value<'i>(&self, item: &'i Item, attribute: &KeyAttribute) -> Result<Option<&'i Value>> {
        let name = &attribute.name;
        let Some(value) = item.get(name) else {
            return Ok(None);
        };
        let size = match (attribute.ty, value) {
            (KeyType::S, Value::S(text)) => text.len(),
            (KeyType::B, Value::B(bytes)) => bytes.len(),
            // Every number fits.
            (KeyType::N, Value::N(_)) => 1,
            _ => return Err(self.refused(name, "it has another type than the key attribute")),
        };
        match check_key(size == 0, size, self.role(name)) {
            Ok(()) => Ok(Some(value)),
            Err(fault) => Err(self.refused(name, &fault.to_string())),
        }
    }

    /// The role of a key attribute: the limit of a sort key is the smaller one.
    fn role(&self, attribute: &str) -> Role {
        let of_indexes = self.indexes().flat_map(|index| &index.sk);
        let mut sort = of_indexes.chain(&self.sk);
        match sort.any(|key| key.name == attribute) {
            true => Role::Sort,
            false => Role::Partition,
        }
    }

    #[cold]
    fn refused(&self, attribute: &str, why: &str) -> Error {
        let table = &self.name;
        let message = format!(
            "the table `{table}` does not accept this item because of `{attribute}`: {why}"
        );
        Error::new(ErrorKind::InvalidKey, Stage::Key, message).at(attribute)
    }

    /// The item that keeps a unique value, as far as indexes can see it.
    fn sentinel(&self, key: Item, owner: &Item) -> Item {
        let mut item = key;
        if let Some(name) = &self.type_attribute {
            item.insert(name.clone(), Value::S(MARK.to_owned()));
        }
        let ttl = self.ttl.as_ref();
        if let Some((name, expires)) = ttl.and_then(|name| Some((name, owner.get(name)?))) {
            item.insert(name.clone(), expires.clone());
        }
        item
    }
}

/// Why an item without this key attribute is not in the index.
fn why_not(
    item: &Item,
    index: &IndexSchema,
    missing: &KeyAttribute,
    entity: Option<&EntitySchema>,
) -> NotIndexed {
    let attribute = missing.name.clone();
    let Some(entity) = entity else {
        let fields = Vec::new();
        return NotIndexed::Missing { attribute, fields };
    };
    let mut patterns = entity.patterns.iter();
    let Some(pattern) = patterns.find(|pattern| pattern.index == index.name) else {
        return NotIndexed::NoPattern { attribute };
    };
    // All keys of an index are written or none, so the missing field may belong to another key than the first.
    let keys = pattern.pk.iter().chain(&pattern.sk);
    let lacking: Vec<(&KeySchema, Vec<String>)> = keys
        .map(|key| (key, missing_fields(item, key, entity)))
        .filter(|(_, fields)| !fields.is_empty())
        .collect();
    match (lacking.first(), &pattern.when) {
        (Some((key, _)), _) => {
            let mut fields: Vec<String> = Vec::new();
            for field in lacking.iter().flat_map(|(_, fields)| fields) {
                if !fields.contains(field) {
                    fields.push(field.clone());
                }
            }
            NotIndexed::Missing {
                attribute: key.attribute.clone(),
                fields,
            }
        }
        (None, Some(condition)) => NotIndexed::Condition(condition.clone()),
        (None, None) => NotIndexed::Missing {
            attribute,
            fields: Vec::new(),
        },
    }
}

/// The fields of a key that an item does not have, or has as empty text, unless a None has a place in the key.
fn missing_fields(item: &Item, key: &KeySchema, entity: &EntitySchema) -> Vec<String> {
    let is_missing = |field: &str| {
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
    let fields: Vec<&str> = match &key.content {
        KeyContent::Field(field) | KeyContent::Number(field) => vec![field],
        KeyContent::Template(pieces) => {
            let parts = pieces.iter().filter_map(|piece| match piece {
                PieceSchema::Part(part) => Some(part),
                _ => None,
            });
            let placed = |part: &&PartSchema| {
                !matches!(
                    part.presence,
                    Presence::First | Presence::Last | Presence::Ends
                )
            };
            parts
                .filter(placed)
                .map(|part| part.field.as_str())
                .collect()
        }
    };
    let missing = fields.into_iter().filter(|field| is_missing(field));
    missing.map(str::to_owned).collect()
}
