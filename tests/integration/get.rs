//! `get` reads one item by its key.

use dynamo_entity::prelude::*;

use crate::model::{Note, Order, Session, Shop, User, note, order, session, user};
use crate::support::clock::HandClock;
use crate::support::db::{Db, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_missing_item_is_none(Note),
    a_key_finds_what_an_entity_wrote(Shop),
    a_key_from_an_entity_finds_it(Shop),
    a_key_from_an_item_finds_it(Shop),
    parts_are_given_by_value_or_reference(Note),
    a_consistent_read_says_so(Note),
    entities_of_one_table_are_apart(Shop),
    expired_items_are_hidden(Session),
    expired_items_are_shown_on_request(Session),
    some_fields_are_read_alone(Shop, Session),
    a_call_outlives_its_key(Note),
];

async fn a_missing_item_is_none(db: Db) -> Outcome {
    assert_eq!(Note::key("n1").get().send(&db).await?, None);
    Ok(())
}

async fn a_key_finds_what_an_entity_wrote(db: Db) -> Outcome {
    let written = order("u#1 %", 7).create().send(&db).await?;
    let key = Order::key(&written.user_id, written.placed_at, 7);
    assert_eq!(key.get().consistent().send(&db).await?, Some(written));
    Ok(())
}

async fn a_key_from_an_entity_finds_it(db: Db) -> Outcome {
    let written = order("u1", 7).create().send(&db).await?;
    let key = written.key();
    assert_eq!(key.order_no, 7);
    assert_eq!(key.placed_at, written.placed_at);
    assert_eq!(key.get().consistent().send(&db).await?, Some(written));
    Ok(())
}

async fn a_key_from_an_item_finds_it(db: Db) -> Outcome {
    let written = order("u1", 7).create().send(&db).await?;
    let stored = db.stored(&written.key()).await;
    let key = Order::key_from_item(stored)?;
    assert_eq!(key, written.key());
    assert_eq!(key.get().consistent().send(&db).await?, Some(written));
    Ok(())
}

async fn parts_are_given_by_value_or_reference(db: Db) -> Outcome {
    let id = "n1".to_owned();
    assert_eq!(Note::key("n1"), Note::key(&id));
    assert_eq!(Note::key(&id), Note::key(id.clone()));
    note("n1", "x").put().send(&db).await?;
    assert!(Note::key(id).get().consistent().send(&db).await?.is_some());
    Ok(())
}

async fn a_consistent_read_says_so(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    Note::key("n1").get().send(&faulty).await?;
    Note::key("n1").get().consistent().send(&faulty).await?;
    let consistent: Vec<bool> = http
        .seen()
        .iter()
        .map(|seen| String::from_utf8_lossy(&seen.body).contains("\"ConsistentRead\":true"))
        .collect();
    assert_eq!(consistent, [false, true]);
    Ok(())
}

async fn entities_of_one_table_are_apart(db: Db) -> Outcome {
    let ada = user("u1").create().send(&db).await?;
    let order = order("u1", 7).create().send(&db).await?;
    assert_eq!(ada.key().get().consistent().send(&db).await?, Some(ada));
    assert_eq!(order.key().get().consistent().send(&db).await?, Some(order));
    assert_eq!(db.count::<Shop>().await, 2);
    assert_eq!(
        User::key(crate::model::UserId("u2".into()))
            .get()
            .send(&db)
            .await?,
        None
    );
    Ok(())
}

/// The times lie in the future, because the engine deletes expired items by its own clock.
async fn expired_items_are_hidden(db: Db) -> Outcome {
    let clock = HandClock::at("2124-06-01T10:00:00Z");
    let now = db.at(&clock);
    let session = session("s1", Some("2124-06-01T10:00:02Z"));
    session.put().send(&now).await?;
    let get = || session.key().get().consistent().send(&now);
    assert_eq!(get().await?, Some(session.clone()));
    clock.advance(1_999);
    assert_eq!(get().await?, Some(session.clone()));
    clock.advance(1);
    assert_eq!(get().await?, None);
    assert!(db.raw(&session.key()).await.is_some());
    Ok(())
}

async fn expired_items_are_shown_on_request(db: Db) -> Outcome {
    let clock = HandClock::at("2124-06-01T10:00:00Z");
    let session = session("s1", Some("2100-01-01T00:00:00Z"));
    session.put().send(&db).await?;
    let get = session.key().get().consistent().include_expired();
    assert_eq!(get.send(&db.at(&clock)).await?, Some(session));
    Ok(())
}

async fn a_call_outlives_its_key(db: Db) -> Outcome {
    db.plant::<Note>(raw([("id", s("n1")), ("text", s("x"))]))
        .await;
    let call = {
        let id = "n1".to_owned();
        Note::key(&id).get().consistent().send(&db)
    };
    assert_eq!(call.await?, Some(note("n1", "x")));
    Ok(())
}

/// A projection of one field that is only part of the key, and one of the item's.
#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Order)]
struct Priced {
    order_no: u32,
    total: rust_decimal::Decimal,
}

#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Session)]
struct Who {
    id: String,
}

async fn some_fields_are_read_alone(db: Db) -> Outcome {
    let written = order("u1", 7).create().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let get = written.key().get().consistent().select::<Priced>();
    let found = get.send(&faulty).await?;
    assert_eq!(
        found,
        Some(Priced {
            order_no: 7,
            total: written.total
        })
    );
    let body = String::from_utf8(http.seen()[0].body.to_vec())?;
    assert!(
        body.contains("ProjectionExpression") && !body.contains("note"),
        "{body}"
    );

    let clock = HandClock::at("2124-01-01T00:00:10Z");
    session("s1", Some("2124-01-01T00:00:10Z"))
        .put()
        .send(&db)
        .await?;
    let get = || Session::key("s1").get().select::<Who>();
    let now = db.at(&clock);
    assert_eq!(get().send(&now).await?, None, "it is over");
    let who = Who { id: "s1".into() };
    assert_eq!(get().include_expired().send(&now).await?, Some(who));
    Ok(())
}
