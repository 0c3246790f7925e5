//! Law N1: each index of the engine holds exactly the items that the schema says.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, SecondsFormat, TimeDelta};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{EntitySchema, FieldRole, FieldSchema, Placement, TableSchema};
use dynamo_entity::{Number, Value};
use fastrand::Rng;

use super::db::Db;
use super::suite::Outcome;

/// Values of the types that only the models know, by the names of the types.
pub type Known = &'static [(&'static str, fn(&mut Rng) -> Value)];

/// How many entities of each kind are made.
const COUNT: usize = 60;
/// How many of them have to be stored, so that a model without a value for a type is noticed.
const STORED: usize = 10;

/// A table that is filled with random entities.
pub struct PlacedTable<'d> {
    db: &'d Db,
    schema: TableSchema,
    known: Known,
    rng: Rng,
    /// Where the schema says that the items are, by their keys.
    expected: BTreeMap<String, Placement>,
}

impl<'d> PlacedTable<'d> {
    pub async fn create(db: &'d Db, schema: TableSchema, known: Known, seed: u64) -> Result<Self> {
        db.create_tables([schema.clone()]).await?;
        Ok(PlacedTable {
            db,
            schema,
            known,
            rng: Rng::with_seed(seed),
            expected: BTreeMap::new(),
        })
    }

    /// Stores random entities of one kind, whose values are made by what the schema says of the fields.
    pub async fn fill<E: DynamoEntity>(&mut self) -> Outcome {
        let name = std::any::type_name::<E>();
        let name = name.rsplit("::").next().unwrap_or_default();
        let entity = self.schema.entity(name).cloned();
        let entity = entity.ok_or_else(|| format!("`{name}` is not in the schema"))?;
        let made: Result<Vec<E>> = (0..COUNT)
            .map(|_| E::from_item(self.random_item(&entity)))
            .collect();
        self.fill_with(made?).await
    }

    /// Stores these entities, as far as they fit.
    pub async fn fill_with<E: DynamoEntity>(
        &mut self,
        entities: impl IntoIterator<Item = E>,
    ) -> Outcome {
        let mut stored = 0;
        for made in entities {
            match made.create().send(self.db).await {
                Ok(_) => stored += 1,
                Err(error) if error.kind() == ErrorKind::InvalidKey => {
                    assert!(self.schema.place(&made).is_err(), "{error}");
                    continue;
                }
                Err(error) if error.is_already_exists() || error.is_unique_violation() => continue,
                Err(error) => return Err(error.into()),
            }
            let raw = Item::from(self.db.stored(&made.key()).await);
            let there = self.schema.place(&E::from_item(raw.clone())?)?;
            let of_item = self.schema.place_item(&raw)?;
            assert_eq!(there.key, of_item.key);
            for (one, two) in there.indexes.iter().zip(&of_item.indexes) {
                assert_eq!(one.place.as_ref().ok(), two.place.as_ref().ok(), "{raw:?}");
            }
            self.expected.insert(text(&there.key), there);
        }
        let name = std::any::type_name::<E>();
        assert!(
            stored >= STORED,
            "only {stored} of `{name}` could be stored"
        );
        Ok(())
    }

    /// Compares the table and its indexes with what the schema says.
    pub async fn check(self) -> Outcome {
        let with_sentinels = self.expected.values();
        let placements: Vec<&Placement> = with_sentinels
            .flat_map(|placement| std::iter::once(placement).chain(&placement.sentinels))
            .collect();
        let expected = placements.iter().map(|placement| text(&placement.key));
        assert_eq!(
            self.scan(None).await?,
            expected.collect(),
            "{}",
            self.schema.name
        );
        let indexes = self
            .schema
            .global_indexes
            .iter()
            .chain(&self.schema.local_indexes);
        for index in indexes {
            let keys = placements.iter().filter_map(|placement| {
                let key = placement.index(&index.name)?.as_ref().ok()?;
                let mut whole = placement.key.clone();
                whole.extend(
                    key.iter()
                        .map(|(name, value)| (name.clone(), value.clone())),
                );
                Some(text(&whole))
            });
            let names = index
                .pk
                .iter()
                .chain(&index.sk)
                .map(|key| key.name.as_str());
            let names: Vec<&str> = names.collect();
            let found = self.scan(Some((&index.name, &names))).await?;
            assert_eq!(
                found,
                keys.collect(),
                "index {} of {}",
                index.name,
                self.schema.name
            );
        }
        Ok(())
    }

