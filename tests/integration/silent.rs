//! On a server that does not return the item with a failed condition, errors are the same but cost a read.

use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;

use crate::model::{Draft, Note, draft, note};
use crate::support::db::Db;
use crate::support::faulty::{Fault, Faults};
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_missing_item_in_the_answer_does_not_mean_deleted(Draft),
    an_item_in_the_answer_saves_the_read(Note),
    a_read_that_fails_is_an_error_of_its_own(Note),
    each_operation_is_learned_by_itself(Note),
    without_read_permission_the_server_is_believed(Note),
    a_row_that_is_gone_is_looked_for_once(Note),
    a_job_that_may_not_read_counts_no_row_as_gone(Note),
    a_write_that_finds_nothing_looks_once(Note),
    an_ambiguous_attempt_stays_unknown(Draft),
];

/// A stale put costs one read, whether the row still exists or is gone.
async fn a_missing_item_in_the_answer_does_not_mean_deleted(db: Db) -> Outcome {
    let old = draft("d1", "x").create().send(&db).await?;
    let newer = old.put().send(&db).await?;
    let (counted, http) = db.faulty([]);
    let stale = old.put().send(&counted).await.unwrap_err();
    assert!(stale.is_conflict(), "{stale:?}");
    assert_eq!(stale.current::<Draft>()?, Some(newer.clone()));
    assert_eq!(http.calls(), ["PutItem", "GetItem"]);
    newer.delete().send(&db).await?;
    http.plan([]);
    let gone = old.put().send(&counted).await.unwrap_err();
    assert!(gone.is_not_found(), "{gone:?}");
    assert_eq!(http.calls(), ["PutItem", "GetItem"]);
    Ok(())
}

/// A new connection to a server that returns items. The library knows nothing of that server yet.
fn talking(db: &Db) -> (Dynamo, Faults) {
    let faults = Faults::default();
    let http = faults.around(db.engine().http_client());
    (db.through(db.engine().config().http_client(http)), faults)
}

/// Once a server has returned an item with a failed condition, a missing item means that there is none.
async fn an_item_in_the_answer_saves_the_read(db: Db) -> Outcome {
    note("n1", "x").create().send(&db).await?;
    let (talking, faults) = talking(&db);
    let missing = || Note::key("n2").update().apply(|n| n.text().set("y"));
    let refused = missing().send(&talking).await.unwrap_err();
    assert!(refused.is_not_found());
    assert_eq!(faults.calls(), ["UpdateItem", "GetItem"]);
    let standing = Note::key("n1").update().apply(|n| n.text().set("y"));
    let standing = standing.when(|n| n.text().eq("z"));
    let refused = standing.send(&talking).await.unwrap_err();
    assert!(refused.current::<Note>()?.is_some());
    faults.plan([]);
    let refused = missing().send(&talking).await.unwrap_err();
    assert!(refused.is_not_found());
    assert_eq!(faults.calls(), ["UpdateItem"]);
    Ok(())
}

/// A server may return the item for one operation and not for another.
async fn each_operation_is_learned_by_itself(db: Db) -> Outcome {
    note("n1", "x").create().send(&db).await?;
    let (talking, faults) = talking(&db);
    let calls = || {
        let calls = faults.calls();
        faults.plan([]);
        calls
    };
    let update = |id| {
        let update = Note::key(id).update().apply(|n| n.text().set("y"));
        update.when(|n| n.text().eq("z"))
    };
    let delete = |id| Note::key(id).delete().when(|n| n.text().eq("z"));
    // That the server returned an item for a put tells nothing about other operations.
    assert!(note("n1", "y").create().send(&talking).await.is_err());
    assert_eq!(calls(), ["PutItem"]);
    assert!(update("n2").send(&talking).await.is_err());
    assert_eq!(calls(), ["UpdateItem", "GetItem"]);
    assert!(update("n1").send(&talking).await.is_err());
    assert!(update("n2").send(&talking).await.is_err());
    assert_eq!(calls(), ["UpdateItem", "UpdateItem"]);
    assert!(delete("n2").send(&talking).await.is_err());
    assert_eq!(calls(), ["DeleteItem", "GetItem"]);
    assert!(delete("n1").send(&talking).await.is_err());
    assert!(delete("n2").send(&talking).await.is_err());
    assert_eq!(calls(), ["DeleteItem", "DeleteItem"]);
    assert!(update("n2").idempotent().send(&talking).await.is_err());
    assert_eq!(calls(), ["TransactWriteItems", "GetItem"]);
    assert!(update("n1").idempotent().send(&talking).await.is_err());
    assert!(update("n2").idempotent().send(&talking).await.is_err());
    assert_eq!(calls(), ["TransactWriteItems", "TransactWriteItems"]);
    Ok(())
}

