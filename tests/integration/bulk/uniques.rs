//! Jobs on entities with unique values send each row's write as the same transaction that a single verb would
//! send.

use std::collections::BTreeMap;

use dynamo_entity::RetryBudget;
use dynamo_entity::aws_sdk_dynamodb::Client;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::bulk::{FileCheckpoint, SingleWrite};
use dynamo_entity::prelude::*;

use crate::support::db::{Db, Raw};
use crate::support::faulty::Fault;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_delete_gives_up_what_each_row_has,
    a_delete_looks_at_the_items_behind_an_index,
    a_collection_knows_the_entity_of_each_row,
    a_delete_gives_up_the_value_of_the_last_moment,
    a_row_without_values_is_a_single_write(Clubs),
    an_update_changes_values,
    a_taken_value_fails_its_row_alone,
    an_update_that_lost_a_race_takes_the_right_value,
    given_writes_of_all_kinds,
    given_writes_that_lose_a_race_are_planned_again,
    given_writes_are_done_once,
    a_mark_resolves_a_lost_answer,
    a_job_is_explained,
    an_emptied_table_has_no_values,
    random_jobs_leave_what_the_items_say,
];

crate::declare! {
    pub(super) table Clubs(name = "clubs", pk = "pk", sk = "sk", entities(Person, Visit),
        gsi(by_level, pk = "levelpk", sk = "levelsk", project = keys));
    pub(super) entity Person(table = Clubs, key(pk = "CLUB#{club}", sk = "PERSON#{number:05}"),
        unique(by_email, email), unique(by_seat, club, seat), gsi(by_level, pk = "LEVEL#{level}", sk = "{number:05}"))
        { pub(super) club: String, pub(super) number: u32, pub(super) email: String, pub(super) seat: Option<u32>,
          pub(super) level: u32, pub(super) count: u64 }
    entity Visit(table = Clubs, key(pk = "CLUB#{club}", sk = "VISIT#{day}")) { club: String, day: u32 }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Clubs, partition(club))]
enum Visits {
    Visit(Visit),
    #[dynamo(other)]
    Other(Item),
}

pub(super) fn person(number: u32) -> Person {
    Person {
        club: "a".into(),
        number,
        email: format!("{number}@x"),
        seat: number.is_multiple_of(2).then_some(number),
        level: 1,
        count: 0,
    }
}

async fn people(db: &Db, numbers: std::ops::Range<u32>) -> Outcome {
    db.create_tables([Clubs::schema()]).await?;
    let people: Vec<Person> = numbers.map(person).collect();
    let report = put_each(people.iter().map(Person::create)).send(db).await?;
    assert_eq!(report.complete()?.written as usize, people.len());
    Ok(())
}

fn text(item: &Raw, name: &str) -> String {
    match item.get(name) {
        Some(AttributeValue::S(text)) => text.clone(),
        other => format!("{other:?}"),
    }
}

/// All items of the table, read without the library.
pub(super) async fn stored(client: &Client, table: String) -> Vec<Raw> {
    let scan = client.scan().table_name(table).consistent_read(true);
    let items = scan.into_paginator().items().send();
    let items = items.collect::<Result<Vec<Raw>, _>>().await;
    items.expect("a scan")
}

/// Panics unless the sentinels are exactly those of the rows' values and name the right rows. Returns the
/// rows.
pub(super) fn in_step(items: &[Raw]) -> Vec<Person> {
    let mut implied = BTreeMap::new();
    let mut held = BTreeMap::new();
    let mut rows = Vec::new();
    for item in items {
        if let Some(AttributeValue::M(owner)) = item.get("$unique") {
            held.insert(text(item, "pk"), (text(owner, "pk"), text(owner, "sk")));
            continue;
        }
        let Ok(row) = Person::from_item(item.clone()) else {
            continue;
        };
        let key = (text(item, "pk"), text(item, "sk"));
        implied.insert(format!("$UNIQUE#Person#email#{}", row.email), key.clone());
        if let Some(seat) = row.seat {
            implied.insert(
                format!("$UNIQUE#Person#club,seat#{}#{seat:010}", row.club),
                key,
            );
        }
        rows.push(row);
    }
    assert_eq!(held, implied);
    rows.sort_by_key(|row| row.number);
    rows
}

async fn look(db: &Db) -> Vec<Person> {
    in_step(&stored(db.client(), db.table::<Clubs>()).await)
}

