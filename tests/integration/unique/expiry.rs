//! Unique values of owners that expire.

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;

use super::{Club, Person, owned, person, sentinels, tables};
use crate::support::clock::{HandClock, moment};
use crate::support::db::{Db, n, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    values_expire_with_their_owner,
    a_new_time_is_that_of_the_values_too,
    an_index_of_times_shows_no_sentinels(Login),
];

async fn values_expire_with_their_owner(db: Db) -> Outcome {
    tables(&db).await?;
    let clock = HandClock::at("2124-01-01T00:00:00Z");
    let at = db.at(&clock);
    let until = |second| Some(moment("2124-01-01T00:00:00Z") + chrono::TimeDelta::seconds(second));
    let ann = Person {
        until: until(10),
        ..person("ann", 1)
    };
    ann.create().send(&at).await?;
    assert!(
        person("bob", 1)
            .create()
            .send(&at)
            .await
            .unwrap_err()
            .is_unique_violation()
    );
    clock.advance(11_000);
    // The owner and the sentinel have expired, but the service has not deleted them yet.
    assert_eq!(Person::by_badge(1_u32).send(&at).await?, None);
    let bob = person("bob", 1).create().send(&at).await?;
    assert_eq!(Person::by_badge(1_u32).send(&at).await?, Some(bob));
    // Deleting an expired row does not give up a value that now belongs to another row.
    let ann = Person {
        badge: Some(2),
        ..person("ann", 2)
    };
    ann.create().send(&at).await?;
    Person::key("ann").delete().send(&at).await?;
    assert_eq!(
        sentinels::<Club>(&db).await,
        owned([("Person#badge#0000000001", "PERSON#bob")])
    );
    Ok(())
}

async fn a_new_time_is_that_of_the_values_too(db: Db) -> Outcome {
    tables(&db).await?;
    let time = moment("2034-01-01T00:00:00Z");
    let ann = person("ann", 1).create().send(&db).await?;
    let ttl = async || {
        let key = [("pk", s("$UNIQUE#Person#badge#0000000001")), ("sk", s("$"))];
        let get = db.client().get_item().table_name(db.table::<Club>());
        let get = key
            .into_iter()
            .fold(get, |get, (name, value)| get.key(name, value));
        let item = get
            .consistent_read(true)
            .send()
            .await
            .expect("an answer")
            .item;
        item.expect("a sentinel").get("until").cloned()
    };
    assert_eq!(ttl().await, None);
    let ann = ann
        .update()
        .apply(|p| p.until().set(time))
        .send(&db)
        .await?;
    assert_eq!(ttl().await, Some(n(time.timestamp())));
    Person::key("ann")
        .modify(|p| p.until = None)
        .send(&db)
        .await?;
    assert_eq!(ttl().await, None);
    let refused = Person::key("ann")
        .update()
        .apply(|p| p.until().set(time))
        .send(&db)
        .await;
    assert!(refused.unwrap_err().to_string().contains("`badge`"));
    Person {
        until: Some(time),
        ..ann
    }
    .put()
    .unchecked()
    .send(&db)
    .await?;
    assert_eq!(ttl().await, Some(n(time.timestamp())));
    Ok(())
}

crate::declare! {
    entity Login(table = "logins", key(pk = "LOGIN#{id}"), unique(by_token, token), gsi(by_end, pk = ends),
        gsi(keys_by_end, pk = ends, project = keys))
        { id: u32, token: String, kind: String, #[dynamo(ttl)] ends: Option<DateTime<Utc>> }
}

fn login(id: u32, token: &str) -> Login {
    Login {
        id,
        token: token.into(),
        kind: "keep".into(),
        ends: Some(moment("2094-01-01T00:00:00Z")),
    }
}

/// A sentinel has the TTL of its owner, so it also appears in an index that sorts by the TTL.
async fn an_index_of_times_shows_no_sentinels(db: Db) -> Outcome {
    let login = login(1, "t").create().send(&db).await?;
    let end = moment("2094-01-01T00:00:00Z");
    assert_eq!(Login::by_end(end).all(&db).await?, [login]);
    assert_eq!(Login::by_end(end).count(&db).await?, 1);
    let (faulty, http) = db.faulty([]);
    let refused = Login::keys_by_end(end).all(&faulty).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Rejected);
    assert!(http.calls().is_empty());
    Ok(())
}
