//! Writes that may be sent again, because they have a token or because the caller allows it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use aws_smithy_async::time::TimeSource;
use dynamo_entity::Operation;
use dynamo_entity::aws_sdk_dynamodb::config::retry::RetryConfig;
use dynamo_entity::prelude::*;
use serde_json::{Value, json};

use crate::faults::{ambiguous, impatient, leaked};
use crate::model::{Draft, Note, draft, note};
use crate::support::db::{Db, Http, n, s};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    an_idempotent_create_is_sent_again(Draft),
    an_idempotent_put_is_sent_again(Draft, Note),
    an_idempotent_delete_is_sent_again(Draft),
    an_idempotent_add_adds_once(Counter),
    an_idempotent_upsert_adds_once(Counter),
    an_idempotent_update_without_a_change_looks(Counter),
    a_lost_answer_is_not_a_second_effect(Draft),
    a_failed_condition_is_that_of_the_plain_verb(Draft),
    a_failed_condition_after_a_lost_answer_tells_nothing(Note),
    contention_is_retried(Note),
    endless_contention_is_an_error,
    what_will_not_go_away_is_not_retried,
    an_ambiguity_that_lasts_is_of_unknown_outcome(Note),
    a_write_that_is_still_going_on_is_of_unknown_outcome,
    every_write_has_its_own_token(Note),
    one_token_is_one_write(Note),
    a_token_has_a_length,
    a_token_is_not_used_for_ever(Note),
    a_token_ages_while_others_are_in_its_way(Note),
    tokens_are_random_where_a_generator_is_not,
    a_client_without_retries_sends_once,
    values_stay_out_of_the_reasons,
    a_transaction_has_the_members_of_the_verb(Draft),
    a_repeatable_write_is_sent_again(Note, Draft),
    a_repeatable_add_may_add_twice(Counter),
    a_repeatable_write_that_meets_itself_is_of_unknown_outcome(Draft),
    a_repeatable_write_that_was_refused_at_last_is_of_unknown_outcome(Note),
];

fn body(http: &Http, call: usize) -> Value {
    serde_json::from_slice(&http.seen()[call].body).expect("JSON")
}

fn token(http: &Http, call: usize) -> String {
    let body = body(http, call);
    body["ClientRequestToken"]
        .as_str()
        .expect("text")
        .to_owned()
}

/// After each ambiguous fault, the same bytes are sent again.
async fn is_sent_again<O: Operation>(
    db: &Db,
    prepare: impl AsyncFn(&Dynamo, &str) -> Result<O>,
) -> Outcome {
    let (faulty, http) = impatient(db);
    for (index, fault) in ambiguous().into_iter().enumerate() {
        let write = prepare(db, &format!("id{index}")).await?;
        http.plan([fault.clone()]);
        let sent = write.send(&faulty).await;
        assert!(sent.is_ok(), "{fault:?}: {:?}", sent.err());
        let seen = http.seen();
        assert_eq!(http.calls(), ["TransactWriteItems"; 2], "{fault:?}");
        assert_eq!(seen[0].body, seen[1].body, "{fault:?}");
    }
    Ok(())
}

async fn an_idempotent_create_is_sent_again(db: Db) -> Outcome {
    is_sent_again(&db, async |_, id| {
        Ok(leaked(draft(id, "x")).create().idempotent())
    })
    .await?;
    for index in 0..7 {
        let stored = db.stored(&Draft::key(format!("id{index}"))).await;
        assert_eq!((&stored["version"], &stored["text"]), (&n(1), &s("x")));
    }
    Ok(())
}

async fn an_idempotent_put_is_sent_again(db: Db) -> Outcome {
    is_sent_again(&db, async |db, id| {
        let stored = draft(id, "x").create().send(db).await?;
        Ok(leaked(stored).put().idempotent())
    })
    .await?;
    for index in 0..7 {
        let stored = db.stored(&Draft::key(format!("id{index}"))).await;
        assert_eq!(stored["version"], n(2));
    }
    is_sent_again(&db, async |_, id| {
        Ok(leaked(note(id, "x")).put().idempotent())
    })
    .await?;
    is_sent_again(&db, async |_, id| {
        Ok(leaked(note(id, "y")).put().if_exists().idempotent())
    })
    .await
}