async fn a_delete_gives_up_what_each_row_has(db: Db) -> Outcome {
    people(&db, 0..60).await?;
    Visit {
        club: "a".into(),
        day: 1,
    }
    .put()
    .send(&db)
    .await?;
    let (seen, http) = db.faulty([]);
    let some = Person::in_partition("a").number().lt(20);
    let report = some.page_size(7).delete_each().send(&seen).await?;
    assert_eq!(report.complete()?.written, 20);
    let query = String::from_utf8(http.seen()[0].body.to_vec())?;
    assert!(
        query.contains("\"email\"") && !query.contains("\"count\""),
        "{query}"
    );
    assert_eq!(look(&db).await.len(), 40);

    // The deleted row has given up its value, so another one can take it.
    person(3).create().send(&db).await?;
    let report = Person::scan().delete_each().send(&db).await?;
    assert_eq!(report.complete()?.written, 41);
    assert!(look(&db).await.is_empty());
    assert_eq!(db.count::<Clubs>().await, 1, "the visit");
    Ok(())
}

async fn a_delete_looks_at_the_items_behind_an_index(db: Db) -> Outcome {
    people(&db, 0..30).await?;
    let kept = Person {
        level: 2,
        ..person(99)
    }
    .create()
    .send(&db)
    .await?;
    let report = Person::by_level(1u32)
        .page_size(7)
        .delete_each()
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 30);
    assert_eq!(look(&db).await, [kept]);
    Ok(())
}

async fn a_collection_knows_the_entity_of_each_row(db: Db) -> Outcome {
    people(&db, 0..9).await?;
    for day in 0..5 {
        Visit {
            club: "a".into(),
            day,
        }
        .put()
        .send(&db)
        .await?;
    }
    // This row has no type attribute; its key tells its type.
    let mut untyped = db.stored(&Person::key("a", 4u32)).await;
    untyped.remove("_type");
    db.plant::<Person>(untyped).await;
    let mut foreign = Item::new();
    foreign.insert("pk", "CLUB#a");
    foreign.insert("sk", "what others wrote");
    db.plant::<Person>(foreign).await;
    let other = Person {
        club: "b".into(),
        ..person(20)
    }
    .create()
    .send(&db)
    .await?;

    let report = Visits::in_partition("a").delete_each().send(&db).await?;
    assert_eq!(report.complete()?.written, 15);
    assert_eq!(look(&db).await, [other]);
    Ok(())
}

async fn a_delete_gives_up_the_value_of_the_last_moment(db: Db) -> Outcome {
    people(&db, 0..6).await?;
    let mut is_first = true;
    let job = Person::in_partition("a").delete_each().concurrency(1);
    let report = job
        .on_progress(|_| {
            if std::mem::take(&mut is_first) {
                let moved = Person::key("a", 4u32).modify(|p| p.email = "new@x".into());
                meanwhile(moved.send(&db)).expect("a modify");
                let freed = Person {
                    email: "4@x".into(),
                    ..person(77)
                };
                let freed = Person {
                    club: "b".into(),
                    ..freed
                };
                meanwhile(freed.create().send(&db)).expect("a create");
            }
        })
        .send(&db)
        .await?;
    assert_eq!(report.complete()?.written, 6);
    let left = look(&db).await;
    assert_eq!(left.iter().map(|p| &*p.email).collect::<Vec<_>>(), ["4@x"]);
    Ok(())
}

async fn a_row_without_values_is_a_single_write(db: Db) -> Outcome {
    let nobody = Person {
        email: String::new(),
        seat: None,
        ..person(1)
    };
    nobody.create().send(&db).await?;
    let (seen, http) = db.faulty([]);
    Person::in_partition("a")
        .delete_each()
        .send(&seen)
        .await?
        .complete()?;
    assert_eq!(http.calls(), ["Query", "DeleteItem"]);
    Ok(())
}

