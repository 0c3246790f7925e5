//! Every request says what it is for: the entity, the verb that the program called, and the index.

use std::sync::{Arc, Mutex};

use dynamo_entity::observe::Pattern;
use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Value, transact};

use crate::support::db::{Db, item};
use crate::support::faulty::Fault;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    verbs_of_one_item,
    writes_that_keep_unique_values,
    reads_of_many,
    requests_of_several_operations,
    jobs,
    items_without_a_type,
    what_is_sent_again_or_read_again_is_for_the_same,
    an_explanation_tells_the_same,
];

crate::declare! {
    table Club(name = "patterns", pk = "pk", sk = "sk", entities(Member, Visit),
        gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
    entity Member(table = Club, key(pk = "MEMBER#{id}", sk = "INFO"), unique(by_email, email))
        { id: u32, email: String, stars: u32 }
    entity Visit(table = Club, key(pk = "MEMBER#{member}", sk = "VISIT#{number:04}"),
        gsi(by_day, on = gsi1, pk = "DAY#{day}", sk = "{number:04}"))
        { member: u32, number: u16, day: u32, hours: u32 }
}

/// A member with all visits.
#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Club, partition(id))]
enum Account {
    Member(Member),
    Visit(Visit),
}

crate::declare! {
    entity Note(table = "patterns-notes", key(pk = id), gsi(by_kind, pk = kind, project = keys))
        { id: u32, kind: u32 }
}

fn member(id: u32) -> Member {
    Member {
        id,
        email: format!("m{id}@x"),
        stars: 0,
    }
}

fn visit(number: u16) -> Visit {
    Visit {
        member: 1,
        number,
        day: 7,
        hours: 1,
    }
}

/// The requests since it was asked last.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn watch(db: &Dynamo) -> (Dynamo, Self) {
        let seen = Seen::default();
        let kept = seen.0.clone();
        let db = db.clone().with_observer(move |seen| {
            kept.lock()
                .unwrap()
                .push(line(seen.pattern, seen.operation));
        });
        (db, seen)
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// The patterns without the operations, each once.
    fn patterns(&self) -> Vec<String> {
        let seen = self.take().into_iter();
        let mut seen: Vec<String> = seen
            .map(|line| line.split(" by ").next().unwrap().to_owned())
            .collect();
        seen.dedup();
        seen
    }
}

fn line(pattern: &Pattern, operation: &str) -> String {
    let index = pattern.index.map(|index| format!(" in {index}"));
    format!("{pattern}{} by {operation}", index.unwrap_or_default())
}

async fn open(db: &Db) -> Result<(Dynamo, Seen)> {
    db.create_tables([Club::schema(), Note::schema()]).await?;
    Ok(Seen::watch(db))
}

async fn verbs_of_one_item(db: Db) -> Outcome {
    let (db, seen) = open(&db).await?;
    let key = || Visit::key(1, 1);
    visit(1).create().send(&db).await?;
    visit(1).put().send(&db).await?;
    key().get().send(&db).await?;
    let update = || key().update().apply(|v| v.hours().add(1));
    update().send(&db).await?;
    key().touch().send(&db).await?;
    let upsert = key().upsert().apply(|v| (v.day().set(8), v.hours().set(2)));
    upsert.send(&db).await?;
    update().idempotent().send(&db).await?;
    key().delete().send(&db).await?;
    assert_eq!(
        seen.take(),
        [
            "Visit.create by PutItem",
            "Visit.put by PutItem",
            "Visit.get by GetItem",
            "Visit.update by UpdateItem",
            "Visit.touch by UpdateItem",
            "Visit.upsert by UpdateItem",
            "Visit.update by TransactWriteItems",
            "Visit.delete by DeleteItem",
        ]
    );
    Ok(())
}