async fn an_idempotent_delete_is_sent_again(db: Db) -> Outcome {
    is_sent_again(&db, async |db, id| {
        Ok(draft(id, "x")
            .create()
            .send(db)
            .await?
            .delete()
            .idempotent())
    })
    .await?;
    assert_eq!(db.count::<Draft>().await, 0);
    is_sent_again(&db, async |db, id| {
        draft(id, "x").create().send(db).await?;
        Ok(Draft::key(id).delete().if_exists().idempotent())
    })
    .await?;
    assert_eq!(db.count::<Draft>().await, 0);
    Ok(())
}

crate::declare! {
    entity Counter(table = "counters", key(pk = id))
        { id: String, #[dynamo(default)] count: u64, note: Option<String> }
}

fn counter(id: &str) -> Counter {
    Counter {
        id: id.into(),
        count: 1,
        note: None,
    }
}

async fn an_idempotent_add_adds_once(db: Db) -> Outcome {
    is_sent_again(&db, async |db, id| {
        counter(id).put().send(db).await?;
        let update = Counter::key(id).update().apply(|c| c.count().add(5));
        Ok(update.idempotent())
    })
    .await?;
    for index in 0..7 {
        let stored = db.stored(&Counter::key(format!("id{index}"))).await;
        assert_eq!(stored["count"], n(6), "{index}");
    }
    // An update of a loaded entity with a condition is idempotent, too.
    let loaded = counter("id0").key().get().consistent().send(&db).await?;
    let update = loaded.ok_or("there")?.update().apply(|c| c.count().add(1));
    let update = update.when(|c| c.count().eq(6)).idempotent();
    let (faulty, http) = db.faulty([Fault::Lose]);
    let () = update.send(&faulty).await?;
    assert_eq!(http.calls().len(), 2);
    assert_eq!(db.stored(&Counter::key("id0")).await["count"], n(7));

    let gone = Counter::key("none").update().apply(|c| c.count().add(1));
    let gone = gone.idempotent().send(&db).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
    let unfit = Counter::key("id0").update().apply(|c| c.count().add(1));
    let unfit = unfit.when(|c| c.count().eq(1)).idempotent().send(&db).await;
    let unfit = unfit.unwrap_err();
    assert_eq!(unfit.kind(), ErrorKind::Conflict);
    assert_eq!(unfit.current::<Counter>()?.map(|c| c.count), Some(7));
    Ok(())
}

async fn an_idempotent_upsert_adds_once(db: Db) -> Outcome {
    is_sent_again(&db, async |_, id| {
        let upsert = Counter::key(id).upsert().apply(|c| c.count().set(3));
        Ok(upsert.idempotent())
    })
    .await?;
    assert_eq!(db.stored(&Counter::key("id6")).await["count"], n(3));
    Ok(())
}

async fn an_idempotent_update_without_a_change_looks(db: Db) -> Outcome {
    let look = || Counter::key("c1").update().idempotent();
    assert!(look().send(&db).await.unwrap_err().is_not_found());
    counter("c1").put().send(&db).await?;
    let (faulty, http) = db.faulty([Fault::Io]);
    look().send(&faulty).await?;
    let operation = &body(&http, 1)["TransactItems"][0];
    assert!(operation["ConditionCheck"].is_object(), "{operation}");
    Ok(())
}

async fn a_lost_answer_is_not_a_second_effect(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([Fault::Lose, Fault::Lose]);
    draft("d1", "x").create().idempotent().send(&faulty).await?;
    assert_eq!(http.calls().len(), 3);
    assert_eq!(db.stored(&Draft::key("d1")).await["version"], n(1));
    Ok(())
}

async fn a_failed_condition_is_that_of_the_plain_verb(db: Db) -> Outcome {
    let first = draft("d1", "x").create().send(&db).await?;
    let second = first.put().send(&db).await?;

    let exists = draft("d1", "y")
        .create()
        .idempotent()
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(exists.kind(), ErrorKind::AlreadyExists);
    assert_eq!(exists.current::<Draft>()?.as_ref(), Some(&second));
    let plain = draft("d1", "y").create().send(&db).await.unwrap_err();
    assert_eq!(
        (exists.to_string(), exists.stage()),
        (plain.to_string(), plain.stage())
    );

    for conflict in [
        first.put().idempotent().send(&db).await.unwrap_err(),
        first.delete().idempotent().send(&db).await.unwrap_err(),
    ] {
        assert_eq!(conflict.kind(), ErrorKind::Conflict);
        assert_eq!(conflict.current::<Draft>()?.as_ref(), Some(&second));
        assert_eq!(conflict.entity(), Some("Draft"));
        assert!(conflict.request_id().is_some());
    }

    let gone = Draft::key("d2")
        .delete()
        .if_exists()
        .idempotent()
        .send(&db)
        .await;
    let gone = gone.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
    assert!(gone.current::<Draft>()?.is_none());
    Ok(())
}

/// The request without an answer may still be under way, and find the item gone.
async fn a_failed_condition_after_a_lost_answer_tells_nothing(db: Db) -> Outcome {
    note("n1", "x").put().send(&db).await?;
    let (faulty, http) = db.faulty([Fault::Io]);
    let refused = note("n1", "y").create().idempotent().send(&faulty).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(refused.current::<Note>()?, None);
    assert_eq!(http.calls()[..2], ["TransactWriteItems"; 2]);
    Ok(())
}

/// An answer that cancels the transaction for these reasons.
pub fn cancelled(codes: &[&str]) -> Fault {
    let reasons: Vec<Value> = codes.iter().map(|code| json!({ "Code": code })).collect();
    let body = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "Message": "cancelled",
        "CancellationReasons": reasons,
    });
    Fault::Reply(400, body.to_string())
}

