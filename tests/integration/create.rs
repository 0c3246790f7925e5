//! `create` never overwrites.

use dynamo_entity::error::Stage;
use dynamo_entity::prelude::*;

use crate::model::{Draft, Note, Order, RequestCount, Session, Shop, draft, note, order, session};
use crate::support::clock::{HandClock, moment};
use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_new_item_is_stored(Note),
    the_stored_entity_comes_back(Shop),
    an_item_is_never_overwritten(Note),
    the_error_carries_the_current_item(Shop),
    items_of_one_partition_are_apart(RequestCount),
    managed_fields_start_anew(Draft),
    an_expired_item_is_replaced(Session),
    an_expired_item_by_seconds_is_not(Session),
    an_item_that_expires_now_is_replaced(Session),
    sixty_four_creators_have_one_winner(Note),
];

async fn a_new_item_is_stored(db: Db) -> Outcome {
    note("n1", "milk").create().send(&db).await?;
    let stored = db.stored(&Note::key("n1")).await;
    assert_eq!(stored, raw([("id", s("n1")), ("text", s("milk"))]));
    Ok(())
}

async fn the_stored_entity_comes_back(db: Db) -> Outcome {
    let clock = HandClock::at("2024-06-01T10:00:00.250Z");
    let created = order("u1", 7).create().send(&db.at(&clock)).await?;
    let expected = Order {
        version: Version::from(1),
        created_at: Some(clock.time()),
        updated_at: Some(clock.time()),
        ..order("u1", 7)
    };
    assert_eq!(created, expected);
    let found = created.key().get().consistent().send(&db).await?;
    assert_eq!(found, Some(created));
    Ok(())
}

async fn an_item_is_never_overwritten(db: Db) -> Outcome {
    note("n1", "first").create().send(&db).await?;
    let refused = note("n1", "second").create().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert_eq!(refused.stage(), Stage::Service);
    assert_eq!(refused.entity(), Some("Note"));
    assert_eq!(db.stored(&Note::key("n1")).await["text"], s("first"));
    Ok(())
}

async fn the_error_carries_the_current_item(db: Db) -> Outcome {
    let winner = order("u1", 7).create().send(&db).await?;
    let refused = order("u1", 7).create().send(&db).await.unwrap_err();
    assert!(refused.is_lost_race());
    assert_eq!(refused.current::<Order>()?, Some(winner));
    Ok(())
}

async fn items_of_one_partition_are_apart(db: Db) -> Outcome {
    for day in 1..=3 {
        let count = RequestCount {
            request_name: "GET /".into(),
            day: chrono::NaiveDate::from_ymd_opt(2024, 2, day).ok_or("a day")?,
            count: u64::MAX - u64::from(day),
        };
        count.create().send(&db).await?;
        assert_eq!(count.key().get().consistent().send(&db).await?, Some(count));
    }
    assert_eq!(db.count::<RequestCount>().await, 3);
    Ok(())
}

async fn managed_fields_start_anew(db: Db) -> Outcome {
    let clock = HandClock::at("2024-06-01T10:00:00Z");
    let literal = Draft {
        version: Version::from(9),
        created_at: Some(moment("1999-01-01T00:00:00Z")),
        updated_at: Some(moment("1999-01-01T00:00:00Z")),
        ..draft("d1", "x")
    };
    let created = literal.create().send(&db.at(&clock)).await?;
    assert_eq!(created.version, Version::from(1));
    assert_eq!(created.created_at, Some(clock.time()));
    assert_eq!(created.updated_at, Some(clock.time()));
    let stored = db.stored(&Draft::key("d1")).await;
    assert_eq!(stored["version"], n(1));
    assert_eq!(stored["created_at"], s("2024-06-01T10:00:00.000000000Z"));
    Ok(())
}

async fn an_expired_item_is_replaced(db: Db) -> Outcome {
    let clock = HandClock::at("2124-06-01T10:00:00Z");
    let now = db.at(&clock);
    let old = session("s1", Some("2124-06-01T09:00:00Z"));
    old.put().send(&now).await?;
    let new = session("s1", Some("2124-06-01T11:00:00Z"));
    assert_eq!(new.create().send(&now).await?, new);
    let refused = new.create().send(&now).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert_eq!(refused.current::<Session>()?, Some(new));
    Ok(())
}

async fn an_expired_item_by_seconds_is_not(db: Db) -> Outcome {
    let clock = HandClock::at("2124-06-01T10:00:00.999Z");
    session("s1", Some("2124-06-01T10:00:01Z"))
        .create()
        .send(&db.at(&clock))
        .await?;
    let again = session("s1", None).create().send(&db.at(&clock)).await;
    assert!(again.unwrap_err().is_already_exists());
    Ok(())
}

async fn an_item_that_expires_now_is_replaced(db: Db) -> Outcome {
    let clock = HandClock::at("2124-06-01T10:00:01Z");
    let now = db.at(&clock);
    let old = session("s1", Some("2124-06-01T10:00:01Z"));
    old.put().send(&now).await?;
    session("s1", None).create().send(&now).await?;
    Ok(())
}

async fn sixty_four_creators_have_one_winner(db: Db) -> Outcome {
    let racers: Vec<_> = (0..64)
        .map(|racer| {
            let db = db.clone();
            let note = note("n1", &racer.to_string());
            tokio::spawn(async move { note.create().send(&db).await })
        })
        .collect();
    let (mut winners, mut losers) = (Vec::new(), Vec::new());
    for racer in racers {
        match racer.await? {
            Ok(winner) => winners.push(winner),
            Err(loser) => losers.push(loser),
        }
    }
    let [winner] = winners.as_slice() else {
        return Err(format!("winners: {winners:?}").into());
    };
    assert_eq!(losers.len(), 63);
    for loser in losers {
        assert!(loser.is_already_exists(), "{loser:?}");
        assert_eq!(loser.current::<Note>()?.as_ref(), Some(winner));
    }
    Ok(())
}
