//! Snapshots: several items as they were at one moment.

use dynamo_entity::Operation;
use dynamo_entity::prelude::*;
use serde_json::{Value, json};

use crate::faults::ambiguous;
use crate::faults::impatient;
use crate::idempotent::cancelled;
use crate::model::{Draft, Note, Session, draft, note, session};
use crate::support::clock::HandClock;
use crate::support::db::{Db, item};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_tuple_is_read_as_it_was_asked,
    a_list_is_read_in_order,
    lists_and_tuples_nest,
    an_item_is_asked_for_once,
    parts_of_items_are_read,
    expired_items_are_hidden,
    no_transaction_is_seen_in_parts,
    a_snapshot_of_nothing_asks_nothing,
    a_hundred_and_one_items_are_refused,
    what_is_no_key_is_named,
    a_malformed_item_is_an_error,
    a_snapshot_is_sent_again,
    contention_is_waited_out,
    endless_contention_names_the_item,
    half_an_answer_is_an_error,
    a_snapshot_is_explained,
];

async fn tables(db: &Db) -> Outcome {
    let tables = [Draft::schema(), Note::schema(), Session::schema()];
    db.create_tables(tables).await?;
    Ok(())
}

async fn a_tuple_is_read_as_it_was_asked(db: Db) -> Outcome {
    tables(&db).await?;
    let stored = draft("d1", "x").create().send(&db).await?;
    note("n1", "y").put().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let reads = (
        Draft::key("d1").get(),
        Note::key("none").get(),
        Note::key("n1").get().consistent(),
    );
    let (first, none, second) = transact_get(reads).send(&faulty).await?;
    assert_eq!((first, none), (Some(stored), None));
    assert_eq!(second, Some(note("n1", "y")));
    assert_eq!(http.calls(), ["TransactGetItems"]);
    Ok(())
}

async fn a_list_is_read_in_order(db: Db) -> Outcome {
    tables(&db).await?;
    for at in 0..100 {
        note(&format!("n{at}"), &format!("{at}"))
            .put()
            .send(&db)
            .await?;
    }
    let keys = (0..100).rev().map(|at| Note::key(format!("n{at}")).get());
    let found = transact_get(keys.collect::<Vec<_>>()).send(&db).await?;
    let texts: Vec<_> = found.into_iter().flatten().map(|note| note.text).collect();
    let expected: Vec<_> = (0..100).rev().map(|at| at.to_string()).collect();
    assert_eq!(texts, expected);
    Ok(())
}

async fn lists_and_tuples_nest(db: Db) -> Outcome {
    tables(&db).await?;
    note("n1", "x").put().send(&db).await?;
    let notes = vec![Note::key("n1").get(), Note::key("n2").get()];
    let reads = (Draft::key("d1").get(), notes);
    let [first, second] = transact_get([Note::key("n2").get(), Note::key("n1").get()])
        .send(&db)
        .await?;
    assert_eq!((first, second), (None, Some(note("n1", "x"))));
    let (none, notes) = transact_get(reads).send(&db).await?;
    assert_eq!((none, notes), (None, vec![Some(note("n1", "x")), None]));
    assert_eq!(
        transact_get(Note::key("n1").get()).send(&db).await?,
        Some(note("n1", "x"))
    );
    Ok(())
}

async fn an_item_is_asked_for_once(db: Db) -> Outcome {
    tables(&db).await?;
    note("n1", "x").put().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let read = || Note::key("n1").get();
    let found = transact_get(vec![read(), Note::key("n2").get(), read(), read()]);
    let found = found.send(&faulty).await?;
    let one = || Some(note("n1", "x"));
    assert_eq!(found, [one(), None, one(), one()]);
    let body: Value = serde_json::from_slice(&http.seen()[0].body)?;
    assert_eq!(body["TransactItems"].as_array().map(Vec::len), Some(2));
    // Duplicates do not count for the limit.
    let many: Vec<_> = (0..150).map(|_| read()).collect();
    assert_eq!(transact_get(many).send(&db).await?.len(), 150);
    Ok(())
}

#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Note)]
struct Text {
    text: String,
}

#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Note)]
struct Id {
    id: String,
}