async fn contention_is_retried(db: Db) -> Outcome {
    for (index, busy) in [
        cancelled(&["TransactionConflict"]),
        cancelled(&["ThrottlingError"]),
        cancelled(&[
            "None",
            "ProvisionedThroughputExceeded",
            "TransactionConflict",
        ]),
        Fault::refuse("TransactionInProgressException"),
        Fault::throttle(),
    ]
    .into_iter()
    .enumerate()
    {
        let (faulty, http) = db.faulty([busy.clone(), busy.clone()]);
        let note = note(&format!("n{index}"), "x");
        let sent = note.create().idempotent().send(&faulty).await;
        assert!(sent.is_ok(), "{busy:?}: {sent:?}");
        assert_eq!(http.calls().len(), 3, "{busy:?}");
        assert_eq!(token(&http, 0), token(&http, 2));
    }
    // A conflict with a transaction that holds the item is retried for a single write, too.
    let (faulty, http) = db.faulty([Fault::refuse("TransactionConflictException")]);
    note("single", "x").create().send(&faulty).await?;
    assert_eq!(http.calls(), ["PutItem"; 2]);
    Ok(())
}

async fn endless_contention_is_an_error(db: Db) -> Outcome {
    for (busy, kind, most) in [
        (
            cancelled(&["TransactionConflict"]),
            ErrorKind::Unavailable,
            15,
        ),
        (cancelled(&["ThrottlingError"]), ErrorKind::Throttled, 15),
        // Throttling of the whole request is retried only as often as the client retries.
        (Fault::throttle(), ErrorKind::Throttled, 3),
    ] {
        let (faulty, http) = db.faulty(vec![busy.clone(); 200]);
        let error = note("n1", "x").create().idempotent().send(&faulty).await;
        let error = error.unwrap_err();
        assert_eq!(error.kind(), kind, "{error:?}");
        assert!(http.calls().len() <= most, "{}", http.calls().len());
    }
    Ok(())
}

