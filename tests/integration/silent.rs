//! A server that sends no item with a condition that failed: what is said is the same, and costs a read.

use dynamo_entity::prelude::*;

use crate::model::{Draft, Note, draft, note};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    no_item_is_not_taken_for_gone,
    what_came_is_not_read_again,
    a_read_that_fails_is_an_error_of_its_own,
    who_may_not_read_believes_the_server,
    an_ambiguous_attempt_stays_unknown,
];

/// A stale put, of a row that stands and of one that is gone: one read for each.
async fn no_item_is_not_taken_for_gone(db: Db) -> Outcome {
    db.create_tables([Draft::schema()]).await?;
    let old = draft("d1", "x").create().send(&db).await?;
    let newer = old.put().send(&db).await?;
    let (counted, http) = db.faulty([]);
    let stale = old.put().send(&counted).await.unwrap_err();
    assert!(stale.is_conflict(), "{stale:?}");
    assert_eq!(stale.current::<Draft>().transpose()?, Some(newer.clone()));
    assert_eq!(http.calls(), ["PutItem", "GetItem"]);
    newer.delete().send(&db).await?;
    http.plan([]);
    let gone = old.put().send(&counted).await.unwrap_err();
    assert!(gone.is_not_found(), "{gone:?}");
    assert_eq!(http.calls(), ["PutItem", "GetItem"]);
    Ok(())
}

/// From a server that was seen to send one, none means that none is there.
async fn what_came_is_not_read_again(db: Db) -> Outcome {
    db.create_tables([Note::schema()]).await?;
    note("n1", "x").create().send(&db).await?;
    let config = db.engine().config();
    let faults = crate::support::faulty::Faults::default();
    let talking = config.http_client(faults.around(db.engine().http_client()));
    let talking = db.through(talking);
    let missing = || Note::key("n2").update().apply(|n| n.text().set("y"));
    let refused = missing().send(&talking).await.unwrap_err();
    assert!(refused.is_not_found());
    assert_eq!(faults.calls(), ["UpdateItem", "GetItem"]);
    let refused = note("n1", "y").create().send(&talking).await.unwrap_err();
    assert!(refused.current::<Note>().is_some());
    faults.plan([]);
    let refused = missing().send(&talking).await.unwrap_err();
    assert!(refused.is_not_found());
    assert_eq!(faults.calls(), ["UpdateItem"]);
    // Of transactions it is not known yet.
    let once = missing().idempotent().send(&talking).await.unwrap_err();
    assert!(once.is_not_found());
    assert_eq!(
        faults.calls(),
        ["UpdateItem", "TransactWriteItems", "GetItem"]
    );
    Ok(())
}

async fn a_read_that_fails_is_an_error_of_its_own(db: Db) -> Outcome {
    db.create_tables([Note::schema()]).await?;
    let failing = [Fault::Pass].into_iter().chain(vec![Fault::internal(); 9]);
    let (faulty, _http) = db.faulty(failing);
    let update = Note::key("n1").update().apply(|n| n.text().set("y"));
    let error = update.send(&faulty).await.unwrap_err();
    assert!(error.is_unavailable(), "{error:?}");
    assert_eq!(error.code(), Some("ConditionalCheckFailedException"));
    Ok(())
}

async fn who_may_not_read_believes_the_server(db: Db) -> Outcome {
    db.create_tables([Note::schema()]).await?;
    let (faulty, _http) = db.faulty([Fault::Pass, Fault::refuse("AccessDeniedException")]);
    let update = Note::key("n1").update().apply(|n| n.text().set("y"));
    assert!(update.send(&faulty).await.unwrap_err().is_not_found());
    Ok(())
}

async fn an_ambiguous_attempt_stays_unknown(db: Db) -> Outcome {
    db.create_tables([Draft::schema()]).await?;
    let loaded = draft("d1", "x").create().send(&db).await?;
    let (faulty, http) = db.faulty([Fault::Lose]);
    let error = loaded.put().repeatable().send(&faulty).await.unwrap_err();
    assert!(error.is_outcome_unknown(), "{error:?}");
    assert_eq!(http.calls(), ["PutItem", "PutItem"]);
    Ok(())
}
