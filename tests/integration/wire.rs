//! Requests as they are sent.

use dynamo_entity::prelude::*;
use serde_json::{Value, json};

use crate::model::{Draft, Note, Order, Session, Shop, draft, note, order, session};
use crate::support::clock::HandClock;
use crate::support::db::{Db, Http, Mode};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    every_verb_is_one_request(Draft),
    the_same_operation_makes_the_same_bytes(Shop),
    names_and_values_go_through_placeholders(Shop),
    bodies_are_what_the_service_expects(Note, Session),
    the_table_is_named_in_full,
    calls_are_send_and_outlive_what_they_are_of(Shop),
    requests_are_counted_in_bytes(Note),
    what_is_null_in_an_answer_is_not_there,
];

fn bodies(http: &Http) -> Vec<Value> {
    let seen = http.seen();
    seen.iter()
        .map(|seen| serde_json::from_slice(&seen.body).expect("JSON"))
        .collect()
}

/// The SDK treats null members as absent, and other servers send them.
async fn what_is_null_in_an_answer_is_not_there(db: Db) -> Outcome {
    let table = db.table::<Note>();
    let found = json!({ "id": { "S": "n1" }, "text": { "S": "x" } });
    let answering = |answer: Value| db.faulty([Fault::Reply(200, answer.to_string())]).0;
    let key = || Note::key("n1");

    let rows =
        answering(json!({ "Items": [found], "LastEvaluatedKey": null, "ConsumedCapacity": null }));
    assert_eq!(Note::scan().all(&rows).await?, [note("n1", "x")]);
    let none = answering(json!({ "Items": null, "Count": null, "ScannedCount": null }));
    assert_eq!(Note::scan().all(&none).await?, []);
    // A read brings its rows even if their units cannot be decoded.
    let odd = answering(json!({ "Items": [found], "ConsumedCapacity": [7] }));
    let rows = Note::scan().read_units_per_second(1000).all(&odd).await;
    if db.mode() != Mode::Hooks {
        assert_eq!(rows?, [note("n1", "x")]);
    }

    let answer = json!({ "Responses": { &table: [found] }, "UnprocessedKeys": null });
    let read = Note::get_many([key()]).send(&answering(answer)).await?;
    assert_eq!(read, [Some(note("n1", "x"))]);
    for answer in [
        json!({ "Responses": null, "UnprocessedKeys": { &table: null } }),
        json!({ "Responses": { &table: null }, "UnprocessedKeys": {} }),
    ] {
        if db.mode() != Mode::Hooks {
            assert_eq!(
                Note::get_many([key()]).send(&answering(answer)).await?,
                [None]
            );
        }
    }
    let written = answering(json!({ "UnprocessedItems": null }));
    let report = Batch::new().with(key().delete()).send(&written).await?;
    assert_eq!((report.done, report.left.len()), (1, 0));

    let answer = answering(json!({ "Responses": [{ "Item": null }] }));
    assert_eq!(transact_get((key().get(),)).send(&answer).await?, (None,));
    assert_eq!(
        key()
            .get()
            .send(&answering(json!({ "Item": null })))
            .await?,
        None
    );
    Ok(())
}

async fn every_verb_is_one_request(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let stored = draft("d1", "x").create().send(&faulty).await?;
    let stored = stored.put().send(&faulty).await?;
    stored.key().get().send(&faulty).await?;
    stored.delete().returning_old().send(&faulty).await?;
    Draft::key("d1").delete().send(&faulty).await?;
    assert_eq!(
        http.calls(),
        ["PutItem", "PutItem", "GetItem", "DeleteItem", "DeleteItem"]
    );
    Ok(())
}

async fn the_same_operation_makes_the_same_bytes(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let clock = HandClock::at("2024-06-01T10:00:00Z");
    let now = faulty.with_clock(clock);
    let order = Order {
        tags: (0..20).map(|tag| tag.to_string()).collect(),
        ..order("u1", 7)
    };
    for _ in 0..2 {
        order.create().send(&now).await?;
        order.key().delete().if_exists().send(&now).await?;
    }
    let bodies = bodies(&http);
    assert_eq!(bodies[..2], bodies[2..]);
    // The SDK's own maps have no fixed order.
    if db.mode() != Mode::Hooks {
        let seen = http.seen();
        assert!(seen[0].body == seen[2].body && seen[1].body == seen[3].body);
    }
    Ok(())
}

