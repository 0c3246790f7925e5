//! What a writer is told if the answer was lost, or if the item was deleted at once.

use std::time::Duration;

use dynamo_entity::prelude::*;

use super::{Account, account, owned, sentinels, tables};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_write_that_took_effect_is_reported_as_done,
    a_row_that_is_deleted_at_once_was_written,
    a_lost_answer_is_no_second_owner,
];

/// A transaction returns nothing, so the item is read after it. If it is gone by then, or the read fails, the
/// write is done all the same, and the error says so.
async fn a_write_that_took_effect_is_reported_as_done(db: Db) -> Outcome {
    tables(&db).await?;
    let upserted = |id, email: &str| {
        let email = email.to_owned();
        let upsert = Account::key(id).upsert();
        upsert.apply(|a| (a.email().set(email), a.org().set("o")))
    };
    let gone = || Fault::Reply(200, "{}".into());
    let denied = || Fault::refuse("AccessDeniedException");
    for (round, fault) in [gone as fn() -> Fault, denied].into_iter().enumerate() {
        let ann = account(1, "a@x").put().send(&db).await?;
        // `upsert` and `modify` read the item first. The update of a loaded entity does not.
        let (faulty, http) = db.faulty([Fault::Pass, fault()]);
        let update = ann.update().apply(|a| a.email().set("b@x"));
        let updated = update.send(&faulty).await;
        assert_eq!(http.calls(), ["TransactWriteItems", "GetItem"]);
        http.plan([Fault::Pass, Fault::Pass, fault()]);
        let modify = Account::key(1).modify(|a| a.email = "c@x".into());
        let modified = modify.send(&faulty).await;
        assert_eq!(http.calls(), ["GetItem", "TransactWriteItems", "GetItem"]);
        http.plan([Fault::Pass, Fault::Pass, fault()]);
        let upserted = upserted(1, "d@x").send(&faulty).await;
        assert_eq!(http.calls(), ["GetItem", "TransactWriteItems", "GetItem"]);
        for error in [updated, modified, upserted].map(Result::unwrap_err) {
            assert_eq!(error.kind(), ErrorKind::AppliedButUnread, "{error:?}");
            assert!(error.took_effect() && !error.is_lost_race());
            assert!(!error.is_not_found() && !error.is_outcome_unknown());
            assert_eq!(error.entity(), Some("Account"));
            assert_eq!(std::error::Error::source(&error).is_some(), round == 1);
        }
        let held = owned([("email#d@x", "ACCOUNT#0000000001")]);
        assert_eq!(sentinels::<Account>(&db).await, held);
        Account::key(1).delete().send(&db).await?;
    }
    Ok(())
}

/// Somebody else deletes the row between the write and the read.
async fn a_row_that_is_deleted_at_once_was_written(db: Db) -> Outcome {
    tables(&db).await?;
    let ann = account(1, "a@x").create().send(&db).await?;
    let (faulty, http) = db.faulty([Fault::Pass, Fault::Delay(Duration::from_secs(2))]);
    let update = ann.update().apply(|a| a.email().set("b@x")).send(&faulty);
    let delete = async {
        while http.calls().len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Account::key(1).delete().send(&db).await
    };
    let (updated, deleted) = tokio::join!(update, delete);
    deleted?;
    assert!(updated.unwrap_err().took_effect());
    assert!(sentinels::<Account>(&db).await.is_empty());
    Ok(())
}

async fn a_lost_answer_is_no_second_owner(db: Db) -> Outcome {
    tables(&db).await?;
    let (faulty, http) = db.faulty([Fault::Lose]);
    let ann = account(1, "a@x").create().send(&faulty).await?;
    assert_eq!(http.calls(), ["TransactWriteItems"; 2]);
    http.plan([Fault::Lose]);
    ann.update()
        .apply(|a| a.email().set("b@x"))
        .send(&faulty)
        .await?;
    http.plan([Fault::Pass, Fault::Lose]);
    account(1, "c@x").put().send(&faulty).await?;
    http.plan([Fault::Pass, Fault::Lose]);
    // It reads the values that it releases, as a put that is not retry-safe does.
    let put = account(1, "d@x");
    put.put().if_exists().retry_safe().send(&faulty).await?;
    http.plan([Fault::Pass, Fault::Lose]);
    Account::key(1).delete().send(&faulty).await?;
    assert_eq!(db.count::<Account>().await, 0);
    http.plan([Fault::Io, Fault::Io, Fault::Io]);
    assert!(
        account(1, "a@x")
            .create()
            .send(&faulty)
            .await
            .unwrap_err()
            .is_outcome_unknown()
    );
    Ok(())
}
