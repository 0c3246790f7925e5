//! Answers that are lost, late or refusals: what is sent again, and which outcome is reported.

use std::time::Duration;

use dynamo_entity::Operation;
use dynamo_entity::aws_sdk_dynamodb::config::retry::RetryConfig;
use dynamo_entity::aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use dynamo_entity::prelude::*;

use crate::model::{Draft, Note, draft, note};
use crate::support::db::{Db, Http, s};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    an_ambiguous_create_is_of_unknown_outcome(Note),
    an_ambiguous_checked_put_is_of_unknown_outcome(Note, Draft),
    an_ambiguous_checked_delete_is_of_unknown_outcome(Draft),
    an_ambiguous_put_is_sent_again(Note, Draft),
    an_ambiguous_delete_is_sent_again(Note, Draft),
    an_ambiguous_read_is_sent_again(Note),
    a_lost_answer_hides_an_effect(Note),
    a_delete_that_returns_the_item_is_not_repeated(Note),
    an_unconditional_put_that_never_succeeds_is_unavailable(Note),
    throttling_is_retried(Note),
    endless_throttling_is_throttled(Note),
    a_connection_that_was_never_made_leaves_no_unknown_outcome(Note),
    no_connection_at_all_is_unavailable,
    a_refusal_before_the_ambiguity_changes_nothing(Note),
    a_failed_condition_alone_is_certain(Note),
    refusals_are_told_apart_by_code,
    an_error_page_is_an_error,
    half_an_answer_is_an_error(Note),
    a_client_without_retries_keeps_the_law(Note),
    a_client_with_a_timeout_for_everything_keeps_the_law(Note),
    a_call_that_is_not_polled_sends_nothing(Note),
    a_call_that_is_dropped_harms_nobody(Note),
];

