//! Two releases share one store, and everything with a name in Rust is renamed between them: nothing is lost.

use std::collections::BTreeMap;
use std::path::Path;

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::bulk::{BulkReport, FileCheckpoint};
use dynamo_entity::prelude::*;

use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    one_release_meets_what_the_other_stored,
    a_value_has_one_owner_in_both_releases,
    what_a_value_is_stored_under,
    a_cursor_outlives_a_release,
    a_job_goes_on_in_the_next_release,
];

/// The old release.
mod before {
    use dynamo_entity::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
    pub enum Level {
        Low,
        High,
    }

    #[derive(Debug, Clone, PartialEq, DynamoValue)]
    pub enum Contact {
        Phone { number: String },
        Mail(String),
    }

    crate::declare! {
        pub entity Person(table = "people", key(pk = "CLUB#{club}", sk = "PERSON#{number:05}"),
            unique(by_email, email), unique(by_seat, hall, seat),
            gsi(by_level, pk = "LEVEL#{level}", sk = "{number:05}"))
            { pub club: String, pub number: u32, pub email: String, pub hall: String, pub seat: Option<u32>,
              pub level: Level, pub contact: Contact, pub count: u64, #[dynamo(version)] pub version: Version }
        pub table Office(name = "office", pk = "pk", sk = "sk", entities(User, Desk),
            gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
        pub entity User(table = Office, key(pk = "FLOOR#{floor}", sk = "USER#{id:05}"), unique(by_email, email),
            gsi(by_team, on = gsi1, pk = "TEAM#{team}", sk = "{id:05}"))
            { pub floor: u32, pub id: u32, pub email: String, pub team: String }
        pub entity Desk(table = Office, key(pk = "FLOOR#{floor}", sk = "USER#{id:05}#DESK#{number:02}"),
            unique(by_email, email)) { pub floor: u32, pub id: u32, pub number: u32, pub email: String }
    }

    #[derive(Debug, Clone, PartialEq, DynamoCollection)]
    #[dynamo(table = Office, partition(floor))]
    pub enum Floor {
        User(User),
        Desk(Desk),
    }
}

/// The new release: structs, fields, variants, look-ups, access patterns and an index have new names.
mod after {
    use dynamo_entity::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
    pub enum Rank {
        #[dynamo(rename = "Low")]
        Junior,
        #[dynamo(rename = "High")]
        Senior,
    }

    #[derive(Debug, Clone, PartialEq, DynamoValue)]
    pub enum Reach {
        #[dynamo(rename = "Phone")]
        Call {
            #[dynamo(rename = "number")]
            digits: String,
        },
        #[dynamo(rename = "Mail")]
        Write(String),
    }

    crate::declare! {
        pub entity Member(table = "people", key(pk = "CLUB#{society}", sk = "PERSON#{serial:05}"),
            unique(at_place, place, room), unique(of_mail, mail),
            gsi(ranked, rename = "by_level", pk = "LEVEL#{rank}", sk = "{serial:05}"))
            { #[dynamo(rename = "count")] pub visits: u64, #[dynamo(rename = "club")] pub society: String,
              #[dynamo(rename = "number")] pub serial: u32, #[dynamo(rename = "seat")] pub place: Option<u32>,
              #[dynamo(rename = "hall")] pub room: String, #[dynamo(rename = "email")] pub mail: String,
              #[dynamo(rename = "level")] pub rank: Rank, #[dynamo(rename = "contact")] pub reach: Reach,
              #[dynamo(version, rename = "version")] pub revision: Version }
        pub table Building(name = "office", pk = "pk", sk = "sk", entities(Table, Colleague),
            gsi(people, rename = "gsi1", pk = "gsi1pk", sk = "gsi1sk"));
        pub entity Colleague(table = Building, rename = "User", key(pk = "FLOOR#{storey}", sk = "USER#{serial:05}"),
            unique(of_mail, mail, rename = "email"),
            gsi(of_group, on = people, pk = "TEAM#{group}", sk = "{serial:05}"))
            { #[dynamo(rename = "id")] pub serial: u32, #[dynamo(rename = "team")] pub group: String,
              #[dynamo(rename = "floor")] pub storey: u32, #[dynamo(rename = "email")] pub mail: String }
        pub entity Table(table = Building, rename = "Desk",
            key(pk = "FLOOR#{storey}", sk = "USER#{serial:05}#DESK#{place:02}"), unique(of_mail, mail))
            { #[dynamo(rename = "floor")] pub storey: u32, #[dynamo(rename = "id")] pub serial: u32,
              #[dynamo(rename = "number")] pub place: u32, #[dynamo(rename = "email")] pub mail: String }
    }

    #[derive(Debug, Clone, PartialEq, DynamoCollection)]
    #[dynamo(table = Building, partition(storey))]
    pub enum Storey {
        Table(Table),
        Colleague(Colleague),
    }
}

use after::{Building, Colleague, Member, Rank, Reach, Storey, Table};
use before::{Contact, Desk, Floor, Level, Office, Person, User};

async fn tables(db: &Db) -> Outcome {
    db.create_tables([Person::schema(), Office::schema()])
        .await?;
    // The tables are the same, including their indexes.
    assert_eq!(
        Member::schema().global_indexes,
        Person::schema().global_indexes
    );
    assert_eq!(
        Building::schema().global_indexes,
        Office::schema().global_indexes
    );
    Ok(())
}

fn person(number: u32, email: &str) -> Person {
    Person {
        club: "c".into(),
        number,
        email: email.into(),
        hall: "h".into(),
        seat: Some(number),
        level: Level::High,
        contact: Contact::Phone { number: "1".into() },
        count: 0,
        version: Version::default(),
    }
}

fn member(serial: u32, mail: &str) -> Member {
    Member {
        visits: 0,
        society: "c".into(),
        serial,
        place: Some(serial),
        room: "h".into(),
        mail: mail.into(),
        rank: Rank::Senior,
        reach: Reach::Call { digits: "1".into() },
        revision: Version::default(),
    }
}

fn user(id: u32, email: &str) -> User {
    User {
        floor: 1,
        id,
        email: email.into(),
        team: "t".into(),
    }
}

fn colleague(serial: u32, mail: &str) -> Colleague {
    Colleague {
        serial,
        group: "t".into(),
        storey: 1,
        mail: mail.into(),
    }
}

fn desk(id: u32, email: &str) -> Desk {
    Desk {
        floor: 1,
        id,
        number: 1,
        email: email.into(),
    }
}

async fn one_release_meets_what_the_other_stored(db: Db) -> Outcome {
    tables(&db).await?;
    let ann = person(1, "a@x").create().send(&db).await?;
    let renamed = Member::from_item(ann.to_item()?)?;
    assert_eq!(renamed.to_item()?, ann.to_item()?);
    assert_eq!(Member::key("c", 1u32).get().send(&db).await?, Some(renamed));
    assert_eq!(Member::ranked(Rank::Senior).count(&db).await?, 1);
    let bob = member(2, "b@x").create().send(&db).await?;
    let changes = bob.update().apply(|m| {
        (
            m.rank().set(Rank::Junior),
            m.reach().set(Reach::Write("b".into())),
        )
    });
    changes.send(&db).await?;
    let low = Person::by_level(Level::Low).all(&db).await?;
    assert_eq!(low.len(), 1);
    assert_eq!(
        (low[0].number, &low[0].contact),
        (2, &Contact::Mail("b".into()))
    );

    user(1, "a@x").create().send(&db).await?;
    let table = Table {
        storey: 1,
        serial: 1,
        place: 1,
        mail: "a@x".into(),
    };
    table.create().send(&db).await?;
    assert_eq!(Colleague::scan().all(&db).await?, [colleague(1, "a@x")]);
    assert_eq!(
        Colleague::of_group("t").all(&db).await?,
        [colleague(1, "a@x")]
    );
    assert_eq!(Desk::scan().all(&db).await?, [desk(1, "a@x")]);
    let storey = Storey::in_partition(1u32).all(&db).await?;
    assert_eq!(
        storey,
        [Storey::Colleague(colleague(1, "a@x")), Storey::Table(table)]
    );
    Ok(())
}

async fn a_value_has_one_owner_in_both_releases(db: Db) -> Outcome {
    tables(&db).await?;
    let ann = person(1, "a@x").create().send(&db).await?;
    let taken = member(2, "a@x").create().send(&db).await.unwrap_err();
    assert!(taken.is_unique_violation());
    assert_eq!(taken.attribute(), Some("mail"));
    assert_eq!(taken.holder::<Member>()?, Some(Member::key("c", 1u32)));
    let sitting = Member {
        place: Some(1),
        ..member(2, "b@x")
    };
    assert_eq!(
        sitting.create().send(&db).await.unwrap_err().attribute(),
        Some("place, room")
    );
    let put = sitting.put().send(&db).await.unwrap_err();
    assert!(put.is_unique_violation());

    // The new release finds, changes and gives up values that the old one wrote.
    let found = Member::of_mail("a@x").send(&db).await?.expect("a member");
    assert_eq!(
        Member::at_place(1u32, "h").send(&db).await?.as_ref(),
        Some(&found)
    );
    let moved = found
        .update()
        .apply(|m| (m.mail().set("c@x"), m.place().set(7)));
    let moved = moved.send(&db).await?;
    assert_eq!(Person::by_email("a@x").send(&db).await?, None);
    let by_email = Person::by_email("c@x").send(&db).await?.expect("a person");
    assert_eq!((by_email.number, by_email.seat), (1, Some(7)));
    assert_eq!(
        Person::by_seat("h", 7u32).send(&db).await?,
        Some(by_email.clone())
    );
    assert!(
        ann.update()
            .apply(|p| p.email().set("d@x"))
            .send(&db)
            .await
            .unwrap_err()
            .is_conflict()
    );
    by_email
        .update()
        .apply(|p| p.email().set("a@x"))
        .send(&db)
        .await?;
    Member::key("c", 1u32)
        .modify(|m| m.mail = "e@x".into())
        .send(&db)
        .await?;
    member(2, "a@x").create().send(&db).await?;
    Person::key("c", 2u32).delete().send(&db).await?;
    let left = Member::key("c", 1u32)
        .get()
        .consistent()
        .send(&db)
        .await?
        .expect("a member");
    assert_eq!((left.mail.as_str(), left.place), ("e@x", moved.place));
    left.delete().send(&db).await?;
    assert_eq!(db.count::<Person>().await, 0, "no sentinel is left");

    user(1, "a@x").create().send(&db).await?;
    assert!(
        colleague(2, "a@x")
            .create()
            .send(&db)
            .await
            .unwrap_err()
            .is_unique_violation()
    );
    desk(1, "a@x").create().send(&db).await?; // Another entity has unique values of its own.
    assert_eq!(
        Colleague::of_mail("a@x").send(&db).await?,
        Some(colleague(1, "a@x"))
    );
    colleague(1, "b@x").put().send(&db).await?;
    assert_eq!(User::by_email("b@x").send(&db).await?, Some(user(1, "b@x")));
    user(2, "a@x").create().send(&db).await?;
    Colleague::scan()
        .delete_each()
        .send(&db)
        .await?
        .complete()?;
    Table::of_mail("a@x")
        .send(&db)
        .await?
        .expect("a table")
        .delete()
        .send(&db)
        .await?;
    assert_eq!(db.count::<Office>().await, 0, "no sentinel is left");
    Ok(())
}

/// The keys of the sentinels, each with the key of its owner.
async fn sentinels<T: DynamoTable>(db: &Db) -> BTreeMap<String, String> {
    let scan = db.client().scan().table_name(db.table::<T>());
    let items = scan.consistent_read(true).send().await.expect("a scan");
    let text = |value: &AttributeValue| value.as_s().cloned().expect("a text");
    let owners = items.items().iter().filter_map(|item| {
        let owner = item.get("$unique")?.as_m().expect("a key");
        Some((text(&item["pk"]), text(&owner["sk"])))
    });
    owners.collect()
}

/// These names are part of the storage format: if they change, the sentinels of stored values are lost.
async fn what_a_value_is_stored_under(db: Db) -> Outcome {
    tables(&db).await?;
    person(1, "a#x").create().send(&db).await?;
    let expected = [
        ("$UNIQUE#email#a%23x", "PERSON#00001"),
        ("$UNIQUE#hall,seat#h#0000000001", "PERSON#00001"),
    ];
    let text = |(value, owner): (&str, &str)| (value.to_owned(), owner.to_owned());
    assert_eq!(sentinels::<Person>(&db).await, expected.map(text).into());
    user(1, "a@x").create().send(&db).await?;
    desk(1, "a@x").create().send(&db).await?;
    let expected = [
        ("$UNIQUE#User#email#a@x", "USER#00001"),
        ("$UNIQUE#Desk#email#a@x", "USER#00001#DESK#01"),
    ];
    assert_eq!(sentinels::<Office>(&db).await, expected.map(text).into());
    Ok(())
}

async fn a_cursor_outlives_a_release(db: Db) -> Outcome {
    tables(&db).await?;
    for number in 1..=6 {
        person(number, &number.to_string())
            .create()
            .send(&db)
            .await?;
        user(number, &number.to_string()).create().send(&db).await?;
        desk(number, &number.to_string()).create().send(&db).await?;
    }
    let db = &Dynamo::clone(&db).with_cursor_secret("a secret of sixteen bytes or more")?;
    let numbers = |rows: &[Member]| rows.iter().map(|m| m.serial).collect::<Vec<_>>();
    let page = Person::by_level(Level::High).limit(2).page(db).await?;
    let next = Member::ranked(Rank::Senior)
        .resume(page.next)
        .limit(2)
        .page(db)
        .await?;
    assert_eq!(numbers(&next.rows), [3, 4]);
    let last = Person::by_level(Level::High)
        .resume(next.next)
        .page(db)
        .await?;
    assert_eq!(last.rows.len(), 2);

    let page = Person::in_partition("c")
        .filter(|p| p.seat().gt(0))
        .limit(2)
        .page(db)
        .await?;
    let query = Member::in_partition("c").filter(|m| m.place().gt(0));
    assert_eq!(
        numbers(&query.resume(page.next).all(db).await?),
        [3, 4, 5, 6]
    );
    let page = Person::scan().segments(2).limit(3).page(db).await?;
    let rest = Member::scan().segments(2).resume(page.next).all(db).await?;
    assert_eq!(rest.len(), 3);

    let page = User::by_team("t").limit(2).page(db).await?;
    let rest = Colleague::of_group("t").resume(page.next).all(db).await?;
    assert_eq!(
        rest.iter().map(|c| c.serial).collect::<Vec<_>>(),
        [3, 4, 5, 6]
    );
    let page = User::in_partition(1u32).limit(5).page(db).await?;
    let rest = Colleague::in_partition(1u32)
        .resume(page.next)
        .all(db)
        .await?;
    assert_eq!(rest, [colleague(6, "6")]);
    let page = Floor::in_partition(1u32).limit(11).page(db).await?;
    let rest = Storey::in_partition(1u32).resume(page.next).all(db).await?;
    assert_eq!(rest.len(), 1);

    // Names that are stored still make a difference.
    let page = User::scan().limit(2).page(db).await?;
    let refused = Table::scan().resume(page.next).all(db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    Ok(())
}

fn checkpoint(path: &Path) -> FileCheckpoint {
    FileCheckpoint::new(path)
}

async fn a_job_goes_on_in_the_next_release(db: Db) -> Outcome {
    tables(&db).await?;
    let folder = tempfile::tempdir()?;
    let (updates, puts) = (folder.path().join("updates"), folder.path().join("puts"));
    for number in 1..=12 {
        person(number, &number.to_string())
            .create()
            .send(&db)
            .await?;
    }
    let denied = || (0..20).map(|_| Fault::refuse("AccessDeniedException"));
    let stopped = |passed: usize| {
        db.faulty(std::iter::repeat_n(Fault::Pass, passed).chain(denied()))
            .0
    };

    let job = Person::by_level(Level::High)
        .page_size(4)
        .update_each(|p| p.update().apply(|p| p.count().add(1)));
    let job = job.checkpoint("count", checkpoint(&updates)).concurrency(1);
    let report: BulkReport = job.send(&stopped(6)).await?;
    assert!(report.stopped().is_some() && report.written > 0);
    let job = Member::ranked(Rank::Senior)
        .page_size(4)
        .update_each(|m| m.update().apply(|m| m.visits().add(1)));
    let job = job.checkpoint("count", checkpoint(&updates)).concurrency(1);
    assert_eq!(job.send(&db).await?.complete()?.found, 12);
    let members = Member::scan().consistent().all(&db).await?;
    assert!(members.iter().all(|member| member.visits == 1));

    let people: Vec<Person> = (21..=30)
        .map(|number| person(number, &number.to_string()))
        .collect();
    let job = put_each(people.iter().map(Person::create)).concurrency(1);
    let report = job
        .checkpoint("new", checkpoint(&puts))
        .send(&stopped(5))
        .await?;
    assert!(report.stopped().is_some() && report.written > 0);
    let members: Vec<Member> = (21..=30)
        .map(|number| member(number, &number.to_string()))
        .collect();
    let job = put_each(members.iter().map(Member::create)).concurrency(1);
    let report = job
        .checkpoint("new", checkpoint(&puts))
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(report.found, 10);
    assert_eq!(Person::scan().count(&db).await?, 22);
    Ok(())
}
