//! `modify` reads, changes and writes an item, and starts again if somebody else wrote in between.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use dynamo_entity::Value;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use fastrand::Rng;
use tokio::task::JoinSet;

use crate::model::{Draft, Note, Order, Shop, Status, draft, note, order};
use crate::support::clock::HandClock;
use crate::support::db::{Db, Mode, Raw, n, raw, s};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    writes_what_the_closure_changed(Draft),
    keeps_the_keys_of_indexes(Shop),
    writes_nothing_for_nothing(Draft),
    refuses_another_key(Note),
    needs_a_row(Note),
    a_refusal_of_the_closure_is_the_caller_s_own_error(Note),
    loses_no_increment,
    loses_no_increment_without_a_version(BareSum),
    a_lost_answer_is_not_run_again(Sum),
    updates_rows_of_others(Draft),
    values_are_counted_as_the_service_counts_them(Manuscript),
    what_no_item_holds_is_refused(Manuscript),
    what_is_too_wide_says_what_to_do(Wide),
    every_change_of_another_writer_is_noticed(Loose),
    every_change_since_an_entity_was_loaded_is_noticed(Loose),
    what_expires_meanwhile_is_not_changed(Loose),
];

async fn writes_what_the_closure_changed(db: Db) -> Outcome {
    let first = draft("a", "one").create().send(&db).await?;
    let second = Draft::key("a")
        .modify(|draft| {
            draft.text.push_str(" two");
            draft.version = Version::from(77); // The library sets the version itself.
        })
        .send(&db)
        .await?;
    assert_eq!(second.text, "one two");
    assert_eq!(second.version.number(), Some(2));
    assert_eq!(second.created_at, first.created_at);
    assert!(second.updated_at >= first.updated_at);
    assert_eq!(Draft::key("a").get().send(&db).await?, Some(second));
    Ok(())
}

async fn keeps_the_keys_of_indexes(db: Db) -> Outcome {
    let key = order("u", 7).create().send(&db).await?.key();
    for (status, note) in [
        (Status::Pending, Some("x")),
        (Status::Paid, None),
        (Status::Paid, Some("y")),
        (Status::Shipped, Some("")),
    ] {
        let change = move |order: &mut Order| {
            order.status = status;
            order.note = note.map(str::to_owned);
        };
        let stored = key.clone().modify(change).send(&db).await?;
        assert_eq!(Item::from(db.stored(&key).await), stored.to_item()?);
    }
    assert_eq!(db.stored(&key).await.get("gsi1pk"), Some(&s("STATUS#sent")));
    Ok(())
}

async fn writes_nothing_for_nothing(db: Db) -> Outcome {
    let first = draft("a", "one").create().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let same = Draft::key("a").modify(|_| {}).send(&faulty).await?;
    assert_eq!(same, first);
    assert_eq!(http.calls().len(), 1);
    Ok(())
}

async fn refuses_another_key(db: Db) -> Outcome {
    note("a", "one").create().send(&db).await?;
    let refused = Note::key("a")
        .modify(|note| note.id = "b".into())
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidValue);
    assert_eq!(db.count::<Note>().await, 1);
    Ok(())
}

async fn needs_a_row(db: Db) -> Outcome {
    let lost = Note::key("a").modify(|_| {}).send(&db).await.unwrap_err();
    assert!(lost.is_not_found());
    Ok(())
}

#[derive(Debug)]
enum Refused {
    TooLong,
    Db(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Refused::Db(error)
    }
}

async fn a_refusal_of_the_closure_is_the_caller_s_own_error(db: Db) -> Outcome {
    note("a", "one").create().send(&db).await?;
    let grow = |note: &mut Note| {
        note.text.push_str(" and more");
        if note.text.len() > 5 {
            Err(Refused::TooLong)
        } else {
            Ok(())
        }
    };
    let refused = Note::key("a").try_modify(grow).send(&db).await;
    assert!(matches!(refused, Err(Refused::TooLong)), "{refused:?}");
    let missing = Note::key("b").try_modify(grow).send(&db).await;
    assert!(matches!(missing, Err(Refused::Db(error)) if error.is_not_found()));
    assert_eq!(
        Note::key("a").get().send(&db).await?,
        Some(note("a", "one"))
    );
    Ok(())
}