/// What reads, keeps and gives up the values is for the verb.
async fn writes_that_keep_unique_values(db: Db) -> Outcome {
    let (db, seen) = open(&db).await?;
    member(1).create().send(&db).await?;
    assert_eq!(seen.take(), ["Member.create by TransactWriteItems"]);
    member(1).put().send(&db).await?;
    let read_and_write = |verb: &str| {
        ["GetItem", "TransactWriteItems"].map(|operation| format!("Member.{verb} by {operation}"))
    };
    assert_eq!(seen.take(), read_and_write("put"));
    Member::key(1)
        .modify(|member| member.email = "new@x".into())
        .send(&db)
        .await?;
    assert_eq!(seen.patterns(), ["Member.modify"]);
    Member::by_email("new@x").send(&db).await?;
    assert_eq!(
        seen.take(),
        ["Member.by_email by GetItem", "Member.by_email by GetItem"]
    );
    let upsert = Member::key(1)
        .upsert()
        .apply(|m| (m.email().set("other@x"), m.stars().set(1)));
    upsert.send(&db).await?;
    assert_eq!(seen.patterns(), ["Member.upsert"]);
    Member::key(1).delete().send(&db).await?;
    assert_eq!(seen.take(), read_and_write("delete"));
    Ok(())
}

async fn reads_of_many(db: Db) -> Outcome {
    let (db, seen) = open(&db).await?;
    Batch::new()
        .with_all([visit(1), visit(2)].iter().map(|visit| visit.put()))
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(seen.take(), ["Visit.batch by BatchWriteItem"]);
    Visit::in_partition(1).all(&db).await?;
    Visit::by_day(7).all(&db).await?;
    Visit::by_day(7).count(&db).await?;
    Visit::scan().page(&db).await?;
    Account::in_partition(1).all(&db).await?;
    Visit::get_many([1, 2].map(|number| Visit::key(1, number)))
        .send(&db)
        .await?;
    assert_eq!(
        seen.take(),
        [
            "Visit.in_partition by Query",
            "Visit.by_day in gsi1 by Query",
            "Visit.by_day in gsi1 by Query",
            "Visit.scan by Scan",
            "Account.in_partition by Query",
            "Visit.get_many by BatchGetItem",
        ]
    );
    Note { id: 1, kind: 1 }.put().send(&db).await?;
    Note::by_kind(1).hydrate().all(&db).await?;
    assert_eq!(
        seen.take(),
        [
            "Note.put by PutItem",
            "Note.by_kind in by_kind by Query",
            "Note.by_kind in by_kind by BatchGetItem"
        ]
    );
    Ok(())
}

/// Several operations of one entity are those of that entity.
async fn requests_of_several_operations(db: Db) -> Outcome {
    let (db, seen) = open(&db).await?;
    let visits = Transaction::new()
        .with(visit(1).into_put())
        .with(visit(2).into_put());
    visits.send(&db).await?;
    let members = Transaction::new().with(member(1).into_create());
    members.send(&db).await?;
    let both = Transaction::new()
        .with(visit(1).into_put())
        .with(member(2).into_create());
    both.send(&db).await?;
    transact(&db, async |unit| {
        let found = unit.get(Visit::key(1, 1)).await?;
        let other = unit.get(Visit::key(1, 2)).await?;
        assert!(other.is_some());
        unit.put(&Visit {
            hours: 9,
            ..found.unwrap()
        })
    })
    .await?;
    assert_eq!(
        seen.take(),
        [
            "Visit.transact by TransactWriteItems",
            "Member.transact by TransactWriteItems",
            "several.transact by TransactWriteItems",
            "Visit.transact by GetItem",
            "Visit.transact by GetItem",
            "Visit.transact by TransactWriteItems",
        ]
    );
    let (note, other) = (Note { id: 1, kind: 1 }, visit(3));
    let mixed = Batch::new().with(note.put()).with(other.put());
    mixed.send(&db).await?.complete()?;
    transact_get([1, 2].map(|number| Visit::key(1, number).get()))
        .send(&db)
        .await?;
    transact_get((Visit::key(1, 1).get(), Member::key(1).get()))
        .send(&db)
        .await?;
    batch_get((Visit::key(1, 1).get(), Visit::get_many([Visit::key(1, 2)])))
        .send(&db)
        .await?;
    batch_get((Visit::key(1, 1).get(), Member::get_many([Member::key(1)])))
        .send(&db)
        .await?;
    batch_get((Note::key(1).get(), Member::get_many([Member::key(1)])))
        .send(&db)
        .await?;
    assert_eq!(
        seen.take(),
        [
            "several.batch by BatchWriteItem",
            "Visit.transact_get by TransactGetItems",
            "several.transact_get by TransactGetItems",
            "Visit.batch_get by BatchGetItem",
            "several.batch_get by BatchGetItem",
            "several.batch_get by BatchGetItem",
        ]
    );
    Ok(())
}

