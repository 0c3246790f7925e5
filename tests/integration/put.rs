//! `put` replaces the stored item if its checks succeed.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use dynamo_entity::__private::as_stored;
use dynamo_entity::prelude::*;
use rust_decimal::Decimal;

use crate::model::{Draft, Note, Page, Session, draft, note, session};
use crate::support::clock::HandClock;
use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    it_stores_and_replaces(Note),
    the_stored_entity_comes_back(Draft),
    what_changes_on_the_way_is_returned_changed(Changing),
    if_exists_needs_an_item(Note),
    if_exists_needs_a_live_item(Session),
    if_missing_needs_none(Note),
    if_missing_replaces_an_expired_item(Session),
    a_version_is_checked_and_raised(Draft),
    a_version_that_is_behind_is_a_conflict(Draft),
    a_version_of_a_deleted_item_is_not_found(Draft),
    a_new_version_needs_no_item(Draft),
    unchecked_replaces_whatever_is_there(Page),
    unchecked_may_still_need_an_item(Draft),
    as_is_stores_what_the_struct_holds(Draft),
    as_is_may_still_need_that_no_item_is_there(Draft),
    as_is_fits_a_batch(Draft),
    attributes_that_are_gone_are_removed(Session),
    of_two_loaded_copies_one_is_written(Draft),
    a_call_is_sent_from_another_task(Note),
];

async fn it_stores_and_replaces(db: Db) -> Outcome {
    note("n1", "first").put().send(&db).await?;
    note("n1", "second").put().send(&db).await?;
    assert_eq!(db.stored(&Note::key("n1")).await["text"], s("second"));
    assert_eq!(db.count::<Note>().await, 1);
    Ok(())
}

async fn the_stored_entity_comes_back(db: Db) -> Outcome {
    let clock = HandClock::at("2024-06-01T10:00:00Z");
    let put = draft("d1", "x").put().send(&db.at(&clock)).await?;
    assert_eq!(put.version, Version::from(1));
    assert_eq!(put.created_at, Some(clock.time()));
    assert_eq!(put.key().get().consistent().send(&db).await?, Some(put));
    Ok(())
}

