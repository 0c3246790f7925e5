//! `transact` reads, decides and writes several items, and starts again if somebody else wrote in between.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dynamo_entity::prelude::*;
use dynamo_entity::transact::{UnitOfWork, try_transact};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::idempotent::cancelled;
use crate::model::{Draft, Note, Shop, Status, draft, note, order};
use crate::support::db::{Db, Mode, s};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    numbers_have_no_gap(Counter, Ticket),
    what_was_only_read_is_checked(Note, Draft),
    an_item_that_was_not_there_may_come(Note),
    an_item_that_is_deleted_meanwhile_is_read_again(Draft),
    an_expired_item_is_no_item(Lease),
    index_keys_are_kept(Shop),
    unique_values_are_exchanged(Seat),
    what_does_not_differ_is_not_written,
    an_error_of_the_closure_ends_it(Note),
    a_condition_of_the_caller_ends_it(Note, Draft),
    operations_on_items_that_were_read_are_guarded(Note),
    an_item_is_written_once(Note),
    a_unit_that_is_over_takes_nothing(Note),
    limits_are_known_before_sending(Note),
    a_lost_answer_is_one_effect,
    waiting_for_each_other_ends(Note),
    a_condition_beside_a_conflict_begins_anew,
    values_of_others_stay_theirs(Seat),
    what_was_loaded_elsewhere_keeps_its_version(Draft),
    an_item_is_of_one_entity(Note),
    random_units_have_an_order(Counter),
];

crate::declare! {
    entity Counter(table = "unit-counters", key(pk = name)) { name: String, last: u64 }
    entity Ticket(table = "unit-tickets", key(pk = number)) { number: u64, task: u64 }
}

/// Takes the next number, and returns how often the closure ran.
async fn take(db: &Dynamo, task: u64) -> Result<u32> {
    let runs = AtomicU32::new(0);
    transact(db, async |tx| {
        runs.fetch_add(1, Ordering::Relaxed);
        let counter = tx.get(Counter::key("ticket")).await?;
        let number = counter.map_or(0, |counter| counter.last) + 1;
        tx.put(&Counter {
            name: "ticket".into(),
            last: number,
        })?;
        tx.create(&Ticket { number, task })
    })
    .await?;
    Ok(runs.into_inner())
}

/// Many tasks take numbers of one counter. Most of them need no more than three attempts.
async fn numbers_have_no_gap(db: Db) -> Outcome {
    let mut tasks = JoinSet::new();
    for task in 0..64 {
        let db = db.clone();
        tasks.spawn(async move {
            let mut runs = Vec::new();
            for _ in 0..3 {
                runs.push(take(&db, task).await?);
            }
            Ok::<_, Error>(runs)
        });
    }
    let mut runs = Vec::new();
    while let Some(done) = tasks.join_next().await {
        runs.extend(done??);
    }
    runs.sort_unstable();
    assert!(runs[runs.len() / 2] <= 3, "{runs:?}");
    let tickets = Ticket::scan().consistent().all(&db).await?;
    let mut numbers: Vec<_> = tickets.iter().map(|ticket| ticket.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=192).collect::<Vec<_>>());
    let counter = Counter::key("ticket").get().send(&db).await?;
    assert_eq!(counter.map(|counter| counter.last), Some(192));
    Ok(())
}

/// Two rows of which one may be given up, but never both.
async fn what_was_only_read_is_checked(db: Db) -> Outcome {
    note("a", "on call").put().send(&db).await?;
    draft("b", "on call").create().send(&db).await?;
    let runs = AtomicU32::new(0);
    let left = transact(&db, async |tx| {
        let run = 1 + runs.fetch_add(1, Ordering::Relaxed);
        let a = tx.get(Note::key("a")).await?.expect("a");
        let mut b = tx.get(Draft::key("b")).await?.expect("b");
        if run == 1 {
            note("a", "off").put().send(&db).await?;
        }
        if a.text == "on call" {
            b.text = "off".into();
            tx.put(&b)?;
        }
        Ok(a.text)
    })
    .await?;
    assert_eq!((left.as_str(), runs.into_inner()), ("off", 2));
    let b = Draft::key("b").get().send(&db).await?;
    assert_eq!(b.map(|b| b.text).as_deref(), Some("on call"));
    Ok(())
}

