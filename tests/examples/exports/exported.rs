//! Files of exports, read as entities.

use std::collections::BTreeMap;

use dynamo_entity::error::ErrorKind;
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::{ExportFolder, Exported, ExportedChanges, ExportedItems, RowFormat};
use fastrand::Rng;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::tools::tagged_item;
use crate::app_users::{AppUsers, HandOver, Rewards, UserInfo};
use crate::support::db::{Db, Mode};
use crate::support::suite::Outcome;

/// All items of the table, by their keys, as DynamoDB JSON.
async fn state(db: &Dynamo) -> Result<BTreeMap<String, String>, Box<dyn std::error::Error>> {
    let mut file = Vec::new();
    let export = AppUsers::schema().scan_items()?.export(&mut file);
    let _ = export
        .format(RowFormat::DynamoJson)
        .send(db)
        .await?
        .complete()?;
    let mut state = BTreeMap::new();
    for line in String::from_utf8(file)?.lines() {
        let item = &serde_json::from_str::<Json>(line)?["Item"];
        let keys = json!({"record": item["record"], "user_id": item["user_id"]});
        state.insert(keys.to_string(), item.to_string());
    }
    Ok(state)
}

/// The lines of an incremental export, as DynamoDB writes them: one for each item that differs.
fn lines(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>, has_old: bool) -> String {
    let mut all: Vec<&String> = old.keys().chain(new.keys()).collect();
    all.sort();
    all.dedup();
    let mut lines = String::new();
    for (at, keys) in all.into_iter().enumerate() {
        let (before, after) = (old.get(keys), new.get(keys));
        if before == after {
            continue;
        }
        lines.push_str(&format!(
            r#"{{"Metadata":{{"WriteTimestampMicros":{{"N":"{}"}}}},"Keys":{keys}"#,
            1_772_357_400_000_000_u64 + at as u64
        ));
        if let Some(before) = before.filter(|_| has_old) {
            lines.push_str(&format!(",\"OldImage\":{before}"));
        }
        if let Some(after) = after {
            lines.push_str(&format!(",\"NewImage\":{after}"));
        }
        lines.push_str("}\n");
    }
    lines
}

/// The entities, by their keys.
type Entities<E> = BTreeMap<String, E>;

async fn entities<E: DynamoEntity>(db: &Dynamo) -> Result<Entities<E>> {
    let all = E::scan().all(db).await?;
    Ok(all
        .into_iter()
        .map(|entity| (format!("{:?}", entity.key()), entity))
        .collect())
}

/// The changes of an entity in a file are the differences between two states.
fn compare<E>(file: &str, old: &Entities<E>, new: &Entities<E>, has_old: bool) -> Outcome
where
    E: DynamoEntity + PartialEq + std::fmt::Debug + Clone,
{
    let changes: Vec<Exported<E>> =
        ExportedChanges::of_reader(file.as_bytes()).collect::<Result<_, _>>()?;
    let mut found = BTreeMap::new();
    for change in changes {
        assert_eq!(change.is_deleted(), change.new.is_none());
        let written = change.written_at.expect("a time");
        assert_eq!(written.seconds(), 1_772_357_400);
        let key = format!("{:?}", change.key);
        let states = (change.old, change.new);
        assert!(found.insert(key, states).is_none());
    }
    let mut expected = BTreeMap::new();
    for key in old.keys().chain(new.keys()) {
        let (before, after) = (old.get(key), new.get(key));
        if before != after {
            let before = before.filter(|_| has_old).cloned();
            expected.insert(key.clone(), (before, after.cloned()));
        }
    }
    assert_eq!(found, expected);
    Ok(())
}