async fn parts_of_items_are_read(db: Db) -> Outcome {
    tables(&db).await?;
    note("n1", "x").put().send(&db).await?;
    note("n2", "y").put().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let (text, id) = (
        || Note::key("n1").get().select::<Text>(),
        Note::key("n1").get().select::<Id>(),
    );
    let reads = (
        id,
        text(),
        Note::key("n2").get().select::<Id>(),
        Note::key("n2").get(),
    );
    let (id, found, second, whole) = transact_get(reads).send(&faulty).await?;
    assert_eq!(
        (id, found),
        (
            Some(Id { id: "n1".into() }),
            Some(Text { text: "x".into() })
        )
    );
    assert_eq!(
        (second, whole),
        (Some(Id { id: "n2".into() }), Some(note("n2", "y")))
    );
    let body: Value = serde_json::from_slice(&http.seen()[0].body)?;
    let gets = body["TransactItems"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    assert_eq!(gets.len(), 2);
    let names = |get: &Value| {
        get["Get"]["ExpressionAttributeNames"]
            .as_object()
            .map(|names| names.len())
    };
    // Two reads of one item are merged into one with both projections. The other item is read as a whole.
    assert_eq!(
        (names(&gets[0]), names(&gets[1])),
        // The key, the text, and the shape of the item.
        (Some(3), None),
        "{body}"
    );
    let (together,) = batch_get((text(),)).send(&db).await?;
    assert_eq!(together, Some(Text { text: "x".into() }));
    Ok(())
}

async fn expired_items_are_hidden(db: Db) -> Outcome {
    tables(&db).await?;
    let clock = HandClock::at("2124-01-01T00:00:10Z");
    session("s1", Some("2124-01-01T00:00:10Z"))
        .put()
        .send(&db)
        .await?;
    session("s2", Some("2124-01-01T00:00:11Z"))
        .put()
        .send(&db)
        .await?;
    let (one, two) = (|| Session::key("s1").get(), || Session::key("s2").get());
    let reads = (one(), one().include_expired(), two());
    let (hidden, shown, live) = transact_get(reads).send(&db.at(&clock)).await?;
    assert!(hidden.is_none() && shown.is_some() && live.is_some());
    Ok(())
}

async fn no_transaction_is_seen_in_parts(db: Db) -> Outcome {
    tables(&db).await?;
    let write = |turn: usize| {
        let (one, two) = (note("n1", &turn.to_string()), note("n2", &turn.to_string()));
        let db = db.clone();
        async move {
            Transaction::new()
                .with(one.put())
                .with(two.put())
                .send(&db)
                .await
        }
    };
    write(0).await?;
    let writer = async {
        for turn in 1..40 {
            write(turn).await?;
        }
        Ok::<_, Error>(())
    };
    let reader = async {
        for _ in 0..40 {
            let (one, two) = transact_get((Note::key("n1").get(), Note::key("n2").get()))
                .send(&db)
                .await?;
            assert_eq!(one.map(|note| note.text), two.map(|note| note.text));
        }
        Ok::<_, Error>(())
    };
    let (wrote, read) = tokio::join!(writer, reader);
    wrote?;
    read?;
    Ok(())
}

async fn a_snapshot_of_nothing_asks_nothing(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let none = transact_get(Vec::<dynamo_entity::read::Get<Note>>::new());
    assert_eq!(none.send(&faulty).await?, []);
    assert!(http.calls().is_empty());
    Ok(())
}

async fn a_hundred_and_one_items_are_refused(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let many: Vec<_> = (0..101)
        .map(|at| Note::key(format!("n{at}")).get())
        .collect();
    let error = transact_get(many).send(&faulty).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.entity()),
        (ErrorKind::InvalidValue, Some("Note"))
    );
    assert_eq!(
        error.failures().first().map(|failed| failed.index()),
        Some(100)
    );
    assert!(http.calls().is_empty());
    Ok(())
}

async fn what_is_no_key_is_named(db: Db) -> Outcome {
    let reads = (Draft::key("d1").get(), Note::key("").get());
    let error = transact_get(reads).send(&db).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.entity()),
        (ErrorKind::InvalidKey, Some("Note"))
    );
    assert_eq!(
        error.failures().first().map(|failed| failed.index()),
        Some(1)
    );
    Ok(())
}

async fn a_malformed_item_is_an_error(db: Db) -> Outcome {
    tables(&db).await?;
    db.plant::<Note>(item([("id", "n1".into()), ("text", 5.into())]))
        .await;
    let reads = (Draft::key("d1").get(), Note::key("n1").get());
    let error = transact_get(reads).send(&db).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.attribute()),
        (ErrorKind::Decode, Some("text"))
    );
    Ok(())
}

async fn a_snapshot_is_sent_again(db: Db) -> Outcome {
    tables(&db).await?;
    note("n1", "x").put().send(&db).await?;
    let (faulty, http) = impatient(&db);
    for fault in ambiguous() {
        http.plan([fault.clone()]);
        let found = transact_get((Note::key("n1").get(),)).send(&faulty).await;
        assert_eq!(
            found.map_err(|error| error.to_string()),
            Ok((Some(note("n1", "x")),)),
            "{fault:?}"
        );
        assert_eq!(http.calls().len(), 2, "{fault:?}");
    }
    Ok(())
}

async fn contention_is_waited_out(db: Db) -> Outcome {
    tables(&db).await?;
    let (faulty, http) = db.faulty(vec![cancelled(&["None", "TransactionConflict"]); 6]);
    let reads = (Draft::key("d1").get(), Note::key("n1").get());
    assert_eq!(transact_get(reads).send(&faulty).await?, (None, None));
    assert_eq!(http.calls().len(), 7);
    Ok(())
}

async fn endless_contention_names_the_item(db: Db) -> Outcome {
    let (faulty, _http) = db.faulty(vec![cancelled(&["None", "TransactionConflict"]); 200]);
    let reads = (Draft::key("d1").get(), Note::key("n1").get());
    let error = transact_get(reads).send(&faulty).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.entity()),
        (ErrorKind::Unavailable, Some("Note"))
    );
    let failed = error.failures().first().ok_or("one failed")?;
    assert_eq!(
        (failed.index(), failed.key_of::<Note>()?),
        (1, Some(Note::key("n1")))
    );
    assert!(failed.key_of::<Draft>()?.is_none()); // Its key is a text named `id`, too.
    Ok(())
}

async fn half_an_answer_is_an_error(db: Db) -> Outcome {
    for answer in [
        json!({}),
        json!({ "Responses": [{}] }),
        json!({ "Responses": 7 }),
    ] {
        let (faulty, _http) = db.faulty(vec![Fault::Reply(200, answer.to_string()); 3]);
        let reads = (Draft::key("d1").get(), Note::key("n1").get());
        let error = transact_get(reads).send(&faulty).await.unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Service | ErrorKind::Unavailable),
            "{answer}: {error:?}"
        );
    }
    Ok(())
}

async fn a_snapshot_is_explained(db: Db) -> Outcome {
    let explained = transact_get((Note::key("n1").get(),)).explain(&db)?;
    assert_eq!(explained.operation, Some("TransactGetItems"));
    let request: Value = serde_json::from_str(&explained.requests[0])?;
    assert_eq!(request["TransactItems"][0]["Get"]["Key"]["id"]["S"], "n1");
    Ok(())
}