async fn an_item_that_was_not_there_may_come(db: Db) -> Outcome {
    for is_written in [false, true] {
        let runs = AtomicU32::new(0);
        let key = if is_written { "w" } else { "r" };
        let seen = transact(&db, async |tx| {
            let run = 1 + runs.fetch_add(1, Ordering::Relaxed);
            let seen = tx.get(Note::key(key)).await?;
            if run == 1 {
                note(key, "came").put().send(&db).await?;
            }
            if is_written {
                tx.put(&note(key, "mine"))?;
            } else {
                tx.put(&note("other", "mine"))?;
            }
            Ok(seen)
        })
        .await?;
        assert_eq!((seen, runs.into_inner()), (Some(note(key, "came")), 2));
    }
    assert_eq!(
        Note::key("w").get().send(&db).await?,
        Some(note("w", "mine"))
    );
    Ok(())
}

async fn an_item_that_is_deleted_meanwhile_is_read_again(db: Db) -> Outcome {
    draft("a", "one").create().send(&db).await?;
    draft("b", "two").create().send(&db).await?;
    let runs = AtomicU32::new(0);
    transact(&db, async |tx| {
        let run = 1 + runs.fetch_add(1, Ordering::Relaxed);
        let there = tx.get(Draft::key("a")).await?.is_some();
        if run == 1 {
            Draft::key("a").delete().send(&db).await?;
        }
        tx.delete(Draft::key("a"))?;
        tx.get(Draft::key("b")).await?;
        tx.delete(Draft::key("b"))?;
        assert_eq!(there, run == 1);
        Ok(())
    })
    .await?;
    assert_eq!(runs.into_inner(), 2);
    assert_eq!(Draft::scan().consistent().all(&db).await?, []);
    Ok(())
}

