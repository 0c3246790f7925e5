//! Transactions: all or nothing, checked before they are sent, and done only once.

use dynamo_entity::Operation;
use dynamo_entity::error::Failed;
use dynamo_entity::prelude::*;
use dynamo_entity::transact::{BoxedWrite, TransactWrite};
use serde_json::{Value, json};

use crate::faults::ambiguous;
use crate::faults::impatient;
use crate::idempotent::cancelled;
use crate::model::{Draft, Note, Session, draft, note, session};
use crate::support::clock::{HandClock, moment};
use crate::support::db::{Db, Http, n, s};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    all_verbs_take_effect_together,
    what_was_stored_comes_back,
    an_update_without_a_change_is_a_check,
    a_check_asks_and_changes_nothing,
    a_check_sees_no_expired_item,
    a_check_that_contradicts_itself_is_refused,
    no_part_of_it_takes_effect_alone,
    each_failure_is_that_of_its_verb,
    a_failure_is_of_its_own_entity_alone,
    the_error_has_the_key_of_the_operation_that_it_tells_of,
    the_first_lasting_failure_speaks_for_all,
    failures_keep_values_to_themselves,
    a_failure_is_found_by_its_name_and_its_entity,
    nothing_is_a_transaction_too,
    a_hundred_and_one_are_refused,
    an_item_takes_one_operation,
    keys_are_compared_by_value,
    four_megabytes_are_the_most,
    what_cannot_be_planned_is_named,
    a_transaction_is_sent_again,
    a_lost_answer_is_not_a_second_effect,
    one_token_is_one_transaction,
    contention_is_waited_out,
    endless_contention_is_an_error,
    contention_after_a_lost_answer_is_of_unknown_outcome,
    every_single_write_waits_for_transactions,
    money_is_neither_made_nor_lost,
    it_is_explained,
    operations_may_own_what_they_write(Stock, Draft),
    a_table_without_transactions_is_named,
];

crate::declare! { entity Stock(table = "stock", key(pk = sku)) { sku: String, left: u32, label: Option<String> } }

fn stock(sku: &str, left: u32) -> Stock {
    Stock {
        sku: sku.into(),
        left,
        label: None,
    }
}

crate::declare! {
    /// An entity with the attributes of `Stock`, in a table of its own.
    entity Shelf(table = "shelves", key(pk = sku)) { sku: String, left: u32, label: Option<String> }
    /// An entity with numbers as its keys.
    entity Seat(table = "seats", key(pk = row, sk = seat)) { row: u32, seat: u32, guest: String }
}

async fn tables(db: &Db) -> Outcome {
    db.create_tables([
        Draft::schema(),
        Note::schema(),
        Session::schema(),
        Stock::schema(),
        Seat::schema(),
    ])
    .await?;
    Ok(())
}

fn body(http: &Http, call: usize) -> Value {
    serde_json::from_slice(&http.seen()[call].body).expect("JSON")
}

fn indexes(error: &Error) -> Vec<usize> {
    error.failures().iter().map(Failed::index).collect()
}

async fn a_failure_is_found_by_its_name_and_its_entity(db: Db) -> Outcome {
    tables(&db).await?;
    let taken = note("a", "there");
    taken.create().send(&db).await?;
    let writes = || -> [BoxedWrite<'_>; 3] {
        [
            stock("tea", 1).into_create().boxed(),
            taken.create().named("first note").boxed(),
            Stock::key("ink")
                .update()
                .apply(|s| s.left().sub(1))
                .named("ink")
                .boxed(),
        ]
    };
    let error = Transaction::new()
        .with_all(writes())
        .send(&db)
        .await
        .unwrap_err();
    let [first, ink] = error.failures() else {
        return Err(format!("{error:?}").into());
    };
    assert_eq!(
        (first.name(), ink.name()),
        (Some("first note"), Some("ink"))
    );
    assert!(first.is::<Note>() && !first.is::<Stock>() && ink.is::<Stock>());
    assert_eq!(error.failure_of("ink").map(Failed::index), Some(2));
    assert!(error.failure_of("tea").is_none());
    let shown = "operation 1 (`first note`) of the transaction: ";
    assert!(first.to_string().starts_with(shown) && error.to_string().contains(shown));
    assert!(
        error.to_string().contains("; operation 2 (`ink`): "),
        "{error}"
    );

    // Of what cannot be planned too.
    let long = stock("", 1);
    let unfit = Transaction::new().with(long.create().named("no key"));
    let error = unfit.send(&db).await.unwrap_err();
    let [failed] = error.failures() else {
        return Err(format!("{error:?}").into());
    };
    assert!(failed.name() == Some("no key") && failed.is::<Stock>() && !failed.is::<Note>());

    // Of an item that has two operations.
    let twice = Transaction::new()
        .with(taken.create().named("one"))
        .with(taken.put().named("other"));
    let error = twice.send(&db).await.unwrap_err();
    assert!(error.failure_of("other").is_some_and(Failed::is::<Note>));
    assert!(error.to_string().contains("operation 0 (`one`)"), "{error}");
    Ok(())
}

