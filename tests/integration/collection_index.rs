//! Collections of an index: several entities in one of its partitions, whatever their own keys are.

use dynamo_entity::plan::Filter;
use dynamo_entity::prelude::*;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::query::model::{Sizes, all_verbs, questions, sample, sizes};
use crate::support::db::{Db, Raw, raw, s};
use crate::support::suite::{NO_MULTI_ATTRIBUTE_KEYS, Outcome};
use crate::tests;

tests![
    a_global_index_reads_as_a_filter,
    a_local_index_reads_as_a_filter,
    a_sharded_index_reads_as_a_filter,
    several_attributes_are_one_partition(Depot) unless NO_MULTI_ATTRIBUTE_KEYS,
    only_what_fills_the_index_is_filtered,
    what_fits_no_variant_is_an_error,
    rows_without_a_type_are_told_by_their_own_keys,
    a_cursor_fits_its_index_only,
    a_local_index_reads_strongly,
    a_job_changes_the_items_of_the_index,
    errors_name_the_collection,
];

crate::declare! {
    table Desk(name = "desk", pk = "pk", sk = "sk", entities(Ticket, Call, Note, Plain),
        gsi(gsi1, pk = "g1pk", sk = "g1sk"), gsi(gsi2, pk = "g2pk", sk = "g2sk"), lsi(lsi1, sk = "l1sk"));
    /// In the first index only while it is open and has a customer.
    entity Ticket(table = Desk, key(pk = "DESK#{desk}", sk = "TICKET#{id}"),
        gsi(by_customer, on = gsi1, pk = "CUSTOMER#{customer}", sk = "{day:03}#TICKET#{desk}#{id}", when(open = true)),
        gsi(on_day, on = gsi2, pk = "DAY#{day:03}", sk = "TICKET#{desk}#{id}", shards = 3, read_shards = 5),
        lsi(in_order, on = lsi1, sk = "{day:03}#TICKET#{id}"))
        { desk: String, id: u16, day: u16, customer: Option<String>, open: bool }
    /// Its pattern stands at another place than that of tickets, and its field has another name.
    entity Call(table = Desk, key(pk = "DESK#{desk}", sk = "CALL#{id}"),
        lsi(r#in, on = lsi1, sk = "{day:03}#CALL#{id}"),
        gsi(r#on, on = gsi2, pk = "DAY#{day:03}", sk = "CALL#{desk}#{id}", shards = 3, read_shards = 5),
        gsi(r#by, on = gsi1, pk = "CUSTOMER#{caller}", sk = "{day:03}#CALL#{desk}#{id}"))
        { desk: String, id: u16, day: u16, caller: String }
    /// In all indexes, but a variant of one collection only.
    entity Note(table = Desk, key(pk = "DESK#{desk}", sk = "NOTE#{id}"),
        gsi(by_customer, on = gsi1, pk = "CUSTOMER#{customer}", sk = "{day:03}#NOTE#{desk}#{id}"),
        gsi(on_day, on = gsi2, pk = "DAY#{day:03}", sk = "NOTE#{desk}#{id}", shards = 3),
        lsi(in_order, on = lsi1, sk = "{day:03}#NOTE#{id}")) { desk: String, id: u16, day: u16, customer: String }
    /// In no index.
    entity Plain(table = Desk, key(pk = "DESK#{desk}", sk = "PLAIN#{id}")) { desk: String, id: u16 }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Desk, index = gsi1, partition(customer))]
enum Timeline {
    Ticket(Ticket),
    Call(Call),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Desk, index = gsi1, partition(caller))]
enum Anything {
    Call(Call),
    #[dynamo(other)]
    Other(Item),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Desk, index = gsi2, partition(day))]
enum Agenda {
    Call(Call),
    Ticket(Ticket),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Desk, index = lsi1, partition(desk))]
enum Daybook {
    Ticket(Ticket),
    Call(Call),
    Note(Note),
}

// --- a model

