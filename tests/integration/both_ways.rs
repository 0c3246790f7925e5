//! The embedded engine, called directly and through the SDK, refuses the same things with the same errors.

use std::fmt::Debug;
use std::time::Duration;

use dynamo_entity::batch::BatchReport;
use dynamo_entity::embedded::EmbeddedEngine;
use dynamo_entity::prelude::*;
use dynamo_entity::{Dynamo, Error, Number, Value};

use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    failures_are_the_same_by_all_ways,
    tasks_that_give_up_harm_nobody,
];

crate::declare! {
    entity Good(table = "goods", key(pk = id, sk = line), gsi(by_group, pk = group, sk = id))
        { id: String, line: u32, group: String, count: i64, text: String, tags: Vec<String>,
          #[dynamo(version)] version: Version }
}

/// The same table as other programs declare it: other types, another key, an index that does not exist.
mod others {
    use dynamo_entity::{Number, Value};

    crate::declare! {
        pub entity Loose(table = "goods", key(pk = id, sk = line), gsi(by_text, pk = text, sk = id))
            { pub id: String, pub line: u32, pub text: Option<String>, pub group: Option<Value>, pub count: Number,
              pub tags: Vec<String>, pub map: std::collections::BTreeMap<String, i64>, pub wide: Option<Number> }
        /// This entity declares a text as the sort key.
        pub entity Texts(table = "goods", key(pk = id, sk = line)) { pub id: String, pub line: String }
        pub entity Codes(table = "goods", key(pk = code)) { pub code: String, pub number: i64 }
    }
}

use others::{Codes, Loose, Texts};

fn good(id: &str, line: u32) -> Good {
    Good {
        id: id.into(),
        line,
        group: "g".into(),
        count: 1,
        text: "s3cr3t".into(),
        tags: vec![],
        version: Version::default(),
    }
}

fn loose(id: &str) -> Loose {
    Loose {
        id: id.into(),
        line: 1,
        text: None,
        group: None,
        count: 1.into(),
        tags: vec![],
        map: Default::default(),
        wide: None,
    }
}

fn text(line: &str) -> Texts {
    Texts {
        id: "a".into(),
        line: line.into(),
    }
}

fn code() -> Codes {
    Codes {
        code: "c".into(),
        number: 1,
    }
}

/// Marks the part of a text that shows the current item, which may contain values.
const CURRENT: &str = " current ";

/// Everything that can be seen of an error.
fn seen(error: &Error) -> String {
    let current = error.current::<Good>();
    format!(
        "{:?} {:?} {:?} id {} | {error} | {:?} {:?} {:?}{CURRENT}{current:?}",
        error.kind(),
        error.stage(),
        error.code(),
        error.request_id().is_some(),
        error.entity(),
        error.key_attribute(),
        error.attribute(),
    )
}

fn told<T: Debug>(result: Result<T>) -> String {
    match result {
        Ok(value) => format!("ok {value:?}"),
        Err(error) => seen(&error),
    }
}

macro_rules! calls {
    ($db:expr; $($call:expr),+ $(,)?) => {
        vec![$((stringify!($call), told($call.send($db).await))),+]
    };
}

async fn failures(db: &Dynamo) -> Vec<(&'static str, String)> {
    let stale = good("a", 1);
    let good_key = || Good::key("a", 1);
    let gone = || Good::key("gone", 1);
    let wrong = |what: &str| Loose::key(what, 1);
    let none = &db.clone().with_prefix("none");
    let big = "x".repeat(300_000);
    let mut all = calls![db;
        stale.create(),
        stale.put(),
        stale.put().unchecked().if_missing(),
        good("gone", 1).put().unchecked().if_exists(),
        stale.put().when(|g| g.count().gt(5)),
        stale.delete(),
        good_key().delete().when(|g| g.count().gt(5)),
        gone().delete().if_exists(),
        gone().update().apply(|g| g.count().add(1)),
        good_key().update().apply(|g| g.count().add(1)).when(|g| g.text().eq("other")),
        stale.update().apply(|g| g.count().add(1)),
        // These errors come with the engine's own message.
        wrong("wrong").update().apply(|l| l.count().add(Number::from(1))),
        wrong("wrong list").update().apply(|l| l.tags().push("x")),
        wrong("wrong map").update().apply(|l| l.map().entry("k").set(1)),
        Loose::key("big", 1).update().apply(|l| l.text().set(big.as_str())),
        Texts::key("a", "line").get(),
        Texts::key("a", "line").delete(),
        text("s3cr3t").put(),
        text("s3cr3t").create(),
        Codes::key("s3cr3t").get(),
        code().put(),
        Codes::key("s3cr3t").delete(),
        Codes::key("s3cr3t").update().apply(|c| c.number().add(1)),
        Transaction::new().with(stale.create()).with(good("new", 1).create()),
        Transaction::new().with(good("new", 1).create()).with(stale.create()).with(gone().check().if_exists()),
        Transaction::new().with(good("new", 1).create()).with(wrong("wrong").update().apply(|l| l.count().add(Number::from(1)))),
        Transaction::new().with(good("new", 1).create()).with(code().put()),
        Transaction::new().with(good("new", 1).create()).with(text("s3cr3t").put()),
        transact_get((good_key().get(), Codes::key("s3cr3t").get())),
        transact_get((good_key().get(), Texts::key("a", "s3cr3t").get())),
        Good::get_many([Good::key("wrong", 1), Good::key("a", 1)]),
        Texts::get_many([Texts::key("a", "x"), Texts::key("a", "y")]),
        // These rows cannot be decoded.
        Good::key("wrong", 1).get(),
        transact_get((Good::key("wrong", 1).get(), good_key().get())),
        Good::key("wrong", 1).delete().returning_old().when(|g| g.line().eq(7)),
    ];
    all.extend(calls![none;
        stale.create(),
        stale.put().unchecked(),
        good_key().get(),
        good_key().delete(),
        gone().update().apply(|g| g.count().add(1)),
        Good::get_many([good_key()]),
        transact_get((good_key().get(), gone().get())),
        Transaction::new().with(good("new", 1).create()).with(stale.create()),
    ]);
    let goods = [good("b", 1), good("c", 2)];
    let puts = || goods.each_ref().map(|good| good.put().unchecked());
    let left = |report: Result<BatchReport>| told(report.and_then(|report| report.complete()));
    all.push((
        "batch",
        left(Batch::new().with_all(puts()).send(none).await),
    ));
    let (text, code) = (text("s3cr3t"), code());
    let mixed = Batch::new().with(text.put()).with(code.put());
    all.push(("batch of wrong keys", left(mixed.send(db).await)));
    all.push(("query", told(Good::in_partition("a").all(none).await)));
    all.push((
        "query of wrong",
        told(Good::in_partition("wrong").all(db).await),
    ));
    all.push(("index", told(Loose::by_text("x").all(db).await)));
    all.push((
        "text",
        told(
            Texts::in_partition("a")
                .line()
                .starts_with("s3cr3t")
                .all(db)
                .await,
        ),
    ));
    all.push((
        "number",
        told(Texts::in_partition("a").line().gt("s3cr3t").all(db).await),
    ));
    all.push(("scan", told(Good::scan().all(db).await)));
    all.push(("scan", told(Good::scan().all(none).await)));
    all.push(("count", told(Good::scan().count(none).await)));
    all.push(("by group", told(Good::by_group("w").all(db).await)));
    all
}

async fn failures_are_the_same_by_all_ways(_: Db) -> Outcome {
    let engine = EmbeddedEngine::memory().await?;
    let direct = engine.connect();
    direct.create_tables([Good::schema()]).await?;
    good("a", 1).create().send(&direct).await?;
    good_at_version_2(&direct).await?;
    for (id, attribute) in [
        ("wrong", "count"),
        ("wrong list", "tags"),
        ("wrong map", "map"),
    ] {
        let mut wrong = loose(id).to_item()?;
        wrong.insert(attribute, "of another type, s3cr3t");
        wrong.insert("group", "w");
        plant(&engine, wrong).await;
    }
    let mut big = loose("big").to_item()?;
    big.insert("wide", Value::from("x".repeat(200_000)));
    plant(&engine, big).await;

    let sdk = Dynamo::new(engine.client());
    let by_direct = failures(&direct).await;
    let by_sdk = failures(&sdk).await;
    let by_hooks = failures(&sdk.with_hooks_alone()).await;
    let mut different = Vec::new();
    for ((direct, sdk), hooks) in by_direct.iter().zip(&by_sdk).zip(&by_hooks) {
        assert!(!direct.1.starts_with("ok"), "{direct:?}");
        let shown = direct.1.split(CURRENT).next().unwrap_or_default();
        assert!(!shown.contains("s3cr3t"), "{direct:?}");
        if direct != sdk || direct != hooks {
            different.push((direct, sdk, hooks));
        }
    }
    assert!(by_direct.len() >= 50, "{}", by_direct.len());
    assert!(different.is_empty(), "{different:#?}");
    Ok(())
}

async fn good_at_version_2(db: &Dynamo) -> Result<()> {
    let stored = Good::key("a", 1).get().consistent().send(db).await?;
    stored.expect("a row").put().send(db).await.map(drop)
}

/// Each task gets its own answers, and a request that was given up never takes effect after later ones.
async fn tasks_that_give_up_harm_nobody(_: Db) -> Outcome {
    let db = EmbeddedEngine::memory().await?.connect();
    db.create_tables([Good::schema()]).await?;
    let tasks: Vec<_> = (0..64_u32)
        .map(|task| {
            let db = db.clone();
            tokio::spawn(async move {
                let id = format!("g{task}");
                for round in 0..12_u32 {
                    let counted = |count: i64| Good {
                        count,
                        ..good(&id, 1)
                    };
                    let given_up = counted(-1);
                    let micros = Duration::from_micros(u64::from(round * task));
                    let given_up = given_up.put().unchecked().send(&db);
                    drop(tokio::time::timeout(micros, given_up).await);
                    counted(round.into()).put().unchecked().send(&db).await?;
                    let read = Good::key(&id, 1).get().send(&db).await?;
                    let count = read.map(|good| (good.id, good.count));
                    assert_eq!(count, Some((id.clone(), round.into())));
                    assert_eq!(Good::key(&id, 2).get().send(&db).await?, None);
                }
                Ok::<(), Error>(())
            })
        })
        .collect();
    for task in tasks {
        task.await??;
    }
    Ok(())
}

async fn plant(engine: &EmbeddedEngine, item: Item) {
    let put = engine.client().put_item().table_name("goods");
    let put = put.set_item(Some(item.into())).send().await;
    put.expect("a planted item");
}