/// Faults that leave open whether the request was executed.
pub(crate) fn ambiguous() -> [Fault; 7] {
    [
        Fault::Lose,
        Fault::Io,
        Fault::Timeout,
        Fault::Hang,
        Fault::internal(),
        Fault::Reply(503, r#"{"__type":"ServiceUnavailable"}"#.into()),
        Fault::Reply(502, "<html>bad gateway</html>".into()),
    ]
}

/// A client with a short timeout for each attempt.
pub(crate) fn impatient(db: &Db) -> (Dynamo, Http) {
    let (config, http) = db.faulty_config([]);
    let timeout = TimeoutConfig::builder().operation_attempt_timeout(Duration::from_millis(400));
    (db.through(config.timeout_config(timeout.build())), http)
}

/// Tries each ambiguous fault on an operation that must not be repeated.
async fn is_of_unknown_outcome<O: Operation>(
    db: &Db,
    prepare: impl AsyncFn(&Dynamo, &str) -> Result<O>,
) -> Outcome {
    let (faulty, http) = impatient(db);
    for (index, fault) in ambiguous().into_iter().enumerate() {
        let operation = prepare(db, &format!("id{index}")).await?;
        http.plan([fault.clone()]);
        let Err(error) = operation.send(&faulty).await else {
            return Err(format!("{fault:?} went unnoticed").into());
        };
        assert_eq!(
            error.kind(),
            ErrorKind::OutcomeUnknown,
            "{fault:?}: {error:?}"
        );
        assert!(error.is_outcome_unknown() && !error.is_lost_race());
        assert!(
            error.to_string().contains("read before deciding"),
            "{error}"
        );
        assert_eq!(http.calls().len(), 1, "{fault:?}");
    }
    Ok(())
}

/// Tries each ambiguous fault on an operation that may be repeated.
async fn is_sent_again<O: Operation>(
    db: &Db,
    prepare: impl AsyncFn(&Dynamo, &str) -> Result<O>,
) -> Outcome {
    let (faulty, http) = impatient(db);
    for (index, fault) in ambiguous().into_iter().enumerate() {
        let operation = prepare(db, &format!("id{index}")).await?;
        http.plan([fault.clone()]);
        let sent = operation.send(&faulty).await;
        assert!(sent.is_ok(), "{fault:?}: {:?}", sent.err());
        assert_eq!(http.calls().len(), 2, "{fault:?}");
    }
    Ok(())
}

pub(crate) fn leaked<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

async fn an_ambiguous_create_is_of_unknown_outcome(db: Db) -> Outcome {
    is_of_unknown_outcome(&db, async |_, id| Ok(leaked(note(id, "x")).create())).await
}

async fn an_ambiguous_checked_put_is_of_unknown_outcome(db: Db) -> Outcome {
    is_of_unknown_outcome(&db, async |db, id| {
        let stored = draft(id, "x").create().send(db).await?;
        Ok(leaked(stored).put())
    })
    .await?;
    is_of_unknown_outcome(&db, async |_, id| {
        Ok(leaked(note(id, "x")).put().if_missing())
    })
    .await?;
    is_of_unknown_outcome(&db, async |db, id| {
        let stored = note(id, "x").put().send(db).await?;
        Ok(leaked(stored).put().if_exists())
    })
    .await
}

async fn an_ambiguous_checked_delete_is_of_unknown_outcome(db: Db) -> Outcome {
    is_of_unknown_outcome(&db, async |db, id| {
        Ok(draft(id, "x").create().send(db).await?.delete())
    })
    .await?;
    is_of_unknown_outcome(&db, async |_, id| Ok(Draft::key(id).delete().if_exists())).await
}

async fn an_ambiguous_put_is_sent_again(db: Db) -> Outcome {
    is_sent_again(&db, async |_, id| Ok(leaked(note(id, "x")).put())).await?;
    is_sent_again(&db, async |_, id| {
        Ok(leaked(draft(id, "x")).put().unchecked())
    })
    .await?;
    assert_eq!(db.count::<Note>().await, 7);
    Ok(())
}

async fn an_ambiguous_delete_is_sent_again(db: Db) -> Outcome {
    is_sent_again(&db, async |db, id| {
        note(id, "x").put().send(db).await?;
        Ok(Note::key(id).delete())
    })
    .await?;
    is_sent_again(&db, async |_, id| Ok(draft(id, "x").delete().unchecked())).await?;
    assert_eq!(db.count::<Note>().await, 0);
    Ok(())
}

async fn an_ambiguous_read_is_sent_again(db: Db) -> Outcome {
    is_sent_again(&db, async |_, id| Ok(Note::key(id).get().consistent())).await
}

async fn a_lost_answer_hides_an_effect(db: Db) -> Outcome {
    let (faulty, _http) = db.faulty([Fault::Lose]);
    let error = note("n1", "x").create().send(&faulty).await.unwrap_err();
    assert!(error.is_outcome_unknown());
    assert_eq!(db.stored(&Note::key("n1")).await["text"], s("x"));
    Ok(())
}

/// The second delete would find no item and return none.
async fn a_delete_that_returns_the_item_is_not_repeated(db: Db) -> Outcome {
    note("n1", "x").put().send(&db).await?;
    let (faulty, http) = db.faulty([Fault::Lose]);
    let delete = Note::key("n1").delete().returning_old();
    let error = delete.send(&faulty).await.unwrap_err();
    assert!(error.is_outcome_unknown());
    assert_eq!(http.calls().len(), 1);
    Ok(())
}

async fn an_unconditional_put_that_never_succeeds_is_unavailable(db: Db) -> Outcome {
    for fault in [Fault::Io, Fault::Timeout, Fault::internal()] {
        let (faulty, http) = db.faulty([fault.clone(), fault.clone(), fault.clone()]);
        let error = note("n1", "x").put().send(&faulty).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{fault:?}");
        assert_eq!(http.calls().len(), 3);
    }
    Ok(())
}

async fn throttling_is_retried(db: Db) -> Outcome {
    for (id, code) in [
        ("n1", "ThrottlingException"),
        ("n2", "ProvisionedThroughputExceededException"),
        ("n3", "RequestLimitExceeded"),
    ] {
        let (faulty, http) = db.faulty([Fault::refuse(code), Fault::refuse(code)]);
        note(id, "x").create().send(&faulty).await?;
        assert_eq!(http.calls(), ["PutItem"; 3], "{code}");
    }
    Ok(())
}

async fn endless_throttling_is_throttled(db: Db) -> Outcome {
    let (faulty, http) = db.faulty(vec![Fault::throttle(); 9]);
    let error = note("n1", "x").create().send(&faulty).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Throttled);
    assert!(error.is_throttled());
    assert_eq!(error.code(), Some("ThrottlingException"));
    assert_eq!(error.request_id(), Some("scripted"));
    assert_eq!(http.calls().len(), 3);
    Ok(())
}

async fn a_connection_that_was_never_made_leaves_no_unknown_outcome(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([Fault::Refused, Fault::Refused]);
    note("n1", "x").create().send(&faulty).await?;
    assert_eq!(http.calls().len(), 3);
    Ok(())
}

async fn no_connection_at_all_is_unavailable(db: Db) -> Outcome {
    let (faulty, _http) = db.faulty(vec![Fault::Refused; 3]);
    let error = note("n1", "x").create().send(&faulty).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.is_unavailable());
    assert!(error.to_string().contains("was not sent"), "{error}");
    Ok(())
}