async fn names_and_values_go_through_placeholders(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let stored = order("u1", 7).create().send(&faulty).await?;
    let stored = stored.put().send(&faulty).await?;
    stored.delete().send(&faulty).await?;
    for body in bodies(&http) {
        let condition = body["ConditionExpression"].as_str().ok_or("a condition")?;
        for name in ["pk", "version", "created_at", "expires_at"] {
            assert!(!condition.contains(name), "{condition}");
        }
        let names = body["ExpressionAttributeNames"]
            .as_object()
            .ok_or("names")?;
        assert!(
            names.keys().all(|name| condition.contains(name.as_str())),
            "{body}"
        );
        assert_eq!(body["ReturnValuesOnConditionCheckFailure"], "ALL_OLD");
    }
    Ok(())
}

async fn bodies_are_what_the_service_expects(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    note("n1", "x").put().send(&faulty).await?;
    note("n1", "x").put().if_exists().send(&faulty).await?;
    Note::key("n1").get().consistent().send(&faulty).await?;
    Note::key("n1")
        .delete()
        .returning_old()
        .send(&faulty)
        .await?;
    let clock = HandClock::at("1970-01-01T00:01:40Z");
    session("s1", None)
        .create()
        .send(&faulty.clone().with_clock(clock))
        .await?;
    let (notes, sessions) = (db.table::<Note>(), db.table::<Session>());
    let item = json!({ "id": { "S": "n1" }, "text": { "S": "x" } });
    let key = json!({ "id": { "S": "n1" } });
    let expected = [
        json!({ "TableName": notes, "Item": item }),
        json!({
            "TableName": notes,
            "Item": item,
            "ConditionExpression": "attribute_exists(#n0)",
            "ExpressionAttributeNames": { "#n0": "id" },
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }),
        json!({ "TableName": notes, "Key": key, "ConsistentRead": true }),
        json!({ "TableName": notes, "Key": key, "ReturnValues": "ALL_OLD" }),
        json!({
            "TableName": sessions,
            "Item": { "id": { "S": "s1" }, "user": { "S": "u1" } },
            "ConditionExpression": "attribute_not_exists(#n0) OR #n1 < :v0",
            "ExpressionAttributeNames": { "#n0": "id", "#n1": "expires_at" },
            "ExpressionAttributeValues": { ":v0": { "N": "101" } },
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }),
    ];
    assert_eq!(bodies(&http), expected);
    Ok(())
}

async fn the_table_is_named_in_full(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    drop(Note::key("n1").get().send(&faulty).await);
    let bare = faulty.with_prefix("");
    drop(Note::key("n1").get().send(&bare).await);
    let tables: Vec<Value> = bodies(&http)
        .iter()
        .map(|body| body["TableName"].clone())
        .collect();
    assert_eq!(tables, [json!(db.table::<Note>()), json!("notes")]);
    Ok(())
}

async fn calls_are_send_and_outlive_what_they_are_of(db: Db) -> Outcome {
    fn sent<T: Send + Unpin>(call: T) -> T {
        call
    }
    let calls = {
        let order = order("u1", 7);
        let key = order.key();
        (
            sent(order.create().send(&db)),
            sent(key.clone().get().send(&db)),
            sent(key.clone().delete().send(&db)),
            sent(order.put().unchecked().send(&db)),
            sent(key.delete().returning_old().send(&db)),
        )
    };
    calls.0.await?;
    calls.1.await?;
    calls.2.await?;
    calls.3.await?;
    assert!(calls.4.await?.is_some());
    Ok(())
}

async fn requests_are_counted_in_bytes(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    note("n1", "äöü👻\u{1}").put().send(&faulty).await?;
    let seen = &http.seen()[0];
    assert_eq!(
        seen.header("content-type"),
        Some("application/x-amz-json-1.0")
    );
    let length = seen.body.len().to_string();
    assert_eq!(seen.header("content-length"), Some(length.as_str()));
    Ok(())
}