async fn all_verbs_take_effect_together(db: Db) -> Outcome {
    tables(&db).await?;
    let old = draft("d1", "old").create().send(&db).await?;
    let gone = draft("d2", "gone").create().send(&db).await?;
    stock("tea", 5).put().send(&db).await?;
    note("n0", "x").put().send(&db).await?;
    let (new, newer) = (
        note("n1", "new"),
        Draft {
            text: "new".into(),
            ..old
        },
    );
    let (faulty, http) = db.faulty([]);
    Transaction::new()
        .with(new.create())
        .with(newer.put())
        .with(gone.delete())
        .with(
            Stock::key("tea")
                .update()
                .apply(|t| t.left().sub(2))
                .when(|t| t.left().ge(2)),
        )
        .with(Stock::key("milk").upsert().apply(|t| t.left().set(1)))
        .with(Note::key("n0").check().if_exists())
        .with(Note::key("n9").delete())
        .send(&faulty)
        .await?;
    assert_eq!(http.calls(), ["TransactWriteItems"]);
    assert_eq!(Note::key("n1").get().send(&db).await?, Some(new));
    let stored = db.stored(&Draft::key("d1")).await;
    assert_eq!((&stored["version"], &stored["text"]), (&n(2), &s("new")));
    assert!(db.raw(&Draft::key("d2")).await.is_none());
    assert_eq!(db.stored(&Stock::key("tea")).await["left"], n(3));
    assert_eq!(db.stored(&Stock::key("milk")).await["left"], n(1));
    Ok(())
}

async fn what_was_stored_comes_back(db: Db) -> Outcome {
    tables(&db).await?;
    let (first, second) = (draft("d1", "x"), draft("d2", "y"));
    let mut stored = Transaction::new()
        .with(first.create())
        .with(Stock::key("tea").upsert().apply(|t| t.left().set(1)))
        .with(second.put())
        .send(&db)
        .await?;
    assert_eq!(stored.all::<Draft>().count(), 2);
    assert!(stored.get::<Draft>(1).is_none() && stored.get::<Note>(0).is_none());
    assert!(stored.get::<Draft>(3).is_none());
    let found = Draft::key("d1").get().consistent().send(&db).await?;
    assert_eq!(stored.get::<Draft>(0), found.as_ref());
    let second = stored.take::<Draft>(2).ok_or("put")?;
    assert!(stored.take::<Draft>(2).is_none());
    // The returned item counts as loaded: its version is checked.
    assert_eq!(second.put().send(&db).await?.version, Version::from(2));
    Ok(())
}

async fn an_update_without_a_change_is_a_check(db: Db) -> Outcome {
    tables(&db).await?;
    let (faulty, http) = db.faulty([]);
    let look = || {
        Transaction::new()
            .with(Stock::key("tea").update().when(|t| t.left().ge(1)))
            .with_all([Note::key("n1").delete()])
    };
    let missing = look().send(&faulty).await.unwrap_err();
    assert!(missing.is_not_found(), "{missing:?}");
    stock("tea", 1).put().send(&db).await?;
    look().send(&faulty).await?;
    assert!(body(&http, 0)["TransactItems"][0]["ConditionCheck"].is_object());
    Ok(())
}

async fn a_check_asks_and_changes_nothing(db: Db) -> Outcome {
    tables(&db).await?;
    stock("tea", 1).put().send(&db).await?;
    let add = Note::key("n1").upsert().apply(|n| n.text().set("x"));
    let asked = |check| Transaction::new().with(check);
    let tea = || Stock::key("tea").check();
    let none = || Stock::key("none").check();
    asked(tea().if_exists()).with(add).send(&db).await?;
    asked(tea().when(|t| t.left().eq(1)).if_exists())
        .send(&db)
        .await?;
    asked(tea().when(|t| t.left().ge(1)).when(|t| t.label().missing()))
        .send(&db)
        .await?;
    asked(none().if_missing()).send(&db).await?;
    asked(none().when(|t| t.left().missing())).send(&db).await?;
    assert_eq!(db.stored(&Stock::key("tea")).await.len(), 2);
    for (check, kind) in [
        (none().if_exists(), ErrorKind::NotFound),
        (none().when(|t| t.left().eq(1)), ErrorKind::NotFound),
        (tea().if_missing(), ErrorKind::Conflict),
        (
            tea().if_exists().when(|t| t.left().eq(2)),
            ErrorKind::Conflict,
        ),
        (
            tea().when(|t| t.left().eq(2)).if_exists(),
            ErrorKind::Conflict,
        ),
    ] {
        let error = asked(check).send(&db).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error:?}");
        assert_eq!(error.entity(), Some("Stock"));
        let live = error.current::<Stock>()?;
        assert_eq!(live.is_some(), kind == ErrorKind::Conflict);
    }
    Ok(())
}

