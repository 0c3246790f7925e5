//! Answers in every form that JSON allows, and answers that are not valid.

mod forms;
mod large;
pub mod rows;

use std::error::Error as _;
use std::sync::{Arc, Mutex};

use dynamo_entity::aws_sdk_dynamodb::config::retry::RetryConfig;
use dynamo_entity::prelude::*;
use dynamo_entity::{Dynamo, Error};
use serde_json::{Value as Json, json};

use crate::faults::ambiguous;
use crate::support::db::{Db, Http, Mode};
use crate::support::faulty::Fault;
use crate::support::rewriting::{Answer, Rewriting};
use crate::support::suite::Outcome;
use crate::tests;
use forms::Form;
use large::{
    a_large_answer_that_is_broken_ends_the_rows,
    a_row_of_a_large_answer_that_does_not_decode_stands_in_its_place, large_answers_are_merged,
    large_answers_are_merged_whatever_is_read,
};
use rows::{Row, WORKS, refusal, refusals, row, work, works};

tests![
    one_answer_has_many_forms(Row),
    one_refusal_has_many_forms(Row),
    an_answer_that_breaks_off_is_an_error(Row),
    bytes_after_an_item_are_read_too(Row),
    an_answer_that_is_none_names_its_request(Row),
    a_broken_answer_ends_in_an_error_at_worst(Row),
    a_count_is_a_number_in_any_form,
    reasons_of_a_cancellation_have_many_forms(Row),
    pages_of_proxies_are_errors(Row),
    every_operation_is_sent_again_where_it_may_be(Row),
    what_does_not_fit_is_named_and_not_shown(Row),
    large_answers_are_merged,
    large_answers_are_merged_whatever_is_read,
    a_large_answer_that_is_broken_ends_the_rows,
    a_row_of_a_large_answer_that_does_not_decode_stands_in_its_place,
];

/// A connection whose answers to item requests are changed by `change`.
fn rewriting(db: &Db, change: impl Fn(&mut Answer) + Send + Sync + 'static) -> Dynamo {
    let http = Rewriting::new(db.engine().http_client(), change);
    let config = db.engine().config().http_client(http);
    db.through(config.retry_config(RetryConfig::disabled()))
}

fn in_form(db: &Db, form: Form) -> Dynamo {
    rewriting(db, move |answer| {
        let json: Json = serde_json::from_slice(&answer.body).expect("JSON");
        answer.body = form.write(&json).into_bytes();
        // This is the checksum of another body. The SDK checks none of the checksums here.
        answer.headers.push(("x-amz-crc32", "12345".into()));
    })
}

async fn one_answer_has_many_forms(db: Db) -> Outcome {
    let plain = works(&in_form(&db, Form::Plain)).await;
    assert!(
        plain.iter().all(|(_, told)| told.starts_with("Ok(")),
        "{plain:#?}"
    );
    for form in Form::ALL {
        let told = works(&in_form(&db, form)).await;
        for (plain, told) in plain.iter().zip(told) {
            assert_eq!(*plain, told, "{form:?}");
        }
    }
    Ok(())
}

async fn one_refusal_has_many_forms(db: Db) -> Outcome {
    row("held", 1).put().unchecked().send(&db).await?;
    let plain = refusals(&in_form(&db, Form::Plain)).await;
    assert!(
        plain.iter().all(|(_, told)| told.starts_with("Err(")),
        "{plain:#?}"
    );
    for form in Form::ALL {
        let told = refusals(&in_form(&db, form)).await;
        for (plain, told) in plain.iter().zip(told) {
            assert_eq!(*plain, told, "{form:?}");
        }
    }
    Ok(())
}

/// The raw answers to all works, and those to all refusals.
async fn answers(db: &Db) -> (Vec<(u16, Vec<u8>)>, Vec<(u16, Vec<u8>)>) {
    let seen: Arc<Mutex<Vec<_>>> = Arc::default();
    let kept = seen.clone();
    let recording = rewriting(db, move |answer| {
        kept.lock()
            .unwrap()
            .push((answer.status, answer.body.clone()));
    });
    works(&recording).await;
    let works = std::mem::take(&mut *seen.lock().unwrap());
    refusals(&recording).await;
    let refusals = std::mem::take(&mut *seen.lock().unwrap());
    (works, refusals)
}

/// A connection that sends each request once and gets the planned answers.
fn answering(db: &Db) -> (Dynamo, Http) {
    let (config, http) = db.faulty_config([]);
    (
        db.through(config.retry_config(RetryConfig::disabled())),
        http,
    )
}