crate::declare! {
    entity Lease(table = "unit-leases", key(pk = id)) { id: u32, holder: String, #[dynamo(ttl)] until: Option<i64> }
}

async fn an_expired_item_is_no_item(db: Db) -> Outcome {
    let lease = |id, holder: &str, until| Lease {
        id,
        holder: holder.into(),
        until,
    };
    let now = chrono::Utc::now().timestamp();
    lease(1, "old", Some(now - 100)).put().send(&db).await?;
    lease(2, "old", Some(now - 100)).put().send(&db).await?;
    transact(&db, async |tx| {
        assert_eq!(tx.get(Lease::key(1)).await?, None);
        assert_eq!(tx.get(Lease::key(2)).await?, None);
        tx.put(&lease(1, "new", Some(now + 1000)))
    })
    .await?;
    let found = Lease::key(1).get().send(&db).await?;
    assert_eq!(found.map(|lease| lease.holder).as_deref(), Some("new"));
    Ok(())
}

async fn index_keys_are_kept(db: Db) -> Outcome {
    let key = order("u", 7).create().send(&db).await?.key();
    for status in [Status::Paid, Status::Shipped, Status::Pending] {
        transact(&db, async |tx| {
            let mut order = tx.get(key.clone()).await?.expect("the order");
            order.status = status;
            tx.put(&order)
        })
        .await?;
        let stored = key.clone().get().send(&db).await?.expect("the order");
        assert_eq!(stored.status, status);
        assert_eq!(Item::from(db.stored(&key).await), stored.to_item()?);
    }
    assert_ne!(db.stored(&key).await.get("gsi1pk"), Some(&s("STATUS#sent")));
    Ok(())
}

crate::declare! {
    entity Seat(table = "unit-seats", key(pk = "SEAT#{id}"), unique(by_place, place))
        { id: u32, place: Option<String> }
}

/// Two items exchange a unique value, and values that are given up are free.
async fn unique_values_are_exchanged(db: Db) -> Outcome {
    let seat = |id, place: &str| Seat {
        id,
        place: Some(place.into()),
    };
    seat(1, "a").create().send(&db).await?;
    seat(2, "b").create().send(&db).await?;
    transact(&db, async |tx| {
        let mut one = tx.get(Seat::key(1)).await?.expect("one");
        let mut two = tx.get(Seat::key(2)).await?.expect("two");
        std::mem::swap(&mut one.place, &mut two.place);
        tx.put(&one)?;
        tx.put(&two)
    })
    .await?;
    assert_eq!(Seat::by_place("a").send(&db).await?, Some(seat(2, "a")));
    assert_eq!(Seat::by_place("b").send(&db).await?, Some(seat(1, "b")));
    let runs = AtomicU32::new(0);
    let taken = transact(&db, async |tx| {
        runs.fetch_add(1, Ordering::Relaxed);
        let mut one = tx.get(Seat::key(1)).await?.expect("one");
        one.place = Some("a".into());
        tx.put(&one)
    });
    let taken = taken.await.unwrap_err();
    assert_eq!(
        (taken.kind(), runs.into_inner()),
        (ErrorKind::UniqueViolation, 1)
    );
    transact(&db, async |tx| {
        tx.get(Seat::key(2)).await?;
        tx.delete(Seat::key(2))
    })
    .await?;
    seat(3, "a").create().send(&db).await?;
    Ok(())
}

async fn what_does_not_differ_is_not_written(db: Db) -> Outcome {
    if db.mode() == Mode::Direct {
        return Ok(());
    }
    db.create_tables([Draft::schema()]).await?;
    let first = draft("a", "one").create().send(&db).await?;
    draft("b", "one").create().send(&db).await?;
    let (watched, http) = db.faulty([]);
    transact(&watched, async |tx| {
        let a = tx.get(Draft::key("a")).await?.expect("a");
        assert_eq!(tx.get(Draft::key("a")).await?.as_ref(), Some(&a));
        tx.put(&a)
    })
    .await?;
    assert_eq!(http.calls(), ["GetItem"]);
    assert_eq!(Draft::key("a").get().send(&db).await?, Some(first));

    let (watched, http) = db.faulty([]);
    transact(&watched, async |tx| tx.get(Draft::key("a")).await).await?;
    assert_eq!(http.calls(), ["GetItem"]);

    // What two reads found belongs together only if both are checked.
    let (watched, http) = db.faulty([]);
    let runs = AtomicU32::new(0);
    let both = transact(&watched, async |tx| {
        let run = 1 + runs.fetch_add(1, Ordering::Relaxed);
        let a = tx.get(Draft::key("a")).await?.expect("a");
        if run == 1 {
            for id in ["a", "b"] {
                Draft::key(id)
                    .modify(|draft| draft.text = "two".into())
                    .send(&db)
                    .await?;
            }
        }
        let b = tx.get(Draft::key("b")).await?.expect("b");
        Ok((a.text, b.text))
    })
    .await?;
    assert_eq!(both, ("two".into(), "two".into()));
    // A silent server makes it one more: the item is read to learn why its check failed.
    let confirming = usize::from(db.mode() == Mode::Silent);
    assert_eq!(http.calls().len(), 6 + confirming);
    Ok(())
}

#[derive(Debug)]
enum Refusal {
    Own,
    Database(#[allow(dead_code, reason = "it is printed where a test fails")] Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Database(error)
    }
}

async fn an_error_of_the_closure_ends_it(db: Db) -> Outcome {
    let refused = try_transact(&db, async |tx| {
        tx.get(Note::key("a")).await?;
        tx.put(&note("a", "one"))?;
        Err::<(), _>(Refusal::Own)
    });
    assert!(matches!(refused.await, Err(Refusal::Own)));
    assert_eq!(Note::key("a").get().send(&db).await?, None);
    Ok(())
}

async fn a_condition_of_the_caller_ends_it(db: Db) -> Outcome {
    note("a", "one").put().send(&db).await?;
    for is_read in [false, true] {
        let runs = AtomicU32::new(0);
        let refused = transact(&db, async |tx| {
            runs.fetch_add(1, Ordering::Relaxed);
            if is_read {
                tx.get(Note::key("a")).await?;
            }
            tx.create(&draft("d", "x"))?;
            let change = Note::key("a").update().apply(|n| n.text().set("two"));
            tx.with(change.when(|n| n.text().eq("zero")))
        });
        let refused = refused.await.unwrap_err();
        assert_eq!(
            (refused.kind(), runs.into_inner()),
            (ErrorKind::Conflict, 1)
        );
    }
    note("c", "there").put().send(&db).await?;
    let runs = AtomicU32::new(0);
    let there = transact(&db, async |tx| {
        runs.fetch_add(1, Ordering::Relaxed);
        tx.create(&note("c", "mine"))
    });
    let there = there.await.unwrap_err();
    assert_eq!(
        (there.kind(), runs.into_inner()),
        (ErrorKind::AlreadyExists, 1)
    );
    let there = transact(&db, async |tx| {
        tx.get(Note::key("c")).await?;
        tx.create(&note("c", "mine"))
    });
    let there = there.await.unwrap_err();
    assert_eq!(there.kind(), ErrorKind::AlreadyExists);
    Ok(())
}

/// An operation of the caller's takes effect only on what the closure has seen.
async fn operations_on_items_that_were_read_are_guarded(db: Db) -> Outcome {
    note("a", "one").put().send(&db).await?;
    let runs = AtomicU32::new(0);
    transact(&db, async |tx| {
        let run = 1 + runs.fetch_add(1, Ordering::Relaxed);
        let seen = tx.get(Note::key("a")).await?.expect("a");
        if run == 1 {
            note("a", "two").put().send(&db).await?;
        }
        let text = format!("{} and more", seen.text);
        tx.with(
            Note::key("a")
                .update()
                .apply(|n| n.text().set(text.as_str())),
        )
    })
    .await?;
    let stored = Note::key("a").get().send(&db).await?;
    assert_eq!(
        (stored, runs.into_inner()),
        (Some(note("a", "two and more")), 2)
    );
    Ok(())
}

/// A transfer from an account to itself, say, is no two changes of which one is lost.
async fn an_item_is_written_once(db: Db) -> Outcome {
    for is_read in [false, true] {
        let refused = transact(&db, async |tx| {
            if is_read {
                tx.get(Note::key("a")).await?;
            }
            tx.put(&note("a", "one"))?;
            for again in [
                tx.put(&note("a", "two")),
                tx.create(&note("a", "two")),
                tx.delete(Note::key("a")),
                tx.with(note("a", "two").into_put()),
                tx.get(Note::key("a")).await.map(drop),
            ] {
                let error = again.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Rejected, "{error}");
                assert!(error.to_string().contains("Note"), "{error}");
            }
            Ok(())
        });
        refused.await?;
        assert_eq!(
            Note::key("a").get().send(&db).await?,
            Some(note("a", "one"))
        );
        Note::key("a").delete().send(&db).await?;
    }
    Ok(())
}

