//! Managed fields: version, timestamps and TTL, by a clock that the tests set.

#![allow(
    clippy::duplicated_attributes,
    reason = "two indexes may have one constant partition"
)]

use std::time::SystemTime;

use chrono::{DateTime, Utc};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;

use crate::support::db::Raw;

use crate::model::{Draft, Order, Page, Session, Shop, draft, order, session};
use crate::support::clock::{HandClock, moment};
use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    put_keeps_created_at(Draft),
    put_moves_updated_at(Draft),
    put_of_a_new_entity_ignores_its_times(Draft),
    times_follow_the_clock_at_planning(Draft),
    an_unversioned_row_is_adopted_once(Page),
    a_row_with_a_null_version_is_adopted(Page),
    an_unversioned_row_is_deleted_as_loaded(Page),
    an_adopted_row_keeps_its_created_at(Draft),
    a_recreated_row_is_not_the_loaded_one(Draft),
    a_version_from_outside_is_checked(Draft),
    the_highest_version_is_refused(Page),
    foreign_forms_of_timestamps_are_kept(Foreign),
    a_foreign_form_tells_recreated_rows_apart(Foreign),
    a_creation_time_is_one_however_it_is_spelt(Draft),
    a_ttl_is_stored_in_whole_seconds(Session),
    every_type_of_ttl_expires(ByNumber, BySystemTime),
    a_fractional_ttl_is_read(Session),
    a_fractional_ttl_expires_once(Session),
    a_null_ttl_never_expires(Session),
    an_unreadable_ttl_is_an_error(Session),
    an_expired_row_is_no_current_one(Shop),
    a_shared_table_hides_expired_rows(Shop),
    index_keys_are_made_of_what_is_stored(Event),
];

/// These times lie in the future, because an engine deletes expired items by its own clock.
const T0: &str = "2084-06-01T10:00:00Z";
const T1: &str = "2084-06-01T11:00:00Z";

async fn put_keeps_created_at(db: Db) -> Outcome {
    let created = draft("d1", "x")
        .create()
        .send(&db.at(&HandClock::at(T0)))
        .await?;
    let put = created.put().send(&db.at(&HandClock::at(T1))).await?;
    assert_eq!(put.created_at, Some(moment(T0)));
    assert_eq!(
        db.stored(&put.key()).await["created_at"],
        s("2084-06-01T10:00:00.000000000Z")
    );
    Ok(())
}

async fn put_moves_updated_at(db: Db) -> Outcome {
    let created = draft("d1", "x")
        .create()
        .send(&db.at(&HandClock::at(T0)))
        .await?;
    let put = created.put().send(&db.at(&HandClock::at(T1))).await?;
    assert_eq!(put.updated_at, Some(moment(T1)));
    assert_eq!(put.key().get().consistent().send(&db).await?, Some(put));
    Ok(())
}

async fn put_of_a_new_entity_ignores_its_times(db: Db) -> Outcome {
    let literal = Draft {
        created_at: Some(moment("1999-01-01T00:00:00Z")),
        updated_at: Some(moment("1999-01-01T00:00:00Z")),
        ..draft("d1", "x")
    };
    let put = literal.put().send(&db.at(&HandClock::at(T0))).await?;
    assert_eq!(
        (put.created_at, put.updated_at),
        (Some(moment(T0)), Some(moment(T0)))
    );
    Ok(())
}

async fn times_follow_the_clock_at_planning(db: Db) -> Outcome {
    let clock = HandClock::at(T0);
    let now = db.at(&clock);
    let call = draft("d1", "x").create().send(&now);
    clock.advance(3_600_000);
    assert_eq!(call.await?.created_at, Some(moment(T0)));
    Ok(())
}

async fn an_unversioned_row_is_adopted_once(db: Db) -> Outcome {
    db.plant::<Page>(raw([("id", s("p1")), ("text", s("old"))]))
        .await;
    let load = || Page::key("p1").get().consistent().send(&db);
    let (first, second) = (load().await?.ok_or("there")?, load().await?.ok_or("there")?);
    assert_eq!(first.version.number(), None);
    let adopted = first.put().send(&db).await?;
    assert_eq!(adopted.version, Version::from(1));
    let refused = second.put().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(refused.current::<Page>()?, Some(adopted));
    Ok(())
}

