//! An error says what happened, to what, and what to do. It never contains a value.

use std::collections::BTreeSet;
use std::error::Error as _;

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::error::{Stage, ThrottleLimit, ThrottledLoad};
use dynamo_entity::prelude::*;
use dynamo_entity::testing;
use dynamo_entity::{Error, Number};
use serde_json::json;

use crate::model::{Draft, Note, Order, Shop, draft, note, order};
use crate::support::db::{Db, Raw, n, s};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    an_error_is_small_and_shared,
    a_missing_table_is_named_with_its_remedy,
    a_missing_attribute_is_named(Shop),
    another_type_is_named_with_its_path(Shop),
    every_broken_attribute_has_its_path(Shop),
    a_key_in_a_change_is_named,
    a_row_of_another_entity_is_an_error(Shop),
    a_key_that_does_not_parse_is_an_error,
    a_bare_key_that_differs_is_named(Measure),
    a_broken_current_item_is_an_error_of_its_own(Note),
    a_current_item_is_read_as_another_entity_by_name(Note),
    a_fake_gives_the_same_as_an_engine(Note),
    a_throttle_says_which_limit_it_was(Note),
    a_write_of_another_region_is_waited_for(Note),
    a_full_collection_is_told(Note),
    a_finished_call_stays_finished,
    values_never_show(Draft, Note),
    quoted_values_never_show,
    the_error_code_decides_without_a_message,
    the_cause_is_there,
];

async fn an_error_is_small_and_shared(_: Db) -> Outcome {
    fn shared<T: Send + Sync + std::error::Error + 'static>() {}
    shared::<Error>();
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    Ok(())
}

async fn a_missing_table_is_named_with_its_remedy(db: Db) -> Outcome {
    let table = db.table::<Note>();
    for refused in [
        note("n1", "x").create().send(&db).await.err(),
        note("n1", "x").put().send(&db).await.err(),
        Note::key("n1").get().send(&db).await.err(),
        Note::key("n1").delete().send(&db).await.err(),
    ] {
        let refused = refused.ok_or("a table")?;
        assert_eq!(refused.kind(), ErrorKind::TableNotFound);
        assert!(refused.is_table_not_found());
        assert_eq!(
            (refused.stage(), refused.entity()),
            (Stage::Service, Some("Note"))
        );
        assert_eq!(refused.code(), Some("ResourceNotFoundException"));
        assert!(refused.request_id().is_some());
        let says = refused.to_string();
        assert!(
            says.contains(&table) && says.contains("create_tables"),
            "{says}"
        );
    }
    Ok(())
}

/// Changes a stored order without the library, and returns the error of reading it.
async fn read_changed(db: &Db, change: impl FnOnce(&mut Raw)) -> Result<Error, &'static str> {
    let written = order("u1", 7).put().unchecked().send(db).await;
    let key = written.map_err(|_| "not written")?.key();
    let mut stored = db.stored(&key).await;
    change(&mut stored);
    db.plant::<Order>(stored).await;
    let read = key.get().consistent().send(db).await;
    read.err().ok_or("it was read")
}

async fn a_missing_attribute_is_named(db: Db) -> Outcome {
    let error = read_changed(&db, |stored| drop(stored.remove("total"))).await?;
    assert_eq!(
        (error.kind(), error.stage()),
        (ErrorKind::Decode, Stage::Decode)
    );
    assert_eq!(
        (error.entity(), error.attribute()),
        (Some("Order"), Some("total"))
    );
    assert!(error.to_string().contains("Order.total"), "{error}");
    Ok(())
}

async fn another_type_is_named_with_its_path(db: Db) -> Outcome {
    let good = HashMapOf([("sku", s("a")), ("qty", n(1))]).map();
    let bad = HashMapOf([("sku", s("a")), ("qty", s("secret"))]).map();
    let lines = AttributeValue::L(vec![good, bad]);
    let error = read_changed(&db, |stored| drop(stored.insert("lines".into(), lines))).await?;
    assert_eq!(error.attribute(), Some("lines[1].qty"));
    let says = error.to_string();
    assert!(says.starts_with("Order.lines[1].qty"), "{says}");
    assert!(
        says.contains("expected N") && says.contains("found S"),
        "{says}"
    );
    Ok(())
}