const CUSTOMERS: [&str; 3] = ["ann", "ann#1", "bob"];
const DESKS: [&str; 2] = ["a", "b"];

/// An item of any entity. The kinds are in the order of their keys.
#[derive(Debug, Clone, PartialEq)]
struct Stored {
    kind: Kind,
    desk: &'static str,
    id: u16,
    day: u16,
    customer: Option<&'static str>,
    open: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Call,
    Note,
    Plain,
    Ticket,
}

fn stored() -> impl Strategy<Value = Stored> {
    let kinds = [
        Kind::Call,
        Kind::Note,
        Kind::Plain,
        Kind::Ticket,
        Kind::Ticket,
    ];
    let key = (select(kinds.to_vec()), select(&DESKS[..]), 0u16..20);
    let customer = proptest::option::weighted(0.8, select(&CUSTOMERS[..]));
    let rest = (0u16..5, customer, proptest::bool::weighted(0.7));
    (key, rest).prop_map(|((kind, desk, id), (day, customer, open))| Stored {
        kind,
        desk,
        id,
        day,
        customer: customer.or((kind != Kind::Ticket).then_some("bob")),
        open,
    })
}

fn table() -> impl Strategy<Value = Vec<Stored>> {
    proptest::collection::vec(stored(), 0..60).prop_map(|mut rows| {
        rows.sort_by_key(|row| (row.kind, row.desk, row.id));
        rows.dedup_by_key(|row| (row.kind, row.desk, row.id));
        rows
    })
}

impl Stored {
    fn ticket(&self) -> Ticket {
        Ticket {
            desk: self.desk.into(),
            id: self.id,
            day: self.day,
            customer: self.customer.map(Into::into),
            open: self.open,
        }
    }

    fn call(&self) -> Call {
        Call {
            desk: self.desk.into(),
            id: self.id,
            day: self.day,
            caller: self.customer.unwrap_or_default().into(),
        }
    }

    fn note(&self) -> Note {
        Note {
            desk: self.desk.into(),
            id: self.id,
            day: self.day,
            customer: self.customer.unwrap_or_default().into(),
        }
    }

    fn plain(&self) -> Plain {
        let (desk, id) = (self.desk.into(), self.id);
        Plain { desk, id }
    }

    async fn put(&self, db: &Db) -> Outcome {
        match self.kind {
            Kind::Ticket => drop(self.ticket().put().send(db).await?),
            Kind::Call => drop(self.call().put().send(db).await?),
            Kind::Note => drop(self.note().put().send(db).await?),
            Kind::Plain => drop(self.plain().put().send(db).await?),
        }
        Ok(())
    }

    async fn delete(&self, db: &Db) -> Outcome {
        match self.kind {
            Kind::Ticket => drop(self.ticket().delete().send(db).await?),
            Kind::Call => drop(self.call().delete().send(db).await?),
            Kind::Note => drop(self.note().delete().send(db).await?),
            Kind::Plain => drop(self.plain().delete().send(db).await?),
        }
        Ok(())
    }

    fn in_timeline(&self) -> Option<Timeline> {
        match self.kind {
            Kind::Ticket => Some(Timeline::Ticket(self.ticket())),
            Kind::Call => Some(Timeline::Call(self.call())),
            Kind::Note | Kind::Plain => None,
        }
    }

    fn in_agenda(&self) -> Option<Agenda> {
        match self.kind {
            Kind::Ticket => Some(Agenda::Ticket(self.ticket())),
            Kind::Call => Some(Agenda::Call(self.call())),
            Kind::Note | Kind::Plain => None,
        }
    }

    fn in_daybook(&self) -> Option<Daybook> {
        match self.kind {
            Kind::Ticket => Some(Daybook::Ticket(self.ticket())),
            Kind::Call => Some(Daybook::Call(self.call())),
            Kind::Note => Some(Daybook::Note(self.note())),
            Kind::Plain => None,
        }
    }
}