async fn what_will_not_go_away_is_not_retried(db: Db) -> Outcome {
    for (codes, kind) in [
        (&["ValidationError"][..], ErrorKind::Rejected),
        (
            &["TransactionConflict", "ValidationError"],
            ErrorKind::Rejected,
        ),
        (&["AccessDenied"], ErrorKind::AccessDenied),
        (
            &["ItemCollectionSizeLimitExceeded"],
            ErrorKind::CollectionFull,
        ),
        (&[], ErrorKind::Service),
    ] {
        let (faulty, http) = db.faulty([cancelled(codes)]);
        let error = note("n1", "x").create().idempotent().send(&faulty).await;
        let error = error.unwrap_err();
        assert_eq!(error.kind(), kind, "{error:?}");
        assert_eq!(error.code(), Some("TransactionCanceledException"));
        assert_eq!(http.calls().len(), 1, "{codes:?}");
    }
    Ok(())
}

async fn an_ambiguity_that_lasts_is_of_unknown_outcome(db: Db) -> Outcome {
    let throttled = vec![Fault::Io, Fault::throttle(), Fault::throttle()];
    let refused = vec![Fault::Lose, Fault::Refused, Fault::Refused];
    for plan in [
        vec![Fault::Io; 3],
        vec![Fault::internal(); 3],
        throttled,
        refused,
    ] {
        let (faulty, http) = db.faulty(plan.clone());
        let error = note("n1", "x").put().idempotent().send(&faulty).await;
        let error = error.unwrap_err();
        assert_eq!(
            error.kind(),
            ErrorKind::OutcomeUnknown,
            "{plan:?}: {error:?}"
        );
        assert!(
            error.to_string().contains("read before deciding"),
            "{error}"
        );
        assert_eq!(http.calls().len(), 3, "{plan:?}");
    }
    Ok(())
}

async fn a_write_that_is_still_going_on_is_of_unknown_outcome(db: Db) -> Outcome {
    let (faulty, _http) = db.faulty(vec![Fault::refuse("TransactionInProgressException"); 200]);
    let error = note("n1", "x")
        .put()
        .idempotent()
        .send(&faulty)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    Ok(())
}

async fn every_write_has_its_own_token(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    for _ in 0..20 {
        note("n1", "x").put().idempotent().send(&faulty).await?;
    }
    let tokens: std::collections::HashSet<_> = (0..20).map(|call| token(&http, call)).collect();
    assert_eq!(tokens.len(), 20);
    assert!(tokens.iter().all(|token| token.len() == 32), "{tokens:?}");
    Ok(())
}

async fn one_token_is_one_write(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    // The prefix is unique over all tests. Servers keep tokens for all tables together.
    let once = db.prefix();
    for _ in 0..3 {
        note("n1", "x")
            .create()
            .idempotent_with(once)
            .send(&faulty)
            .await?;
    }
    assert_eq!(
        (token(&http, 0), token(&http, 2)),
        (once.to_owned(), once.to_owned())
    );

    let other = note("n1", "y")
        .create()
        .idempotent_with(once)
        .send(&db)
        .await;
    let other = other.unwrap_err();
    assert_eq!(other.kind(), ErrorKind::Rejected, "{other:?}");
    assert_eq!(db.stored(&Note::key("n1")).await["text"], s("x"));
    Ok(())
}

async fn a_token_has_a_length(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    for token in [String::new(), "x".repeat(37)] {
        let error = Note::key("n1")
            .delete()
            .idempotent_with(token)
            .send(&faulty)
            .await;
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Config);
    }
    assert!(http.calls().is_empty());
    db.create_tables([Note::schema()]).await?;
    let longest = format!("{:x<36}", db.prefix());
    Note::key("n1")
        .delete()
        .idempotent_with(longest)
        .send(&faulty)
        .await?;
    Ok(())
}

/// A clock that goes forward by minutes whenever it is read.
#[derive(Debug)]
struct Hasty {
    minutes: u64,
    looks: AtomicU64,
}

impl TimeSource for Hasty {
    fn now(&self) -> SystemTime {
        let minutes = self.minutes * self.looks.fetch_add(1, Ordering::SeqCst);
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + 60 * minutes)
    }
}

async fn a_token_is_not_used_for_ever(db: Db) -> Outcome {
    for (minutes, calls) in [(8, 1), (0, 3)] {
        let (config, http) = db.faulty_config(vec![Fault::Io; 9]);
        let looks = AtomicU64::new(0);
        let faulty = db.through(config.time_source(Hasty { minutes, looks }));
        let error = note("n1", "x")
            .put()
            .idempotent()
            .send(&faulty)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error:?}");
        assert_eq!(http.calls().len(), calls, "{minutes} minutes");
    }
    Ok(())
}