async fn an_update_changes_values(db: Db) -> Outcome {
    people(&db, 0..50).await?;
    let (seen, http) = db.faulty([]);
    let report = Person::in_partition("a")
        .page_size(13)
        .update_each(|p| {
            let email = format!("new-{}@x", p.number);
            let renamed = p.update().apply(|p| p.count().add(1));
            match p.number % 3 {
                0 => renamed,
                1 => renamed.apply(|p| p.email().set(email)),
                _ => renamed.apply(|p| (p.email().set(email), p.seat().remove())),
            }
        })
        .send(&seen)
        .await?;
    assert_eq!(report.complete()?.written, 50);
    let calls = http.calls();
    let of = |name: &str| calls.iter().filter(|call| *call == name).count();
    assert_eq!((of("UpdateItem"), of("TransactWriteItems")), (17, 33));
    let rows = look(&db).await;
    assert!(rows.iter().all(|p| p.count == 1));
    assert_eq!(
        rows.iter().filter(|p| p.email.starts_with("new")).count(),
        33
    );
    Ok(())
}

async fn a_taken_value_fails_its_row_alone(db: Db) -> Outcome {
    people(&db, 0..10).await?;
    let job = Person::in_partition("a").update_each(|p| {
        let email = if p.number < 5 {
            "9@x".to_owned()
        } else {
            format!("new-{}@x", p.number)
        };
        let update = p
            .update()
            .apply(|p| (p.email().set(email), p.count().add(1)));
        (p.number != 9).then_some(update)
    });
    let report = job.send(&db).await?;
    assert_eq!((report.written, report.unchanged, report.failed), (4, 1, 5));
    for failed in report.errors() {
        let key = failed.key_of::<Person>()?;
        assert!(key.is_some_and(|key| key.number < 5));
        let error = failed.error();
        assert!(
            error.is_unique_violation() && error.attribute() == Some("email"),
            "{error:?}"
        );
        assert_eq!(error.holder::<Person>()?, Some(Person::key("a", 9u32)));
    }
    let rows = look(&db).await;
    assert_eq!(rows.iter().filter(|p| p.count == 1).count(), 4);
    Ok(())
}

async fn an_update_that_lost_a_race_takes_the_right_value(db: Db) -> Outcome {
    people(&db, 0..3).await?;
    let mut ran = 0;
    let job = Person::in_partition("a").number().eq(1).update_each(|p| {
        ran += 1;
        if ran == 1 {
            let other = Person::key("a", 1u32).modify(|p| p.email = "between@x".into());
            meanwhile(other.send(&db)).expect("a modify");
        }
        let email = format!("after-{}", p.email);
        p.update().apply(|p| p.email().set(email))
    });
    assert_eq!(job.send(&db).await?.complete()?.written, 1);
    assert_eq!(ran, 2);
    assert_eq!(look(&db).await[1].email, "after-between@x");
    Ok(())
}

/// Writes of each kind, on a few people.
fn writes(new: &[Person]) -> Vec<Box<dyn SingleWrite + '_>> {
    let renamed = Person::key("a", 2u32).update();
    let renamed = renamed.when(|p| p.email().eq("2@x"));
    vec![
        Box::new(new[0].create()),
        Box::new(new[1].put()),
        Box::new(renamed.apply(|p| (p.email().set("two@x"), p.count().add(1)))),
        Box::new(Person::key("a", 3u32).delete()),
        Box::new(Person::key("a", 5u32).delete().if_exists()),
        Box::new(new[2].put().when(|p| p.count().eq(0))),
    ]
}

fn new_people() -> [Person; 3] {
    let with = |number, email: &str, seat| Person {
        email: email.into(),
        seat,
        ..person(number)
    };
    [
        with(20, "twenty@x", Some(20)),
        with(1, "one@x", None),
        with(4, "four@x", Some(44)),
    ]
}

async fn given_writes_of_all_kinds(db: Db) -> Outcome {
    people(&db, 0..6).await?;
    let new = new_people();
    let report = put_each(writes(&new)).send(&db).await?;
    assert_eq!(report.complete()?.written, 6);
    let rows = look(&db).await;
    let emails: Vec<_> = rows.iter().map(|p| &*p.email).collect();
    assert_eq!(emails, ["0@x", "one@x", "two@x", "four@x", "twenty@x"]);

    let taken = Person {
        email: "0@x".into(),
        ..person(30)
    };
    let wanted = [
        taken.clone(),
        Person {
            number: 31,
            email: "31@x".into(),
            ..taken.clone()
        },
    ];
    let puts = put_each(wanted.iter().map(Person::put)).send(&db).await?;
    assert_eq!((puts.written, puts.failed), (1, 1));
    let failed = &puts.errors()[0];
    assert_eq!(
        (failed.index(), failed.error().attribute()),
        (Some(0), Some("email"))
    );
    look(&db).await;
    Ok(())
}