#[derive(Debug, Clone)]
struct Question {
    customers: Vec<&'static str>,
    desks: Vec<&'static str>,
    days: Vec<u16>,
    descending: bool,
    by_partition: bool,
    sizes: Sizes,
}

fn question() -> impl Strategy<Value = Question> {
    let partitions = (
        subsequence(CUSTOMERS.to_vec(), 0..=3).prop_shuffle(),
        subsequence(DESKS.to_vec(), 0..=2).prop_shuffle(),
        subsequence(vec![0, 1, 2, 3, 4], 0..=5).prop_shuffle(),
    );
    (partitions, any::<bool>(), any::<bool>(), sizes()).prop_map(
        |((customers, desks, days), descending, by_partition, sizes)| Question {
            customers,
            desks,
            days,
            descending,
            by_partition,
            sizes,
        },
    )
}

/// A collection, and what a table and a question mean to it by brute force.
struct Meaning<C, K> {
    /// The variant of an item.
    variant: fn(&Stored) -> Option<C>,
    /// Its sort key.
    key: fn(&Stored) -> K,
    /// The place of its partition among those asked for; None if it is in none of them.
    partition: fn(&Stored, &Question) -> Option<usize>,
    asked: fn(&Question) -> Query<C>,
    /// With shards only the library knows in which a row is, so they are always merged.
    is_sharded: bool,
}

async fn reads_as_a_filter<C, K: Ord>(db: &Db, meaning: Meaning<C, K>) -> Outcome
where
    C: DynamoCollection + std::fmt::Debug + Clone + PartialEq,
{
    db.create_tables([Desk::schema()]).await?;
    let (questions, mut runner) = questions();
    let mut rows: Vec<Stored> = Vec::new();
    for number in 0..questions {
        if number % 10 == 0 {
            for row in &rows {
                row.delete(db).await?;
            }
            rows = sample(table(), &mut runner);
            for row in &rows {
                row.put(db).await?;
            }
        }
        let mut asked = sample(question(), &mut runner);
        asked.by_partition &= !meaning.is_sharded;
        let case = format!("{asked:?}");
        let partition = |row: &Stored| (meaning.partition)(row, &asked);
        let mut found: Vec<&Stored> = rows.iter().filter(|row| partition(row).is_some()).collect();
        found.sort_by_key(|row| ((meaning.key)(row), partition(row)));
        if asked.descending {
            found.reverse();
        }
        if asked.by_partition {
            found.sort_by_key(|row| partition(row));
        }
        let wanted: Vec<C> = found.into_iter().filter_map(meaning.variant).collect();
        let mut q = (meaning.asked)(&asked);
        if asked.descending {
            q = q.descending();
        }
        if asked.by_partition {
            q = q.by_partition();
        }
        // What it says of rows in memory is what it reads.
        for row in &rows {
            if let Some(variant) = (meaning.variant)(row) {
                assert_eq!(
                    q.matches(&variant)?,
                    partition(row).is_some(),
                    "{row:?} {case}"
                );
            }
        }
        let sorted =
            wanted.is_sorted_by(|left, right| q.order(left, right).is_ok_and(|it| it.is_le()));
        assert!(sorted, "{case}");
        all_verbs(db, q, &wanted, &asked.sizes, &case).await?;
    }
    Ok(())
}

fn place<T: PartialEq>(values: &[T], value: &T) -> Option<usize> {
    values.iter().position(|known| known == value)
}

async fn a_global_index_reads_as_a_filter(db: Db) -> Outcome {
    let meaning = Meaning {
        variant: Stored::in_timeline,
        key: |row| (row.day, row.kind, row.desk, row.id),
        partition: |row, asked| {
            let is_there = row.kind != Kind::Plain && (row.open || row.kind != Kind::Ticket);
            let customer = row.customer.filter(|_| is_there)?;
            place(&asked.customers, &customer)
        },
        asked: |asked| Timeline::in_partition(any_of(asked.customers.clone())).into(),
        is_sharded: false,
    };
    reads_as_a_filter(&db, meaning).await
}