/// Random writes of three entities in one table, one of them with unique values.
#[tokio::test]
async fn changes_are_the_differences_of_two_states() -> Outcome {
    let db = Db::open(Mode::Raw).await?;
    db.create_tables([AppUsers::schema()]).await?;
    let rng = &mut Rng::with_seed(37);
    for _ in 0..4 {
        let old = state(&db).await?;
        let before = (
            entities::<UserInfo>(&db).await?,
            entities::<Rewards>(&db).await?,
            entities::<HandOver>(&db).await?,
        );
        for _ in 0..20 {
            let user_id = Uuid::from_u128(rng.u128(..6));
            let at = chrono::DateTime::from_timestamp(rng.i64(0..3), 0).expect("a time");
            let email = format!("{}@example.com", rng.u8(..9));
            // A value may be taken, and an item may be missing.
            let ended = match rng.u8(..6) {
                0 => {
                    let device = format!("\"{}\n", rng.u8(..));
                    let user = UserInfo {
                        user_id,
                        email,
                        device,
                        hand_over_code: None,
                    };
                    user.put().send(&db).await.map(drop)
                }
                1 => UserInfo::key(user_id).delete().send(&db).await.map(drop),
                2 => Rewards {
                    user_id,
                    points: rng.u32(..),
                }
                .put()
                .send(&db)
                .await
                .map(drop),
                3 => Rewards::key(user_id).delete().send(&db).await.map(drop),
                4 => HandOver {
                    user_id,
                    at,
                    device: email,
                }
                .put()
                .send(&db)
                .await
                .map(drop),
                _ => HandOver::key(user_id, at)
                    .delete()
                    .send(&db)
                    .await
                    .map(drop),
            };
            if let Err(error) = ended {
                let kinds = [ErrorKind::UniqueViolation, ErrorKind::NotFound];
                assert!(kinds.contains(&error.kind()), "{error}");
            }
        }
        let new = state(&db).await?;
        for has_old in [true, false] {
            let file = lines(&old, &new, has_old);
            compare(&file, &before.0, &entities::<UserInfo>(&db).await?, has_old)?;
            compare(&file, &before.1, &entities::<Rewards>(&db).await?, has_old)?;
            compare(&file, &before.2, &entities::<HandOver>(&db).await?, has_old)?;
        }
    }
    // The table has items that store unique values, and none of them is a change of an entity.
    assert!(
        state(&db)
            .await?
            .values()
            .any(|item| item.contains("$unique"))
    );
    Ok(())
}

/// A full export is what a scan reads.
#[tokio::test]
async fn items_are_those_of_a_scan() -> Outcome {
    let db = Db::open(Mode::Raw).await?;
    db.create_tables([AppUsers::schema()]).await?;
    for number in 0..20 {
        let user_id = Uuid::from_u128(number);
        let email = format!("{number}@example.com");
        UserInfo {
            user_id,
            email,
            device: "\u{2028}\"".into(),
            hand_over_code: None,
        }
        .create()
        .send(&db)
        .await?;
        Rewards { user_id, points: 7 }.create().send(&db).await?;
    }
    let mut file = Vec::new();
    let export = AppUsers::schema()
        .scan_items()?
        .export(&mut file)
        .format(RowFormat::DynamoJson);
    assert_eq!(export.send(&db).await?.complete()?.rows, 60);
    let folder = std::env::temp_dir().join(format!("exported-{}", std::process::id()));
    let created = ExportFolder::create(&folder)?;
    let report = AppUsers::schema()
        .scan_items()?
        .export_to(created)
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.rows, 60);
    let opened = ExportFolder::open(&folder)?;
    let users: Vec<UserInfo> =
        ExportedItems::of_folder(opened.clone())?.collect::<Result<_, _>>()?;
    assert_eq!(users, UserInfo::scan().all(&db).await?);
    let error = ExportedChanges::<UserInfo>::of_folder(opened.clone()).unwrap_err();
    assert!(error.to_string().contains("the export is full"), "{error}");
    // A damaged file is found before the first line.
    let data = opened.path().join("data/000001.json.gz");
    let mut bytes = std::fs::read(&data)?;
    if let Some(last) = bytes.last_mut() {
        *last ^= 1;
    }
    std::fs::write(&data, bytes)?;
    let error = ExportedItems::<UserInfo>::of_folder(opened).unwrap_err();
    assert!(error.to_string().contains("the file is damaged"), "{error}");
    std::fs::remove_dir_all(folder)?;
    let users: Vec<UserInfo> = ExportedItems::of_reader(&file[..]).collect::<Result<_, _>>()?;
    assert_eq!(users, UserInfo::scan().all(&db).await?);
    let rewards: Vec<Rewards> = ExportedItems::of_reader(&file[..]).collect::<Result<_, _>>()?;
    assert_eq!(rewards.iter().map(|one| one.points).sum::<u32>(), 140);
    Ok(())
}

mod earlier {
    use dynamo_entity::prelude::*;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = "prices", key(pk = id))]
    pub struct Price {
        pub id: u32,
        pub euros: u64,
    }
}

