//! Writes of items given as data, for the entities that a program allows: a command line or an admin page stores and
//! deletes them like typed code.

use std::fmt;

use crate::clock::{Clock, SystemClock};
use crate::codec::{Item, Value};
use crate::dynamo::Dynamo;
use crate::entity::json::to_json;
use crate::entity::{
    Created, DynamoEntity, EntityContract, HasDeclaration, HeldEntity, ManagedValues, add_own_type,
    complete_given, read, read_key,
};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{Name, Writer};
use crate::plan::{Call, Explanation, Outcome, check};
use crate::schema::{EntityDef, EntitySchema};
use crate::write::{Create, Delete, ItemWrite, Put, WritePlan};

/// The writes of one entity, for programs that get the item only at run time. They take items as data, and work like
/// the typed operations: keys of indexes, versions, timestamps and unique values are maintained.
///
/// A program creates one for each entity that it allows; it contains no such code for other entities.
///
/// ```
/// use dynamo_entity::prelude::*;
/// use dynamo_entity::write::DynamicWrites;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "pages", key(pk = "PAGE#{id}"), gsi(by_title, pk = "TITLE#{title}", sk = "{id}"))]
/// struct Page { id: u32, title: String, #[dynamo(version)] version: Version }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Page::schema()]).await?;
/// let pages = DynamicWrites::of::<Page>();
/// let item = Item::from_json(r#"{"id": 7, "title": "Home"}"#)?;
/// let stored = pages.put(item)?.send(&db).await?.expect("what was stored");
/// assert_eq!(stored.get("by_title_pk").and_then(|pk| pk.as_text()), Some("TITLE#Home"));
///
/// let key = Page::schema().dynamic("Page")?.key(["7"])?;
/// let late = pages.delete_version(key.clone(), 2)?.send(&db).await.unwrap_err();
/// assert!(late.is_conflict());
/// pages.delete(key)?.send(&db).await?;
/// # assert_eq!(Page::key(7).get().send(&db).await?, None);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct DynamicWrites {
    entity: &'static EntityDef,
    put: fn(Item, PutKind) -> Result<DynamicWrite>,
    delete: fn(&Item, Option<u64>) -> Result<DynamicWrite>,
}

/// How an item is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PutKind {
    Checked,
    Missing,
    Unchecked,
}

impl DynamicWrites {
    /// The writes of an entity.
    pub const fn of<E: DynamoEntity>() -> Self {
        DynamicWrites {
            entity: &<E as EntityContract>::ENTITY,
            put: put::<E>,
            delete: delete::<E>,
        }
    }

    /// The name of the struct.
    pub fn name(&self) -> &'static str {
        self.entity.type_name
    }

    /// Whether they are the writes of this entity. Two tables may have entities with the same name.
    pub fn are_of(&self, entity: &EntitySchema) -> bool {
        let declared = entity.origin.0;
        declared.is_some_and(|declared| declared.entity.id == self.entity.id)
    }

    /// Stores an item like [`put`](crate::EntityExt::put): an item with a version replaces only the item that has
    /// it. An item without a version, of an entity that has versions, and an item of an append-only entity are new
    /// and replace nothing.
    ///
    /// The item need not contain keys, because they are built from its fields, or managed times that are needed to
    /// read it.
    pub fn put(&self, item: impl Into<Item>) -> Result<DynamicWrite> {
        (self.put)(item.into(), PutKind::Checked)
    }

    /// Stores an item like [`create`](crate::EntityExt::create), which never replaces one.
    pub fn create(&self, item: impl Into<Item>) -> Result<DynamicWrite> {
        (self.put)(item.into(), PutKind::Missing)
    }

    /// Stores an item over any version.
    pub fn put_unchecked(&self, item: impl Into<Item>) -> Result<DynamicWrite> {
        (self.put)(item.into(), PutKind::Unchecked)
    }

    /// Deletes the item with these attributes of the primary key together with its lists and blobs, and releases its unique values.
    /// Without a live item the error is [`NotFound`](ErrorKind::NotFound).
    pub fn delete(&self, key: impl Into<Item>) -> Result<DynamicWrite> {
        (self.delete)(&key.into(), None)
    }

    /// Deletes the item if it has this version.
    pub fn delete_version(&self, key: impl Into<Item>, version: u64) -> Result<DynamicWrite> {
        (self.delete)(&key.into(), Some(version))
    }
}

/// A write of an item given as data; see [`DynamicWrites`].
#[must_use = "nothing happens until `.send(&db)`"]
pub struct DynamicWrite(Box<PlanItem>);

/// Plans a write, and returns the item that it stores.
type PlanItem = dyn FnOnce(&Dynamo) -> Result<(WritePlan, Option<Item>)> + Send;