async fn a_unit_that_is_over_takes_nothing(db: Db) -> Outcome {
    let kept: UnitOfWork = transact(&db, async |tx| {
        tx.put(&note("a", "one"))?;
        Ok(tx)
    })
    .await?;
    assert!(kept.put(&note("b", "late")).is_err());
    assert!(kept.get(Note::key("a")).await.is_err());
    Ok(())
}

async fn limits_are_known_before_sending(db: Db) -> Outcome {
    let many = transact(&db, async |tx| {
        for at in 0..101 {
            tx.put(&note(&format!("n{at}"), "x"))?;
        }
        Ok(())
    });
    let many = many.await.unwrap_err();
    assert!(many.to_string().contains("101 operations"), "{many}");
    assert_eq!(Note::scan().consistent().all(&db).await?, []);
    Ok(())
}

async fn a_lost_answer_is_one_effect(db: Db) -> Outcome {
    if db.mode() == Mode::Direct {
        return Ok(());
    }
    db.create_tables([Counter::schema(), Ticket::schema()])
        .await?;
    for fault in [Fault::Lose, Fault::Io, Fault::Pass] {
        let (faulty, _) = db.faulty([Fault::Pass, fault]);
        assert_eq!(take(&faulty, 0).await?, 1);
    }
    let counter = Counter::key("ticket").get().send(&db).await?;
    assert_eq!(counter.map(|counter| counter.last), Some(3));
    Ok(())
}