async fn a_local_index_reads_as_a_filter(db: Db) -> Outcome {
    let meaning = Meaning {
        variant: Stored::in_daybook,
        key: |row| (row.day, row.kind, row.id),
        partition: |row, asked| place(&asked.desks, &row.desk).filter(|_| row.kind != Kind::Plain),
        asked: |asked| Daybook::in_partition(any_of(asked.desks.clone())).into(),
        is_sharded: false,
    };
    reads_as_a_filter(&db, meaning).await
}

async fn a_sharded_index_reads_as_a_filter(db: Db) -> Outcome {
    let meaning = Meaning {
        variant: Stored::in_agenda,
        key: |row| (row.kind, row.desk, row.id),
        partition: |row, asked| place(&asked.days, &row.day).filter(|_| row.kind != Kind::Plain),
        asked: |asked| Agenda::in_partition(any_of(asked.days.clone())).into(),
        is_sharded: true,
    };
    reads_as_a_filter(&db, meaning).await
}

// --- an index of several attributes

crate::declare! {
    table Depot(name = "depot", pk = "pk", sk = "sk", entities(Parcel, Crate),
        gsi(gsi1, pk = ["place", "shelf"], sk = ["day", "id"]));
    entity Parcel(table = Depot, key(pk = "PARCEL#{id}", sk = "INFO"),
        gsi(parcels_on, on = gsi1, pk = [place, shelf], sk = [day, id]))
        { id: u16, place: String, shelf: Option<u8>, day: u16 }
    entity Crate(table = Depot, key(pk = "CRATE#{id}", sk = "INFO"),
        gsi(crates_on, on = gsi1, pk = [site, board], sk = [day, id]))
        { id: u16, #[dynamo(rename = "place")] site: String, #[dynamo(rename = "shelf")] board: u8, day: u16 }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Depot, index = gsi1, partition(place, shelf))]
enum Shelf {
    Parcel(Parcel),
    Crate(Crate),
}

async fn several_attributes_are_one_partition(db: Db) -> Outcome {
    let mut wanted = Vec::new();
    for (id, day) in [(1, 10), (2, 9), (3, 10), (4, 2)] {
        for (place, shelf) in [("x", 1), ("x", 2), ("y", 1)] {
            let id = id + 10 * u16::from(shelf) + if place == "x" { 0 } else { 100 };
            let parcel = Parcel {
                id,
                place: place.into(),
                shelf: Some(shelf).filter(|_| day != 2),
                day,
            };
            let site = place.into();
            let id = id + 5;
            let board = shelf;
            let held = Crate {
                id,
                site,
                board,
                day,
            };
            parcel.put().send(&db).await?;
            held.put().send(&db).await?;
            if (place, shelf) == ("x", 2) {
                if parcel.shelf.is_some() {
                    wanted.push((day, parcel.id, Shelf::Parcel(parcel)));
                }
                wanted.push((day, held.id, Shelf::Crate(held)));
            }
        }
    }
    wanted.sort_by_key(|(day, id, _)| (*day, *id));
    let wanted: Vec<Shelf> = wanted.into_iter().map(|(.., row)| row).collect();
    assert_eq!(wanted.len(), 7);
    let q = Shelf::in_partition("x", 2);
    assert_eq!(q.clone().all(&db).await?, wanted);
    let page = q.clone().limit(3).page(&db).await?;
    let rest = q.clone().resume(page.next).all(&db).await?;
    assert_eq!([page.rows, rest].concat(), wanted);
    assert_eq!(q.explain(&db)?.requests.len(), 1);
    let both = Shelf::in_partition(any_of(["y", "x"]), any_of([1, 2]));
    assert_eq!(both.count(&db).await?, 21);
    Ok(())
}

// --- rows that are not the collection's

fn ticket(id: u16) -> Ticket {
    Ticket {
        desk: "a".into(),
        id,
        day: 1,
        customer: Some("ann".into()),
        open: true,
    }
}

fn call(id: u16) -> Call {
    Call {
        desk: "b".into(),
        id,
        day: 2,
        caller: "ann".into(),
    }
}

fn note(id: u16) -> Note {
    Note {
        desk: "b".into(),
        id,
        day: 1,
        customer: "ann".into(),
    }
}

/// Two tickets, two calls and a note of one customer.
async fn fill(db: &Db) -> Outcome {
    db.create_tables([Desk::schema()]).await?;
    for id in [1, 2] {
        ticket(id).put().send(db).await?;
        call(id).put().send(db).await?;
    }
    note(1).put().send(db).await?;
    Ok(())
}

fn timeline() -> [Timeline; 4] {
    [
        Timeline::Ticket(ticket(1)),
        Timeline::Ticket(ticket(2)),
        Timeline::Call(call(1)),
        Timeline::Call(call(2)),
    ]
}

async fn only_what_fills_the_index_is_filtered(db: Db) -> Outcome {
    fill(&db).await?;
    let q = Timeline::in_partition("ann");
    assert_eq!(q.clone().all(&db).await?, timeline());
    let q = q.explain(&db)?;
    assert_eq!(q.filters, [Filter::Type]);
    let request = &q.requests[0];
    assert!(request.contains(r#""IndexName":"gsi1""#), "{request}");
    assert!(request.contains(r#"{"S":"CUSTOMER#ann"}"#), "{request}");
    assert!(request.contains(r#"{"S":"Note"}"#), "{request}");
    // No plain item is in an index, though it stands in the same partition of the table.
    assert!(!request.contains("Plain"), "{request}");
    assert!(!Daybook::in_partition("a").explain(&db)?.is_filtering());
    assert!(!Anything::in_partition("a").explain(&db)?.is_filtering());
    // Reads ask all shards that are declared.
    assert_eq!(Agenda::in_partition(1).explain(&db)?.requests.len(), 5);
    Ok(())
}

fn planted(sk: &str, index_sk: &str) -> Raw {
    raw([
        ("pk", s("DESK#z")),
        ("sk", s(sk)),
        ("g1pk", s("CUSTOMER#ann")),
        ("g1sk", s(index_sk)),
    ])
}

async fn what_fits_no_variant_is_an_error(db: Db) -> Outcome {
    fill(&db).await?;
    let mut stranger = planted("INVOICE#1", "001#TICKET#b");
    stranger.insert("_type".into(), s("Invoice"));
    db.plant::<Call>(stranger).await;
    db.plant::<Call>(planted("?", "002#Z")).await;
    let q = Timeline::in_partition("ann");
    let refused = q.clone().all(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.entity(), refused.attribute()),
        (ErrorKind::Decode, Some("Timeline"), Some("_type"))
    );
    let rows = q.clone().lenient().all(&db).await?;
    let fits: Vec<bool> = rows.iter().map(Result::is_ok).collect();
    assert_eq!(fits, [true, true, false, true, true, false]);
    assert!(rows.into_iter().flatten().eq(timeline()));
    assert_eq!(q.count(&db).await?, 6);

    let rows = Anything::in_partition("ann").all(&db).await?;
    let own = |row: &Anything| match row {
        Anything::Call(_) => "call".to_owned(),
        Anything::Other(item) => {
            let sk = item.get("sk").and_then(|sk| sk.as_text());
            sk.unwrap_or_default().to_owned()
        }
    };
    let expected = [
        "NOTE#00001",
        "TICKET#00001",
        "TICKET#00002",
        "INVOICE#1",
        "call",
        "call",
        "?",
    ];
    assert_eq!(rows.iter().map(own).collect::<Vec<_>>(), expected);
    Ok(())
}

/// An item tells its entity by the key that it has in the table, wherever it is read.
async fn rows_without_a_type_are_told_by_their_own_keys(db: Db) -> Outcome {
    fill(&db).await?;
    for item in [call(1).to_item()?, ticket(2).to_item()?, note(1).to_item()?] {
        let mut item: Raw = item.into();
        assert!(item.remove("_type").is_some());
        db.plant::<Call>(item).await;
    }
    let q = Timeline::in_partition("ann");
    assert_eq!(q.clone().all(&db).await?, timeline());
    assert_eq!(q.limit(3).all(&db).await?, timeline()[..3]);
    Ok(())
}

async fn a_cursor_fits_its_index_only(db: Db) -> Outcome {
    fill(&db).await?;
    let page = Timeline::in_partition("ann").limit(1).page(&db).await?;
    let next = || page.next.clone();
    assert!(next().is_some());
    let refused = [
        Timeline::in_partition("bob")
            .resume(next())
            .count(&db)
            .await,
        Anything::in_partition("ann")
            .resume(next())
            .count(&db)
            .await,
        Daybook::in_partition("ann").resume(next()).count(&db).await,
        Agenda::in_partition(1).resume(next()).count(&db).await,
        Ticket::by_customer("ann").resume(next()).count(&db).await,
        Ticket::in_partition("a").resume(next()).count(&db).await,
    ];
    for refused in refused {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidCursor);
    }
    let rest = Timeline::in_partition("ann")
        .resume(next())
        .all(&db)
        .await?;
    assert_eq!(rest, timeline()[1..]);
    Ok(())
}

async fn a_local_index_reads_strongly(db: Db) -> Outcome {
    fill(&db).await?;
    let q = Daybook::in_partition("b").consistent();
    let request = &q.clone().explain(&db)?.requests[0];
    assert!(request.contains(r#""ConsistentRead":true"#), "{request}");
    let found = q.all(&db).await?;
    let expected = [
        Daybook::Note(note(1)),
        Daybook::Call(call(1)),
        Daybook::Call(call(2)),
    ];
    assert_eq!(found, expected);
    Ok(())
}

async fn a_job_changes_the_items_of_the_index(db: Db) -> Outcome {
    fill(&db).await?;
    let closed = Timeline::in_partition("ann").transact_each(|row| {
        let one = Transaction::new();
        match row {
            Timeline::Ticket(ticket) => one.with(ticket.update().apply(|t| t.open().set(false))),
            Timeline::Call(call) => one.with(call.delete()),
        }
    });
    let closed = closed.send(&db).await?.complete()?;
    assert_eq!(closed.written, 4);
    assert!(Timeline::in_partition("ann").all(&db).await?.is_empty());
    assert_eq!(Ticket::in_partition("a").count(&db).await?, 2);
    assert_eq!(Call::in_partition("b").count(&db).await?, 0);

    call(7).put().send(&db).await?;
    let gone = Timeline::in_partition("ann")
        .delete_each()
        .send(&db)
        .await?;
    assert_eq!(gone.complete()?.written, 1);
    // The note is of that partition, but not of the collection.
    assert_eq!(Note::by_customer("ann").all(&db).await?, [note(1)]);
    assert_eq!(db.count::<Desk>().await, 3);
    Ok(())
}

async fn errors_name_the_collection(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let refused = Timeline::in_partition("").all(&faulty).await.unwrap_err();
    let found = (refused.kind(), refused.entity(), refused.key_attribute());
    assert_eq!(
        found,
        (ErrorKind::InvalidKey, Some("Timeline"), Some("g1pk"))
    );
    let refused = Daybook::in_partition("").all(&faulty).await.unwrap_err();
    let found = (refused.kind(), refused.entity(), refused.key_attribute());
    assert_eq!(found, (ErrorKind::InvalidKey, Some("Daybook"), Some("pk")));
    assert!(http.calls().is_empty());
    let q = format!("{:?}", Timeline::in_partition("secret"));
    assert!(
        q.contains("Timeline::in_partition(..)") && !q.contains("secret"),
        "{q}"
    );
    Ok(())
}