    /// The keys of all rows of the table, or of an index with its own keys.
    async fn scan(
        &self,
        index: Option<(&str, &[&str])>,
    ) -> Result<BTreeSet<String>, Box<dyn std::error::Error>> {
        let mut names = vec![self.schema.pk.name.as_str()];
        names.extend(self.schema.sk.as_ref().map(|sk| sk.name.as_str()));
        names.extend(index.iter().flat_map(|(_, names)| names.iter().copied()));
        let mut found = BTreeSet::new();
        let mut start = None;
        loop {
            let scan = self.db.client().scan();
            let table = format!("{}-{}", self.db.prefix(), self.schema.name);
            let scan = scan
                .table_name(table)
                .set_index_name(index.map(|(name, _)| name.to_owned()));
            let page = scan.set_exclusive_start_key(start).send().await?;
            for item in page.items() {
                let item = Item::from(item.clone());
                let keys = item
                    .iter()
                    .filter(|(name, _)| names.contains(&name.as_str()));
                let keys = keys.map(|(name, value)| (name.clone(), value.clone()));
                found.insert(text(&keys.collect()));
            }
            start = page.last_evaluated_key().cloned();
            if start.is_none() {
                return Ok(found);
            }
        }
    }

    fn random_item(&mut self, entity: &EntitySchema) -> Item {
        let mut item = Item::new();
        for field in &entity.fields {
            let Some(attribute) = field.attribute.clone() else {
                continue;
            };
            if let Some(value) = self.value(field, &field.rust_type) {
                item.insert(attribute, value);
            }
        }
        item
    }

    fn value(&mut self, field: &FieldSchema, ty: &str) -> Option<Value> {
        let inner = |outer: &str| ty.strip_prefix(outer)?.strip_suffix('>');
        if let Some(inner) = inner("Option<") {
            return self.rng.bool().then(|| self.value(field, inner)).flatten();
        }
        if let Some(inner) = inner("Vec<") {
            let count = self.rng.usize(0..3);
            let values = (0..count).filter_map(|_| self.value(field, inner));
            return Some(Value::L(values.collect()));
        }
        if let Some((_, known)) = self.known.iter().find(|(name, _)| *name == ty) {
            return Some(known(&mut self.rng));
        }
        // DynamoDB Local deletes what has expired, so nothing expires before 2033.
        let seconds = self.rng.i64(2_000_000_000..4_000_000_000);
        if matches!(field.role, FieldRole::Ttl) || field.form.as_deref() == Some("epoch") {
            return Some(Value::from(seconds));
        }
        let time = DateTime::from_timestamp(seconds, 0)?;
        Some(match ty {
            "String" => Value::S(self.text()),
            "bool" => Value::Bool(self.rng.bool()),
            "u8" => Value::from(i64::from(self.rng.u8(..))),
            "u16" | "u32" | "usize" => Value::from(i64::from(self.rng.u16(..))),
            "u64" | "Version" => Value::from(self.rng.i64(0..1 << 30)),
            "i64" | "i32" => Value::from(self.rng.i64(-1_000..1_000)),
            "f64" | "Decimal" => Value::N("12.5".parse::<Number>().ok()?),
            "Uuid" => Value::S(uuid::Uuid::from_u128(self.rng.u128(..)).to_string()),
            "DateTime<Utc>" => {
                let time = time + TimeDelta::nanoseconds(self.rng.i64(0..1_000_000_000));
                Value::S(time.to_rfc3339_opts(SecondsFormat::Nanos, true))
            }
            "NaiveDate" => {
                let date: NaiveDate = time.date_naive();
                Value::S(date.to_string())
            }
            "BTreeSet<String>" => Value::Ss([self.text(), "x".to_owned()].into()),
            _ => panic!("the model has a field of the type `{ty}`: name it in the list of values"),
        })
    }

    fn text(&mut self) -> String {
        let texts = [
            "",
            "a",
            "b",
            "a#b",
            "%",
            "%23",
            "é\u{10ffff}",
            " ",
            "\\",
            "\"",
            "ab",
            "#",
        ];
        let one = self.rng.choice(texts).unwrap_or_default();
        match self.rng.bool() {
            true => one.to_owned(),
            false => format!("{one}{}", self.rng.u16(..)),
        }
    }
}

/// An item as a text that sorts.
fn text(item: &Item) -> String {
    format!("{item:?}")
}