struct HashMapOf<const N: usize>([(&'static str, AttributeValue); N]);

impl<const N: usize> HashMapOf<N> {
    fn map(self) -> AttributeValue {
        let entries = self.0.into_iter();
        AttributeValue::M(
            entries
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }
}

async fn every_broken_attribute_has_its_path(db: Db) -> Outcome {
    let unit = |kind: &str| HashMapOf([("kind", AttributeValue::S(kind.into()))]).map();
    for (name, value, path) in [
        ("status", s("secret"), "status"),
        ("status", n(1), "status"),
        ("total", s("secret"), "total"),
        ("total", AttributeValue::Null(true), "total"),
        ("total", n("1e100"), "total"),
        ("placed_at", s("secret"), "placed_at"),
        ("user_id", n(1), "user_id"),
        ("lines", s("secret"), "lines"),
        ("lines", AttributeValue::L(vec![s("secret")]), "lines[0]"),
        ("payment", unit("secret"), "payment.kind"),
        ("payment", unit("Card"), "payment.number"),
        (
            "payment",
            AttributeValue::M(Default::default()),
            "payment.kind",
        ),
        ("tags", AttributeValue::Ns(vec!["1".into()]), "tags"),
        ("tags", AttributeValue::L(vec![s("a")]), "tags"),
        ("note", n(1), "note"),
        (
            "odd name.x",
            HashMapOf([("k", s("secret"))]).map(),
            "odd name.x.(an entry)",
        ),
        (
            "odd name.x",
            HashMapOf([("k", n("1.5"))]).map(),
            "odd name.x.(an entry)",
        ),
        ("version", s("secret"), "version"),
        ("version", n(-1), "version"),
        ("created_at", s("secret"), "created_at"),
        ("expires_at", s("secret"), "expires_at"),
    ] {
        let shown = format!("{name} = {value:?}");
        let change = |stored: &mut Raw| drop(stored.insert(name.into(), value));
        let error = read_changed(&db, change)
            .await
            .map_err(|why| format!("{shown}: {why}"))?;
        assert_eq!(error.kind(), ErrorKind::Decode, "{shown}");
        assert_eq!(error.attribute(), Some(path), "{shown}: {error}");
        assert!(
            !format!("{error} {error:?}").contains("secret"),
            "{error:?}"
        );
    }
    Ok(())
}

crate::declare! {
    entity Grouped(table = "grouped", key(pk = id), gsi(by_group, pk = group)) { id: String, group: String }
}

/// In an update, the key attribute is set by its own expression, not as part of a whole item.
async fn a_key_in_a_change_is_named(db: Db) -> Outcome {
    let long = "s3cr3t".repeat(400);
    for (text, reason) in [
        ("", "empty text or binary cannot be a key"),
        (
            &long,
            "the key has 2400 bytes, DynamoDB allows 2048: keep a digest of it in the key, and the whole in another field",
        ),
    ] {
        let update = Grouped::key("g1").update().apply(|g| g.group().set(text));
        let error = update.send(&db).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidKey);
        assert_eq!(error.attribute(), Some("group"));
        assert_eq!(error.to_string(), format!("Grouped.group: {reason}"));
    }
    Ok(())
}

async fn a_row_of_another_entity_is_an_error(db: Db) -> Outcome {
    let item = order("u1", 7).to_item()?;
    let type_attribute = item
        .iter()
        .find(|(_, value)| value.as_text() == Some("Order"));
    let (type_attribute, _) = type_attribute.ok_or("a type")?;
    let name = type_attribute.clone();
    let error = read_changed(&db, |stored| drop(stored.insert(name, s("User")))).await?;
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert_eq!(error.attribute(), Some(type_attribute.as_str()));
    Ok(())
}

async fn a_key_that_does_not_parse_is_an_error(_: Db) -> Outcome {
    let mut item = order("u1", 7).to_item()?;
    for broken in [
        "ORDER#x#00000007",
        "ORDER#2024-05-06T07:08:09.500000000Z#7",
        "LINE",
        "ORDER#",
    ] {
        item.insert("sk", broken);
        let error = Order::from_item(item.clone()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::KeyMismatch, "{broken}");
        assert_eq!(error.entity(), Some("Order"));
        let names = format!("{:?} {:?}", error.key_attribute(), error.attribute());
        assert!(
            names.contains("sk") || names.contains("order_no"),
            "{broken}: {error:?}"
        );
    }
    Ok(())
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "measures", key(pk = meter, sk = at))]
struct Measure {
    #[dynamo(rename = "meter_id")]
    meter: uuid::Uuid,
    at: chrono::DateTime<chrono::Utc>,
}

#[derive(Debug, DynamoProjection)]
#[dynamo(entity = Measure)]
struct MeasuredAt {
    at: chrono::DateTime<chrono::Utc>,
}

/// A bare key in another spelling is reported, whatever reads the row, as it is for a key of a template.
async fn a_bare_key_that_differs_is_named(db: Db) -> Outcome {
    let (meter, at) = (
        "67e55044-10b1-426f-9247-bb680e5fe0c8",
        "2026-03-01T12:00:00.000000000Z",
    );
    for (meter, at, key) in [
        (meter, "2026-03-01T12:00:00.000Z", "at"),
        (meter, "2026-03-01T12:00:00.000000000+00:00", "at"),
        (meter, "yesterday", "at"),
        ("67E55044-10B1-426F-9247-BB680E5FE0C8", at, "meter_id"),
    ] {
        let row = crate::support::db::raw([("meter_id", s(meter)), ("at", s(at))]);
        db.plant::<Measure>(row.clone()).await;
        let errors = [
            Measure::scan().all(&db).await.unwrap_err(),
            Measure::from_item(Item::from(row.clone())).unwrap_err(),
            Measure::key_from_item(Item::from(row)).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::KeyMismatch);
            let names = (error.key_attribute(), error.attribute());
            assert_eq!(names, (Some(key), Some(key)), "{error}");
            assert!(error.to_string().contains(&format!("(key `{key}`)")));
        }
        let times = Measure::scan().select::<MeasuredAt>().all(&db).await;
        let times = times.map(|rows| rows.iter().map(|row| row.at).collect::<Vec<_>>());
        let named = times.map_err(|error| error.key_attribute().map(str::to_owned));
        match key {
            "at" => assert_eq!(named, Err(Some("at".to_owned()))),
            // A projection does not compare key attributes that it does not read.
            _ => assert_eq!(named.map(|times| times.len()), Ok(1)),
        }
        let gone = Measure::scan().delete_each().send(&db).await?.complete()?;
        assert_eq!(gone.written, 1);
    }
    Ok(())
}

async fn a_broken_current_item_is_an_error_of_its_own(db: Db) -> Outcome {
    db.plant::<Note>(crate::support::db::raw([("id", s("n1")), ("text", n(1))]))
        .await;
    let refused = note("n1", "x").create().send(&db).await.unwrap_err();
    assert!(refused.is_already_exists());
    let broken = refused.current::<Note>().unwrap_err();
    assert_eq!(
        (broken.kind(), broken.attribute()),
        (ErrorKind::Decode, Some("text"))
    );
    Ok(())
}

crate::declare! {
    entity OnlyText(table = "notes", key(pk = id)) { #[dynamo(rename = "id")] id: String, text: Option<String> }
}

async fn a_current_item_is_read_as_another_entity_by_name(db: Db) -> Outcome {
    note("n1", "x").create().send(&db).await?;
    let refused = note("n1", "y").create().send(&db).await.unwrap_err();
    assert!(refused.current::<OnlyText>()?.is_none());
    let item = refused.current_item()?.ok_or("an item")?;
    let other = OnlyText::from_item(item)?;
    assert_eq!(other.text.as_deref(), Some("x"));
    Ok(())
}

async fn a_fake_gives_the_same_as_an_engine(db: Db) -> Outcome {
    let there = note("n1", "x");
    there.create().send(&db).await?;
    let update = |id| Note::key(id).update().apply(|n| n.text().set("y"));
    let pairs = [
        (
            testing::already_exists(&there),
            there.create().send(&db).await.unwrap_err(),
        ),
        (
            testing::not_found::<Note>(),
            update("n2").send(&db).await.unwrap_err(),
        ),
        (
            testing::conflict(&there),
            update("n1")
                .when(|n| n.text().eq("z"))
                .send(&db)
                .await
                .unwrap_err(),
        ),
    ];
    for (made, met) in pairs {
        assert_eq!(
            (made.kind(), made.entity(), made.stage()),
            (met.kind(), met.entity(), met.stage())
        );
        assert_eq!(made.to_string(), met.to_string());
        let current = |error: &Error| error.current::<Note>();
        assert_eq!(current(&made)?, current(&met)?);
    }
    let throttled = testing::failure(ErrorKind::Throttled);
    assert!(throttled.is_throttled() && throttled.current::<Note>()?.is_none());
    Ok(())
}

/// By whatever way the request went.
async fn a_throttle_says_which_limit_it_was(db: Db) -> Outcome {
    let table = db.table::<Note>();
    let arn = format!("arn:aws:dynamodb:eu-west-1:123456789012:table/{table}");
    let hot = Fault::throttle_by("TableReadKeyRangeThroughputExceeded", &arn);
    let (faulty, http) = db.faulty(std::iter::repeat_n(hot.clone(), 9));
    let error = Note::key("n1").get().send(&faulty).await.unwrap_err();
    assert!(error.is_throttled(), "{error}");
    assert!(http.calls().len() > 1, "it is sent again");
    let throttle = error.throttle().ok_or("a reason")?;
    assert_eq!(throttle.limit(), ThrottleLimit::KeyRange);
    assert_eq!(throttle.load(), Some(ThrottledLoad::Reads));
    assert_eq!((throttle.table(), throttle.index()), (Some(&*table), None));
    let said = error.to_string();
    assert!(said.contains(throttle.advice().ok_or("advice")?), "{said}");
    assert!(!said.contains("123456789012"), "{said}");
    let (faulty, _) = db.faulty(std::iter::repeat_n(Fault::throttle(), 9));
    let error = Note::key("n1").get().send(&faulty).await.unwrap_err();
    assert!(error.is_throttled() && error.throttle().is_none());
    Ok(())
}

/// Two regions wrote one item at once; nothing was written here, so it is sent again.
async fn a_write_of_another_region_is_waited_for(db: Db) -> Outcome {
    let met = Fault::refuse("ReplicatedWriteConflictException");
    // The SDK makes three attempts at most.
    let (faulty, http) = db.faulty(std::iter::repeat_n(met, 5));
    note("n1", "x").create().send(&faulty).await?;
    assert_eq!(http.calls(), ["PutItem"; 6]);
    Ok(())
}

async fn a_full_collection_is_told(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([Fault::refuse("ItemCollectionSizeLimitExceededException")]);
    let error = note("n1", "x").put().send(&faulty).await.unwrap_err();
    assert!(
        error.is_collection_full() && error.to_string().contains("10 GB"),
        "{error}"
    );
    assert_eq!(http.calls(), ["PutItem"]);
    Ok(())
}

async fn a_finished_call_stays_finished(db: Db) -> Outcome {
    let mut call = Note::key("").get().send(&db);
    let first = (&mut call).await.unwrap_err();
    assert_eq!(first.kind(), ErrorKind::InvalidKey);
    assert_eq!(call.await.unwrap_err().kind(), ErrorKind::Config);
    Ok(())
}

async fn values_never_show(db: Db) -> Outcome {
    let secret = "s3cr3t";
    let loaded = draft("d1", secret).create().send(&db).await?;
    loaded.put().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let mut errors = vec![
        loaded.create().send(&db).await.err(),
        loaded.put().send(&db).await.err(),
        loaded.delete().send(&db).await.err(),
        note(&secret.repeat(400), "x").put().send(&db).await.err(),
        note("n1", &secret.repeat(100_000))
            .put()
            .send(&db)
            .await
            .err(),
    ];
    for fault in [
        Fault::Lose,
        Fault::internal(),
        Fault::refuse("ValidationException"),
    ] {
        http.plan([fault]);
        errors.push(note("n2", secret).create().send(&faulty).await.err());
        Note::key("n2").delete().send(&db).await?;
    }
    for error in errors {
        let error = error.ok_or("an error")?;
        let mut shown = format!("{error} {error:?} {error:#?}");
        let mut cause = error.source();
        while let Some(inner) = cause {
            shown.push_str(&format!("{inner} {inner:?}"));
            cause = inner.source();
        }
        assert!(!shown.contains(secret), "{shown}");
    }
    Ok(())
}

crate::declare! {
    /// A short value of each type. The service would write the number in its own way.
    entity Sample(table = "samples", key(pk = id, sk = at))
        { id: String, at: Number, data: Vec<u8>, tags: BTreeSet<String>, ratios: Vec<f64> }
}

fn sample() -> Sample {
    Sample {
        id: "q".into(),
        at: "7.50".parse().expect("a number"),
        data: vec![0xff, 0x01],
        tags: BTreeSet::from(["k9".to_owned()]),
        ratios: vec![0.25],
    }
}

/// Everything that an error shows.
fn shown(error: &Error) -> String {
    let mut shown = format!("{error} {error:?} {error:#?}");
    let mut cause = error.source();
    while let Some(inner) = cause {
        shown.push_str(&format!("{inner} {inner:?}"));
        cause = inner.source();
    }
    shown
}

/// The messages quote values like DynamoDB, DynamoDB Local and the embedded engine do, in every kind of error
/// that has a message.
async fn quoted_values_never_show(db: Db) -> Outcome {
    let key =
        "bound operand: AttributeValue: {S:q}, operand: {N:7.5} {N:7.50} {N:0.75E1} Value 'q' at";
    let item = "{B:/wE=} {B:[255, 1]} [k9, k9] contains duplicates, number: 2.5e-1 is";
    let hidden_of_key = ["S:q", "'q'", "7.5", "0.75"];
    let hidden_of_item = ["/wE", "255", "k9", "2.5e", "2.5E"];
    let message = format!("one parameter: {key} {item}");
    let body = |code: &str| json!({ "__type": code, "message": message }).to_string();
    let cancelled = json!({
        "__type": "TransactionCanceledException",
        "Message": message,
        "CancellationReasons": [{ "Code": "ValidationError", "Message": message }],
    });
    let (faulty, http) = db.faulty([]);
    let sample = sample();
    let update = || {
        let update = sample.key().update();
        update.apply(|s| {
            let tags = s.tags().insert("k9");
            let data = s.data().set(sample.data.clone());
            (tags, data, s.ratios().set(sample.ratios.clone()))
        })
    };
    for (reply, kind) in [
        (
            Fault::Reply(400, body("ValidationException")),
            ErrorKind::Rejected,
        ),
        (
            Fault::Reply(400, body("ThrottlingException")),
            ErrorKind::Throttled,
        ),
        (
            Fault::Reply(400, body("AccessDeniedException")),
            ErrorKind::AccessDenied,
        ),
        (
            Fault::Reply(400, body("NobodyKnowsThisException")),
            ErrorKind::Service,
        ),
        (
            Fault::Reply(400, body("TransactionConflictException")),
            ErrorKind::Unavailable,
        ),
        (
            Fault::Reply(500, body("InternalServerError")),
            ErrorKind::Unavailable,
        ),
        (
            Fault::Reply(400, cancelled.to_string()),
            ErrorKind::Rejected,
        ),
    ] {
        let is_cancelled = matches!(&reply, Fault::Reply(_, body) if body.contains("Cancellation"));
        for way in 0..8 {
            // Conflicts between transactions are retried for half a minute, so only one verb is tried with
            // them.
            if kind == ErrorKind::Unavailable && way > 0 && is_in_the_way(&reply) {
                continue;
            }
            // Only operations on several items can be cancelled for reasons.
            if is_cancelled != matches!(way, 5..=6) && is_cancelled {
                continue;
            }
            http.plan(vec![reply.clone(); 40]);
            let error = match way {
                0 => sample.put().send(&faulty).await.err(),
                1 => update().send(&faulty).await.err(),
                2 => sample.key().get().send(&faulty).await.err(),
                3 => sample.key().delete().send(&faulty).await.err(),
                4 => Sample::in_partition("q")
                    .at()
                    .ge("7.50".parse::<Number>()?)
                    .all(&faulty)
                    .await
                    .err(),
                5 => Transaction::new()
                    .with(sample.put())
                    .send(&faulty)
                    .await
                    .err(),
                6 => sample.put().idempotent().send(&faulty).await.err(),
                _ => Sample::get_many([sample.key()]).send(&faulty).await.err(),
            };
            let error = error.ok_or("an error")?;
            let says = shown(&error);
            if !error.is_outcome_unknown() && !is_cancelled && !matches!(way, 5..=6) {
                assert_eq!(error.kind(), kind, "{way}: {error:?}");
            }
            let of_item = matches!(way, 0 | 1 | 5 | 6).then_some(&hidden_of_item[..]);
            for hidden in hidden_of_key.iter().chain(of_item.into_iter().flatten()) {
                assert!(!says.contains(hidden), "way {way} shows {hidden}: {says}");
            }
            if kind == ErrorKind::Rejected && !error.is_outcome_unknown() {
                assert!(says.contains("one parameter"), "{says}");
            }
        }
    }
    Ok(())
}

fn is_in_the_way(reply: &Fault) -> bool {
    matches!(reply, Fault::Reply(_, body) if body.contains("TransactionConflictException"))
}

/// The code decides the kind, and the unread message is not searched for the values of the request.
async fn the_error_code_decides_without_a_message(db: Db) -> Outcome {
    let failed = json!({ "__type": "ConditionalCheckFailedException", "message": "q is not 7.5" });
    let cancelled = json!({
        "__type": "TransactionCanceledException",
        "Message": "q is not 7.5",
        "CancellationReasons": [{ "Code": "ConditionalCheckFailed", "Message": "q is not 7.5" }],
    });
    let found = json!({ "Item": {} });
    let (faulty, http) = db.faulty([]);
    http.plan([
        Fault::Reply(400, failed.to_string()),
        Fault::Reply(200, found.to_string()),
    ]);
    let plain = sample().create().send(&faulty).await.unwrap_err();
    http.plan([
        Fault::Reply(400, cancelled.to_string()),
        Fault::Reply(200, found.to_string()),
    ]);
    let once = sample()
        .create()
        .idempotent()
        .send(&faulty)
        .await
        .unwrap_err();
    for error in [plain, once] {
        assert!(error.is_already_exists(), "{error:?}");
        assert!(!shown(&error).contains("is not"), "{error:?}");
    }
    Ok(())
}

async fn the_cause_is_there(db: Db) -> Outcome {
    let (faulty, _http) = db.faulty(vec![Fault::Io; 3]);
    let error = Note::key("n1").get().send(&faulty).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.stage()),
        (ErrorKind::Unavailable, Stage::Wire)
    );
    let mut cause = error.source();
    let mut causes = Vec::new();
    while let Some(inner) = cause {
        causes.push(inner.to_string());
        cause = inner.source();
    }
    assert!(
        causes
            .iter()
            .any(|cause| cause.contains("connection reset")),
        "{causes:?}"
    );
    Ok(())
}