async fn a_check_sees_no_expired_item(db: Db) -> Outcome {
    tables(&db).await?;
    let clock = HandClock::at("2124-01-01T00:00:00Z");
    let at = db.at(&clock);
    session("s1", Some("2124-01-01T00:00:05Z"))
        .put()
        .send(&at)
        .await?;
    let key = || Session::key("s1").check();
    let live = |check| Transaction::new().with(check).send(&at);
    live(key().if_exists()).await?;
    live(key().when(|it| it.user().eq("u1"))).await?;
    clock.advance(6_000);
    assert!(live(key().if_exists()).await.unwrap_err().is_not_found());
    let over = live(key().when(|it| it.user().eq("u1"))).await.unwrap_err();
    assert!(over.is_not_found() && over.current::<Session>()?.is_none());
    live(key().if_missing()).await?;
    assert!(clock.time() > moment("2124-01-01T00:00:05Z"));
    Ok(())
}

async fn a_check_that_contradicts_itself_is_refused(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let check = Note::key("n1").check().if_exists().if_missing();
    let error = Transaction::new().with(check).send(&faulty).await;
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidValue);
    assert!(http.calls().is_empty());
    Ok(())
}

async fn no_part_of_it_takes_effect_alone(db: Db) -> Outcome {
    tables(&db).await?;
    stock("tea", 1).put().send(&db).await?;
    let first = draft("d1", "x");
    let sell = |left| {
        Stock::key("tea")
            .update()
            .apply(move |t| t.left().sub(left))
    };
    let error = Transaction::new()
        .with(first.create())
        .with(sell(2))
        .send(&db)
        .await;
    assert!(error.unwrap_err().is_conflict());
    assert!(db.raw(&Draft::key("d1")).await.is_none());
    assert_eq!(db.stored(&Stock::key("tea")).await["left"], n(1));
    Transaction::new()
        .with(first.create())
        .with(sell(1))
        .send(&db)
        .await?;
    assert_eq!(db.stored(&Stock::key("tea")).await["left"], n(0));
    Ok(())
}

async fn each_failure_is_that_of_its_verb(db: Db) -> Outcome {
    tables(&db).await?;
    let first = draft("d1", "x").create().send(&db).await?;
    let second = first.put().send(&db).await?;
    note("n1", "there").put().send(&db).await?;
    stock("tea", 1).put().send(&db).await?;
    let (again, fine) = (note("n1", "again"), note("n2", "fine"));
    let error = Transaction::new()
        .with(fine.create())
        .with(again.create())
        .with(first.put())
        .with(Stock::key("none").update().apply(|t| t.left().add(1)))
        .with(Stock::key("tea").update().apply(|t| t.left().sub(2)))
        .with(Draft::key("d9").delete().if_exists())
        .send(&db)
        .await
        .unwrap_err();
    let failed: Vec<_> = error
        .failures()
        .iter()
        .map(|failed| {
            (
                failed.index(),
                failed.error().kind(),
                failed.error().entity(),
            )
        })
        .collect();
    assert_eq!(
        failed,
        [
            (1, ErrorKind::AlreadyExists, Some("Note")),
            (2, ErrorKind::Conflict, Some("Draft")),
            (3, ErrorKind::NotFound, Some("Stock")),
            (4, ErrorKind::Conflict, Some("Stock")),
            (5, ErrorKind::NotFound, Some("Draft")),
        ]
    );
    let at = |nth: usize| error.failures().get(nth).expect("failed");
    assert_eq!(at(0).error().current::<Note>()?, Some(note("n1", "there")));
    assert_eq!(at(1).error().current::<Draft>()?, Some(second));
    assert!(at(2).error().current::<Stock>()?.is_none() && at(2).error().current_item()?.is_none());
    assert_eq!(at(3).error().current::<Stock>()?, Some(stock("tea", 1)));
    assert_eq!(at(3).key_of::<Stock>()?, Some(Stock::key("tea")));
    assert!(
        at(3).error().code() == Some("ConditionalCheckFailed")
            && at(3).error().request_id().is_some()
    );
    assert_eq!(
        (error.kind(), error.entity()),
        (ErrorKind::AlreadyExists, Some("Note"))
    );
    assert_eq!(error.code(), Some("TransactionCanceledException"));
    assert_eq!(error.current::<Note>()?, Some(note("n1", "there")));
    let words = error.to_string();
    for part in [
        "Note: operation 1 of the transaction: an item with this key is already there",
        "operation 2: Draft: the stored item is not the one that was loaded",
        "operation 3: Stock: no live item",
        "operation 4: Stock: the stored item does not fit",
        "operation 5: Draft: no live item",
    ] {
        assert!(words.contains(part), "{words}");
    }
    Ok(())
}

