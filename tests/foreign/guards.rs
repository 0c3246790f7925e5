//! The guards of a loaded entity compare the values that were read, in the spelling in which they are stored.

use chrono::{DateTime, Utc};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use dynamo_entity::{ErrorKind, put_each};
use uuid::Uuid;

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::faulty::{Fault, Faults};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    an_update_accepts_the_stored_spelling(Letter),
    keys_of_indexes_follow(Letter),
    a_put_and_a_delete_of_a_loaded_row_hold(Letter),
    a_transaction_holds(Letter),
    a_transaction_says_which_operation_lost(Letter),
    a_transaction_conflict_is_retried_with_the_stored_spelling(Letter),
    a_failed_caller_condition_is_reported_as_such(Letter),
    an_idempotent_write_holds(Letter),
    a_token_of_the_callers_is_sent_once(Letter),
    jobs_hold(Letter),
    modify_holds(Letter),
    unique_values_follow(Badge),
    a_delete_of_unique_values_in_a_transaction_holds(Badge),
    another_value_is_a_conflict(Letter),
    another_version_is_one_request(Letter),
    rows_in_our_spelling_take_one_request(Letter),
    an_absent_default_is_no_other_spelling(Label),
    a_lost_answer_is_unknown(Letter),
    a_condition_of_the_callers_decides(Letter),
    a_row_without_its_time_of_creation_is_told_from_a_new_one(Letter),
    a_fraction_of_the_time_of_creation_stays(Clock),
    a_default_time_of_creation_may_be_absent(Coin),
];