async fn a_row_with_a_null_version_is_adopted(db: Db) -> Outcome {
    let null = AttributeValue::Null(true);
    db.plant::<Page>(raw([("id", s("p1")), ("text", s("old")), ("v", null)]))
        .await;
    let loaded = Page::key("p1")
        .get()
        .consistent()
        .send(&db)
        .await?
        .ok_or("there")?;
    assert_eq!(loaded.put().send(&db).await?.version, Version::from(1));
    assert!(loaded.put().send(&db).await.unwrap_err().is_conflict());
    Ok(())
}

async fn an_unversioned_row_is_deleted_as_loaded(db: Db) -> Outcome {
    db.plant::<Page>(raw([("id", s("p1")), ("text", s("old"))]))
        .await;
    let loaded = Page::key("p1")
        .get()
        .consistent()
        .send(&db)
        .await?
        .ok_or("there")?;
    loaded.delete().send(&db).await?;
    let gone = loaded.put().send(&db).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
    Ok(())
}

async fn an_adopted_row_keeps_its_created_at(db: Db) -> Outcome {
    let planted = [
        ("id", s("d1")),
        ("text", s("old")),
        ("created_at", s("2001-02-03T04:05:06Z")),
    ];
    db.plant::<Draft>(raw(planted)).await;
    let loaded = Draft::key("d1")
        .get()
        .consistent()
        .send(&db)
        .await?
        .ok_or("there")?;
    assert_eq!(loaded.created_at, Some(moment("2001-02-03T04:05:06Z")));
    let adopted = loaded.put().unchecked().send(&db).await?;
    assert_eq!(adopted.created_at, loaded.created_at);
    Ok(())
}

async fn a_recreated_row_is_not_the_loaded_one(db: Db) -> Outcome {
    let loaded = draft("d1", "x")
        .create()
        .send(&db.at(&HandClock::at(T0)))
        .await?;
    loaded.delete().send(&db).await?;
    let other = draft("d1", "y")
        .create()
        .send(&db.at(&HandClock::at(T1)))
        .await?;
    assert_eq!(loaded.version, other.version);
    let refused = loaded.put().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(refused.current::<Draft>()?.as_ref(), Some(&other));
    assert!(loaded.delete().send(&db).await.unwrap_err().is_conflict());
    other.put().send(&db).await?;
    Ok(())
}

async fn a_version_from_outside_is_checked(db: Db) -> Outcome {
    draft("d1", "x").create().send(&db).await?;
    let by_etag = |version: u64| Draft {
        version: version.into(),
        ..draft("d1", "y")
    };
    assert!(by_etag(2).put().send(&db).await.unwrap_err().is_conflict());
    assert_eq!(by_etag(1).put().send(&db).await?.version.to_string(), "2");
    Ok(())
}

async fn the_highest_version_is_refused(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let page = Page {
        id: "p1".into(),
        text: "x".into(),
        version: Version::from(u64::MAX),
    };
    let refused = page.put().send(&faulty).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidValue);
    assert!(http.calls().is_empty());
    Ok(())
}