async fn given_writes_that_lose_a_race_are_planned_again(db: Db) -> Outcome {
    people(&db, 0..2).await?;
    let racers = (0..4).map(|racer| {
        let db = db.clone();
        tokio::spawn(async move {
            let named = |at: u32| Person {
                email: format!("{racer}-{at}@x"),
                ..person(at % 2)
            };
            let people: Vec<Person> = (0..20).map(named).collect();
            let job = put_each(people.iter().map(Person::put)).concurrency(2);
            let job = job.budget(RetryBudget::rounds(100));
            job.send(&db).await.and_then(|report| report.complete())
        })
    });
    for racer in racers.collect::<Vec<_>>() {
        assert_eq!(racer.await??.written, 20);
    }
    assert_eq!(look(&db).await.len(), 2);
    Ok(())
}

async fn given_writes_are_done_once(db: Db) -> Outcome {
    people(&db, 0..6).await?;
    let folder = tempfile::tempdir()?;
    let new = new_people();
    let adds = || (0..6u32).map(|n| Person::key("a", n).update().apply(|p| p.count().add(1)));
    let mut left = 3;
    // The first run is dropped halfway.
    let file = FileCheckpoint::new(folder.path().join("job"));
    {
        let puts = new
            .iter()
            .map(|p| Box::new(p.put()) as Box<dyn SingleWrite>);
        let adds = adds().map(|add| Box::new(add) as Box<dyn SingleWrite>);
        let (sent, dropped) = tokio::sync::oneshot::channel::<()>();
        let mut sent = Some(sent);
        let job = put_each(puts.chain(adds))
            .checkpoint("once", file.clone())
            // With such a long interval, only the checkpoint of the beginning is saved.
            .save_every(std::time::Duration::from_secs(3_600))
            .concurrency(1)
            .on_progress(|_| {
                left -= 1;
                if left == 0 {
                    sent.take();
                }
            })
            .send(&db);
        tokio::select! {
            biased;
            _ = dropped => {}
            report = job => drop(report?),
        }
    }
    drop(file);
    let file = FileCheckpoint::new(folder.path().join("job"));
    let puts = new
        .iter()
        .map(|p| Box::new(p.put()) as Box<dyn SingleWrite>);
    let adds = adds().map(|add| Box::new(add) as Box<dyn SingleWrite>);
    let report = put_each(puts.chain(adds))
        .checkpoint("once", file)
        .send(&db)
        .await?;
    let counts = report.complete()?;
    assert_eq!(counts.found, 9);
    assert!(counts.already_done >= 2, "{counts:?}");
    let rows = look(&db).await;
    assert!(rows.iter().all(|p| p.count <= 1), "{rows:?}");
    Ok(())
}

async fn a_mark_resolves_a_lost_answer(db: Db) -> Outcome {
    people(&db, 0..4).await?;
    let folder = tempfile::tempdir()?;
    // The SDK sends the transaction three times; by its token it is the same write.
    let plan = [
        Fault::Pass,
        Fault::Lose,
        Fault::Io,
        Fault::Io,
        Fault::Pass,
        Fault::Io,
        Fault::Io,
        Fault::Io,
    ];
    let (faulty, _) = db.faulty(plan);
    let report = Person::in_partition("a")
        .update_each(|p| {
            let email = format!("new-{}", p.email);
            p.update()
                .apply(|p| (p.email().set(email), p.count().add(1)))
        })
        .checkpoint("renamed", FileCheckpoint::new(folder.path().join("job")))
        .concurrency(1)
        .send(&faulty)
        .await?;
    assert_eq!(report.complete()?.written, 4);
    let rows = look(&db).await;
    assert!(
        rows.iter()
            .all(|p| p.count == 1 && p.email == format!("new-{}@x", p.number))
    );
    Ok(())
}

async fn a_job_is_explained(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let deletes = Person::by_level(1u32).delete_each().explain(&faulty)?;
    assert_eq!(deletes.operation, Some("Query"));
    let items = deletes.items.unwrap_or_default();
    assert!(
        items.contains("email") && !items.contains("count"),
        "{items}"
    );
    let people = [person(1), person(2)];
    let puts = put_each(people.iter().map(Person::put)).explain(&faulty)?;
    assert_eq!(puts.operation, Some("TransactWriteItems"));
    assert_eq!(puts.requests.len(), 1, "the first");
    let nothing = put_each(people[..0].iter().map(Person::put)).explain(&faulty)?;
    assert_eq!(nothing.operation, None);
    assert!(http.calls().is_empty());
    Ok(())
}