async fn a_read_that_fails_is_an_error_of_its_own(db: Db) -> Outcome {
    let failing = [Fault::Pass].into_iter().chain(vec![Fault::internal(); 9]);
    let (faulty, _http) = db.faulty(failing);
    let update = Note::key("n1").update().apply(|n| n.text().set("y"));
    let error = update.send(&faulty).await.unwrap_err();
    assert!(error.is_unavailable(), "{error:?}");
    assert_eq!(error.code(), Some("ConditionalCheckFailedException"));
    Ok(())
}

/// Only if the read is denied is the server believed: no item then means that the row is gone. Any other
/// failure of the read is reported.
async fn without_read_permission_the_server_is_believed(db: Db) -> Outcome {
    for (code, kind) in [
        ("AccessDeniedException", ErrorKind::NotFound),
        ("ValidationException", ErrorKind::Rejected),
        ("ResourceNotFoundException", ErrorKind::TableNotFound),
        ("SomethingNewException", ErrorKind::Service),
    ] {
        let (faulty, _http) = db.faulty([Fault::Pass, Fault::refuse(code)]);
        let update = Note::key("n1").update().apply(|n| n.text().set("y"));
        let error = update.send(&faulty).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{code}");
    }
    Ok(())
}

/// A job does not repeat the read that follows the failed write.
async fn a_row_that_is_gone_is_looked_for_once(db: Db) -> Outcome {
    note("n1", "x").put().send(&db).await?;
    let (counted, http) = db.faulty([]);
    let job = Note::scan().update_each(|note: &Note| {
        meanwhile(note.key().delete().send(&db)).expect("a delete");
        note.update().apply(|n| n.text().set("y"))
    });
    let report = job.send(&counted).await?.complete()?;
    assert_eq!((report.written, report.vanished), (0, 1));
    assert_eq!(http.calls(), ["Scan", "UpdateItem", "GetItem"]);
    Ok(())
}

/// If the job may not read, it cannot know that a row is gone, and says so.
async fn a_job_that_may_not_read_counts_no_row_as_gone(db: Db) -> Outcome {
    note("n1", "x").put().send(&db).await?;
    let denied = || Fault::refuse("AccessDeniedException");
    let (faulty, http) = db.faulty([Fault::Pass, Fault::Pass, denied(), denied()]);
    let job = Note::scan().update_each(|note: &Note| {
        note.update()
            .apply(|n| n.text().set("y"))
            .when(|n| n.text().eq("z"))
    });
    let report = job.send(&faulty).await?;
    assert_eq!((report.written, report.vanished), (0, 0));
    let stopped = report.stopped().expect("an end");
    assert_eq!(stopped.kind(), ErrorKind::AccessDenied);
    assert_eq!(http.calls(), ["Scan", "UpdateItem", "GetItem", "GetItem"]);
    Ok(())
}

async fn a_write_that_finds_nothing_looks_once(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let (counted, http) = db.faulty([]);
    let update = Note::key("n1").update().apply(|n| n.text().set("y"));
    let file = FileCheckpoint::new(folder.path().join("job"));
    let report = put_each([update]).checkpoint("once", file);
    let report = report.send(&counted).await?;
    assert!(report.errors()[0].error().is_not_found());
    assert_eq!(http.calls(), ["UpdateItem", "GetItem"]);
    Ok(())
}

async fn an_ambiguous_attempt_stays_unknown(db: Db) -> Outcome {
    let loaded = draft("d1", "x").create().send(&db).await?;
    let (faulty, http) = db.faulty([Fault::Lose]);
    let error = loaded.put().retry_safe().send(&faulty).await.unwrap_err();
    assert!(error.is_outcome_unknown(), "{error:?}");
    assert_eq!(http.calls(), ["PutItem", "PutItem"]);
    Ok(())
}
