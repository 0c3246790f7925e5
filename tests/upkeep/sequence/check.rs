//! Compares what is stored with the model.

use std::collections::BTreeMap;

use dynamo_entity::EntityExt;
use dynamo_entity::aws_sdk_dynamodb::types::{DeleteRequest, WriteRequest};
use dynamo_entity::schema::TableSchema;
use dynamo_entity::{DynamoTable, Item, Key};

use super::{Step, World};
use crate::model::{Row, derived, primary_key};
use crate::subject::Subject;
use crate::support::db::Db;

impl<E: Subject> World<'_, E> {
    fn key(&mut self, no: u32) -> Key<E> {
        E::random(&mut self.rng, no).key()
    }

    /// The stored item equals the model's, and its derived keys equal those of the hand-written model.
    pub(super) async fn check_item(&mut self, no: u32) -> Step {
        let key = self.key(no);
        let stored = self.db.raw(&key).await.map(Item::from);
        let row = self.stored(no);
        let expected = row.map(|row| &row.item);
        if stored.as_ref() != expected {
            return Err(format!("stored:   {stored:?}\nexpected: {expected:?}"));
        }
        let Some(row) = row else { return Ok(()) };
        let by_hand: BTreeMap<String, _> = row
            .indexes()
            .into_iter()
            .flat_map(|(_, keys)| keys)
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let by_hand: Item = derived::<E>(&by_hand.into_iter().collect());
        let kept = derived::<E>(&row.item);
        if kept != by_hand {
            return Err(format!("derived keys: {kept:?}\nby hand:      {by_hand:?}"));
        }
        Ok(())
    }
}

/// Every index holds exactly the items that a brute-force search of the model finds.
pub async fn indexes<E: Subject>(db: &Db, rows: &[Row<E>]) -> Step {
    let schema = E::Table::schema();
    for index in <E::Table as DynamoTable>::TABLE.indexes {
        let names: Vec<&str> = index.pk.iter().chain(index.sk).copied().collect();
        let found = scan::<E>(db, index.name).await?;
        let found = found.iter().map(|item| keys_of::<E>(item, &names));
        let expected = rows.iter().flat_map(|row| {
            let keys = row.indexes().into_iter();
            let keys = keys.filter(|(name, _)| *name == index.name);
            keys.map(|(_, keys)| {
                let mut item = primary_key::<E>(&row.item);
                item.extend(keys);
                item
            })
        });
        let (found, expected) = (sorted(found), sorted(expected));
        let told = sorted(told::<E>(&schema, index.name, rows)?.into_iter());
        if told != expected {
            return Err(format!(
                "the schema says of {}: {told:?}\nexpected: {expected:?}",
                index.name
            ));
        }
        if let Some(wrong) = found.iter().find(|item| !expected.contains(item)) {
            return Err(format!("the index {} holds {wrong}", index.name));
        }
        if let Some(lost) = expected.iter().find(|item| !found.contains(item)) {
            return Err(format!("the index {} does not hold {lost}", index.name));
        }
    }
    Ok(())
}

/// The keys that the schema gives to the rows in an index (law N1).
fn told<E: Subject>(
    schema: &TableSchema,
    index: &str,
    rows: &[Row<E>],
) -> Result<Vec<Item>, String> {
    let mut told = Vec::new();
    for row in rows {
        let place = schema.place_item(&row.item);
        let place = place.map_err(|error| error.to_string())?;
        if let Some(Ok(keys)) = place.index(index) {
            let mut item = primary_key::<E>(&row.item);
            item.extend(
                keys.iter()
                    .map(|(name, value)| (name.clone(), value.clone())),
            );
            told.push(item);
        }
    }
    Ok(told)
}

fn sorted(items: impl Iterator<Item = Item>) -> Vec<String> {
    let mut texts: Vec<String> = items.map(|item| format!("{item:?}")).collect();
    texts.sort();
    texts
}

async fn scan<E: Subject>(db: &Db, index: &str) -> Result<Vec<Item>, String> {
    let scan = db.client().scan().table_name(db.table::<E::Table>());
    let found = scan.index_name(index).send().await;
    let found = found.map_err(|error| format!("{error:?}"))?;
    if found.last_evaluated_key().is_some() {
        return Err("an index of more than one page".to_owned());
    }
    Ok(found.items().iter().cloned().map(Item::from).collect())
}

/// Deletes all rows, so that the table is empty.
pub async fn wipe<E: Subject>(db: &Db, rows: &[Row<E>]) -> Step {
    let delete = |row: &Row<E>| {
        let key = primary_key::<E>(&row.item).into();
        let delete = DeleteRequest::builder().set_key(Some(key)).build();
        WriteRequest::builder()
            .delete_request(delete.expect("a key"))
            .build()
    };
    for rows in rows.chunks(25) {
        let deletes = rows.iter().map(delete).collect();
        let batch = db.client().batch_write_item();
        let done = batch
            .request_items(db.table::<E::Table>(), deletes)
            .send()
            .await;
        done.map_err(|error| format!("{error:?}"))?;
    }
    Ok(())
}

fn keys_of<E: Subject>(item: &Item, names: &[&str]) -> Item {
    let mut keys = primary_key::<E>(item);
    let named = item.iter().filter(|(name, _)| names.contains(&&***name));
    keys.extend(named.map(|(name, value)| (name.clone(), value.clone())));
    keys
}
