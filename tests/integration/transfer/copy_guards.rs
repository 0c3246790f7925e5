//! Guards of copies: which table a checkpoint belongs to, and what a masked copy must not do.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::codec::Nullable;
use dynamo_entity::prelude::*;
use dynamo_entity::testing::Faults;
use dynamo_entity::transfer::{CopyReport, Mask};
use dynamo_entity::{RetryBudget, Timestamp, Value};

use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_checkpoint_is_of_two_tables,
    personal_fields_within_any_type_are_masked,
    values_of_another_form_are_not_copied,
    newly_personal_fields_are_another_copy,
    an_undescribed_source_is_not_masked,
    expired_items_in_the_target_are_kept,
    expired_rows_without_unique_values_are_unchanged,
    the_expiry_of_a_masked_row_is_kept,
    personal_keys_need_a_secret,
    rows_under_two_keys_are_refused_at_once,
    long_searches_and_limits_resume_exactly,
    append_only_items_are_never_replaced,
];

fn mask() -> Result<Mask> {
    Mask::with_secret("8f1d7c02b95e4a6e8f1d7c02b95e4a6e")
}

fn refused(sent: Result<CopyReport>) -> Error {
    sent.map(|_| ()).expect_err("an error")
}

async fn memory<T: DynamoTable>() -> Result<Dynamo> {
    let other = Dynamo::connect("embedded:memory").await?;
    other.create_tables([T::schema()]).await?;
    Ok(other)
}

