//! Where the schema says that an entity is: its key, its keys in the indexes, and the items that keep its unique values.

use super::sentinel::MARK;
use super::{DynamoEntity, encode_as_is};
use crate::codec::{Item, Value};
use crate::error::{Error, Result};
use crate::json::CodecError;
use crate::schema::{EntitySchema, Placement, TableSchema};

impl TableSchema {
    /// Where an entity is: its key in the table, and in each index its key there, or why it is not in it. Nothing is sent;
    /// the keys are written by what writes them into requests.
    ///
    /// Managed fields count as the struct holds them. Where they are part of a key, such as `created_at`, a put will write
    /// the moment of the put.
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
        let item = Item::from_dynamo_json(&json).map_err(fail)?;
        let declared = |known: &&EntitySchema| {
            let origin = known.origin.0;
            origin.is_some_and(|origin| origin.entity.id == E::ENTITY.id)
        };
        let Some(declared) = self.entities.iter().find(declared) else {
            let (entity, table) = (E::ENTITY.type_name, &self.name);
            let message = format!(
                "`{entity}` is not declared in this schema of the table `{table}`: take `schema()` of its own table"
            );
            return Err(Error::config(message));
        };
        let mut placement = self.place_of(&item, Some(declared))?;
        let keys = (E::ENTITY.sentinels)(&json).map_err(fail)?;
        let sentinels = keys.iter().map(|key| {
            let key = Item::from_dynamo_json(key).map_err(fail)?;
            self.place_item(&self.sentinel(key, &item))
        });
        placement.sentinels = sentinels.collect::<Result<_>>()?;
        Ok(placement)
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