async fn a_refusal_before_the_ambiguity_changes_nothing(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([Fault::throttle(), Fault::Refused, Fault::Lose]);
    let error = note("n1", "x").create().send(&faulty).await.unwrap_err();
    assert!(error.is_outcome_unknown(), "{error:?}");
    assert_eq!(http.calls().len(), 3);
    Ok(())
}

async fn a_failed_condition_alone_is_certain(db: Db) -> Outcome {
    note("n1", "x").put().send(&db).await?;
    let (faulty, http) = db.faulty([Fault::throttle()]);
    let error = note("n1", "y").create().send(&faulty).await.unwrap_err();
    assert!(error.is_already_exists(), "{error:?}");
    assert_eq!(http.calls()[..2], ["PutItem"; 2]);
    Ok(())
}

async fn refusals_are_told_apart_by_code(db: Db) -> Outcome {
    for (code, kind) in [
        ("ResourceNotFoundException", ErrorKind::TableNotFound),
        ("AccessDeniedException", ErrorKind::AccessDenied),
        ("UnrecognizedClientException", ErrorKind::AccessDenied),
        ("ExpiredTokenException", ErrorKind::AccessDenied),
        ("ValidationException", ErrorKind::Rejected),
        ("SomethingNewException", ErrorKind::Service),
    ] {
        let (faulty, http) = db.faulty([Fault::refuse(code)]);
        let error = note("n1", "x").create().send(&faulty).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{code}: {error:?}");
        assert_eq!(error.code(), Some(code));
        assert_eq!(http.calls().len(), 1, "{code}");
    }
    Ok(())
}

async fn an_error_page_is_an_error(db: Db) -> Outcome {
    let page = "<html>no such page</html>";
    let (faulty, _http) = db.faulty([Fault::Reply(404, page.into())]);
    let error = Note::key("n1").get().send(&faulty).await.unwrap_err();
    assert!(!error.is_table_not_found(), "{error:?}");
    assert!(!format!("{error:?}").contains("no such page"), "{error:?}");
    Ok(())
}

async fn half_an_answer_is_an_error(db: Db) -> Outcome {
    note("n1", "x").put().send(&db).await?;
    for length in [1, 5, 9, 20, 30] {
        let cut = Fault::Cut(length);
        let (faulty, _http) = db.faulty([cut.clone(), cut.clone(), cut]);
        let read = Note::key("n1").get().consistent().send(&faulty).await;
        assert!(read.is_err(), "{length} bytes: {read:?}");
    }
    Ok(())
}

async fn a_client_without_retries_keeps_the_law(db: Db) -> Outcome {
    for retries in [RetryConfig::disabled(), RetryConfig::adaptive()] {
        let (config, http) = db.faulty_config([Fault::Lose]);
        let faulty = db.through(config.retry_config(retries));
        let error = note("n1", "x").create().send(&faulty).await.unwrap_err();
        assert!(error.is_outcome_unknown(), "{error:?}");
        assert_eq!(http.calls().len(), 1);
        Note::key("n1").delete().send(&db).await?;
    }
    Ok(())
}

async fn a_client_with_a_timeout_for_everything_keeps_the_law(db: Db) -> Outcome {
    let (config, http) = db.faulty_config([Fault::Hang]);
    let timeout = TimeoutConfig::builder().operation_timeout(Duration::from_millis(300));
    let faulty = db.through(config.timeout_config(timeout.build()));
    let error = note("n1", "x").create().send(&faulty).await.unwrap_err();
    assert!(error.is_outcome_unknown(), "{error:?}");
    http.plan([Fault::Hang]);
    let error = Note::key("n1").get().send(&faulty).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    Ok(())
}

async fn a_call_that_is_not_polled_sends_nothing(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    drop(note("n1", "x").create().send(&faulty));
    drop(Note::key("n1").delete().send(&faulty));
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(http.calls().is_empty());
    assert_eq!(db.count::<Note>().await, 0);
    Ok(())
}

async fn a_call_that_is_dropped_harms_nobody(db: Db) -> Outcome {
    let (faulty, _http) = db.faulty(vec![Fault::Delay(Duration::from_millis(5)); 20]);
    for time in 0..20 {
        let put = note("n1", &time.to_string());
        let put = put.put().send(&faulty);
        drop(tokio::time::timeout(Duration::from_micros(500 * time), put).await);
    }
    note("n1", "last").put().send(&db).await?;
    Ok(())
}