/// A price in its second shape.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "prices", key(pk = id), shape = 2, was(earlier::Price))]
struct Price {
    id: u32,
    cents: u64,
}

impl From<earlier::Price> for Price {
    fn from(price: earlier::Price) -> Self {
        Price {
            id: price.id,
            cents: price.euros * 100,
        }
    }
}

/// Lines that cannot be read are reported by their numbers, and the others are read.
#[test]
fn bad_lines_stop_nothing_and_old_shapes_are_upgraded() {
    let file = [
        r#"{"Item":{"id":{"N":"1"},"euros":{"N":"3"}}}"#,
        r#"{"Item":{"id":{"N":"2"},"cents":{"N":"250"},"_shape":{"N":"2"}}}"#,
        "",
        r#"{"Item":{"id":{"N":"3"},"cents":{"S":"secret"},"_shape":{"N":"2"}}}"#,
        r#"{"Item":{"id":{"N":"4"},"cents":{"N":"1"},"_shape":{"N":"3"}}}"#,
        "not JSON",
        r#"{"Item":{"id":{"N":"5"}"#,
        r#"{"Keys":{"id":{"N":"6"}}}"#,
        "\u{feff}[]",
        r#"{"Item":{"id":{"N":"7"},"cents":{"N":"5"},"_shape":{"N":"2"}}}"#,
    ]
    .join("\n");
    let (mut read, mut unread) = (Vec::new(), Vec::new());
    for price in ExportedItems::<Price>::of_reader(file.as_bytes()) {
        match price {
            Ok(price) => read.push((price.id, price.cents)),
            Err(line) => {
                assert!(!line.to_string().contains("secret"), "{line}");
                // The whole item of a line that is JSON.
                assert_eq!(line.new_state().is_some(), line.number() < 6, "{line}");
                unread.push((line.number(), line.error().kind()));
            }
        }
    }
    assert_eq!(read, [(1, 300), (2, 250), (7, 5)]);
    let numbers: Vec<u64> = unread.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [4, 5, 6, 7, 8, 9]);
    assert_eq!(unread[1].1, ErrorKind::NewerShape);

    let line = r#"{"Keys":{"id":{"N":"1"}},"OldImage":{"id":{"N":"1"},"euros":{"N":"3"}},"NewImage":{"id":{"N":"1"},"cents":{"N":"4"},"_shape":{"N":"2"}}}"#;
    let change = ExportedChanges::<Price>::of_reader(line.as_bytes()).next();
    let change = change.expect("a line").expect("a change");
    assert_eq!(change.old, Some(Price { id: 1, cents: 300 }));
    assert_eq!(
        (change.new, change.written_at),
        (Some(Price { id: 1, cents: 4 }), None)
    );
    // An item that was repaired in the time of the export: its new state is not lost with the old one.
    let repaired = line.replace(r#""euros":{"N":"3"}"#, r#""euros":{"S":"secret"}"#);
    let repaired = ExportedChanges::<Price>::of_reader(repaired.as_bytes()).next();
    let repaired = repaired.expect("a line").unwrap_err();
    let key = repaired.key().expect("a key").clone();
    assert_eq!(tagged_item(&key), json!({"id": {"N": "1"}}));
    let new = repaired.new_state().expect("a state").clone();
    assert_eq!(Price::from_item(new).ok(), Some(Price { id: 1, cents: 4 }));
    let texts = format!("{repaired} {repaired:?}");
    assert!(
        !texts.contains("secret") && !texts.contains("cents"),
        "{texts}"
    );
    let full = r#"{"Item":{"id":{"N":"1"}}}"#;
    let other = ExportedChanges::<Price>::of_reader(full.as_bytes()).next();
    let other = other.expect("a line").unwrap_err().to_string();
    assert!(other.contains("a line of an incremental export"), "{other}");
    // Random bytes are lines that cannot be read.
    let rng = &mut Rng::with_seed(7);
    for _ in 0..300 {
        let mut bytes = line.as_bytes().to_vec();
        let at = rng.usize(..bytes.len());
        bytes[at] = rng.u8(..);
        bytes.truncate(rng.usize(..=bytes.len()));
        let _ = ExportedChanges::<Price>::of_reader(&bytes[..]).count();
    }
}
