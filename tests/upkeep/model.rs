//! The model of a table: one row per key, changed in plain Rust.

use dynamo_entity::EntityExt;
use dynamo_entity::key::KeyHash;
use dynamo_entity::{DynamoTable, Item, Value};

use crate::subject::{Created, Effect, Move, Stamp, Subject};

/// A stored item and the entity that it reads as. Another program may have written the item in another spelling.
#[derive(Debug, Clone)]
pub struct Row<E> {
    pub entity: E,
    pub item: Item,
}

impl<E: Subject> Row<E> {
    /// The row that a put of the entity stores.
    pub fn of(entity: &E) -> Self {
        Row::read(fresh(entity))
    }

    /// The row of an item that another program wrote.
    pub fn read(item: Item) -> Self {
        let entity = E::from_item(item.clone()).expect("an entity");
        Row { entity, item }
    }

    pub fn is_live(&self, now: i64) -> bool {
        self.entity.expires_at().is_none_or(|at| at > now)
    }

    pub fn version(&self) -> Option<u64> {
        self.entity.version().and_then(|version| version.number())
    }

    /// The row after these changes, or `None` if the service refuses one of them.
    pub fn after(&self, moves: &[Move<E>], stamp: Option<&Stamp>) -> Option<Row<E>> {
        let mut entity = self.entity.clone();
        let (mut touched, mut gone) = (Vec::new(), Vec::new());
        for change in moves {
            let stored = stored_name::<E>(change.field);
            let is_null = self.item.get(stored) == Some(&Value::Null);
            let effect = (change.apply)(&mut entity, &self.item);
            // The service cannot compute with a NULL that another program wrote.
            if is_null && !change.known && effect == Effect::Done {
                return None;
            }
            match effect {
                Effect::Done => touched.push(stored),
                Effect::Nothing => {}
                Effect::Gone => gone.push(stored),
                Effect::Impossible => return None,
            }
        }
        if let Some(stamp) = stamp {
            entity.stamp(stamp);
            touched.extend(renewed::<E>());
        }
        let mut row = self.rewritten(&entity, &touched);
        for name in gone {
            row.item.remove(name);
        }
        Some(Row::read(row.item))
    }

    /// This row with every attribute that differs in the entity, and with the `touched` attributes as the
    /// entity has them.
    fn rewritten(&self, entity: &E, touched: &[&str]) -> Row<E> {
        let (before, after) = (fresh(&self.entity), fresh(entity));
        let mut item = self.item.clone();
        let names = before.iter().chain(after.iter()).map(|(name, _)| &**name);
        for name in names.chain(touched.iter().copied()) {
            if !touched.contains(&name) && before.get(name) == after.get(name) {
                continue;
            }
            match after.get(name) {
                Some(value) => item.insert(name, value.clone()),
                None => item.remove(name),
            };
        }
        Row::read(item)
    }

    /// What is left where one loaded value was made another one; `None` if they are the same.
    pub fn changed(&self, seen: &E, next: &E, stamp: &Stamp) -> Option<Row<E>> {
        let differing = differing(seen, next);
        if differing.is_empty() {
            return None;
        }
        let (mut item, after) = (self.item.clone(), fresh(next));
        for name in &differing {
            match after.get(name) {
                Some(value) => item.insert(name.clone(), value.clone()),
                None => item.remove(name),
            };
        }
        let mut entity = Row::<E>::read(item).entity;
        entity.stamp(stamp);
        let differing = differing.iter().map(|name| &**name);
        let touched: Vec<&str> = differing.chain(renewed::<E>()).collect();
        Some(self.rewritten(&entity, &touched))
    }

    /// The row after a `modify`, which writes nothing if nothing changes.
    pub fn modified(&self, moves: &[Move<E>], stamp: &Stamp) -> Row<E> {
        let mut entity = self.entity.clone();
        apply_all(&mut entity, moves);
        if fresh(&entity) == fresh(&self.entity) {
            return self.clone();
        }
        entity.stamp(stamp);
        self.rewritten(&entity, &renewed::<E>())
    }