crate::declare! {
    /// Fields that are read back other than they were given: TTLs are cut to seconds, -0 becomes 0, scales are
    /// dropped, empty sets become absent, and fields without an attribute get their defaults.
    entity Changing(table = "changing", key(pk = id, sk = rank), gsi(by_weight, pk = group, sk = weight))
        { id: String, rank: f64, group: Option<String>, weight: Option<Decimal>, zeros: Vec<f32>, price: Decimal,
          tags: BTreeSet<String>, #[dynamo(default)] stars: u8, #[dynamo(skip)] seen: u32,
          #[dynamo(ttl)] expires: Option<SystemTime>, #[dynamo(version)] version: Version,
          #[dynamo(created_at)] created: SystemTime, #[dynamo(updated_by)] by: Option<String> }
}

async fn what_changes_on_the_way_is_returned_changed(db: Db) -> Outcome {
    let clock = HandClock::at("2124-06-01T10:00:00.5Z");
    let now = db.at(&clock).with_actor("ann");
    let given = Changing {
        id: "c1".into(),
        rank: -0.0,
        group: Some("g".into()),
        weight: Some("1.50".parse()?),
        zeros: vec![-0.0, 0.5],
        price: "2.00".parse()?,
        tags: BTreeSet::new(),
        stars: 3,
        seen: 7,
        expires: Some((clock.time() + Duration::from_millis(60_400)).into()),
        version: Version::default(),
        created: SystemTime::UNIX_EPOCH,
        by: None,
    };
    // The stored form is computed without reading it.
    assert!(as_stored(&given).is_some());
    let put = given.put().send(&now).await?;
    let read = put.key().get().consistent().send(&now).await?;
    assert_eq!(format!("{:?}", Some(&put)), format!("{read:?}"));
    let lost = (
        put.seen,
        put.rank.is_sign_negative(),
        put.zeros[0].is_sign_negative(),
    );
    assert_eq!(lost, (0, false, false));
    assert_eq!(
        (put.version, put.by.as_deref()),
        (Version::from(1), Some("ann"))
    );
    assert_eq!(
        put.expires,
        Some((clock.time() + Duration::from_millis(59_500)).into())
    );
    let again = put.put().send(&now).await?;
    let read = again.key().get().consistent().send(&now).await?;
    assert_eq!(format!("{:?}", Some(&again)), format!("{read:?}"));
    Ok(())
}

async fn if_exists_needs_an_item(db: Db) -> Outcome {
    let refused = note("n1", "x")
        .put()
        .if_exists()
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert!(refused.is_lost_race() && refused.current::<Note>()?.is_none());
    assert_eq!(db.count::<Note>().await, 0);
    note("n1", "x").put().send(&db).await?;
    let put = note("n1", "y").put().if_exists().send(&db).await?;
    assert_eq!(put, note("n1", "y"));
    Ok(())
}

async fn if_exists_needs_a_live_item(db: Db) -> Outcome {
    let clock = HandClock::at("2124-06-01T10:00:00Z");
    let now = db.at(&clock);
    let expiring = session("s1", Some("2124-06-01T10:00:01Z"));
    expiring.put().send(&now).await?;
    expiring.put().if_exists().send(&now).await?;
    clock.advance(1_000);
    let refused = expiring.put().if_exists().send(&now).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert!(refused.current::<Session>()?.is_none());
    session("s2", None).put().send(&now).await?;
    session("s2", None).put().if_exists().send(&now).await?;
    Ok(())
}

async fn if_missing_needs_none(db: Db) -> Outcome {
    note("n1", "x").put().if_missing().send(&db).await?;
    let refused = note("n1", "y")
        .put()
        .if_missing()
        .send(&db)
        .await
        .unwrap_err();
    assert!(refused.is_lost_race(), "{refused:?}");
    assert_eq!(refused.current::<Note>()?, Some(note("n1", "x")));
    assert!(!refused.to_string().contains("unchecked"), "{refused}");
    Ok(())
}

async fn if_missing_replaces_an_expired_item(db: Db) -> Outcome {
    let clock = HandClock::at("2124-06-01T10:00:00Z");
    let now = db.at(&clock);
    session("s1", Some("2124-06-01T10:00:00Z"))
        .put()
        .send(&now)
        .await?;
    session("s1", None).put().if_missing().send(&now).await?;
    Ok(())
}

async fn a_version_is_checked_and_raised(db: Db) -> Outcome {
    let mut draft = draft("d1", "0").create().send(&db).await?;
    for version in 2..5 {
        draft.text = version.to_string();
        draft = draft.put().send(&db).await?;
        assert_eq!(draft.version, Version::from(version));
    }
    assert_eq!(db.stored(&Draft::key("d1")).await["version"], n(4));
    Ok(())
}

async fn a_version_that_is_behind_is_a_conflict(db: Db) -> Outcome {
    let loaded = draft("d1", "0").create().send(&db).await?;
    let other = loaded.put().send(&db).await?;
    let refused = loaded.put().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(refused.current::<Draft>()?, Some(other));
    Ok(())
}

async fn a_version_of_a_deleted_item_is_not_found(db: Db) -> Outcome {
    let loaded = draft("d1", "0").create().send(&db).await?;
    Draft::key("d1").delete().send(&db).await?;
    let refused = loaded.put().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert_eq!(db.count::<Draft>().await, 0);
    Ok(())
}

async fn a_new_version_needs_no_item(db: Db) -> Outcome {
    let stored = draft("d1", "0").put().send(&db).await?;
    let refused = draft("d1", "1").put().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(refused.current::<Draft>()?, Some(stored));
    Ok(())
}

async fn unchecked_replaces_whatever_is_there(db: Db) -> Outcome {
    let page = Page {
        id: "p1".into(),
        text: "x".into(),
        version: Version::from(4),
    };
    let first = page.put().unchecked().send(&db).await?;
    let second = page.put().unchecked().send(&db).await?;
    assert_ne!(first.version, second.version);
    let number = second.version.number().ok_or("a number")?;
    assert_eq!(db.stored(&Page::key("p1")).await["v"], n(number));
    Ok(())
}

async fn unchecked_may_still_need_an_item(db: Db) -> Outcome {
    let put = draft("d1", "x")
        .put()
        .unchecked()
        .if_exists()
        .send(&db)
        .await;
    assert!(put.unwrap_err().is_not_found());
    Ok(())
}

async fn attributes_that_are_gone_are_removed(db: Db) -> Outcome {
    session("s1", Some("2094-01-01T00:00:00Z"))
        .put()
        .send(&db)
        .await?;
    session("s1", None).put().send(&db).await?;
    let stored = db.stored(&Session::key("s1")).await;
    assert_eq!(stored, raw([("id", s("s1")), ("user", s("u1"))]));
    Ok(())
}

async fn of_two_loaded_copies_one_is_written(db: Db) -> Outcome {
    let loaded = draft("d1", "0").create().send(&db).await?;
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let db = db.clone();
            let copy = Draft {
                text: writer.to_string(),
                ..loaded.clone()
            };
            tokio::spawn(async move { copy.put().send(&db).await })
        })
        .collect();
    let mut written = Vec::new();
    for writer in writers {
        match writer.await? {
            Ok(draft) => written.push(draft),
            Err(error) => assert!(error.is_conflict(), "{error:?}"),
        }
    }
    assert_eq!(written.len(), 1);
    let found = loaded.key().get().consistent().send(&db).await?;
    assert_eq!(found.as_ref(), written.first());
    Ok(())
}