fn reply((status, body): &(u16, Vec<u8>), length: usize) -> Fault {
    let end = body.len().min(length);
    Fault::Reply(*status, String::from_utf8_lossy(&body[..end]).into_owned())
}

/// A write whose answer breaks off is of unknown outcome, and a read fails. Only a read of many keys may ask again, and
/// then it has what a whole answer has.
async fn an_answer_that_breaks_off_is_an_error(db: Db) -> Outcome {
    let (works, _) = answers(&db).await;
    assert_eq!(works.len(), WORKS);
    let (cut, http) = answering(&db);
    for (at, answer) in works.iter().enumerate() {
        let whole = answer.1.len();
        // Length 0 is left out: the SDK reads an empty body as an empty object.
        let lengths = (1..whole).filter(|length| length % 11 == 1 || length + 20 > whole);
        for length in lengths {
            http.plan([reply(answer, length)]);
            let (operation, told) = work(&cut, at).await;
            if operation == "BatchGetItem" && http.calls().len() > 1 {
                assert_eq!(told, work(&db, at).await.1, "{length}");
                continue;
            }
            // The answer to a batch write is read only up to its unprocessed items, so its last byte is not
            // missed.
            let is_complete = operation == "BatchWriteItem" && whole - length == 1;
            assert!(
                is_complete || told.starts_with("Err("),
                "{operation} {length} {told}"
            );
            let is_guarded = matches!(
                operation,
                "UpdateItem" | "DeleteItem" | "TransactWriteItems"
            );
            assert!(
                !is_guarded || told.contains("OutcomeUnknown"),
                "{operation} {length} {told}"
            );
            let is_of_one = matches!(
                operation,
                "GetItem" | "UpdateItem" | "DeleteItem" | "Query" | "Scan" | "BatchGetItem"
            );
            assert!(
                !is_of_one || told.contains(" Row"),
                "{operation} {length} {told}"
            );
        }
    }
    Ok(())
}