/// If the machine sleeps between two attempts, the token is too old, although each attempt is short.
async fn a_token_ages_while_others_are_in_its_way(db: Db) -> Outcome {
    // The first refusal leaves the outcome unknown, and the SDK sends it again. The second proves that
    // nothing was written.
    let ways = [
        (
            Fault::refuse("TransactionInProgressException"),
            ErrorKind::OutcomeUnknown,
        ),
        (cancelled(&["TransactionConflict"]), ErrorKind::Unavailable),
    ];
    for (fault, kind) in ways {
        for (minutes, calls) in [(8, 1), (0, 3)] {
            let (config, http) = db.faulty_config(vec![fault.clone(); 2]);
            let looks = AtomicU64::new(0);
            let faulty = db.through(config.time_source(Hasty { minutes, looks }));
            let sent = note("n1", "x").put().idempotent().send(&faulty).await;
            let met = sent.as_ref().map_err(|error| error.kind()).err();
            assert_eq!(met, (minutes > 0).then_some(kind), "{sent:?}");
            assert_eq!(http.calls().len(), calls, "{minutes} minutes");
        }
    }
    Ok(())
}

/// After a fork, both processes have the same generator, so tokens must not come from it.
async fn tokens_are_random_where_a_generator_is_not(db: Db) -> Outcome {
    let token = || {
        fastrand::seed(7);
        let explained = note("n1", "x").put().idempotent().explain(&db)?;
        let body: Value = serde_json::from_str(&explained.requests[0])?;
        let token = body["ClientRequestToken"].as_str().ok_or("a token")?;
        Ok::<_, Box<dyn std::error::Error>>(token.to_owned())
    };
    let (first, second) = (token()?, token()?);
    assert_ne!(first, second);
    assert!(first.len() == 32 && u128::from_str_radix(&first, 16).is_ok());
    Ok(())
}

async fn a_client_without_retries_sends_once(db: Db) -> Outcome {
    let (config, http) = db.faulty_config([Fault::Io]);
    let faulty = db.through(config.retry_config(RetryConfig::disabled()));
    let error = note("n1", "x")
        .put()
        .idempotent()
        .send(&faulty)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(http.calls().len(), 1);
    Ok(())
}

async fn values_stay_out_of_the_reasons(db: Db) -> Outcome {
    let reason = json!({ "Code": "ValidationError", "Message": "secret-text is no number" });
    let body = json!({
        "__type": "TransactionCanceledException",
        "Message": "Transaction cancelled: secret-text",
        "CancellationReasons": [reason],
    });
    let (faulty, _http) = db.faulty([Fault::Reply(400, body.to_string())]);
    let error = note("n1", "secret-text")
        .put()
        .idempotent()
        .send(&faulty)
        .await;
    let error = error.unwrap_err();
    assert!(
        !format!("{error} {error:?}").contains("secret"),
        "{error:?}"
    );
    assert!(error.to_string().contains("ValidationError"), "{error}");
    Ok(())
}

async fn a_transaction_has_the_members_of_the_verb(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let stored = draft("d1", "x").create().send(&db).await?;
    stored.put().idempotent().send(&faulty).await?;
    let newer = Draft::key("d1").get().consistent().send(&db).await?;
    newer
        .ok_or("there")?
        .delete()
        .idempotent()
        .send(&faulty)
        .await?;
    let names = |object: &Value| -> Vec<String> {
        object
            .as_object()
            .map(|object| object.keys().cloned().collect())
            .unwrap_or_default()
    };
    for (call, member, subject) in [(0, "Put", "Item"), (1, "Delete", "Key")] {
        let body = body(&http, call);
        assert_eq!(names(&body), ["ClientRequestToken", "TransactItems"]);
        let operation = &body["TransactItems"][0];
        assert_eq!(names(operation), [member]);
        assert_eq!(
            names(&operation[member]),
            [
                "ConditionExpression",
                "ExpressionAttributeNames",
                "ExpressionAttributeValues",
                subject,
                "ReturnValuesOnConditionCheckFailure",
                "TableName",
            ]
        );
    }
    Ok(())
}