/// The rows of a job are read for the query, and written for the verb of the job.
async fn jobs(db: Db) -> Outcome {
    let (db, seen) = open(&db).await?;
    put_each([1, 2].map(|id| member(id).into_create()))
        .send(&db)
        .await?
        .complete()?;
    put_each([visit(1).into_put(), visit(2).into_put()])
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(seen.patterns(), ["Member.put_each", "Visit.put_each"]);
    let update = Visit::by_day(7)
        .update_each(|visit| visit.update().apply(|v| v.hours().add(1)))
        .concurrency(1);
    update.send(&db).await?.complete()?;
    assert_eq!(
        seen.take(),
        [
            "Visit.by_day in gsi1 by Query",
            "Visit.update_each by UpdateItem",
            "Visit.update_each by UpdateItem",
        ]
    );
    let transact = Visit::in_partition(1)
        .transact_each(|row| {
            let note = Note {
                id: row.number.into(),
                kind: 1,
            };
            let delete = Transaction::new().with(note.into_put());
            delete.with(row.update().apply(|v| v.hours().add(1)))
        })
        .concurrency(1);
    transact.send(&db).await?.complete()?;
    assert_eq!(
        seen.patterns(),
        ["Visit.in_partition", "Visit.transact_each"]
    );
    let delete = Account::in_partition(1).delete_each().concurrency(1);
    delete.send(&db).await?.complete()?;
    assert_eq!(
        seen.patterns(),
        ["Account.in_partition", "Account.delete_each"]
    );
    db.truncate([Club::schema()]).even_on_aws().await?;
    assert_eq!(seen.patterns(), ["Table.truncate"]);
    Ok(())
}

async fn items_without_a_type(db: Db) -> Outcome {
    let (db, seen) = open(&db).await?;
    let notes = Item::in_table("patterns-notes");
    let item = item([("id", Value::from(5_u64))]);
    notes.put(item.clone()).send(&db).await?;
    notes.get(item.clone()).send(&db).await?;
    notes.delete(item).send(&db).await?;
    assert_eq!(
        seen.take(),
        [
            "Item.put by PutItem",
            "Item.get by GetItem",
            "Item.delete by DeleteItem",
        ]
    );
    Ok(())
}

/// A write that is beaten reads again and writes again, and all of it is for the verb.
async fn what_is_sent_again_or_read_again_is_for_the_same(db: Db) -> Outcome {
    let (watched, seen) = open(&db).await?;
    visit(1).put().send(&db).await?;
    let mut others = 0;
    let beaten = Visit::key(1, 1).modify(|visit| {
        others += 1;
        visit.hours += 1;
        if others < 3 {
            let other = Visit::key(1, 1).update().apply(|v| v.hours().add(10));
            meanwhile(other.send(&db)).unwrap();
        }
    });
    beaten.send(&watched).await?;
    let requests = seen.take();
    assert!(requests.len() >= 5, "{requests:?}");
    let is_own = |line: &String| line.starts_with("Visit.modify by ");
    assert!(requests.iter().all(is_own), "{requests:?}");

    let (faulty, _http) = db.faulty([Fault::refuse("TransactionConflictException")]);
    let (faulty, seen) = Seen::watch(&faulty);
    visit(1).put().send(&faulty).await?;
    assert_eq!(seen.take(), ["Visit.put by PutItem"; 2]);
    Ok(())
}

async fn an_explanation_tells_the_same(db: Db) -> Outcome {
    let (db, _) = open(&db).await?;
    let explained = [
        visit(1).put().explain(&db)?,
        Visit::by_day(7).explain(&db)?,
        Member::key(1).delete().explain(&db)?,
        Member::by_email("x").explain(&db)?,
        Visit::by_day(7).delete_each().explain(&db)?,
        put_each([member(1).into_put()]).explain(&db)?,
    ];
    let patterns = explained.map(|explained| explained.pattern.map(ToString::to_string));
    let known = [
        "Visit.put",
        "Visit.by_day",
        "Member.delete",
        "Member.by_email",
        "Visit.by_day",
        "Member.put_each",
    ];
    assert_eq!(patterns, known.map(|name| Some(name.to_owned())));
    let nothing = Batch::new().explain(&db)?;
    assert_eq!(nothing.pattern, None);
    Ok(())
}