async fn a_failure_is_of_its_own_entity_alone(db: Db) -> Outcome {
    tables(&db).await?;
    db.create_tables([Shelf::schema()]).await?;
    stock("tea", 1).put().send(&db).await?;
    let shelf = Shelf {
        sku: "tea".into(),
        left: 0,
        label: None,
    };
    shelf.put().send(&db).await?;
    let sell = || Shelf::key("tea").update().apply(|s| s.left().sub(1));
    let alone = sell().send(&db).await.unwrap_err();
    assert!(alone.current::<Stock>()?.is_none());
    assert_eq!(alone.current::<Shelf>()?, Some(shelf.clone()));
    assert!(alone.current_item()?.is_some());

    let both = Transaction::new()
        .with(Stock::key("tea").update().apply(|s| s.left().sub(1)))
        .with(sell());
    let error = both.send(&db).await.unwrap_err();
    assert!(error.current::<Stock>()?.is_none());
    assert_eq!(error.current::<Shelf>()?, Some(shelf.clone()));
    let failed = error.failures().first().ok_or("a failure")?;
    assert_eq!(failed.error().entity(), Some("Shelf"));
    assert!(failed.error().current::<Stock>()?.is_none() && failed.key_of::<Stock>()?.is_none());
    assert_eq!(failed.error().current::<Shelf>()?, Some(shelf));
    assert_eq!(failed.key_of::<Shelf>()?, Some(Shelf::key("tea")));

    // The same holds for failures that are found before anything is sent.
    let twice = Transaction::new()
        .with(Shelf::key("tea").delete())
        .with(Shelf::key("tea").delete());
    let error = twice.send(&db).await.unwrap_err();
    let failed = error.failures().first().ok_or("a failure")?;
    assert!(failed.key_of::<Stock>()?.is_none());
    assert_eq!(failed.key_of::<Shelf>()?, Some(Shelf::key("tea")));
    Ok(())
}

async fn the_error_has_the_key_of_the_operation_that_it_tells_of(db: Db) -> Outcome {
    tables(&db).await?;
    note("n1", "there").put().send(&db).await?;
    stock("tea", 1).put().send(&db).await?;
    let again = note("n1", "again");
    let both = || {
        Transaction::new()
            .with(Stock::key("tea").update().apply(|t| t.left().add(1)))
            .with(again.create())
            .with(Stock::key("none").delete().if_exists())
    };
    let error = both().send(&db).await.unwrap_err();
    assert!(error.is_already_exists());
    assert_eq!(error.key_of::<Note>()?, Some(Note::key("n1")));
    assert_eq!(error.key_of::<Stock>()?, None);
    let key = error.item_key().ok_or("a key")?;
    assert_eq!(key.get("id").and_then(|id| id.as_text()), Some("n1"));
    let first = error.failures().first().ok_or("a failure")?;
    assert_eq!(error.key_of::<Note>()?, first.key_of::<Note>()?);
    // Neither the message nor `Debug` shows values of the key.
    assert!(!format!("{error} {error:?}").contains("n1"));

    // The same holds for failures that are found before anything is sent.
    let twice = both().with(Note::key("n1").delete());
    let error = twice.send(&db).await.unwrap_err();
    assert_eq!(error.key_of::<Note>()?, Some(Note::key("n1")));

    // The same holds for a snapshot with a row that does not decode.
    db.plant::<Stock>(crate::support::db::raw([
        ("sku", s("bad")),
        ("left", s("x")),
    ]))
    .await;
    let reads = (Stock::key("tea").get(), Stock::key("bad").get());
    let error = transact_get(reads).send(&db).await.unwrap_err();
    assert_eq!(error.key_of::<Stock>()?, Some(Stock::key("bad")));
    Ok(())
}

async fn the_first_lasting_failure_speaks_for_all(db: Db) -> Outcome {
    tables(&db).await?;
    for (codes, kind, leading) in [
        (
            ["TransactionConflict", "ConditionalCheckFailed"],
            ErrorKind::NotFound,
            "Stock",
        ),
        (
            ["ThrottlingError", "ValidationError"],
            ErrorKind::Rejected,
            "Stock",
        ),
        (
            ["ConditionalCheckFailed", "ValidationError"],
            ErrorKind::AlreadyExists,
            "Note",
        ),
        (["AccessDenied", "None"], ErrorKind::AccessDenied, "Note"),
    ] {
        let (faulty, http) = db.faulty([cancelled(&codes)]);
        let first = note("n1", "x");
        let error = Transaction::new()
            .with(first.create())
            .with(Stock::key("tea").update().apply(|t| t.left().add(1)))
            .send(&faulty)
            .await
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.entity()),
            (kind, Some(leading)),
            "{error:?}"
        );
        let blamed = codes.iter().filter(|code| **code != "None").count();
        assert_eq!(error.failures().len(), blamed, "{codes:?}");
        assert_eq!(writes(&http), 1);
    }
    Ok(())
}

