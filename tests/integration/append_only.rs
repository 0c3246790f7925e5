//! Append-only entities are created once, by every way there is.

use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;
use dynamo_entity::transact::try_transact;

use crate::support::clock::{HandClock, moment};
use crate::support::db::{Db, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    nothing_is_created_twice(Books),
    transactions_create_once(Books),
    units_of_work_create_once(Books),
    many_are_created_by_conditional_writes(Books),
    unique_values_are_taken_for_ever(Books),
    what_has_expired_makes_room(Books),
    others_of_a_collection_are_changed(Books),
    no_job_leaves_its_mark(Books),
];

crate::declare! {
    table Books(name = "append-only", pk = "pk", sk = "sk", entities(Ledger, Entry, Note, Visit));
    entity Ledger(table = Books, key(pk = "L#{id}", sk = "INFO")) { id: String, entries: u64 }
    entity Entry(table = Books, key(pk = "L#{id}", sk = "ENTRY#{number:06}"), append_only)
        { id: String, number: u64, text: String }
    entity Note(table = Books, key(pk = "N#{id}", sk = "INFO"), append_only, unique(by_name, name))
        { id: u64, name: String }
    entity Visit(table = Books, key(pk = "V#{id}", sk = "INFO"), append_only)
        { id: u64, text: String, #[dynamo(ttl)] until: i64 }
}

#[derive(Debug, PartialEq, DynamoCollection)]
#[dynamo(table = Books, partition(id))]
enum Book {
    Ledger(Ledger),
    Entry(Entry),
}

fn ledger(entries: u64) -> Ledger {
    Ledger {
        id: "a".into(),
        entries,
    }
}

fn entry(number: u64, text: &str) -> Entry {
    Entry {
        id: "a".into(),
        number,
        text: text.into(),
    }
}

async fn nothing_is_created_twice(db: Db) -> Outcome {
    let first = entry(1, "first").create().send(&db).await?;
    assert_eq!(first, entry(1, "first"));
    let again = entry(1, "second");
    let refusals = [
        again.create().send(&db).await.unwrap_err(),
        again.clone().into_create().send(&db).await.unwrap_err(),
    ];
    for refused in refusals {
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
        assert_eq!(refused.entity(), Some("Entry"));
        assert_eq!(refused.current::<Entry>()?, Some(first.clone()));
    }
    let stored = db.stored(&Entry::key("a", 1)).await;
    let expected = [
        ("pk", s("L#a")),
        ("sk", s("ENTRY#000001")),
        ("_type", s("Entry")),
        ("id", s("a")),
        ("number", crate::support::db::n("1")),
        ("text", s("first")),
    ];
    assert_eq!(stored, raw(expected));
    Ok(())
}

async fn transactions_create_once(db: Db) -> Outcome {
    ledger(0).create().send(&db).await?;
    let counted = || {
        let update = Ledger::key("a").update();
        update.apply(|l| l.entries().add(1))
    };
    let (one, two) = (entry(1, "one"), entry(2, "two"));
    let both = Transaction::new().with(counted()).with(one.create());
    both.with(two.into_create()).send(&db).await?;

    let again = Transaction::new().with(counted()).with(one.create());
    let refused = again.send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert!(refused.failures()[0].is::<Entry>());
    let rows = Book::in_partition("a").all(&db).await?;
    let expected = [entry(1, "one"), entry(2, "two")].map(Book::Entry);
    let (entries, info): (Vec<_>, Vec<_>) = rows
        .into_iter()
        .partition(|row| matches!(row, Book::Entry(_)));
    assert_eq!(entries, expected);
    assert_eq!(info, [Book::Ledger(ledger(1))]); // the second one was not counted
    Ok(())
}

async fn units_of_work_create_once(db: Db) -> Outcome {
    ledger(0).create().send(&db).await?;
    for number in 1..=3 {
        transact(&db, async |tx| {
            let Some(mut ledger) = tx.get(Ledger::key("a")).await? else {
                return Ok(());
            };
            assert_eq!(tx.get(Entry::key("a", number)).await?, None);
            ledger.entries += 1;
            tx.put(&ledger)?;
            tx.create(&entry(ledger.entries, "new"))
        })
        .await?;
    }
    // Whether the unit has read it or not.
    for reads in [false, true] {
        let refused = try_transact(&db, async |tx| -> Result<()> {
            if reads {
                assert_eq!(tx.get(Entry::key("a", 2)).await?, Some(entry(2, "new")));
            }
            tx.put(&ledger(9))?;
            tx.create(&entry(2, "newer"))
        });
        let refused = refused.await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    }
    let entries = Entry::in_partition("a").all(&db).await?;
    assert_eq!(entries, [1, 2, 3].map(|number| entry(number, "new")));
    let kept = Ledger::key("a").get().send(&db).await?;
    assert_eq!(kept, Some(ledger(3)));
    Ok(())
}

async fn many_are_created_by_conditional_writes(db: Db) -> Outcome {
    entry(5, "first").create().send(&db).await?;
    let given: Vec<Entry> = (0..40).map(|number| entry(number % 20, "given")).collect();
    let report = put_each(given.iter().map(|entry| entry.create()));
    let report = report.send(&db).await?;
    assert_eq!((report.written, report.failed), (19, 21));
    assert!(
        report
            .errors()
            .iter()
            .all(|failed| failed.error().is_already_exists())
    );
    assert_eq!(Entry::in_partition("a").count(&db).await?, 20);
    let kept = Entry::key("a", 5).get().send(&db).await?;
    assert_eq!(kept, Some(entry(5, "first")));
    Ok(())
}

async fn unique_values_are_taken_for_ever(db: Db) -> Outcome {
    let note = |id, name: &str| Note {
        id,
        name: name.into(),
    };
    note(1, "tea").create().send(&db).await?;
    let taken = note(2, "tea").create().send(&db).await.unwrap_err();
    assert_eq!(taken.kind(), ErrorKind::UniqueViolation);
    let there = note(1, "milk").create().send(&db).await.unwrap_err();
    assert_eq!(there.kind(), ErrorKind::AlreadyExists);
    note(2, "milk").create().send(&db).await?;
    let found = Note::by_name("tea").send(&db).await?;
    assert_eq!(found, Some(note(1, "tea")));
    Ok(())
}

async fn what_has_expired_makes_room(db: Db) -> Outcome {
    let clock = HandClock::at("2024-06-01T10:00:00Z");
    let until = moment("2024-06-01T11:00:00Z").timestamp();
    let visit = |text: &str, until| Visit {
        id: 1,
        text: text.into(),
        until,
    };
    visit("first", until).create().send(&db.at(&clock)).await?;
    let refused = visit("second", until).create().send(&db.at(&clock)).await;
    assert!(refused.unwrap_err().is_already_exists());
    let later = HandClock::at("2024-06-01T12:00:00Z");
    let second = visit("second", until + 86_400).into_create();
    second.send(&db.at(&later)).await?;
    let found = Visit::key(1).get().send(&db.at(&later)).await?;
    assert_eq!(found.map(|visit| visit.text).as_deref(), Some("second"));
    Ok(())
}

async fn others_of_a_collection_are_changed(db: Db) -> Outcome {
    ledger(2).create().send(&db).await?;
    for number in 1..=2 {
        entry(number, "new").create().send(&db).await?;
    }
    let report = Book::in_partition("a").transact_each(|row| match row {
        Book::Ledger(ledger) => Some(Transaction::new().with(ledger.delete())),
        Book::Entry(_) => None,
    });
    assert_eq!(report.send(&db).await?.complete()?.written, 1);
    assert_eq!(Ledger::key("a").get().send(&db).await?, None);
    let entries = Entry::in_partition("a").all(&db).await?;
    assert_eq!(entries, [entry(1, "new"), entry(2, "new")]);
    Ok(())
}

/// A check of a row would change it by the mark of a job that has a checkpoint.
async fn no_job_leaves_its_mark(db: Db) -> Outcome {
    ledger(0).create().send(&db).await?;
    for number in 1..=2 {
        entry(number, "new").create().send(&db).await?;
    }
    let counting = || {
        Book::in_partition("a").transact_each(|row| match row {
            Book::Ledger(_) => None,
            Book::Entry(entry) => {
                let count = Ledger::key("a").update().apply(|l| l.entries().add(1));
                let there = entry.key().check().if_exists();
                Some(Transaction::new().with(there).with(count))
            }
        })
    };
    let folder = tempfile::tempdir()?;
    let file = FileCheckpoint::new(folder.path().join("job"));
    let report = counting()
        .concurrency(1)
        .checkpoint("count", file)
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (0, 2));
    for failed in report.errors() {
        assert_eq!(failed.error().kind(), ErrorKind::Rejected);
        assert!(
            failed.error().to_string().contains("append-only"),
            "{failed}"
        );
        assert_eq!(failed.key_of::<Note>()?, None);
        assert!(failed.key_of::<Entry>()?.is_some());
    }
    let report = counting().concurrency(1).send(&db).await?;
    assert_eq!(report.complete()?.written, 2);
    let counted = Ledger::key("a").get().send(&db).await?;
    assert_eq!(counted, Some(ledger(2)));
    Ok(())
}
