//! Each verb sends what its policy allows, and its policy allows nothing that it never sends.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use dynamo_entity::export::{Policy, PolicyVerb};
use dynamo_entity::prelude::*;
use dynamo_entity::{batch_get, put_each, transact, transact_get};
use serde_json::Value as Json;

use crate::support::db::{Db, Mode};
use crate::support::engine::Kind;
use crate::support::suite::Outcome;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "plain", key(pk = "P#{part}", sk = number))]
struct Plain {
    part: String,
    number: u32,
    name: String,
    text: String,
    #[dynamo(version)]
    version: Version,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "owners", key(pk = "P#{part}", sk = number), unique(by_name, name))]
struct Named {
    part: String,
    number: u32,
    name: String,
    text: String,
    #[dynamo(version)]
    version: Version,
}

/// Actions that a verb may need and that no run here gets to: what is read after a lost race, what a transaction may check,
/// and items behind an index, of which unique values are given up.
const SELDOM: &[(PolicyVerb, &str)] = &[
    (PolicyVerb::UPDATE_EACH, "GetItem"),
    (PolicyVerb::DELETE_EACH, "GetItem"),
    (PolicyVerb::DELETE_EACH, "BatchGetItem"),
    (PolicyVerb::TRANSACT_EACH, "GetItem"),
    (PolicyVerb::TRANSACT_EACH, "ConditionCheckItem"),
    (PolicyVerb::TOUCH_EACH, "GetItem"),
    // All rows here are as a put stores them.
    (PolicyVerb::REFILL, "GetItem"),
    (PolicyVerb::REFILL, "UpdateItem"),
    (PolicyVerb::REFILL, "PutItem"),
    (PolicyVerb::REFILL, "DeleteItem"),
    (PolicyVerb::REFILL, "ConditionCheckItem"),
];

/// What the requests of a connection ask of this table.
fn watched(db: &Dynamo) -> (Dynamo, Arc<Mutex<BTreeSet<String>>>) {
    let seen: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let told = Arc::clone(&seen);
    let db = db.clone().with_observer(move |request| {
        let actions = request
            .actions()
            .into_iter()
            .map(|asked| asked.action.to_owned());
        told.lock().expect("no panic").extend(actions);
    });
    (db, seen)
}

/// The actions of all statements.
fn actions(policy: &Policy) -> Result<BTreeSet<String>, Box<dyn std::error::Error>> {
    let policy: Json = serde_json::from_str(&policy.document()?)?;
    let statements = policy["Statement"].as_array().into_iter().flatten();
    let actions =
        statements.flat_map(|statement| statement["Action"].as_array().into_iter().flatten());
    let actions = actions.filter_map(|action| action.as_str()?.strip_prefix("dynamodb:"));
    Ok(actions.map(str::to_owned).collect())
}