/// The number of calls, without the reads that find out why a condition failed.
fn writes(http: &Http) -> usize {
    let calls = http.calls();
    calls.iter().filter(|call| *call != "GetItem").count()
}

async fn failures_keep_values_to_themselves(db: Db) -> Outcome {
    tables(&db).await?;
    note("n-secret", "secret text").put().send(&db).await?;
    let refused = json!({ "Code": "ValidationError", "Message": "secret text is no number" });
    let body = json!({
        "__type": "TransactionCanceledException",
        "Message": "cancelled: secret text",
        "CancellationReasons": [refused],
    });
    for plan in [vec![], vec![Fault::Reply(400, body.to_string())]] {
        let (faulty, _http) = db.faulty(plan);
        let again = note("n-secret", "secret text");
        let error = Transaction::new().with(again.create()).send(&faulty).await;
        let error = error.unwrap_err();
        let shown = format!("{error} {error:?} {:?}", error.failures().first());
        assert!(!shown.contains("secret"), "{shown}");
    }
    let again = note("n-secret", "secret text");
    let transaction = Transaction::new().with(again.create());
    assert_eq!(format!("{transaction:?}"), "Transaction(1 operations)");
    Ok(())
}

async fn nothing_is_a_transaction_too(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let nothing = Transaction::new().with_all(Vec::<dynamo_entity::write::Create<'_, Note>>::new());
    assert!(nothing.is_empty());
    assert_eq!(nothing.send(&faulty).await?.all::<Note>().count(), 0);
    assert!(Transaction::new().explain(&db)?.requests.is_empty());
    assert!(http.calls().is_empty());
    Ok(())
}

async fn a_hundred_and_one_are_refused(db: Db) -> Outcome {
    tables(&db).await?;
    let notes: Vec<Note> = (0..101).map(|at| note(&format!("n{at}"), "x")).collect();
    let (faulty, http) = db.faulty([]);
    let all = Transaction::new().with_all(notes.iter().map(|note| note.create()));
    let error = all.send(&faulty).await.unwrap_err();
    assert_eq!(
        (error.kind(), indexes(&error)),
        (ErrorKind::InvalidValue, vec![100])
    );
    assert_eq!(error.entity(), Some("Note"));
    assert!(http.calls().is_empty());
    let most = Transaction::new().with_all(notes[..100].iter().map(|note| note.create()));
    assert_eq!(most.send(&db).await?.all::<Note>().count(), 100);
    assert_eq!(db.count::<Note>().await, 100);
    Ok(())
}

async fn an_item_takes_one_operation(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let (one, same) = (note("n1", "x"), note("n1", "y"));
    let error = Transaction::new()
        .with(one.create())
        .with(Stock::key("n1").delete())
        .with(same.put())
        .send(&faulty)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), indexes(&error)),
        (ErrorKind::InvalidValue, vec![2])
    );
    assert!(error.to_string().contains("as operation 0"), "{error}");
    assert!(http.calls().is_empty());
    Ok(())
}

async fn keys_are_compared_by_value(db: Db) -> Outcome {
    let seat = Seat {
        row: 10,
        seat: 1,
        guest: "ann".into(),
    };
    let error = Transaction::new()
        .with(seat.create())
        .with(Seat::key(10, 1).check().if_missing())
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(indexes(&error), [1]);
    // Joined without a separator, these two keys would be equal.
    tables(&db).await?;
    Transaction::new()
        .with(Seat::key(1, 11).check().if_missing())
        .with(Seat::key(11, 1).check().if_missing())
        .send(&db)
        .await?;
    Ok(())
}

async fn four_megabytes_are_the_most(db: Db) -> Outcome {
    tables(&db).await?;
    let text = "x".repeat(390 * 1024);
    let notes: Vec<Note> = (0..11).map(|at| note(&format!("n{at}"), &text)).collect();
    let (faulty, http) = db.faulty([]);
    let all = Transaction::new().with_all(notes.iter().map(|note| note.put()));
    let error = all.send(&faulty).await.unwrap_err();
    assert_eq!(
        (error.kind(), indexes(&error)),
        (ErrorKind::TooLarge, vec![10])
    );
    assert!(http.calls().is_empty());
    Transaction::new()
        .with_all(notes[..10].iter().map(|note| note.put()))
        .send(&db)
        .await?;
    // Quotes are escaped, so the JSON is longer than the values.
    let quotes = "\"".repeat(300 * 1024);
    let notes: Vec<Note> = (0..10).map(|at| note(&format!("q{at}"), &quotes)).collect();
    Transaction::new()
        .with_all(notes.iter().map(|note| note.put()))
        .send(&db)
        .await?;
    Ok(())
}