crate::declare! {
    pub(super) table Ward(name = "ward", pk = "pk", sk = "sk", entities(Guest, Event));
    pub(super) entity Guest(table = Ward, key(pk = "G#{id}", sk = "G"))
        { pub(super) id: u32, #[dynamo(personal)] pub(super) name: String }
    pub(super) entity Event(table = Ward, key(pk = "E#{user}", sk = "{at:month}"))
        { pub(super) user: u32, #[dynamo(personal)] pub(super) at: Timestamp }
}

fn guest(id: u32) -> Guest {
    Guest {
        id,
        name: format!("Ann Lee {id}"),
    }
}

async fn fill(db: &Dynamo, count: u32) -> Result<()> {
    let guests: Vec<Guest> = (0..count).map(guest).collect();
    put_each(guests.iter().map(Guest::create))
        .send(db)
        .await?
        .complete()?;
    Ok(())
}

async fn a_checkpoint_is_of_two_tables(_: Db) -> Outcome {
    let (one, two, three) = (
        memory::<Ward>().await?,
        memory::<Ward>().await?,
        memory::<Ward>().await?,
    );
    fill(&one, 3).await?;
    fill(&three, 3).await?;
    let folder = tempfile::tempdir()?;
    let copy = |other: &Dynamo| {
        let file = FileCheckpoint::new(folder.path().join("copy"));
        Guest::scan().copy_to(other).checkpoint(file)
    };
    assert_eq!(copy(&two).send(&one).await?.complete()?.written, 3);
    assert!(copy(&two).send(&one).await?.was_finished());
    // Tables of these engines have one ARN.
    let empty = memory::<Ward>().await?;
    assert_eq!(
        refused(copy(&empty).send(&one).await).kind(),
        ErrorKind::Checkpoint,
        "another target"
    );
    assert_eq!(
        refused(copy(&two).send(&three).await).kind(),
        ErrorKind::Checkpoint,
        "another source"
    );
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub(super) struct Contact {
    #[dynamo(personal)]
    street: String,
    zip: String,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub(super) struct Contacts(Vec<Contact>);

crate::declare! {
    pub(super) table Homes(name = "homes", pk = "pk", sk = "sk", entities(Home));
    pub(super) entity Home(table = Homes, key(pk = "H#{id}", sk = "H"))
        { pub(super) id: u32, pub(super) list: Nullable<Vec<Contact>>, pub(super) maybe: Option<Nullable<Vec<Contact>>>,
          pub(super) each: Vec<Nullable<Contact>>, pub(super) two: [Contact; 2], pub(super) pair: (u8, Contact),
          pub(super) new: Contacts, pub(super) boxed: Box<Contact>, pub(super) array: Nullable<[Contact; 1]>,
          pub(super) both: Nullable<(String, Contact)> }
}

fn contact() -> Contact {
    Contact {
        street: "Elmstreetsecret 7".into(),
        zip: "10115".into(),
    }
}

fn home(id: u32) -> Home {
    Home {
        id,
        list: Nullable(Some(vec![contact(), contact()])),
        maybe: Some(Nullable(Some(vec![contact()]))),
        each: vec![Nullable(Some(contact())), Nullable(None)],
        two: [contact(), contact()],
        pair: (7, contact()),
        new: Contacts(vec![contact()]),
        boxed: Box::new(contact()),
        array: Nullable(Some([contact()])),
        both: Nullable(Some(("plain".into(), contact()))),
    }
}

async fn personal_fields_within_any_type_are_masked(_: Db) -> Outcome {
    let (db, other) = (memory::<Homes>().await?, memory::<Homes>().await?);
    home(1).create().send(&db).await?;
    Home::scan()
        .copy_to(&other)
        .masked(mask()?)
        .send(&db)
        .await?
        .complete()?;
    let bytes = serde_json::to_string(&Homes::schema().scan_items()?.all(&other).await?)?;
    assert!(!bytes.contains("secret"), "{bytes}");
    assert_eq!(
        bytes.matches("10115").count(),
        11,
        "all else is kept: {bytes}"
    );
    assert_eq!(bytes.matches("plain").count(), 1);
    Ok(())
}

async fn values_of_another_form_are_not_copied(_: Db) -> Outcome {
    let (db, other) = (memory::<Homes>().await?, memory::<Homes>().await?);
    home(1).create().send(&db).await?;
    let mut item = Homes::schema().scan_items()?.all(&db).await?.remove(0);
    let mut boxed = Item::from_iter([("street", Value::from("Elm")), ("zip", "1".into())]);
    boxed.insert("nickname", "Annie Unknown");
    item.insert("boxed", Value::M(boxed));
    Item::in_table("homes").put(item).send(&db).await?;
    let copy = || Ok::<_, Error>(Home::scan().copy_to(&other).masked(mask()?));
    let report = copy()?.send(&db).await?;
    assert_eq!((report.written, report.failed), (0, 1), "{report:?}");
    let text = report.errors()[0].error().to_string();
    assert!(
        text.contains("boxed") && text.contains("nickname"),
        "{text}"
    );
    assert_eq!(
        copy()?.drop_unknown().send(&db).await?.complete()?.written,
        1
    );
    let bytes = serde_json::to_string(&Homes::schema().scan_items()?.all(&other).await?)?;
    assert!(!bytes.contains("Annie"), "{bytes}");
    Ok(())
}

mod before {
    crate::declare! {
        pub(super) table Ward(name = "ward", pk = "pk", sk = "sk", entities(Guest));
        pub(super) entity Guest(table = Ward, key(pk = "G#{id}", sk = "G"))
            { pub(super) id: u32, #[dynamo(personal)] pub(super) name: String, pub(super) note: String }
    }
}

mod after {
    crate::declare! {
        pub(super) table Ward(name = "ward", pk = "pk", sk = "sk", entities(Guest));
        pub(super) entity Guest(table = Ward, key(pk = "G#{id}", sk = "G"))
            { pub(super) id: u32, #[dynamo(personal)] pub(super) name: String, #[dynamo(personal)] pub(super) note: String }
    }
}

async fn newly_personal_fields_are_another_copy(_: Db) -> Outcome {
    let (db, other) = (
        memory::<before::Ward>().await?,
        memory::<before::Ward>().await?,
    );
    let one = before::Guest {
        id: 1,
        name: "Ann".into(),
        note: "Ann called".into(),
    };
    one.create().send(&db).await?;
    let folder = tempfile::tempdir()?;
    let file = || FileCheckpoint::new(folder.path().join("copy"));
    let copy = || {
        Ok::<_, Error>(
            before::Guest::scan()
                .copy_to(&other)
                .masked(mask()?)
                .checkpoint(file()),
        )
    };
    copy()?.send(&db).await?.complete()?;
    assert!(copy()?.send(&db).await?.was_finished());
    let changed = after::Guest::scan()
        .copy_to(&other)
        .masked(mask()?)
        .checkpoint(file());
    let error = refused(changed.send(&db).await);
    assert_eq!(error.kind(), ErrorKind::Checkpoint);
    assert!(
        error.to_string().contains("other personal fields"),
        "{error}"
    );
    Ok(())
}

async fn an_undescribed_source_is_not_masked(_: Db) -> Outcome {
    let (db, other) = (memory::<Ward>().await?, memory::<Ward>().await?);
    fill(&db, 1).await?;
    let refuse = || {
        db.clone()
            .with_faults(&Faults::new([Fault::refuse("AccessDeniedException")]))
    };
    let masked = Guest::scan()
        .copy_to(&other)
        .masked(mask()?)
        .send(&refuse()?)
        .await;
    let error = refused(masked);
    assert!(error.to_string().contains("DescribeTable"), "{error}");
    assert_eq!(Guest::scan().all(&other).await?.len(), 0);
    assert_eq!(
        Guest::scan()
            .copy_to(&other)
            .send(&refuse()?)
            .await?
            .complete()?
            .written,
        1,
        "as it is"
    );
    Ok(())
}

crate::declare! {
    pub(super) table Stays(name = "stays", pk = "pk", sk = "sk", entities(Stay));
    pub(super) entity Stay(table = Stays, key(pk = "S#{id}", sk = "S"), unique(by_room, room))
        { pub(super) id: u32, pub(super) room: String, pub(super) began: Timestamp,
          #[dynamo(personal)] pub(super) name: String, #[dynamo(ttl = began + "90d")] pub(super) ends: Timestamp }
    pub(super) table Births(name = "births", pk = "pk", sk = "sk", entities(Birth));
    pub(super) entity Birth(table = Births, key(pk = "B#{id}", sk = "B"))
        { pub(super) id: u32, #[dynamo(personal)] pub(super) born: Timestamp,
          #[dynamo(ttl = born + "90d")] pub(super) ends: Timestamp }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_unix(seconds, 0).expect("a time")
}

fn stay(id: u32, began: i64) -> Stay {
    Stay {
        id,
        room: format!("room {id}"),
        began: at(began),
        name: "Ann Lee".into(),
        ends: at(began),
    }
}

const BEGAN: i64 = 1_900_000_000;

async fn expired_items_in_the_target_are_kept(_: Db) -> Outcome {
    let (db, other) = (memory::<Stays>().await?, memory::<Stays>().await?);
    stay(1, BEGAN + 86_400).create().send(&db).await?;
    stay(1, BEGAN).create().send(&other).await?;
    let before = Stays::schema().scan_items()?.all(&other).await?;
    // The stay in the target is over, and the one in the source is not.
    let now = at(BEGAN + 90 * 86_400 + 60);
    let (db, late) = (
        db.with_clock(move || now),
        other.clone().with_clock(move || now),
    );
    let report = Stay::scan().copy_to(&late).send(&db).await?;
    assert_eq!(
        (report.read, report.written, report.existing),
        (1, 0, 1),
        "{report:?}"
    );
    let after = Stays::schema().scan_items()?.all(&other).await?;
    assert_eq!(after, before, "nothing is lost");
    assert_eq!(
        Stay::scan()
            .copy_to(&late)
            .replace()
            .send(&db)
            .await?
            .complete()?
            .written,
        1
    );
    Ok(())
}

async fn expired_rows_without_unique_values_are_unchanged(_: Db) -> Outcome {
    let (db, other) = (memory::<Births>().await?, memory::<Births>().await?);
    let birth = Birth {
        id: 1,
        born: at(BEGAN),
        ends: at(BEGAN),
    };
    birth.create().send(&db).await?;
    let now = at(BEGAN + 100 * 86_400);
    let (db, other) = (db.with_clock(move || now), other.with_clock(move || now));
    for unchanged in [0, 1] {
        let rows = Birth::scan().include_expired();
        let counts = rows.copy_to(&other).send(&db).await?.complete()?;
        assert_eq!((counts.read, counts.unchanged), (1, unchanged));
        let items = Births::schema().scan_items()?;
        let counts = items.copy_to(&other).send(&db).await?.complete()?;
        assert_eq!((counts.read, counts.unchanged), (1, 1));
    }
    Ok(())
}

async fn the_expiry_of_a_masked_row_is_kept(_: Db) -> Outcome {
    let (db, other) = (memory::<Stays>().await?, memory::<Stays>().await?);
    for id in 0..3 {
        stay(id, BEGAN).create().send(&db).await?;
    }
    let items = || async { Stays::schema().scan_items()?.all(&db).await };
    let rows = items()
        .await?
        .into_iter()
        .filter(|item| item.contains("began"));
    for (number, mut item) in rows.enumerate() {
        match number {
            0 => {
                item.remove("ends");
            }
            1 => {
                item.insert("ends", BEGAN + 5);
            }
            _ => {}
        }
        Item::in_table("stays").put(item).send(&db).await?;
    }
    let copy = || {
        Ok::<_, Error>(
            Stays::schema()
                .scan_items()?
                .copy_to(&other)
                .masked(mask()?)
                .entity::<Stay>(),
        )
    };
    let report = copy()?.send(&db).await?;
    let ends = |items: Vec<Item>| {
        let rows = items.into_iter().filter(|item| item.contains("began"));
        let mut ends: Vec<String> = rows
            .map(|item| format!("{:?} {:?}", item.get("pk"), item.get("ends")))
            .collect();
        ends.sort();
        ends
    };
    assert_eq!(report.read, 3, "{report:?}");
    assert!(report.written >= 2, "{report:?}");
    let copied = ends(Stays::schema().scan_items()?.all(&other).await?);
    assert_eq!(copied.len() as u64, report.written);
    let source = ends(items().await?);
    assert!(
        copied.iter().all(|row| source.contains(row)),
        "{copied:?} {source:?}"
    );
    assert_eq!(copy()?.send(&db).await?.unchanged, report.written);

    let births = memory::<Births>().await?;
    let birth = Birth::scan()
        .copy_to(&memory::<Births>().await?)
        .masked(mask()?)
        .send(&births)
        .await;
    let error = refused(birth);
    assert!(
        error.kind() == ErrorKind::Config && error.to_string().contains("expiry"),
        "{error}"
    );
    Ok(())
}

crate::declare! {
    pub(super) table Users(name = "users", pk = "pk", sk = "sk", entities(User));
    pub(super) entity User(table = Users, key(pk = "U#{email}", sk = "U"))
        { #[dynamo(personal)] pub(super) email: String }
}

async fn personal_keys_need_a_secret(_: Db) -> Outcome {
    let (db, other) = (memory::<Users>().await?, memory::<Users>().await?);
    User {
        email: "ann@mail.org".into(),
    }
    .create()
    .send(&db)
    .await?;
    let random = User::scan()
        .copy_to(&other)
        .masked(Mask::random()?)
        .send(&db)
        .await;
    let error = refused(random);
    assert!(error.to_string().contains("with_secret"), "{error}");
    let whole = Users::schema()
        .scan_items()?
        .copy_to(&other)
        .masked(Mask::random()?)
        .entity::<User>();
    assert_eq!(refused(whole.send(&db).await).kind(), ErrorKind::Config);
    let copy = || Ok::<_, Error>(User::scan().copy_to(&other).masked(mask()?));
    assert_eq!(copy()?.send(&db).await?.complete()?.written, 1);
    assert_eq!(copy()?.send(&db).await?.complete()?.unchanged, 1);

    // Twelve months of one year have fewer pseudonyms.
    let (db, other) = (memory::<Ward>().await?, memory::<Ward>().await?);
    for month in 1..=12 {
        let time = format!("2024-{month:02}-03T00:00:00Z").parse::<Timestamp>()?;
        Event { user: 1, at: time }.create().send(&db).await?;
    }
    let report = Event::scan()
        .copy_to(&other)
        .masked(mask()?)
        .send(&db)
        .await?;
    assert_eq!(report.written + report.existing, 12, "{report:?}");
    assert!(
        report.existing > 0,
        "the secret of this test has collisions: {report:?}"
    );
    let text = report.errors()[0].error().to_string();
    assert!(
        text.contains("the same pseudonyms in its primary key"),
        "{text}"
    );
    assert_eq!(
        Event::scan().all(&other).await?.len() as u64,
        report.written
    );
    Ok(())
}

mod moving {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "moving", pk = "pk", sk = "sk", entities(Order, Next))]
    pub(super) struct Moving;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Moving, key(pk = "ORDER#{id}", sk = "ORDER"), next_key(Next))]
    pub(super) struct Order {
        pub(super) id: u32,
        pub(super) customer: String,
    }

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Moving, key(pk = "CUSTOMER#{customer}", sk = "ORDER"))]
    pub(super) struct Next {
        pub(super) id: u32,
        pub(super) customer: String,
    }
}

impl From<&moving::Order> for moving::Next {
    fn from(order: &moving::Order) -> Self {
        moving::Next {
            id: order.id,
            customer: order.customer.clone(),
        }
    }
}

impl From<&moving::Next> for moving::Order {
    fn from(next: &moving::Next) -> Self {
        moving::Order {
            id: next.id,
            customer: next.customer.clone(),
        }
    }
}

async fn rows_under_two_keys_are_refused_at_once(_: Db) -> Outcome {
    use moving::{Moving, Next, Order};
    let (db, other) = (memory::<Moving>().await?, memory::<Moving>().await?);
    Order {
        id: 1,
        customer: "Ann".into(),
    }
    .create()
    .send(&db)
    .await?;
    let masked = || {
        let items = Moving::schema()
            .scan_items()?
            .copy_to(&other)
            .masked(mask()?);
        Ok::<_, Error>(items.entity::<Order>().entity::<Next>())
    };
    for sent in [
        Order::scan().copy_to(&other).send(&db).await,
        Next::scan().copy_to(&other).send(&db).await,
        masked()?.send(&db).await,
    ] {
        let error = refused(sent);
        assert!(
            error.kind() == ErrorKind::Config && error.to_string().contains("scan_items"),
            "{error}"
        );
    }
    let counts = Moving::schema()
        .scan_items()?
        .copy_to(&other)
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(counts.written, 2, "both rows");
    Ok(())
}

async fn long_searches_and_limits_resume_exactly(_: Db) -> Outcome {
    let (db, other) = (memory::<Ward>().await?, memory::<Ward>().await?);
    fill(&db, 700).await?;
    // No row of this entity: each response moves the position.
    let told = Arc::new(AtomicUsize::new(0));
    let calls = told.clone();
    let events = Event::scan().page_size(2).copy_to(&other);
    let events = events.on_progress(move |_| {
        calls.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(events.send(&db).await?.complete()?.read, 0);
    assert!(told.load(Ordering::Relaxed) >= 3, "{told:?}");

    let folder = tempfile::tempdir()?;
    let copy = |path: &str, limit: Option<usize>, other: &Dynamo| {
        let rows = Guest::scan().page_size(100);
        let rows = match limit {
            Some(limit) => rows.limit(limit),
            None => rows,
        };
        rows.copy_to(other)
            .checkpoint(FileCheckpoint::new(folder.path().join(path)))
    };
    assert_eq!(
        copy("limit", Some(5), &other)
            .send(&db)
            .await?
            .complete()?
            .written,
        5
    );
    let error = refused(copy("limit", None, &other).send(&db).await);
    assert_eq!(error.kind(), ErrorKind::Checkpoint, "{error}");

    // The server fails in the second portion, and the next run continues after the first.
    let limit = 650;
    let target = memory::<Ward>().await?;
    let plan = (0..550)
        .map(|_| Fault::Pass)
        .chain((0..5000).map(|_| Fault::throttle()));
    let faulty = target.clone().with_faults(&Faults::new(plan))?;
    let first = copy("all", Some(limit), &faulty)
        .budget(RetryBudget::rounds(1))
        .send(&db)
        .await?;
    assert!(first.stopped().is_some(), "{first:?}");
    let all = limit as u64;
    let counts = copy("all", Some(limit), &target)
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(counts.read, all, "{counts:?}");
    assert!(counts.unchanged < 400, "it did not begin anew: {counts:?}");
    assert_eq!(counts.written + counts.unchanged, all);
    assert_eq!(Guest::scan().all(&target).await?.len() as u64, all);
    Ok(())
}

crate::declare! {
    pub(super) table Books(name = "books", pk = "pk", sk = "sk", entities(Entry));
    pub(super) entity Entry(table = Books, key(pk = "E#{id}", sk = "E"), append_only) { pub(super) id: u32 }
}

async fn append_only_items_are_never_replaced(_: Db) -> Outcome {
    let (db, other) = (memory::<Books>().await?, memory::<Books>().await?);
    Entry { id: 1 }.create().send(&db).await?;
    let replaced = Books::schema()
        .scan_items()?
        .copy_to(&other)
        .replace()
        .send(&db)
        .await;
    assert_eq!(refused(replaced).kind(), ErrorKind::Rejected);
    let counts = Books::schema()
        .scan_items()?
        .copy_to(&other)
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(counts.written, 1);
    Ok(())
}