/// Uses a verb of an entity in the ways that it has; returns the other verbs that were used on the way.
macro_rules! used {
    ($entity:ident, $verb:expr, $db:expr) => {{
        let db = $db;
        let row = |number: u32, name: &str| $entity {
            part: "a".into(),
            number,
            name: name.into(),
            text: "t".into(),
            version: Version::default(),
        };
        let key = |number: u32| $entity::key("a", number);
        let loaded = key(1).get().send(&db.0).await?.ok_or("a row")?;
        let (db, seen) = watched(&db.0);
        let others: Vec<PolicyVerb> = match $verb {
            PolicyVerb::GET => {
                key(1).get().send(&db).await?;
                vec![]
            }
            PolicyVerb::GET_MANY => {
                $entity::get_many([key(1), key(2)]).send(&db).await?;
                vec![]
            }
            PolicyVerb::READ_TOGETHER => {
                batch_get((key(1).get(), key(2).get())).send(&db).await?;
                vec![]
            }
            PolicyVerb::SNAPSHOT => {
                transact_get((key(1).get(), key(2).get())).send(&db).await?;
                vec![]
            }
            PolicyVerb::IN_PARTITION => {
                $entity::in_partition("a").all(&db).await?;
                vec![]
            }
            PolicyVerb::SCAN => {
                $entity::scan().all(&db).await?;
                vec![]
            }
            PolicyVerb::CREATE => {
                row(10, "new").create().send(&db).await?;
                assert!(row(1, "other").create().send(&db).await.is_err());
                assert!(
                    row(11, "new")
                        .create()
                        .idempotent()
                        .send(&db)
                        .await
                        .is_err()
                        || stringify!($entity) == "Plain"
                );
                vec![]
            }
            PolicyVerb::PUT => {
                row(10, "new").put().unchecked().send(&db).await?;
                row(1, "other").put().unchecked().send(&db).await?;
                vec![]
            }
            PolicyVerb::UPDATE => {
                key(2)
                    .update()
                    .apply(|r| r.text().set("x"))
                    .send(&db)
                    .await?;
                loaded
                    .update()
                    .apply(|r| r.name().set("other"))
                    .send(&db)
                    .await?;
                vec![]
            }
            PolicyVerb::UPSERT => {
                for number in [1, 12] {
                    let write = key(number).upsert();
                    let name = format!("upserted {number}");
                    write
                        .apply(|r| (r.name().set(name), r.text().set("u")))
                        .send(&db)
                        .await?;
                }
                vec![]
            }
            PolicyVerb::TOUCH => {
                key(1).touch().send(&db).await?;
                vec![]
            }
            PolicyVerb::MODIFY => {
                key(1).modify(|r| r.text.push('m')).send(&db).await?;
                key(2).modify(|r| r.name.push('m')).send(&db).await?;
                vec![]
            }
            PolicyVerb::DELETE => {
                key(1).delete().send(&db).await?;
                let second = key(2).get().send(&db).await?.ok_or("a row")?;
                second.delete().send(&db).await?;
                vec![PolicyVerb::GET]
            }
            PolicyVerb::CHECK => {
                let both = Transaction::new().with(key(1).check().if_exists());
                both.with(row(13, "thirteen").create()).send(&db).await?;
                vec![PolicyVerb::CREATE]
            }
            PolicyVerb::TRANSACT => {
                transact(&db, async |tx| {
                    tx.get(key(1)).await?;
                    tx.create(&row(14, "fourteen"))
                })
                .await?;
                vec![PolicyVerb::CREATE]
            }
            PolicyVerb::PUT_EACH => {
                let rows = [row(1, "each"), row(15, "each too")];
                put_each(rows.iter().map(|row| row.put().unchecked()))
                    .send(&db)
                    .await?
                    .complete()?;
                vec![]
            }
            PolicyVerb::UPDATE_EACH => {
                let changed = $entity::in_partition("a").update_each(|r| {
                    let name = format!("{}!", r.name);
                    r.update().apply(|u| u.name().set(name))
                });
                changed.send(&db).await?.complete()?;
                vec![PolicyVerb::IN_PARTITION]
            }
            PolicyVerb::DELETE_EACH => {
                $entity::in_partition("a")
                    .delete_each()
                    .send(&db)
                    .await?
                    .complete()?;
                vec![PolicyVerb::IN_PARTITION]
            }
            PolicyVerb::TRANSACT_EACH => {
                let deleted = $entity::in_partition("a")
                    .transact_each(|r| Transaction::new().with(r.delete()));
                deleted.send(&db).await?.complete()?;
                vec![PolicyVerb::IN_PARTITION, PolicyVerb::DELETE]
            }
            PolicyVerb::REFILL => {
                $entity::scan().refill().send(&db).await?.complete()?;
                vec![PolicyVerb::SCAN]
            }
            PolicyVerb::TOUCH_EACH => {
                let touched = $entity::in_partition("a").touch_each();
                touched.send(&db).await?.complete()?;
                vec![PolicyVerb::IN_PARTITION]
            }
            _ => vec![],
        };
        let seen = std::mem::take(&mut *seen.lock().expect("no panic"));
        (seen, others)
    }};
}

macro_rules! compare {
    ($($test:ident: $entity:ident;)*) => {$(
        #[tokio::test]
        async fn $test() -> Outcome {
            if Kind::here().is_server() {
                eprintln!("skipped on a server: policies are about what AWS is asked");
                return Ok(());
            }
            for verb in PolicyVerb::ALL {
                let opened = Db::open(Mode::Raw).await?;
                opened.create_tables([$entity::schema()]).await?;
                for number in 1..=3 {
                    let name = format!("name {number}");
                    let row = $entity { part: "a".into(), number, name, text: "t".into(), version: Version::default() };
                    row.create().send(&*opened).await?;
                }
                let db: &Dynamo = &opened;
                let is_batch = verb == PolicyVerb::BATCH;
                let (seen, others) = match is_batch {
                    false => used!($entity, verb, (db.clone(),)),
                    true => (batch(db).await?, vec![]),
                };
                if is_batch && stringify!($entity) == "Named" {
                    continue;
                }
                let policy = |verbs: Vec<PolicyVerb>| Policy::new([$entity::schema()]).allow(stringify!($entity), verbs);
                let whole = actions(&policy([vec![verb], others.clone()].concat()))?;
                assert!(seen.is_subset(&whole), "{verb:?} sent {seen:?}, allowed are {whole:?}");
                for action in actions(&policy(vec![verb]))? {
                    let is_seldom = SELDOM.contains(&(verb, action.as_str()));
                    assert!(seen.contains(&action) != is_seldom || is_seldom, "{verb:?} never sends {action}: {seen:?}");
                }
                assert_eq!(PolicyVerb::from_name(verb.name()), Some(verb));
                opened.close().await?;
            }
            Ok(())
        }
    )*};
}

/// Unique values fit no batch, so only one entity has it.
async fn batch(db: &Dynamo) -> Result<BTreeSet<String>, Box<dyn std::error::Error>> {
    let (db, seen) = watched(db);
    db.create_tables([Plain::schema()]).await?;
    let row = Plain {
        part: "a".into(),
        number: 20,
        name: "n".into(),
        text: "t".into(),
        version: Version::default(),
    };
    let both = Batch::new()
        .with(row.put().unchecked())
        .with(Plain::key("a", 3).delete());
    both.send(&db).await?.complete()?;
    let seen = std::mem::take(&mut *seen.lock().expect("no panic"));
    Ok(seen)
}

compare! {
    plain_rows_need_what_is_allowed: Plain;
    unique_values_need_what_is_allowed: Named;
}