    /// The row that an upsert creates where there is none.
    pub fn made(no: u32, moves: &[Move<E>], stamp: &Stamp) -> Option<Row<E>> {
        let mut entity = E::blank(no);
        let none = Item::new();
        let mut set = Vec::new();
        for change in moves {
            match (change.apply)(&mut entity, &none) {
                Effect::Done => set.push(change.field),
                Effect::Nothing | Effect::Gone => {}
                Effect::Impossible => return None,
            }
        }
        entity.stamp(&Stamp {
            created: Created::Now,
            ..stamp.clone()
        });
        let mut item = fresh(&entity);
        for attribute in E::ENTITY.attributes {
            let is_ours = E::KEY.contains(&attribute.field) || is_managed::<E>(attribute.stored);
            if !is_ours && !set.contains(&attribute.field) {
                item.remove(attribute.stored);
            }
        }
        Some(Row::read(item))
    }

    /// The indexes that hold this row, with its keys there, as the hand-written model says.
    pub fn indexes(&self) -> Vec<crate::subject::IndexKeys> {
        let key = primary_key::<E>(&self.item);
        self.entity.indexes(&|shards| shard::<E>(&key, shards))
    }
}

/// Applies all changes to an entity in memory.
pub fn apply_all<E: Subject>(entity: &mut E, moves: &[Move<E>]) {
    let item = fresh(entity);
    for change in moves {
        (change.apply)(entity, &item);
    }
}

/// The names of the attributes that are not the same in two values, without those that the library keeps.
pub fn differing<E: Subject>(seen: &E, next: &E) -> Vec<String> {
    let (before, after) = (fresh(seen), fresh(next));
    let derived: Item = [derived::<E>(&before), derived::<E>(&after)]
        .into_iter()
        .flat_map(|item| item.into_iter().collect::<Vec<_>>())
        .collect();
    let names = before.iter().chain(after.iter()).map(|(name, _)| name);
    let mut names: Vec<String> = names
        .filter(|name| before.get(name) != after.get(name))
        .filter(|name| derived.get(name).is_none() && !is_managed::<E>(name))
        .cloned()
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The managed attributes that every write renews.
fn renewed<E: Subject>() -> Vec<&'static str> {
    let def = &E::ENTITY;
    let renewed = [def.version, def.updated_at, def.updated_by];
    renewed.into_iter().flatten().collect()
}

/// The item that a put stores, before managed attributes are renewed.
pub fn fresh<E: Subject>(entity: &E) -> Item {
    entity.to_item().expect("an item")
}

pub fn stored_name<E: Subject>(field: &str) -> &'static str {
    let mut known = E::ENTITY.attributes.iter();
    let known = known.find(|known| known.field == field);
    known
        .unwrap_or_else(|| panic!("{field} is no field"))
        .stored
}

pub fn is_managed<E: Subject>(stored: &str) -> bool {
    let def = &E::ENTITY;
    let managed = [
        def.version,
        def.created_at,
        def.updated_at,
        def.created_by,
        def.updated_by,
    ];
    managed.contains(&Some(stored))
}

/// The attributes that the library derives from others for the keys of indexes.
pub fn derived<E: Subject>(item: &Item) -> Item {
    let table = &<E::Table as DynamoTable>::TABLE;
    let is_key = |name: &str| {
        let is_field = E::ENTITY
            .attributes
            .iter()
            .any(|known| known.stored == name);
        let mut keys = E::ENTITY
            .indexes
            .iter()
            .flat_map(|index| index.pk.iter().chain(index.sk));
        let is_primary = name == table.pk || table.sk == Some(name);
        !is_field && !is_primary && keys.any(|key| key.attribute == name)
    };
    let named = item.iter().filter(|(name, _)| is_key(name));
    named
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The key attributes of an item.
pub fn primary_key<E: Subject>(item: &Item) -> Item {
    let table = &<E::Table as DynamoTable>::TABLE;
    let names = std::iter::once(table.pk).chain(table.sk);
    let pairs = names.filter_map(|name| Some((name, item.get(name)?.clone())));
    pairs.collect()
}

/// The shard by its documented definition: from the primary key, whose own shard is removed first.
fn shard<E: Subject>(key: &Item, shards: u16) -> u16 {
    let table = &<E::Table as DynamoTable>::TABLE;
    let text = |name| key.get(name).and_then(Value::as_text).expect("a text key");
    let pk = text(table.pk);
    let pk = match E::ENTITY.pk.shards() {
        Some(_) => pk.rsplit_once('#').expect("a shard").0,
        None => pk,
    };
    let sk = table.sk.map(|sk| text(sk).as_bytes());
    KeyHash::of(pk.as_bytes(), sk).shard(shards)
}