async fn an_emptied_table_has_no_values(db: Db) -> Outcome {
    people(&db, 0..20).await?;
    let all = db.count::<Clubs>().await;
    assert_eq!(
        db.truncate([Clubs::schema()]).even_on_aws().await? as i32,
        all
    );
    people(&db, 0..20).await?;
    Ok(())
}

fn faults(random: &mut fastrand::Rng) -> Vec<Fault> {
    let fault = |number| match number {
        0 => Fault::Lose,
        1 => Fault::Io,
        2 => Fault::internal(),
        3 => Fault::throttle(),
        4 => Fault::refuse("TransactionConflictException"),
        5 => Fault::Timeout,
        _ => Fault::Pass,
    };
    (0..400).map(|_| fault(random.u8(0..30))).collect()
}

/// Compares random jobs under faults with a model: the rows must fit, and the sentinels must match them.
async fn random_jobs_leave_what_the_items_say(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    people(&db, 0..30).await?;
    let folder = tempfile::tempdir()?;
    for round in 0..8 {
        let before = look(&db).await;
        let (faulty, _) = db.faulty(faults(&mut random));
        let file = FileCheckpoint::new(folder.path().join(format!("{round}")));
        let (modulus, shift) = (random.u32(2..5), random.u32(0..40));
        let fits = |number: u32| number.is_multiple_of(modulus);
        let rename = |p: &Person| Person {
            // Some of these values still belong to other rows.
            seat: Some(p.number + shift),
            email: format!("{round}-{}@x", p.number),
            count: p.count + 1,
            ..p.clone()
        };
        let kind = random.u8(0..3);
        let new: Vec<Person> = (0..30)
            .map(|number| Person {
                count: 1000 + round,
                ..rename(&person(number))
            })
            .collect();
        let job = match kind {
            0 => Person::in_partition("a")
                .page_size(7)
                .update_each(move |p| {
                    let new = rename(p);
                    let change = p.update().apply(|p| {
                        (
                            p.seat().set(new.seat.unwrap_or(0)),
                            p.email().set(&*new.email),
                            p.count().add(1),
                        )
                    });
                    fits(p.number).then_some(change)
                }),
            1 => Person::in_partition("a")
                .number()
                .lt(shift)
                .page_size(7)
                .delete_each(),
            _ => put_each(new.iter().map(Person::put)),
        };
        let job = job
            .checkpoint(format!("round-{round}"), file)
            .budget(RetryBudget::rounds(50));
        let report = job.concurrency(3).send(&faulty).await?;
        assert!(report.stopped().is_none(), "seed {seed}, {report:?}");
        let not_unique = report
            .errors()
            .iter()
            // A value may be taken after an attempt without an answer, which may still take effect.
            .filter(|row| row.error().is_unique_violation() || row.error().is_outcome_unknown());
        assert_eq!(
            not_unique.count() as u64,
            report.failed,
            "seed {seed}, {report:?}"
        );
        let after = look(&db).await;
        let changed = after.iter().filter(|row| !before.contains(row)).count();
        let gone = before
            .iter()
            .filter(|row| !after.iter().any(|now| now.number == row.number))
            .count();
        assert_eq!(
            (changed + gone) as u64,
            report.written,
            "seed {seed}, round {round}, {report:?}"
        );
        for row in &after {
            let expected = match (kind, before.iter().find(|old| old.number == row.number)) {
                (0, Some(old)) if fits(old.number) => rename(old),
                (2, _) => new[row.number as usize].clone(),
                (_, Some(old)) => old.clone(),
                (_, None) => panic!("seed {seed}: {row:?} came from nowhere"),
            };
            let is_failed = report.errors().iter().any(|failed| {
                failed
                    .key_of::<Person>()
                    .is_ok_and(|key| key.is_some_and(|key| key.number == row.number))
            });
            assert!(
                *row == expected || is_failed && before.contains(row),
                "seed {seed}, round {round}: {row:?}"
            );
        }
    }
    Ok(())
}