/// A unit within a unit waits for its own turn, and goes on without it.
async fn waiting_for_each_other_ends(db: Db) -> Outcome {
    note("a", "0").put().send(&db).await?;
    let runs = AtomicU32::new(0);
    let nested = transact(&db, async |tx| {
        let run = 1 + runs.fetch_add(1, Ordering::Relaxed);
        let mut a = tx.get(Note::key("a")).await?.expect("a");
        if run < 3 {
            transact(&db, async |inner| {
                let mut a = inner.get(Note::key("a")).await?.expect("a");
                a.text.push('i');
                inner.put(&a)
            })
            .await?;
        }
        a.text.push('o');
        tx.put(&a)
    });
    tokio::time::timeout(Duration::from_secs(20), nested).await??;
    let stored = Note::key("a").get().send(&db).await?;
    assert_eq!(stored, Some(note("a", "0iio")));
    Ok(())
}

/// Another request holds the counter, and the ticket of its number is there already. Nobody knows yet that the number was
/// an old one.
async fn a_condition_beside_a_conflict_begins_anew(db: Db) -> Outcome {
    if db.mode() == Mode::Direct {
        return Ok(());
    }
    db.create_tables([Counter::schema(), Ticket::schema()])
        .await?;
    let refused = cancelled(&["TransactionConflict", "ConditionalCheckFailed"]);
    let (faulty, _) = db.faulty([Fault::Pass, refused]);
    assert_eq!(take(&faulty, 0).await?, 2);
    Ok(())
}

/// Rows of others may share a value that one of them owns. The one that does not own it can still be changed.
async fn values_of_others_stay_theirs(db: Db) -> Outcome {
    let seat = |id, place: &str| Seat {
        id,
        place: Some(place.into()),
    };
    seat(1, "a").create().send(&db).await?;
    for id in [2, 3] {
        db.plant::<Seat>(seat(id, "a").to_item()?).await;
    }
    let runs = AtomicU32::new(0);
    transact(&db, async |tx| {
        runs.fetch_add(1, Ordering::Relaxed);
        let mut two = tx.get(Seat::key(2)).await?.expect("two");
        two.place = Some("b".into());
        tx.put(&two)
    })
    .await?;
    transact(&db, async |tx| {
        tx.get(Seat::key(3)).await?;
        tx.delete(Seat::key(3))
    })
    .await?;
    assert_eq!(runs.into_inner(), 1);
    assert_eq!(Seat::by_place("a").send(&db).await?, Some(seat(1, "a")));
    assert_eq!(Seat::by_place("b").send(&db).await?, Some(seat(2, "b")));
    assert_eq!(Seat::key(3).get().send(&db).await?, None);
    Ok(())
}