async fn what_cannot_be_planned_is_named(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let (fine, empty) = (note("n1", "x"), note("", "x"));
    let error = Transaction::new()
        .with(fine.create())
        .with(empty.create())
        .send(&faulty)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), indexes(&error)),
        (ErrorKind::InvalidKey, vec![1])
    );
    assert_eq!(
        (error.entity(), error.key_attribute()),
        (Some("Note"), Some("id"))
    );
    let upsert = Transaction::new().with(Draft::key("d1").upsert());
    let error = upsert.send(&faulty).await.unwrap_err();
    assert_eq!(
        (error.kind(), indexes(&error)),
        (ErrorKind::InvalidValue, vec![0])
    );
    for token in ["".to_owned(), "x".repeat(37)] {
        let error = Transaction::new()
            .with(fine.create())
            .token(token)
            .send(&faulty)
            .await;
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Config);
    }
    assert!(http.calls().is_empty());
    Ok(())
}

async fn a_transaction_is_sent_again(db: Db) -> Outcome {
    tables(&db).await?;
    stock("tea", 1_000).put().send(&db).await?;
    let (faulty, http) = impatient(&db);
    for (index, fault) in ambiguous().into_iter().enumerate() {
        http.plan([fault.clone()]);
        let order = draft(&format!("d{index}"), "x");
        Transaction::new()
            .with(order.create())
            .with(Stock::key("tea").update().apply(|t| t.left().sub(1)))
            .send(&faulty)
            .await
            .map_err(|error| format!("{fault:?}: {error:?}"))?;
        let seen = http.seen();
        assert_eq!((seen.len(), &seen[0].body), (2, &seen[1].body), "{fault:?}");
    }
    assert_eq!(db.stored(&Stock::key("tea")).await["left"], n(993));
    Ok(())
}

async fn a_lost_answer_is_not_a_second_effect(db: Db) -> Outcome {
    tables(&db).await?;
    stock("tea", 5).put().send(&db).await?;
    let sell = || {
        Transaction::new()
            .with(Stock::key("tea").update().apply(|t| t.left().sub(1)))
            .with(Note::key("n1").upsert().apply(|n| n.text().set("sold")))
    };
    let (faulty, http) = db.faulty([Fault::Lose, Fault::Lose]);
    sell().send(&faulty).await?;
    assert_eq!(http.calls().len(), 3);
    assert_eq!(db.stored(&Stock::key("tea")).await["left"], n(4));
    // When no attempt is left, the outcome is unknown. Sending again with the same token finds it out.
    let token = format!("{:x<36}", db.prefix());
    let (faulty, _http) = db.faulty([Fault::Lose, Fault::Lose, Fault::Lose]);
    let error = sell().token(&token).send(&faulty).await.unwrap_err();
    assert!(error.is_outcome_unknown() && error.failures().is_empty());
    sell().token(&token).send(&db).await?;
    assert_eq!(db.stored(&Stock::key("tea")).await["left"], n(3));
    Ok(())
}

async fn one_token_is_one_transaction(db: Db) -> Outcome {
    tables(&db).await?;
    let (first, other) = (note("n1", "x"), note("n1", "y"));
    let token = format!("one{}", db.prefix());
    for _ in 0..3 {
        Transaction::new()
            .with(first.create())
            .token(&token)
            .send(&db)
            .await?;
    }
    let error = Transaction::new()
        .with(other.create())
        .token(&token)
        .send(&db)
        .await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Rejected);
    let again = Transaction::new().with(first.create()).send(&db).await;
    assert!(again.unwrap_err().is_already_exists(), "each has its own");
    Ok(())
}

async fn contention_is_waited_out(db: Db) -> Outcome {
    tables(&db).await?;
    for (index, (busy, times)) in [
        (cancelled(&["TransactionConflict", "None"]), 6),
        (cancelled(&["ThrottlingError", "TransactionConflict"]), 6),
        (Fault::refuse("TransactionInProgressException"), 6),
        // Throttling of the whole request is retried only as often as the client retries.
        (Fault::throttle(), 2),
    ]
    .into_iter()
    .enumerate()
    {
        let (faulty, http) = db.faulty(vec![busy.clone(); times]);
        let first = note(&format!("n{index}"), "x");
        let other = Stock::key(format!("t{index}")).upsert();
        Transaction::new()
            .with(first.create())
            .with(other.apply(|t| t.left().set(1)))
            .send(&faulty)
            .await
            .map_err(|error| format!("{busy:?}: {error:?}"))?;
        let seen = http.seen();
        let token = |call: usize| body(&http, call)["ClientRequestToken"].clone();
        assert!((0..seen.len()).all(|call| token(call) == token(0)));
        assert_eq!(seen.len(), times + 1, "{busy:?}");
    }
    Ok(())
}