/// An item is decoded without a search for its end first. Bytes after it that could be part of it must not be overlooked.
async fn bytes_after_an_item_are_read_too(db: Db) -> Outcome {
    let (works, _) = answers(&db).await;
    let (changed, http) = answering(&db);
    for (at, member) in [(2, "Item"), (3, "Attributes"), (11, "Attributes")] {
        let body = String::from_utf8(works[at].1.clone()).expect("text");
        let item = body
            .strip_prefix(&format!(r#"{{"{member}":"#))
            .and_then(|rest| rest.strip_suffix('}'))
            .unwrap_or_else(|| panic!("{body}"));
        assert!(item.ends_with("}}"), "{body}");
        let answer = |tail: &str| {
            let body = format!(r#"{{"{member}":{item}{tail}"#);
            http.plan([reply(&(200, body.into_bytes()), usize::MAX)]);
        };
        answer("}");
        let (operation, plain) = work(&changed, at).await;
        assert!(plain.starts_with("Ok("), "{operation} {plain}");
        for tail in [
            r#","ConsumedCapacity":{"TableName":"t","CapacityUnits":1}}"#,
            r#","ConsumedCapacity":{"TableName":"t","Table":{"CapacityUnits":1}}}"#,
            r#","Other":{"a":{"b":{}}}}"#,
            r#" , "Other":[{"a":{"b":{}}}]}"#,
            " }",
        ] {
            answer(tail);
            assert_eq!(work(&changed, at).await.1, plain, "{operation} {tail}");
        }
        // Of two members with one name the last one counts.
        answer(&format!(r#","{member}":{}}}"#, item.replace("-128", "77")));
        if db.mode() != Mode::Hooks {
            let (_, told) = work(&changed, at).await;
            assert!(told.contains("small: 77"), "{operation} {told}");
        }
        for tail in [
            "}}}",
            "}}",
            ",}}}",
            "x}}}",
            r#",{"a":{"b":{}}}}"#,
            r#"{"a":{"b":{}}}}"#,
        ] {
            answer(tail);
            let (_, told) = work(&changed, at).await;
            assert!(told.starts_with("Err("), "{operation} {tail} {told}");
        }
    }
    Ok(())
}

async fn an_answer_that_is_none_names_its_request(db: Db) -> Outcome {
    let (broken, http) = answering(&db);
    for (operation, answer) in [
        ("Query", r#"{"Items":5}"#),
        ("Scan", r#"{"Items":5}"#),
        ("BatchGetItem", r#"{"Responses":5}"#),
    ] {
        // A read of many keys may ask again, within its budget.
        http.plan((0..20).map(|_| Fault::Reply(200, answer.into())));
        let read = match operation {
            "Query" => Row::in_partition("a").all(&broken).await.map(drop),
            "Scan" => Row::scan().all(&broken).await.map(drop),
            _ => Row::get_many([Row::key("a", 1u32)])
                .send(&broken)
                .await
                .map(drop),
        };
        let error = read.expect_err(operation);
        if db.mode() != Mode::Hooks {
            assert_eq!(error.kind(), ErrorKind::Service, "{operation} {error}");
        }
        assert_eq!(error.entity(), Some("Row"), "{operation} {error}");
        assert!(error.request_id().is_some(), "{operation} {error}");
    }
    Ok(())
}

/// A damaged answer never leads to a panic.
async fn a_broken_answer_ends_in_an_error_at_worst(db: Db) -> Outcome {
    const EACH: u64 = 80;
    row("held", 1).put().unchecked().send(&db).await?;
    let (of_works, of_refusals) = answers(&db).await;
    let (broken, http) = answering(&db);
    let damaged = |(status, body): &(u16, Vec<u8>), seed: u64| {
        let mut body = body.clone();
        forms::damage(&mut body, seed);
        http.plan([reply(&(*status, body), usize::MAX)]);
    };
    for seed in 0..EACH {
        for (at, answer) in of_works.iter().enumerate() {
            damaged(answer, seed);
            work(&broken, at).await;
        }
        for (at, answer) in of_refusals.iter().enumerate() {
            damaged(answer, seed);
            let (_, told) = refusal(&broken, at).await;
            assert!(told.starts_with("Err("), "{told}");
        }
    }
    Ok(())
}

/// Some servers write whole numbers with a point, because their numbers are floats.
async fn a_count_is_a_number_in_any_form(db: Db) -> Outcome {
    let (answered, http) = answering(&db);
    for (count, expected) in [
        ("12", 12),
        ("12.0", 12),
        ("1.2E1", 12),
        ("-0", 0),
        ("null", 0),
    ] {
        let body = format!(r#"{{"Count":{count},"ScannedCount":{count}}}"#);
        http.plan([Fault::Reply(200, body)]);
        let counted = Row::in_partition("w").count(&answered).await?;
        assert_eq!(counted, expected, "{count}");
    }
    for count in ["-1", "1.5", "1E99", "\"1\"", "[]"] {
        http.plan([Fault::Reply(200, format!(r#"{{"Count":{count}}}"#))]);
        let refused = Row::in_partition("w").count(&answered).await;
        assert!(
            refused.is_err() || db.mode() == Mode::Hooks,
            "{count}: {refused:?}"
        );
    }
    Ok(())
}

/// The list may have fewer or more reasons than operations, reasons that are null, or be missing.
async fn reasons_of_a_cancellation_have_many_forms(db: Db) -> Outcome {
    let (answered, http) = answering(&db);
    let fit = [
        r#"[{},{"Code":"ConditionalCheckFailed"},{}]"#,
        r#"[{"Code":"None"},{"Code":"ConditionalCheckFailed","Item":null,"Message":null},{"Code":"None"}]"#,
        r#"[{"Code":null,"Message":null},{"Message":"m","Code":"ConditionalCheckFailed"},{"Code":null}]"#,
    ];
    let strange = [
        r#"[{"Code":"ConditionalCheckFailed"}]"#,
        r#"[{},{},{},{},{"Code":"ConditionalCheckFailed"}]"#,
    ];
    let silent = [
        "null",
        "[]",
        r#"[{"Code":"None"},{"Code":"None"},{"Code":"None"}]"#,
        "[{},{},{}]",
    ];
    let all = fit.map(|reasons| {
        (
            reasons,
            "Err(AlreadyExists",
            "operation 1 of the transaction",
        )
    });
    let all = all.into_iter();
    let all = all.chain(strange.map(|reasons| (reasons, "Err(Conflict", "does not hold")));
    for (reasons, kind, words) in all.chain(silent.map(|none| (none, "Err(Service", "somehow"))) {
        let body = format!(
            r#"{{"__type":"a#TransactionCanceledException","Message":"somehow","CancellationReasons":{reasons}}}"#
        );
        http.plan([Fault::Reply(400, body)]);
        let (_, told) = refusal(&answered, 5).await;
        assert!(
            told.starts_with(kind) && told.contains(words),
            "{reasons}: {told}"
        );
        assert!(
            !told.contains("operation 0") && !told.contains("operation 2"),
            "{told}"
        );
    }
    Ok(())
}

async fn pages_of_proxies_are_errors(db: Db) -> Outcome {
    let (proxied, http) = answering(&db);
    for status in [200, 204, 302, 400, 403, 404, 413, 429, 500, 502, 503, 504] {
        for at in 0..WORKS {
            // Batches retry by themselves, so many answers are planned.
            http.plan(vec![
                Fault::Reply(
                    status,
                    "<html>gateway s3cr3t</html>".into()
                );
                50
            ]);
            let (operation, told) = work(&proxied, at).await;
            assert!(told.starts_with("Err("), "{status} {operation} {told}");
            assert!(!told.contains("s3cr3t"), "{told}");
            let is_read = matches!(operation, "GetItem" | "Query" | "Scan" | "BatchGetItem");
            let kind = match status {
                403 => "AccessDenied",
                429 => "Throttled",
                302..=499 => "Service",
                _ => "Unavailable",
            };
            assert!(
                !is_read || told.contains(kind),
                "{status} {operation} {told}"
            );
        }
    }
    Ok(())
}

/// After each of these faults, the operation has the same result as without it.
async fn every_operation_is_sent_again_where_it_may_be(db: Db) -> Outcome {
    works(&db).await;
    let (faulty, http) = db.faulty([]);
    let is_slow = |fault: &Fault| matches!(fault, Fault::Hang);
    let ambiguous = ambiguous().into_iter().filter(|fault| !is_slow(fault));
    let faults: Vec<_> = [Fault::throttle(), Fault::Refused]
        .into_iter()
        .chain(ambiguous)
        .collect();
    for at in 0..WORKS {
        for (place, fault) in faults.iter().enumerate() {
            work(&db, 1).await;
            http.plan([fault.clone()]);
            let (operation, told) = work(&faulty, at).await;
            let calls = http.calls().len();
            let is_guarded = matches!(operation, "UpdateItem" | "DeleteItem");
            if is_guarded && place >= 2 {
                assert_eq!(calls, 1, "{fault:?} {operation} {told}");
                assert!(
                    told.contains("OutcomeUnknown"),
                    "{fault:?} {operation} {told}"
                );
            } else {
                assert_eq!(calls, 2, "{fault:?} {operation} {told}");
                assert!(told.starts_with("Ok("), "{fault:?} {operation} {told}");
            }
        }
    }
    Ok(())
}

/// Each attribute of a row gets a value of another type.
async fn what_does_not_fit_is_named_and_not_shown(db: Db) -> Outcome {
    let (answered, http) = answering(&db);
    let fits = rows::stored(&db);
    let others = [
        r#"{"S":"s3cr3t"}"#,
        r#"{"N":"471147114711.5"}"#,
        r#"{"B":"c2VjcmV0"}"#,
        r#"{"BOOL":true}"#,
        r#"{"L":[{"S":"s3cr3t"},{"N":"471147114711.5"}]}"#,
        r#"{"M":{"s3cr3t":{"S":"s3cr3t"},"kind":{"S":"s3cr3t"}}}"#,
        r#"{"SS":["s3cr3t"]}"#,
        r#"{"NS":["471147114711.5"]}"#,
        r#"{"BS":["c2VjcmV0"]}"#,
        r#"{"s3cr3t":"s3cr3t"}"#,
        r#"{"S":471147114711}"#,
        r#""s3cr3t""#,
        "471147114711",
    ];
    let mut refused = 0;
    for name in fits.as_object().ok_or("an item")?.keys() {
        for other in others {
            let mut item = fits.clone();
            item[name] = serde_json::from_str(other)?;
            http.plan([Fault::Reply(200, json!({ "Item": item }).to_string())]);
            let Err(error) = Row::key("w", 1).get().send(&answered).await else {
                continue;
            };
            let shown = format!("{error} {error:?} {:?}", error.source());
            for secret in ["s3cr3t", "4711471", "c2VjcmV0", "secret"] {
                assert!(!shown.contains(secret), "{name} {other}: {shown}");
            }
            refused += 1;
            if db.mode() != Mode::Hooks {
                let attribute = error.attribute().unwrap_or_default();
                assert!(attribute.starts_with(name), "{name} {other}: {shown}");
                let kind = match &**name {
                    "id" | "line" => ErrorKind::KeyMismatch,
                    _ => ErrorKind::Decode,
                };
                assert_eq!(error.kind(), kind, "{name} {other}");
            }
        }
    }
    assert!(refused > 150, "{refused}");
    Ok(())
}

/// Everything that can be seen of an error.
fn seen(error: &Error) -> String {
    format!(
        "{:?} {:?} {:?} {error} / {:?} {:?} {:?}",
        error.kind(),
        error.stage(),
        error.code(),
        error.attribute(),
        error.request_id().is_some(),
        error.current::<Row>(),
    )
}