crate::declare! {
    entity Foreign(table = "foreign-times", key(pk = id))
        { id: String, #[dynamo(version)] version: Version,
          #[dynamo(created_at, format = "epoch")] created_at: Option<DateTime<Utc>>,
          #[dynamo(updated_at, format = "epoch_ms")] updated_at: DateTime<Utc> }
}

fn foreign(id: &str) -> Foreign {
    Foreign {
        id: id.into(),
        version: Version::default(),
        created_at: None,
        updated_at: DateTime::UNIX_EPOCH,
    }
}

async fn foreign_forms_of_timestamps_are_kept(db: Db) -> Outcome {
    let clock = HandClock::at("2084-06-01T10:00:00.789Z");
    let created = foreign("f1").create().send(&db.at(&clock)).await?;
    assert_eq!(created.created_at, Some(moment(T0)));
    assert_eq!(created.updated_at, clock.time());
    let stored = db.stored(&created.key()).await;
    assert_eq!(stored["created_at"], n(clock.seconds()));
    assert_eq!(stored["updated_at"], n(clock.time().timestamp_millis()));
    Ok(())
}

async fn a_foreign_form_tells_recreated_rows_apart(db: Db) -> Outcome {
    let clock = HandClock::at("2084-06-01T10:00:00.789Z");
    let now = db.at(&clock);
    let first = foreign("f1").create().send(&now).await?;
    let first = first
        .key()
        .get()
        .consistent()
        .send(&db)
        .await?
        .ok_or("there")?;
    first.put().send(&now).await?;
    clock.advance(1_000);
    Foreign::key("f1").delete().send(&now).await?;
    foreign("f1").create().send(&now).await?;
    assert!(first.put().send(&now).await.unwrap_err().is_conflict());
    Ok(())
}

async fn a_creation_time_is_one_however_it_is_spelt(db: Db) -> Outcome {
    for spelt in [
        "2084-06-01T10:00:00Z",
        "2084-06-01T10:00:00.000Z",
        "2084-06-01T10:00:00+00:00",
        "2084-06-01T10:00:00.120Z",
        "2084-06-01T10:00:00.123456+00:00",
        "2084-06-01T10:00:00.123456789Z",
    ] {
        let foreign = || {
            let id = ("id", s("d1"));
            raw([
                id,
                ("text", s("x")),
                ("version", n(1)),
                ("created_at", s(spelt)),
            ])
        };
        let read = async || Draft::key("d1").get().send(&db).await;
        db.plant::<Draft>(foreign()).await;
        let loaded = read().await?.ok_or(spelt)?;
        assert_eq!(loaded.put().send(&db).await?.version.number(), Some(2));
        db.plant::<Draft>(foreign()).await;
        loaded.delete().send(&db).await?;
        let mut recreated = foreign();
        recreated.insert("created_at".into(), s("2084-06-01T10:00:00.000001Z"));
        db.plant::<Draft>(recreated).await;
        assert!(loaded.put().send(&db).await.unwrap_err().is_conflict());
    }
    Ok(())
}

async fn a_ttl_is_stored_in_whole_seconds(db: Db) -> Outcome {
    let written = session("s1", Some("2094-06-01T10:00:00.999999999Z"));
    let cut = Some(moment("2094-06-01T10:00:00Z"));
    assert_eq!(written.create().send(&db).await?.expires_at, cut);
    assert_eq!(written.put().send(&db).await?.expires_at, cut);
    let stored = db.stored(&written.key()).await;
    assert_eq!(
        stored["expires_at"],
        n(moment("2094-06-01T10:00:00Z").timestamp())
    );
    Ok(())
}

crate::declare! {
    entity ByNumber(table = "ttl-number", key(pk = id)) { id: String, #[dynamo(ttl, rename = "ttl")] expires: u64 }
    entity BySystemTime(table = "ttl-system", key(pk = id)) { id: String, #[dynamo(ttl)] expires: SystemTime }
}

async fn every_type_of_ttl_expires(db: Db) -> Outcome {
    let clock = HandClock::at(T0);
    let now = db.at(&clock);
    let number = ByNumber {
        id: "a".into(),
        expires: u64::try_from(clock.seconds())? + 1,
    };
    let system = BySystemTime {
        id: "a".into(),
        expires: (clock.time() + chrono::TimeDelta::seconds(1)).into(),
    };
    number.put().send(&now).await?;
    system.put().send(&now).await?;
    assert_eq!(
        number.key().get().consistent().send(&now).await?,
        Some(number.clone())
    );
    assert_eq!(
        system.key().get().consistent().send(&now).await?,
        Some(system.clone())
    );
    clock.advance(1_000);
    assert_eq!(number.key().get().consistent().send(&now).await?, None);
    assert_eq!(system.key().get().consistent().send(&now).await?, None);
    Ok(())
}

async fn a_fractional_ttl_is_read(db: Db) -> Outcome {
    let clock = HandClock::at(T0);
    for (id, digits) in [
        ("s1", "3926916000.75"),
        ("s2", "3926916000"),
        ("s3", "3.926916E9"),
    ] {
        let planted = [("id", s(id)), ("user", s("u1")), ("expires_at", n(digits))];
        db.plant::<Session>(raw(planted)).await;
        let get = Session::key(id).get().consistent();
        let found = get.send(&db.at(&clock)).await?.ok_or("live")?;
        assert_eq!(
            found.expires_at.map(|at| at.timestamp()),
            Some(3_926_916_000),
            "{digits}"
        );
    }
    Ok(())
}

/// A fractional TTL expires at the same time for all verbs.
async fn a_fractional_ttl_expires_once(db: Db) -> Outcome {
    let clock = HandClock::at(T0);
    let now = db.at(&clock);
    let digits = format!("{}.5", clock.seconds());
    let planted = raw([
        ("id", s("s1")),
        ("user", s("u1")),
        ("expires_at", n(digits)),
    ]);
    db.plant::<Session>(planted).await;
    assert_eq!(
        Session::key("s1").get().consistent().send(&now).await?,
        None
    );
    let update = session("s1", None).put().if_exists().send(&now).await;
    assert!(update.unwrap_err().is_not_found());
    session("s1", None).create().send(&now).await?;
    Ok(())
}

async fn a_null_ttl_never_expires(db: Db) -> Outcome {
    let null = AttributeValue::Null(true);
    db.plant::<Session>(raw([
        ("id", s("s1")),
        ("user", s("u1")),
        ("expires_at", null),
    ]))
    .await;
    let found = Session::key("s1").get().consistent().send(&db).await?;
    assert_eq!(found, Some(session("s1", None)));
    let refused = session("s1", None).create().send(&db).await.unwrap_err();
    assert_eq!(refused.current::<Session>()?, Some(session("s1", None)));
    session("s1", None).put().if_exists().send(&db).await?;
    Ok(())
}

async fn an_unreadable_ttl_is_an_error(db: Db) -> Outcome {
    db.plant::<Session>(raw([
        ("id", s("s1")),
        ("user", s("u1")),
        ("expires_at", s("soon")),
    ]))
    .await;
    let error = Session::key("s1")
        .get()
        .consistent()
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert_eq!(error.attribute(), Some("expires_at"));
    Ok(())
}

async fn an_expired_row_is_no_current_one(db: Db) -> Outcome {
    let clock = HandClock::at(T0);
    let now = db.at(&clock);
    let expiring = Order {
        expires_at: Some(moment(T1)),
        ..order("u1", 1)
    };
    let loaded = expiring.create().send(&now).await?;
    let newer = loaded.put().send(&now).await?;
    let refused = loaded.put().send(&now).await.unwrap_err();
    assert_eq!(refused.current::<Order>()?, Some(newer));
    clock.advance(3_600_000);
    let refused = loaded.put().send(&now).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert!(refused.current::<Order>()?.is_none());
    Ok(())
}

async fn a_shared_table_hides_expired_rows(db: Db) -> Outcome {
    let expiring = Order {
        expires_at: Some(moment(T1)),
        ..order("u1", 1)
    };
    let stored = expiring.create().send(&db.at(&HandClock::at(T0))).await?;
    let late = db.at(&HandClock::at(T1));
    assert_eq!(stored.key().get().consistent().send(&late).await?, None);
    let shown = stored
        .key()
        .get()
        .consistent()
        .include_expired()
        .send(&late)
        .await?;
    assert_eq!(shown, Some(stored));
    Ok(())
}

crate::declare! {
    entity Event(table = "events", key(pk = id), gsi(by_creation, pk = "ALL", sk = "C#{created_at}"),
        gsi(by_update, pk = "UPDATES", sk = "U#{updated_at:s}"), gsi(by_end, pk = "ENDS", sk = "{expires_at}"))
        { id: String, #[dynamo(created_at, format = "epoch_ms")] created_at: Option<DateTime<Utc>>,
          #[dynamo(updated_at)] updated_at: DateTime<Utc>, #[dynamo(ttl)] expires_at: Option<DateTime<Utc>> }
}

async fn index_keys_are_made_of_what_is_stored(db: Db) -> Outcome {
    let clock = HandClock::at(T0);
    let event = Event {
        id: "e1".into(),
        created_at: None,
        updated_at: moment("2000-01-01T00:00:00Z"),
        expires_at: Some(moment("2090-01-01T00:00:00.5Z")),
    };
    let created = event.create().send(&db.at(&clock)).await?;
    let stored = db.stored(&created.key()).await;
    for (name, text) in [
        ("by_creation_sk", "C#2084-06-01T10:00:00.000000000Z"),
        ("by_update_sk", "U#2084-06-01T10:00:00Z"),
        ("by_end_sk", "2090-01-01T00:00:00.000000000Z"),
    ] {
        assert_eq!(stored[name], s(text), "{name}");
    }
    assert_eq!(Raw::from(created.to_item()?), stored);

    clock.advance(3_600_000);
    let put = created.put().send(&db.at(&clock)).await?;
    let stored = db.stored(&put.key()).await;
    assert_eq!(
        stored["by_creation_sk"],
        s("C#2084-06-01T10:00:00.000000000Z")
    );
    assert_eq!(stored["by_update_sk"], s("U#2084-06-01T11:00:00Z"));
    assert_eq!(Raw::from(put.to_item()?), stored);
    Ok(())
}