crate::declare! {
    entity Letter(table = "letters", key(pk = id), gsi(by_owner, pk = "OWNER#{owner}", sk = "{at}#{title}"))
        { id: String, owner: Uuid, at: DateTime<Utc>, title: String, #[dynamo(version)] version: Version,
          #[dynamo(created_at)] created: Option<DateTime<Utc>> }
}

const OWNER: &str = "67E55044-10B1-426F-9247-BB680E5FE0C8";

/// Times in the spellings of other programs.
const TIMES: [&str; 8] = [
    "2026-03-01T12:00:00Z",
    "2026-03-01T12:00:00.000Z",
    "2026-03-01T12:00:00+00:00",
    "2026-03-01T12:00:00.000000+0000",
    "2026-03-01T13:00:00+01:00",
    "2026-03-01t12:00:00.0000000z",
    "2026-03-01 12:00:00Z",
    "2026-03-01T12:00:00.000000000Z",
];

fn letter_row(id: &str, time: &str) -> Raw {
    raw([
        ("id", s(id)),
        ("owner", s(OWNER)),
        ("at", s(time)),
        ("title", s("hello")),
        ("version", n(1)),
        ("created", s(time)),
    ])
}

/// Stores a letter as another program would write it, and loads it.
async fn letter(db: &Db, id: &str, time: &str) -> Result<Letter> {
    db.plant::<Letter>(letter_row(id, time)).await;
    Ok(Letter::key(id).get().send(db).await?.expect("a letter"))
}

async fn an_update_accepts_the_stored_spelling(db: Db) -> Outcome {
    for (at, time) in TIMES.into_iter().enumerate() {
        let loaded = letter(&db, &at.to_string(), time).await?;
        let new = loaded.update().apply(|l| l.title().set("x"));
        let new = new
            .send(&db)
            .await
            .map_err(|error| format!("{time}: {error}"))?;
        assert_eq!(new.version, Version::from(2), "{time}");
        // The update leaves all other attributes in their stored spelling.
        let stored = db.stored(&loaded.key()).await;
        assert_eq!((&stored["at"], &stored["created"]), (&s(time), &s(time)));
        assert_eq!(stored["owner"], s(OWNER));
        assert_eq!(stored["by_owner_sk"], s("2026-03-01T12:00:00.000000000Z#x"));
    }
    Ok(())
}

async fn keys_of_indexes_follow(db: Db) -> Outcome {
    let loaded = letter(&db, "a", "2026-03-01T13:00:00+01:00").await?;
    let at: DateTime<Utc> = "2027-01-01T00:00:00Z".parse()?;
    let new = loaded.update().apply(|l| l.at().set(at)).send(&db).await?;
    let stored = db.stored(&loaded.key()).await;
    assert_eq!(
        stored["by_owner_pk"],
        s(&format!("OWNER#{}", OWNER.to_lowercase()))
    );
    assert_eq!(
        stored["by_owner_sk"],
        s("2027-01-01T00:00:00.000000000Z#hello")
    );
    assert_eq!(Letter::by_owner(loaded.owner).all(&db).await?, [new]);
    Ok(())
}

async fn a_put_and_a_delete_of_a_loaded_row_hold(db: Db) -> Outcome {
    for time in TIMES {
        let loaded = letter(&db, "a", time).await?;
        let put = loaded
            .put()
            .send(&db)
            .await
            .map_err(|error| format!("{time}: {error}"))?;
        assert_eq!(put.version, Version::from(2));
        assert_eq!(db.count::<Letter>().await, 1, "{time}");
        let loaded = letter(&db, "a", time).await?;
        let old = loaded.delete().returning_old().send(&db).await?;
        assert_eq!(old.as_ref(), Some(&loaded), "{time}");
        assert_eq!(db.count::<Letter>().await, 0, "{time}");
        assert!(loaded.delete().send(&db).await.unwrap_err().is_not_found());
    }
    Ok(())
}

async fn a_transaction_holds(db: Db) -> Outcome {
    for time in TIMES {
        let (a, b, c) = (
            letter(&db, "a", time).await?,
            letter(&db, "b", time).await?,
            letter(&db, "c", time).await?,
        );
        let own = Letter {
            id: "own".into(),
            version: Version::default(),
            ..a.clone()
        };
        Transaction::new()
            .with(own.create())
            .with(a.update().apply(|l| l.title().set("x")))
            .with(b.put())
            .with(c.delete())
            .send(&db)
            .await
            .map_err(|error| format!("{time}: {error}"))?;
        assert_eq!(db.stored(&a.key()).await["title"], s("x"));
        assert_eq!(db.raw(&c.key()).await, None);
        Letter::key("own").delete().send(&db).await?;
    }
    Ok(())
}

async fn a_transaction_says_which_operation_lost(db: Db) -> Outcome {
    let a = letter(&db, "a", TIMES[1]).await?;
    let b = letter(&db, "b", TIMES[1]).await?;
    b.update()
        .apply(|l| l.title().set("theirs"))
        .send(&db)
        .await?;
    let refused = Transaction::new()
        .with(a.update().apply(|l| l.title().set("x")))
        .with(b.delete())
        .send(&db)
        .await
        .unwrap_err();
    assert!(refused.is_conflict(), "{refused}");
    // Only the operation with a real conflict is named. The guard of the other one failed only for its spelling.
    let failed = refused.failures().iter().map(|failed| failed.index());
    assert_eq!(failed.collect::<Vec<_>>(), [1]);
    assert_eq!(db.stored(&a.key()).await["title"], s("hello"));
    Ok(())
}

/// One guard fails for its spelling, and another operation meets another transaction. Neither is a lost race.
async fn a_transaction_conflict_is_retried_with_the_stored_spelling(db: Db) -> Outcome {
    let a = letter(&db, "a", TIMES[1]).await?;
    let b = letter(&db, "b", TIMES[1]).await?;
    let time = TIMES[1];
    let item = format!(
        r#"{{"id":{{"S":"a"}},"owner":{{"S":"{OWNER}"}},"at":{{"S":"{time}"}},"title":{{"S":"hello"}},"version":{{"N":"1"}},"created":{{"S":"{time}"}}}}"#
    );
    let met = format!(
        r#"{{"__type":"TransactionCanceledException","CancellationReasons":[{{"Code":"ConditionalCheckFailed","Item":{item}}},{{"Code":"TransactionConflict"}}]}}"#
    );
    let (faulty, http) = db.faulty([Fault::Reply(400, met)]);
    Transaction::new()
        .with(a.update().apply(|l| l.title().set("x")))
        .with(b.update().apply(|l| l.title().set("y")))
        .send(&faulty)
        .await?;
    assert_eq!(http.calls().len(), 3, "one more for each of them");
    assert_eq!(db.stored(&a.key()).await["title"], s("x"));
    Ok(())
}

async fn an_idempotent_write_holds(db: Db) -> Outcome {
    let loaded = letter(&db, "a", TIMES[4]).await?;
    loaded.put().idempotent().send(&db).await?;
    let loaded = letter(&db, "a", TIMES[4]).await?;
    loaded
        .update()
        .apply(|l| l.title().set("x"))
        .idempotent()
        .send(&db)
        .await?;
    let loaded = letter(&db, "a", TIMES[4]).await?;
    loaded.delete().idempotent().send(&db).await?;
    assert_eq!(db.count::<Letter>().await, 0);
    Ok(())
}

/// A write with a token must be sent again byte for byte, in another process too, so it cannot take another
/// spelling.
async fn a_token_of_the_callers_is_sent_once(db: Db) -> Outcome {
    let loaded = letter(&db, "a", TIMES[4]).await?;
    let refused = loaded
        .put()
        .idempotent_with("token")
        .send(&db)
        .await
        .unwrap_err();
    assert!(refused.is_conflict());
    let refused = Transaction::new()
        .with(loaded.put())
        .with(Letter::key("b").check().if_missing());
    assert!(
        refused
            .token("another")
            .send(&db)
            .await
            .unwrap_err()
            .is_conflict()
    );
    Ok(())
}

async fn jobs_hold(db: Db) -> Outcome {
    let mut loaded = Vec::new();
    for (at, time) in TIMES.into_iter().enumerate() {
        loaded.push(letter(&db, &at.to_string(), time).await?);
    }
    let report = Letter::scan()
        .update_each(|l: &Letter| l.update().apply(|l| l.title().set("job")))
        .send(&db)
        .await?;
    assert_eq!(
        (report.written, report.failed, report.vanished),
        (TIMES.len() as u64, 0, 0)
    );
    for (at, time) in TIMES.into_iter().enumerate() {
        db.plant::<Letter>(letter_row(&at.to_string(), time)).await;
    }
    let report = put_each(loaded.iter().map(|l| l.put())).send(&db).await?;
    assert_eq!(report.complete()?.written, TIMES.len() as u64);
    for (at, time) in TIMES.into_iter().enumerate() {
        db.plant::<Letter>(letter_row(&at.to_string(), time)).await;
    }
    let report = Letter::scan().delete_each().send(&db).await?;
    assert_eq!(report.complete()?.written, TIMES.len() as u64);
    assert_eq!(db.count::<Letter>().await, 0);
    Ok(())
}

async fn modify_holds(db: Db) -> Outcome {
    for time in TIMES {
        letter(&db, "a", time).await?;
        let (faulty, http) = db.faulty([]);
        Letter::key("a")
            .modify(|l| l.title = "x".into())
            .send(&faulty)
            .await?;
        assert_eq!(http.calls(), ["GetItem", "UpdateItem"], "{time}");
        assert_eq!(db.stored(&Letter::key("a")).await["created"], s(time));
    }
    Ok(())
}

crate::declare! {
    entity Badge(table = "badges", key(pk = "BADGE#{id}"), unique(by_owner, owner, since))
        { id: String, owner: Uuid, since: DateTime<Utc>, label: String, #[dynamo(version)] version: Version,
          #[dynamo(created_at)] created: Option<DateTime<Utc>> }
}

/// A badge that the library stored and another program then wrote in another spelling.
async fn badge(db: &Db, id: &str, time: &str) -> Result<Badge> {
    let since = "2026-03-01T12:00:00Z".parse().expect("a time");
    let badge = Badge {
        id: id.into(),
        owner: OWNER.parse().expect("a UUID"),
        since,
        label: "x".into(),
        version: Version::default(),
        created: None,
    };
    let badge = badge.create().send(db).await?;
    let mut stored = db.stored(&badge.key()).await;
    stored.insert("owner".into(), s(OWNER));
    stored.insert("since".into(), s(time));
    stored.insert("created".into(), s(time));
    db.plant::<Badge>(stored).await;
    Ok(Badge::key(id).get().send(db).await?.expect("a badge"))
}

async fn unique_values_follow(db: Db) -> Outcome {
    for (at, time) in TIMES.into_iter().enumerate() {
        let loaded = badge(&db, &at.to_string(), time).await?;
        let next = Uuid::from_u128(at as u128);
        let new = loaded
            .update()
            .apply(|b| b.owner().set(next))
            .send(&db)
            .await;
        let new = new.map_err(|error| format!("{time}: {error}"))?;
        assert_eq!(
            Badge::by_owner(next, new.since).send(&db).await?,
            Some(new.clone())
        );
        let put = Badge {
            owner: Uuid::from_u128(100),
            ..new
        }
        .put()
        .send(&db)
        .await?;
        assert_eq!(db.count::<Badge>().await, 2, "{time}");
        put.delete().send(&db).await?;
        assert_eq!(db.count::<Badge>().await, 0, "{time}");
    }
    Ok(())
}

async fn a_delete_of_unique_values_in_a_transaction_holds(db: Db) -> Outcome {
    for time in TIMES {
        let loaded = badge(&db, "a", time).await?;
        Transaction::new().with(loaded.delete()).send(&db).await?;
        assert_eq!(db.count::<Badge>().await, 0, "{time}");
    }
    Ok(())
}

async fn another_value_is_a_conflict(db: Db) -> Outcome {
    // The row was deleted and created again: its version is the same, but its time of creation differs.
    let loaded = letter(&db, "a", TIMES[1]).await?;
    db.plant::<Letter>(letter_row("a", "2026-03-01T12:00:01.000Z"))
        .await;
    for refused in [
        loaded.put().send(&db).await.map(drop),
        loaded.delete().send(&db).await,
        loaded
            .update()
            .apply(|l| l.title().set("x"))
            .send(&db)
            .await
            .map(drop),
    ] {
        let refused = refused.unwrap_err();
        assert!(refused.is_conflict(), "{refused}");
        assert!(refused.current::<Letter>()?.is_some());
    }
    // Another program changes a part that the new key relies on and leaves the version as it is.
    let mut row = letter_row("a", TIMES[1]);
    row.insert("at".into(), s("2026-03-02T12:00:00Z"));
    db.plant::<Letter>(row).await;
    let refused = loaded
        .update()
        .apply(|l| l.title().set("x"))
        .send(&db)
        .await;
    assert!(refused.unwrap_err().is_conflict());
    Ok(())
}

async fn another_version_is_one_request(db: Db) -> Outcome {
    let loaded = letter(&db, "a", TIMES[1]).await?;
    let mut row = letter_row("a", TIMES[1]);
    row.insert("version".into(), n(2));
    db.plant::<Letter>(row).await;
    let (faulty, http) = db.faulty([]);
    let refused = loaded
        .update()
        .apply(|l| l.title().set("x"))
        .send(&faulty)
        .await;
    assert!(refused.unwrap_err().is_conflict());
    assert_eq!(http.calls(), ["UpdateItem"]);
    Ok(())
}

async fn rows_in_our_spelling_take_one_request(db: Db) -> Outcome {
    let loaded = letter(&db, "a", TIMES[7]).await?;
    let loaded = loaded.put().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    loaded
        .update()
        .apply(|l| l.title().set("x"))
        .send(&faulty)
        .await?;
    assert_eq!(http.calls(), ["UpdateItem"]);
    let foreign = letter(&db, "a", TIMES[1]).await?;
    http.plan([]);
    foreign
        .update()
        .apply(|l| l.title().set("x"))
        .send(&faulty)
        .await?;
    assert_eq!(http.calls(), ["UpdateItem", "UpdateItem"]);
    Ok(())
}

crate::declare! {
    /// An entity whose index key has a part with a default.
    entity Label(table = "labels", key(pk = id), gsi(by_kind, pk = "KIND#{kind}#{rank}"))
        { id: String, #[dynamo(default)] kind: u32, rank: u32 }
}

/// The guard holds for an attribute that is absent or NULL, so no other spelling has to be tried.
async fn an_absent_default_is_no_other_spelling(db: Db) -> Outcome {
    let null = AttributeValue::Null(true);
    for kind in [None, Some(null)] {
        let row = [("id", s("a")), ("rank", n(1))];
        let row = row.into_iter().chain(kind.map(|null| ("kind", null)));
        db.plant::<Label>(
            row.map(|(name, value)| (name.to_owned(), value))
                .collect::<Raw>(),
        )
        .await;
        let loaded = Label::key("a").get().send(&db).await?.expect("a label");
        let (faulty, http) = db.faulty([]);
        // Only the caller's condition fails, so the update is sent once.
        let update = loaded.update().apply(|l| l.rank().set(2));
        let refused = update.when(|l| l.rank().gt(1)).send(&faulty).await;
        assert!(refused.unwrap_err().is_conflict());
        let calls = http.calls();
        let writes = calls.iter().filter(|call| *call == "UpdateItem");
        assert_eq!(writes.count(), 1, "{calls:?}");
        loaded.update().apply(|l| l.rank().set(2)).send(&db).await?;
    }
    Ok(())
}

async fn a_lost_answer_is_unknown(db: Db) -> Outcome {
    let send = async |loaded: Letter, plan: Vec<Fault>| -> (Option<ErrorKind>, Faults) {
        let (faulty, http) = db.faulty(plan);
        let sent = loaded
            .update()
            .apply(|l| l.title().set("x"))
            .send(&faulty)
            .await;
        (sent.err().map(|error| error.kind()), http)
    };
    for plan in [vec![Fault::Lose], vec![Fault::Pass, Fault::Lose]] {
        let loaded = letter(&db, "a", TIMES[1]).await?;
        let (kind, http) = send(loaded, plan.clone()).await;
        assert_eq!(kind, Some(ErrorKind::OutcomeUnknown), "{plan:?}");
        assert_eq!(http.calls().len(), plan.len());
    }
    Ok(())
}

/// A caller's condition is sent as it is, because another spelling is another value for DynamoDB.
async fn a_condition_of_the_callers_decides(db: Db) -> Outcome {
    let loaded = letter(&db, "a", TIMES[1]).await?;
    let refused = loaded
        .update()
        .apply(|l| l.title().set("x"))
        .when(|l| l.title().eq("another"))
        .send(&db)
        .await;
    assert!(refused.unwrap_err().is_conflict());
    Ok(())
}

/// The row is the one that was loaded, in any spelling, so the error names the caller's condition. It must
/// not say that the row was deleted and created again, which would have given it version 1 too.
async fn a_failed_caller_condition_is_reported_as_such(db: Db) -> Outcome {
    for time in TIMES {
        let loaded = letter(&db, "a", time).await?;
        let update = loaded.update().apply(|l| l.title().set("x"));
        let refused = update.when(|l| l.title().eq("no")).send(&db).await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("does not fit"), "{time}: {refused}");
    }
    Ok(())
}

async fn a_row_without_its_time_of_creation_is_told_from_a_new_one(db: Db) -> Outcome {
    let null = AttributeValue::Null(true);
    for created in [None, Some(null)] {
        for version in [Some(n(1)), None] {
            let mut row = letter_row("a", TIMES[7]);
            row.remove("created");
            row.extend(created.clone().map(|value| ("created".into(), value)));
            row.remove("version");
            row.extend(version.clone().map(|value| ("version".into(), value)));
            let plant = || db.plant::<Letter>(row.clone());
            let load = || async { Letter::key("a").get().send(&db).await };

            // The row is the one that was loaded, so it may be changed.
            plant().await;
            let loaded = load().await?.expect("a letter");
            loaded
                .update()
                .apply(|l| l.title().set("x"))
                .send(&db)
                .await?;
            plant().await;
            loaded.put().send(&db).await?;
            plant().await;
            loaded.delete().send(&db).await?;

            // A new row takes the place of the loaded one, so writes of the loaded one are refused.
            let new = Letter {
                version: Version::default(),
                ..loaded.clone()
            };
            let mut new = {
                new.create().send(&db).await?;
                db.stored(&loaded.key()).await
            };
            if version.is_none() {
                new.remove("version");
                db.plant::<Letter>(new.clone()).await;
            }
            let update = loaded.update().apply(|l| l.title().set("x"));
            let refused = [
                update.send(&db).await.unwrap_err(),
                loaded.put().send(&db).await.unwrap_err(),
                loaded.delete().send(&db).await.unwrap_err(),
            ];
            for error in refused {
                assert!(error.is_conflict(), "{error}");
            }
            assert_eq!(db.stored(&loaded.key()).await, new);
            // A caller who only brings the version number, from an ETag for example, is not asked for the
            // time of creation.
            if version.is_some() {
                let version = Version::from(1);
                let by_etag = Letter {
                    version,
                    ..loaded.clone()
                };
                by_etag.put().send(&db).await?;
            }
            loaded.delete().unchecked().send(&db).await?;
        }
    }
    Ok(())
}

crate::declare! {
    entity Clock(table = "clocks", key(pk = id), gsi(by_label, pk = "LABEL#{label}", sk = "{created}"))
        { id: String, label: String, #[dynamo(version)] version: Version,
          #[dynamo(created_at, format = "epoch")] created: Option<DateTime<Utc>> }
}

/// Another program stores a fraction of a second where this library would write whole seconds.
async fn a_fraction_of_the_time_of_creation_stays(db: Db) -> Outcome {
    let row = || {
        raw([
            ("id", s("a")),
            ("label", s("x")),
            ("version", n(1)),
            ("created", AttributeValue::N("1700000000.5".into())),
        ])
    };
    let load = || async {
        db.plant::<Clock>(row()).await;
        Clock::key("a").get().send(&db).await
    };
    let loaded = load().await?.expect("a clock");
    let put = loaded.put().send(&db).await?;
    assert_eq!(put.created, loaded.created);
    let loaded = load().await?.expect("a clock");
    let new = loaded.update().apply(|c| c.label().set("y"));
    assert_eq!(new.send(&db).await?.created, loaded.created);
    assert_eq!(db.stored(&loaded.key()).await["created"], row()["created"]);
    load().await?;
    let modified = Clock::key("a").modify(|c| c.label = "z".into());
    assert_eq!(modified.send(&db).await?.created, loaded.created);
    let loaded = load().await?.expect("a clock");
    loaded.delete().send(&db).await?;
    assert_eq!(db.count::<Clock>().await, 0);
    Ok(())
}

crate::declare! {
    entity Coin(table = "coins", key(pk = id))
        { id: String, #[dynamo(version)] version: Version,
          #[dynamo(created_at, default = DateTime::UNIX_EPOCH)] created: DateTime<Utc> }
}

async fn a_default_time_of_creation_may_be_absent(db: Db) -> Outcome {
    db.plant::<Coin>(raw([("id", s("a")), ("version", n(1))]))
        .await;
    let loaded = Coin::key("a").get().send(&db).await?.expect("a coin");
    assert_eq!(loaded.created, DateTime::UNIX_EPOCH);
    loaded.delete().send(&db).await?;
    let new = Coin {
        version: Version::default(),
        ..loaded.clone()
    };
    new.create().send(&db).await?;
    let refused = loaded.delete().send(&db).await.unwrap_err();
    assert!(refused.is_conflict(), "{refused}");
    Ok(())
}