/// A call owns what it sends, so the entity may be dropped before.
async fn a_call_is_sent_from_another_task(db: Db) -> Outcome {
    let dynamo: &'static Dynamo = Box::leak(Box::new(Dynamo::clone(&db)));
    let call = {
        let short_lived = note("n1", "x");
        short_lived.put().send(dynamo)
    };
    assert_eq!(tokio::spawn(call).await??, note("n1", "x"));
    Ok(())
}

/// An exported item that is loaded again is the same, whatever is there, whoever writes and whatever the time is.
async fn as_is_stores_what_the_struct_holds(db: Db) -> Outcome {
    let clock = HandClock::at("2024-06-01T10:00:00Z");
    let first = draft("d1", "x").create().send(&db.at(&clock)).await?;
    let exported = db.stored(&Draft::key("d1")).await;
    clock.advance(60_000);
    let later = db.at(&clock);
    let other = Draft {
        text: "y".into(),
        ..first.clone()
    };
    other.put().send(&later).await?;
    assert_ne!(db.stored(&Draft::key("d1")).await, exported);
    let loaded = Draft::from_item(exported.clone())?;
    assert_eq!(loaded.put().as_is().send(&later).await?, first);
    assert_eq!(db.stored(&Draft::key("d1")).await, exported);
    // A version that an API gave back is stored as it is; a new one is none.
    let given = Draft {
        version: Version::from(7),
        ..first.clone()
    };
    given.put().as_is().send(&later).await?;
    assert_eq!(db.stored(&Draft::key("d1")).await["version"], n(7));
    let unversioned = draft("d1", "x").put().as_is().send(&later).await?;
    assert_eq!(unversioned.version.number(), None);
    assert!(!db.stored(&Draft::key("d1")).await.contains_key("version"));
    // It is adopted like each row without a version.
    let adopted = unversioned.put().send(&later).await?;
    assert_eq!(adopted.version.number(), Some(1));
    Ok(())
}

async fn as_is_may_still_need_that_no_item_is_there(db: Db) -> Outcome {
    let loaded = Draft {
        version: Version::from(7),
        ..draft("d1", "x")
    };
    loaded.put().as_is().if_missing().send(&db).await?;
    let refused = loaded.put().as_is().if_missing().send(&db).await;
    assert!(refused.is_err_and(|error| error.is_lost_race()));
    assert_eq!(db.stored(&Draft::key("d1")).await["version"], n(7));
    Ok(())
}

async fn as_is_fits_a_batch(db: Db) -> Outcome {
    let loaded: Vec<Draft> = (1..30_u64)
        .map(|number| Draft {
            version: Version::from(number),
            ..draft(&format!("d{number}"), "x")
        })
        .collect();
    let puts = loaded.iter().map(|draft| draft.put().as_is());
    Batch::new().with_all(puts).send(&db).await?.complete()?;
    for draft in &loaded {
        let stored = draft.key().get().consistent().send(&db).await?;
        assert_eq!(stored.as_ref(), Some(draft));
    }
    Ok(())
}