async fn a_repeatable_write_is_sent_again(db: Db) -> Outcome {
    let (faulty, http) = impatient(&db);
    for (index, fault) in ambiguous().into_iter().enumerate() {
        let id = format!("id{index}");
        let old = note(&id, "old").put().send(&db).await?;
        http.plan([fault.clone()]);
        let put = note(&id, "new")
            .put()
            .if_exists()
            .retry_safe()
            .send(&faulty)
            .await;
        assert_eq!(
            put.map_err(|error| error.to_string()),
            Ok(note(&id, "new")),
            "{fault:?}"
        );
        assert_eq!(http.calls(), ["PutItem"; 2], "{fault:?}");
        assert_ne!(
            Note::key(&id).get().consistent().send(&db).await?,
            Some(old)
        );
    }
    // In all of these the first attempt was not executed, so the second one is.
    let (faulty, _http) = db.faulty([Fault::Io]);
    let created = draft("d1", "x").create().retry_safe().send(&faulty).await?;
    let (faulty, _http) = db.faulty([Fault::internal()]);
    let put = created.put().retry_safe().send(&faulty).await?;
    let (faulty, _http) = db.faulty([Fault::Timeout]);
    put.delete().retry_safe().send(&faulty).await?;
    let (faulty, _http) = db.faulty([Fault::Lose]);
    let old = Note::key("id1")
        .delete()
        .returning_old()
        .retry_safe()
        .send(&faulty)
        .await?;
    assert_eq!(old, None, "the second one found nothing");
    Ok(())
}

async fn a_repeatable_add_may_add_twice(db: Db) -> Outcome {
    counter("c1").put().send(&db).await?;
    let add = || Counter::key("c1").update().apply(|c| c.count().add(1));
    let (faulty, http) = db.faulty([Fault::Lose]);
    let new = add().retry_safe().send(&faulty).await?;
    assert_eq!((new.count, http.calls().len()), (3, 2));
    http.plan([Fault::Lose, Fault::throttle(), Fault::throttle()]);
    let error = add().retry_safe().send(&faulty).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    http.plan([Fault::Lose]);
    let upsert = Counter::key("c2").upsert().apply(|c| c.count().set(1));
    upsert.retry_safe().send(&faulty).await?;
    assert_eq!(http.calls().len(), 2);
    Ok(())
}

async fn a_repeatable_write_that_meets_itself_is_of_unknown_outcome(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([Fault::Lose]);
    let error = draft("d1", "x")
        .create()
        .retry_safe()
        .send(&faulty)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(http.calls().len(), 2);
    let stored = Draft::key("d1")
        .get()
        .consistent()
        .send(&db)
        .await?
        .ok_or("there")?;
    http.plan([Fault::Lose]);
    let error = stored.put().retry_safe().send(&faulty).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    http.plan([Fault::Lose]);
    let delete = Draft::key("d1").delete().if_exists().retry_safe();
    let error = delete.send(&faulty).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(db.count::<Draft>().await, 0);
    Ok(())
}

async fn a_repeatable_write_that_was_refused_at_last_is_of_unknown_outcome(db: Db) -> Outcome {
    for last in [Fault::throttle(), Fault::Refused, Fault::Io] {
        let (faulty, http) = db.faulty([Fault::Lose, last.clone(), last.clone()]);
        let error = note("n1", "x")
            .put()
            .if_missing()
            .retry_safe()
            .send(&faulty)
            .await;
        let error = error.unwrap_err();
        assert_eq!(
            error.kind(),
            ErrorKind::OutcomeUnknown,
            "{last:?}: {error:?}"
        );
        assert_eq!(http.calls().len(), 3);
        Note::key("n1").delete().send(&db).await?;
    }
    let (faulty, _http) = db.faulty(vec![Fault::throttle(); 3]);
    let error = note("n1", "x")
        .create()
        .retry_safe()
        .send(&faulty)
        .await
        .unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::Throttled,
        "no attempt was executed"
    );
    Ok(())
}