impl DynamicWrite {
    fn of_put<W: ItemWrite<Out = E> + Send + 'static, E: DynamoEntity>(put: W) -> Self {
        DynamicWrite(Box::new(|db| {
            let (plan, outcome) = put.prepare(db);
            let (plan, stored) = (plan?, outcome.known());
            Ok((plan, stored.map(|stored| item_of(&stored)).transpose()?))
        }))
    }

    fn of_delete(delete: impl ItemWrite + Send + 'static) -> Self {
        DynamicWrite(Box::new(|db| Ok((delete.prepare(db).0?, None))))
    }

    /// Sends it. A put returns the stored item, with all of its keys.
    pub fn send(self, db: &Dynamo) -> Call<'_, Option<Item>> {
        let (plan, stored) = match (self.0)(db) {
            Ok((plan, stored)) => (Ok(plan), Some(stored)),
            Err(error) => (Err(error), None),
        };
        Call::new(WritePlan::sent(plan, db), Outcome::Known(stored))
    }

    /// Returns the requests of [`send`](Self::send), without sending them.
    pub fn explain(self, db: &Dynamo) -> Result<Explanation> {
        (self.0)(db)?.0.explain(db)
    }
}

fn item_of<E: DynamoEntity>(entity: &E) -> Result<Item> {
    let item = Item::from_dynamo_json(&to_json(entity)?);
    item.map_err(|fault| Error::encode(E::ENTITY.type_name, fault))
}

fn put<E: DynamoEntity>(mut item: Item, kind: PutKind) -> Result<DynamicWrite> {
    let def = &E::ENTITY;
    let has = |name: &str| !matches!(item.get(name), None | Some(Value::Null));
    // A text has no state of an entity. A missing version therefore means an item that was never
    // stored, which must not replace one.
    let is_new = def.append_only || def.version.is_some_and(|version| !has(version));
    if def.append_only && kind == PutKind::Unchecked {
        return Err(append_only(def));
    }
    complete::<E>(&mut item)?;
    let json = item.to_dynamo_json();
    let json = json.map_err(|fault| Error::encode(def.type_name, fault))?;
    let entity = HeldEntity::Owned(Box::new(read::<E>(&json)?));
    Ok(match kind {
        PutKind::Unchecked => DynamicWrite::of_put(Put::<E, E::Unguarded>::new(entity)),
        PutKind::Checked if !is_new => DynamicWrite::of_put(Put::<E, E::Guard>::new(entity)),
        PutKind::Checked | PutKind::Missing => DynamicWrite::of_put(Create::new(entity)),
    })
}

/// Adds managed attributes without which the item cannot be read. A person who writes JSON manually does not know
/// them, and the write sets them.
fn complete<E: DynamoEntity>(item: &mut Item) -> Result<()> {
    let def = &E::ENTITY;
    let fail = |fault| Error::encode(def.type_name, fault);
    complete_given(def, item).map_err(fail)?;
    add_own_type(def, E::DECLARATION.table, item).map_err(fail)?;
    let stamp = ManagedValues::write(1, SystemClock.now(), Created::Now);
    for (at, attribute) in def.attributes.iter().enumerate() {
        let name = attribute.stored;
        let is_managed = [def.created_at, def.updated_at].contains(&Some(name));
        if !is_managed || item.contains(name) || E::may_be_absent(at) {
            continue;
        }
        let value = crate::path::json(|key: &Name, writer: &mut Writer| {
            E::encode_now(name, &stamp, key, writer)
        });
        if let Some(value) = value.map_err(fail)? {
            let one =
                Item::from_dynamo_json(&[b"{\"v\":", &*value, b"}"].concat()).map_err(fail)?;
            item.extend(one.into_iter().map(|(_, value)| (name, value)));
        }
    }
    complete_expiry::<E>(item);
    Ok(())
}

/// Adds any derived expiry, if the item cannot be read without one. The write replaces it.
fn complete_expiry<E: DynamoEntity>(item: &mut Item) {
    let Some(ttl) = E::DECLARATION.derived_ttl() else {
        return;
    };
    let mut attributes = E::ENTITY.attributes.iter();
    let at = attributes.position(|attribute| attribute.stored == ttl);
    if at.is_some_and(|at| !E::may_be_absent(at)) && !item.contains(ttl) {
        // The value only lets the item be read as an entity. The write computes the real expiry.
        item.insert(ttl, 0);
    }
}

fn delete<E: DynamoEntity>(key: &Item, version: Option<u64>) -> Result<DynamicWrite> {
    let def = &E::ENTITY;
    if def.append_only {
        return Err(append_only(def));
    }
    let json = key.to_dynamo_json();
    let json = json.map_err(|fault| Error::encode(def.type_name, fault))?;
    let delete = Delete::of_key(read_key::<E>(&json)?).if_exists();
    let Some(version) = version else {
        return Ok(DynamicWrite::of_delete(delete));
    };
    let Some(attribute) = def.version else {
        let message = "it has no version to compare";
        return Err(Error::config(message).of(def.type_name));
    };
    let json = format!("{{\"N\":\"{version}\"}}");
    let is_it = check::value_condition(attribute, json.as_bytes());
    let delete = delete.when(|_| is_it.into());
    Ok(DynamicWrite::of_delete(delete))
}

#[cold]
fn append_only(def: &EntityDef) -> Error {
    let message = "it is `append_only`: its items are created, and never replaced or deleted";
    Error::new(ErrorKind::Rejected, Stage::Request, message).of(def.type_name)
}

impl fmt::Debug for DynamicWrites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynamicWrites({})", self.name())
    }
}

impl fmt::Debug for DynamicWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DynamicWrite")
    }
}