crate::declare! {
    entity Sum(table = "sums", key(pk = id)) { id: String, sum: u64, #[dynamo(version)] version: Version }
    entity BareSum(table = "bare-sums", key(pk = id)) { id: String, sum: u64, names: HashMap<String, u32> }
}

const TASKS: u64 = 64;

async fn loses_no_increment(db: Db) -> Outcome {
    // The other ways differ only in how requests are sent, and most attempts lose their race, so fewer are
    // made there.
    let is_full = std::env::var_os("LAWS").is_some_and(|laws| laws == "full");
    let each = match db.mode() {
        Mode::Raw if is_full => 100,
        Mode::Raw | Mode::Sdk => 20,
        _ => 5,
    };
    db.create_tables([Sum::schema()]).await?;
    let sum = Sum {
        id: "s".into(),
        sum: 0,
        version: Version::default(),
    };
    sum.create().send(&db).await?;
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let db = db.clone();
        tasks.spawn(async move {
            for _ in 0..each {
                Sum::key("s").modify(|sum| sum.sum += 1).send(&db).await?;
            }
            Ok::<_, Error>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    let sum = Sum::key("s")
        .get()
        .consistent()
        .send(&db)
        .await?
        .expect("the sum");
    assert_eq!(sum.sum, TASKS * each);
    assert_eq!(sum.version.number(), Some(1 + TASKS * each));
    Ok(())
}

async fn loses_no_increment_without_a_version(db: Db) -> Outcome {
    BareSum {
        id: "s".into(),
        sum: 0,
        names: HashMap::new(),
    }
    .create()
    .send(&db)
    .await?;
    let mut tasks = JoinSet::new();
    for task in 0..8 {
        let db = db.clone();
        tasks.spawn(async move {
            for _ in 0..20 {
                let count = |sum: &mut BareSum| {
                    sum.sum += 1;
                    *sum.names.entry(format!("task {task}")).or_default() += 1;
                };
                BareSum::key("s").modify(count).send(&db).await?;
            }
            Ok::<_, Error>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    let sum = BareSum::key("s")
        .get()
        .consistent()
        .send(&db)
        .await?
        .expect("the sum");
    assert_eq!((sum.sum, sum.names.len()), (160, 8));
    assert!(sum.names.values().all(|count| *count == 20));
    Ok(())
}

async fn a_lost_answer_is_not_run_again(db: Db) -> Outcome {
    Sum {
        id: "s".into(),
        sum: 0,
        version: Version::default(),
    }
    .create()
    .send(&db)
    .await?;
    let (faulty, _) = db.faulty([Fault::Pass, Fault::Lose]);
    let mut runs = 0;
    let count = |sum: &mut Sum| {
        runs += 1;
        sum.sum += 1;
    };
    let unknown = Sum::key("s").modify(count).send(&faulty).await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(runs, 1);
    let sum = Sum::key("s")
        .get()
        .consistent()
        .send(&db)
        .await?
        .expect("the sum");
    assert_eq!(sum.sum, 1);
    Ok(())
}

async fn updates_rows_of_others(db: Db) -> Outcome {
    let null = AttributeValue::Null(true);
    db.plant::<Draft>(raw([
        ("id", s("a")),
        ("text", s("one")),
        ("version", null.clone()),
        ("created_at", s("2024-01-01T00:00:00Z")),
        ("updated_at", null),
        ("other", s("kept")),
    ]))
    .await;
    let new = Draft::key("a")
        .modify(|draft| draft.text = "two".into())
        .send(&db)
        .await?;
    assert_eq!(new.version.number(), Some(1));
    let newer = new
        .update()
        .apply(|d| d.text().set("three"))
        .send(&db)
        .await?;
    assert_eq!(newer.version.number(), Some(2));
    assert_eq!(db.stored(&new.key()).await.get("other"), Some(&s("kept")));
    Ok(())
}

crate::declare! {
    entity Manuscript(table = "manuscripts", key(pk = id)) { id: u32, text: String, notes: Option<String> }
}

fn manuscript(text: String) -> Manuscript {
    Manuscript {
        id: 1,
        text,
        notes: None,
    }
}

/// In JSON, control characters take six bytes instead of one.
async fn values_are_counted_as_the_service_counts_them(db: Db) -> Outcome {
    let text = |letter: &str| letter.repeat(360 * 1024);
    manuscript(text("\u{1}")).put().send(&db).await?;
    let key = Manuscript::key(1);
    let update = key.clone().update().apply(|m| m.text().set(text("\u{2}")));
    let update = update.when(|m| m.text().eq(text("\u{1}")));
    assert_eq!(update.send(&db).await?.text, text("\u{2}"));
    let modified = key.modify(|m| m.text = text("\u{3}")).send(&db).await?;
    assert_eq!(modified.text, text("\u{3}"));
    let transaction = Transaction::new().with(
        Manuscript::key(1)
            .update()
            .apply(|m| m.notes().set("\u{4}".repeat(30 * 1024)))
            .when(|m| m.text().eq(text("\u{3}"))),
    );
    transaction.send(&db).await?;
    let found = Manuscript::in_table_scan(&db, &text("\u{3}")).await?;
    assert_eq!(found, 1);
    // The limit of two megabytes counts the values, not their spelling in JSON.
    let six = |letter: &str| -> Vec<String> {
        (0..6).map(|at| format!("{at}{}", text(letter))).collect()
    };
    for letter in ["x", "\u{1}"] {
        let asked = Manuscript::key(1)
            .delete()
            .when(|m| m.text().is_in(six(letter)));
        let error = asked.send(&db).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidValue);
        assert!(error.to_string().contains("(2 MB)"), "{error}");
    }
    Ok(())
}

impl Manuscript {
    async fn in_table_scan(db: &Dynamo, text: &str) -> Result<usize> {
        let scan = Manuscript::scan()
            .filter(|m| m.text().eq(text))
            .consistent();
        Ok(scan.all(db).await?.len())
    }
}

/// A value that an update sets is in the item afterwards, so it alone can make the item too large. A `modify`
/// knows the whole item.
async fn what_no_item_holds_is_refused(db: Db) -> Outcome {
    manuscript("x".repeat(250 * 1024)).put().send(&db).await?;
    let (counted, http) = db.faulty([]);
    let update = Manuscript::key(1).update();
    let update = update.apply(|m| m.text().set("y".repeat(400 * 1024)));
    let too_large = update.send(&counted).await.unwrap_err();
    assert_eq!(too_large.kind(), ErrorKind::TooLarge, "{too_large:?}");
    let half = || "z".repeat(150 * 1024);
    let update = Manuscript::key(1).update();
    let update = update.apply(|m| (m.text().set(half() + &half()), m.notes().set(half())));
    let too_large = update.send(&counted).await.unwrap_err();
    assert_eq!(too_large.kind(), ErrorKind::TooLarge, "{too_large:?}");
    assert_eq!(http.calls(), [""; 0]);
    let modify = Manuscript::key(1).modify(|m| m.notes = Some(half()));
    let too_large = modify.send(&counted).await.unwrap_err();
    assert_eq!(too_large.kind(), ErrorKind::TooLarge, "{too_large:?}");
    assert_eq!(http.calls(), ["GetItem"]);
    // Only the service knows the size of the whole item here.
    let update = Manuscript::key(1).update().apply(|m| m.notes().set(half()));
    let too_large = update.send(&db).await.unwrap_err();
    assert_eq!(too_large.kind(), ErrorKind::Rejected, "{too_large:?}");
    Ok(())
}

crate::declare! { entity Wide(table = "modify-wide", key(pk = id)) { id: String, #[dynamo(rest)] rest: Item } }

fn wide(id: &str, width: u32) -> Wide {
    let attributes = (0..width).map(|at| (format!("a{at}"), at));
    Wide {
        id: id.to_owned(),
        rest: attributes.collect(),
    }
}

fn says_what_to_do(error: &Error) {
    assert_eq!(error.kind(), ErrorKind::InvalidValue, "{error}");
    let said = error.to_string();
    for part in ["`Wide`", "`#[dynamo(version)]`", "`update()`", "allows 300"] {
        assert!(said.contains(part), "{said}");
    }
}

/// Without a version, every attribute is compared, and DynamoDB limits the number of comparisons. Attributes that the
/// closure makes are compared, too: they were not there.
async fn what_is_too_wide_says_what_to_do(db: Db) -> Outcome {
    for (width, made, is_refused) in [
        (10, 0, false),
        (150, 0, false),
        (151, 0, true),
        (400, 0, true),
        (0, 148, false),
        (0, 149, true),
        (75, 75, false),
        (76, 75, true),
    ] {
        let id = format!("{width}-{made}");
        let seen = wide(&id, width).put().send(&db).await?;
        let mut next = wide(&id, width);
        next.rest.extend((0..made).map(|at| (format!("b{at}"), at)));
        next.rest.insert("a0", "changed");
        let modified = Wide::key(&id).modify(|wide| wide.clone_from(&next));
        match modified.send(&db).await {
            Ok(wide) => assert!(!is_refused && wide == next, "{id}"),
            Err(error) => {
                assert!(is_refused, "{id}: {error}");
                says_what_to_do(&error);
                // Whoever compares nothing may change it.
                let update = Wide::key(&id).update();
                let update = update.apply(|w| w.rest().entry("a0").set(Value::from("changed")));
                update.send(&db).await?;
                assert_eq!(seen.changes_to(&seen).send(&db).await?, seen);
            }
        }
    }
    for (width, is_refused) in [(149, false), (150, true)] {
        let id = format!("seen-{width}");
        let seen = wide(&id, width).put().send(&db).await?;
        let mut next = seen.clone();
        next.rest.insert("a0", "changed");
        match seen.changes_to(&next).send(&db).await {
            Ok(wide) => assert!(!is_refused && wide == next, "{id}"),
            Err(error) => {
                assert!(is_refused, "{id}: {error}");
                says_what_to_do(&error);
            }
        }
    }
    Ok(())
}

crate::declare! {
    entity Loose(table = "modify-loose", key(pk = "L#{id}"))
        { id: String, count: Option<u32>, text: Option<String>, mine: Option<u32>, #[dynamo(ttl)] ends: Option<i64>,
          #[dynamo(rest)] rest: Item }
}

/// The item as anybody may have written it, or none.
fn loose(rng: &mut Rng) -> Option<Raw> {
    let mut item = raw([("pk", s("L#a")), ("id", s("a"))]);
    let (soon, later) = (4_000_000_000_u64, 4_000_000_001_u64);
    for (name, values) in [
        ("count", [n(1), n(2)]),
        ("text", [s("x"), s("y")]),
        ("ends", [n(soon), n(later)]),
        ("one", [s("x"), n(1)]),
        ("two", [n(1), AttributeValue::L(vec![n(1)])]),
    ] {
        let [first, second] = values;
        let value = match rng.u8(..6) {
            0 => first,
            1 => second,
            2 => AttributeValue::Null(true),
            _ => continue,
        };
        item.insert(name.into(), value);
    }
    (rng.u8(..8) > 0).then_some(item)
}

/// Two states of one item, of which each second pair is the same, or differs in one attribute.
fn two_states(rng: &mut Rng) -> (Raw, Option<Raw>) {
    let before = std::iter::repeat_with(|| loose(rng)).flatten().next();
    let before = before.expect("an item");
    let mut after = loose(rng);
    if rng.bool() {
        let other = after.replace(before.clone()).unwrap_or_default();
        let name = ["count", "text", "ends", "one", "two"][rng.usize(..5)];
        let after = after.as_mut().expect("the same");
        match other.get(name) {
            Some(value) => drop(after.insert(name.into(), value.clone())),
            None => drop(after.remove(name)),
        }
    }
    (before, after)
}

async fn replace(db: &Db, item: Option<Raw>) -> Outcome {
    match item {
        Some(item) => db.plant::<Loose>(item).await,
        None => Loose::key("a").delete().send(db).await?,
    }
    Ok(())
}

/// Whether another writer left alone all that was read: the fields, and the other attributes that were there. What
/// is new beside them was not seen, and is kept.
fn is_untouched(before: &Raw, after: Option<&Raw>) -> bool {
    let fields = ["count", "text", "mine", "ends"].into_iter();
    let mut seen = before.keys().map(String::as_str).chain(fields);
    after.is_some_and(|after| seen.all(|name| after.get(name) == before.get(name)))
}

/// The guard is as small as it can be, and tells of every other writer all the same.
async fn every_change_of_another_writer_is_noticed(db: Db) -> Outcome {
    let mut rng = Rng::with_seed(11);
    for case in 0..80 {
        let (before, after) = two_states(&mut rng);
        db.plant::<Loose>(before.clone()).await;
        let runs = AtomicU32::new(0);
        transact(&db, async |tx| {
            let seen = tx.get(Loose::key("a")).await?;
            if runs.fetch_add(1, Ordering::Relaxed) == 0 {
                replace(&db, after.clone()).await.expect("another write");
            }
            let Some(mut seen) = seen else {
                return Ok(());
            };
            seen.mine = Some(case);
            tx.put(&seen)
        })
        .await?;
        let is_same = is_untouched(&before, after.as_ref());
        let runs = runs.into_inner();
        assert_eq!(runs == 1, is_same, "{case}: {before:?} {after:?}");
        let mut expected = after;
        if let Some(item) = &mut expected {
            item.insert("mine".into(), n(case));
        }
        assert_eq!(db.raw(&Loose::key("a")).await, expected, "{case}");
    }
    Ok(())
}

/// A struct does not tell NULL from an absent attribute; every other change is noticed.
async fn every_change_since_an_entity_was_loaded_is_noticed(db: Db) -> Outcome {
    let mut rng = Rng::with_seed(12);
    for case in 0..80 {
        let (before, after) = two_states(&mut rng);
        db.plant::<Loose>(before).await;
        let seen = Loose::key("a").get().send(&db).await?.expect("an item");
        replace(&db, after.clone()).await?;
        let there = Loose::key("a").get().send(&db).await?;
        let is_same = there.clone().is_some_and(|mut there| {
            let known = there
                .rest
                .iter()
                .filter(|(name, _)| seen.rest.contains(name));
            there.rest = known
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            there == seen
        });
        let mine = |loose| Loose {
            mine: Some(case),
            ..loose
        };
        match seen.changes_to(&mine(seen.clone())).send(&db).await {
            Ok(stored) => assert!(
                is_same && Some(stored) == there.map(mine),
                "{case}: {after:?}"
            ),
            Err(error) => {
                assert!(!is_same, "{case}: {error} {after:?}");
                let is_there = after.is_some();
                let kind = [ErrorKind::NotFound, ErrorKind::Conflict][usize::from(is_there)];
                assert_eq!(error.kind(), kind, "{case}");
                assert_eq!(db.raw(&Loose::key("a")).await, after, "{case}");
            }
        }
    }
    Ok(())
}

async fn what_expires_meanwhile_is_not_changed(db: Db) -> Outcome {
    let clock = HandClock::at("2024-01-01T00:00:00Z");
    let at = db.at(&clock);
    let loose = Loose {
        id: "a".into(),
        count: None,
        text: None,
        mine: None,
        ends: Some(clock.seconds() + 10),
        rest: Item::new(),
    };
    let loose = loose.put().send(&at).await?;
    let modify = |seconds: i64| {
        let clock = clock.clone();
        Loose::key("a").modify(move |loose| {
            clock.advance(seconds * 1000);
            loose.mine = Some(loose.mine.unwrap_or_default() + 1);
        })
    };
    assert_eq!(modify(9).send(&at).await?.mine, Some(1));
    let late = modify(1).send(&at).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::NotFound, "{late}");
    let stored = db.stored(&loose.key()).await;
    assert_eq!(stored.get("mine"), Some(&n(1)));
    Ok(())
}