async fn endless_contention_is_an_error(db: Db) -> Outcome {
    let (faulty, http) = db.faulty(vec![cancelled(&["None", "TransactionConflict"]); 200]);
    let first = note("n1", "x");
    let error = Transaction::new()
        .with(first.create())
        .with(Stock::key("tea").delete())
        .send(&faulty)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), indexes(&error)),
        (ErrorKind::Unavailable, vec![1])
    );
    assert_eq!(error.entity(), Some("Stock"));
    assert!(
        (10..=15).contains(&http.calls().len()),
        "{}",
        http.calls().len()
    );
    Ok(())
}

async fn contention_after_a_lost_answer_is_of_unknown_outcome(db: Db) -> Outcome {
    tables(&db).await?;
    let conflict = || cancelled(&["TransactionConflict"]);
    let first = note("n1", "x");
    // The lost request may have been executed, until an answer settles it.
    let (faulty, _http) = db.faulty([Fault::Lose, conflict(), conflict()]);
    Transaction::new()
        .with(first.create())
        .send(&faulty)
        .await?;
    let plan = [Fault::Io].into_iter().chain(vec![conflict(); 200]);
    let (faulty, _http) = db.faulty(plan);
    let error = Transaction::new().with(first.create()).send(&faulty).await;
    assert!(error.unwrap_err().is_outcome_unknown());
    // A failed condition settles nothing: the lost request may still be under way.
    let (faulty, _http) = db.faulty([Fault::Io, conflict()]);
    let error = Transaction::new().with(first.create()).send(&faulty).await;
    assert!(error.unwrap_err().is_outcome_unknown());
    Ok(())
}

async fn every_single_write_waits_for_transactions(db: Db) -> Outcome {
    tables(&db).await?;
    let busy = || vec![Fault::refuse("TransactionConflictException"); 5];
    let (faulty, http) = db.faulty(busy());
    note("n1", "x").put().send(&faulty).await?;
    assert_eq!(http.calls(), ["PutItem"; 6]);
    http.plan(busy());
    note("n2", "x").create().send(&faulty).await?;
    http.plan(busy());
    Note::key("n1")
        .update()
        .apply(|n| n.text().set("y"))
        .send(&faulty)
        .await?;
    http.plan(busy());
    Note::key("n1").delete().send(&faulty).await?;
    assert_eq!(http.calls(), ["DeleteItem"; 6]);
    assert_eq!(db.count::<Note>().await, 1);
    Ok(())
}

/// Many concurrent transfers between accounts: the sum stays the same, and no account is overdrawn.
async fn money_is_neither_made_nor_lost(db: Db) -> Outcome {
    tables(&db).await?;
    for at in 0..4 {
        stock(&format!("a{at}"), 50).put().send(&db).await?;
    }
    let transfers = (0..60_usize).map(|turn| {
        let db = db.clone();
        tokio::spawn(async move {
            let (from, to) = (turn % 4, (turn + 1 + turn / 4 % 3) % 4);
            let amount = 1 + u32::try_from(turn).expect("small") % 40;
            Transaction::new()
                .with(
                    Stock::key(format!("a{from}"))
                        .update()
                        .apply(|t| t.left().sub(amount)),
                )
                .with(
                    Stock::key(format!("a{to}"))
                        .update()
                        .apply(|t| t.left().add(amount)),
                )
                .send(&db)
                .await
        })
    });
    let transfers: Vec<_> = transfers.collect();
    let (mut done, mut refused) = (0, 0);
    for transfer in transfers {
        match transfer.await? {
            Ok(_) => done += 1,
            Err(error) if error.is_conflict() => refused += 1,
            Err(error) => return Err(error.into()),
        }
    }
    assert!(done > 0 && done + refused == 60, "{done} {refused}");
    let reads: Vec<_> = (0..4)
        .map(|at| Stock::key(format!("a{at}")).get())
        .collect();
    let accounts = transact_get(reads).send(&db).await?;
    let sum: u32 = accounts.iter().flatten().map(|account| account.left).sum();
    assert_eq!(sum, 200);
    Ok(())
}