async fn what_was_loaded_elsewhere_keeps_its_version(db: Db) -> Outcome {
    let old = draft("a", "one").create().send(&db).await?;
    let new = Draft::key("a").modify(|draft| draft.text = "two".into());
    let new = new.send(&db).await?;
    let put = async |draft: &Draft| {
        transact(&db, async |tx| {
            tx.get(draft.key()).await?;
            tx.put(draft)
        })
        .await
    };
    let stale = put(&old).await.unwrap_err();
    assert_eq!(stale.kind(), ErrorKind::Conflict, "{stale}");
    let text = "three".to_owned();
    put(&Draft { text, ..new }).await?;
    put(&draft("a", "four")).await?;
    Draft::key("a").delete().send(&db).await?;
    let gone = put(&old).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound, "{gone}");
    put(&draft("a", "five")).await?;
    Ok(())
}

crate::declare! {
    /// The same rows as notes, with more that is read of them.
    entity Titled(table = "notes", key(pk = id)) { id: String, title: Option<String> }
}

async fn an_item_is_of_one_entity(db: Db) -> Outcome {
    note("a", "one").put().send(&db).await?;
    transact(&db, async |tx| {
        tx.get(Note::key("a")).await?;
        let titled = Titled {
            id: "a".into(),
            title: None,
        };
        for other in [
            tx.get(Titled::key("a")).await.map(drop),
            tx.put(&titled),
            tx.delete(Titled::key("a")),
            tx.with(Titled::key("a").update().apply(|t| t.title().set("x"))),
        ] {
            let error = other.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Rejected, "{error}");
        }
        Ok(())
    })
    .await?;
    Ok(())
}

/// What a committed unit read and wrote: the number of writes that each item had before.
#[derive(Debug, Default)]
struct History {
    read: BTreeMap<u64, u64>,
    written: BTreeSet<u64>,
}

/// Random units of many tasks take effect as if they had come one after the other: of their reads and writes, an order
/// can be made.
async fn random_units_have_an_order(db: Db) -> Outcome {
    const ITEMS: u64 = 5;
    let all: Arc<Mutex<Vec<History>>> = Arc::default();
    let mut tasks = JoinSet::new();
    for task in 0..12_u64 {
        let (db, all) = (db.clone(), all.clone());
        tasks.spawn(async move {
            let mut random = fastrand::Rng::with_seed(task);
            for _ in 0..6 {
                let mut chosen: Vec<u64> = (0..ITEMS).collect();
                random.shuffle(&mut chosen);
                chosen.truncate(random.usize(1..=3));
                let writes = random.usize(0..=chosen.len());
                let history = transact(&db, async |tx| {
                    let mut history = History::default();
                    for (at, item) in chosen.iter().enumerate() {
                        let key = Counter::key(item.to_string());
                        let found = tx.get(key).await?;
                        let last = found.map_or(0, |counter| counter.last);
                        history.read.insert(*item, last);
                        if at < writes {
                            tx.put(&Counter {
                                name: item.to_string(),
                                last: last + 1,
                            })?;
                            history.written.insert(*item);
                        }
                    }
                    Ok(history)
                })
                .await?;
                all.lock().await.push(history);
            }
            Ok::<_, Error>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    let all = all.lock().await;
    // Each number of each item was written once.
    for item in 0..ITEMS {
        let writers = all.iter().filter(|unit| unit.written.contains(&item));
        let mut numbers: Vec<u64> = writers.map(|unit| unit.read[&item]).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    }
    // A unit comes after those whose writes it has seen, and before those that wrote what it read.
    let is_before = |one: &History, other: &History| {
        one.read.iter().any(|(item, number)| {
            other.read.get(item).is_some_and(|seen| {
                let wrote = one.written.contains(item);
                let writes = other.written.contains(item);
                wrote && number < seen || writes && !wrote && number <= seen
            })
        })
    };
    let mut left: Vec<usize> = (0..all.len()).collect();
    while !left.is_empty() {
        let first = left.iter().position(|at| {
            let others = left.iter().filter(|other| *other != at);
            others
                .clone()
                .all(|other| !is_before(&all[*other], &all[*at]))
        });
        let first = first.unwrap_or_else(|| panic!("no order of {left:?}: {all:?}"));
        left.remove(first);
    }
    Ok(())
}