async fn it_is_explained(db: Db) -> Outcome {
    let first = note("n1", "x");
    let explained = Transaction::new()
        .with(first.create())
        .with(Stock::key("tea").check().if_exists())
        .explain(&db)?;
    assert_eq!(explained.operation, Some("TransactWriteItems"));
    let request: Value = serde_json::from_str(&explained.requests[0])?;
    assert!(request["TransactItems"][0]["Put"]["Item"]["id"]["S"] == "n1");
    assert!(request["TransactItems"][1]["ConditionCheck"]["Key"]["sku"]["S"] == "tea");
    Ok(())
}

/// Collects writes of any kind, to be sent later.
#[derive(Default)]
struct Outbox {
    writes: Vec<BoxedWrite<'static>>,
}

impl Outbox {
    fn add(mut self, stock: Stock) -> Self {
        self.writes.push(stock.into_create().boxed());
        self
    }
}

/// The writes are made here and sent by another task.
async fn operations_may_own_what_they_write(db: Db) -> Outcome {
    stock("old", 3).into_put().send(&db).await?;
    let created = draft("a", "one").into_create().send(&db).await?;

    let mut outbox = Outbox::default().add(stock("tea", 1)).add(stock("milk", 2));
    let more = [
        stock("sugar", 3).into_put().if_missing().boxed(),
        Stock::key("old")
            .update()
            .apply(|s| s.left().sub(1))
            .boxed(),
        Stock::key("none").check().if_missing().boxed(),
        created
            .clone()
            .into_put()
            .when(|d| d.text().eq("one"))
            .boxed(),
    ];
    outbox.writes.extend(more);
    let dynamo: &Dynamo = &db;
    let connection = dynamo.clone();
    let sent = tokio::spawn(async move {
        let transaction = Transaction::new().with_all(outbox.writes);
        transaction.send(&connection).await.map(drop)
    });
    sent.await??;
    let left = |sku: &str| Stock::key(sku).get();
    let read = transact_get(["tea", "milk", "sugar", "old"].map(left))
        .send(&db)
        .await?;
    let left: Vec<_> = read
        .into_iter()
        .map(|stock| stock.map(|stock| stock.left))
        .collect();
    assert_eq!(left, [Some(1), Some(2), Some(3), Some(2)]);
    // The loaded version is outdated now, and an owned put checks it, too.
    let lost = created.into_put().send(&db).await.unwrap_err();
    assert_eq!(lost.kind(), ErrorKind::Conflict);

    let batch = |count: u32| {
        let stocks = (0..count).map(|left| stock(&format!("s{left}"), left));
        Batch::new().with_all(stocks.map(Stock::into_put))
    };
    batch(60).send(&db).await?.complete()?;
    let given = (60..70).map(|left| stock(&format!("s{left}"), left).into_create());
    put_each(given).send(&db).await?.complete()?;
    assert_eq!(db.count::<Stock>().await, 74);
    Ok(())
}

/// The service refuses a transaction of a strongly consistent global table by a code that means many things. What the
/// table is tells its description, once.
async fn a_table_without_transactions_is_named(db: Db) -> Outcome {
    tables(&db).await?;
    let name = db.table::<Note>();
    let described = |more: &str| {
        Fault::Reply(
            200,
            format!(
                r#"{{"Table":{{"TableName":"{name}","TableStatus":"ACTIVE","TableArn":"arn:aws:dynamodb:eu-west-1:1:table/{name}",
                "KeySchema":[{{"AttributeName":"id","KeyType":"HASH"}}],
                "AttributeDefinitions":[{{"AttributeName":"id","AttributeType":"S"}}]{more}}}}}"#
            ),
        )
    };
    let refused = || Fault::refuse("ValidationException");
    let first = note("n1", "x");
    // Another table keeps the error, and is not described again.
    let (faulty, http) = db.faulty([refused(), described(""), refused()]);
    for calls in [2, 1] {
        let before = http.calls().len();
        let error = first.create().idempotent().send(&faulty).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Rejected);
        assert_eq!(http.calls().len() - before, calls, "{:?}", http.calls());
    }
    let strong = r#","Replicas":[{"RegionName":"eu-west-2"}],"MultiRegionConsistency":"STRONG""#;
    let (faulty, http) = db.faulty([refused(), described(strong)]);
    let error = first.create().idempotent().send(&faulty).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoTransactions, "{error}");
    assert_eq!(error.code(), Some("ValidationException"));
    assert!(error.to_string().contains(&name), "{error}");
    assert_eq!(http.calls(), ["TransactWriteItems", "DescribeTable"]);
    // From now on it is known, and single writes go on.
    http.plan([]);
    let error = Transaction::new().with(first.create()).send(&faulty).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::NoTransactions);
    assert!(http.calls().is_empty());
    first.create().send(&faulty).await?;
    // Who may not describe the table is told what the service said.
    let denied = Fault::refuse("AccessDeniedException");
    let (faulty, _) = db.faulty([refused(), denied]);
    let error = first.create().idempotent().send(&faulty).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rejected);
    Ok(())
}
