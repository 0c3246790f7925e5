//! Rows of other programs in a shared table, without the type attribute: every read tells them apart by their
//! keys.

use std::collections::BTreeSet;

use dynamo_entity::Value;
use dynamo_entity::plan::Filter;
use dynamo_entity::prelude::*;

use crate::support::db::{Db, Raw, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    every_read_tells_rows_by_their_keys,
    filters_hold_for_rows_without_a_type,
    limits_count_only_rows_of_the_entity,
    collections_tell_rows_by_their_keys,
    jobs_reach_rows_without_a_type,
    items_of_unique_values_stay_out(Mail),
    broken_rows_stay_errors(Mail),
    rows_in_another_spelling_are_refused,
    jobs_leave_rows_in_another_spelling,
    deletes_leave_what_no_read_returns,
    foreign_rows_are_errors_where_no_other_entity_is_stored(Mail),
];

#[derive(DynamoTable)]
#[dynamo(name = "mail", pk = "pk", sk = "sk", entities(Thread, Letter, Label))]
#[dynamo(gsi(gsi1, pk = "g1pk", sk = "g1sk"), gsi(gsi2, pk = "g2pk", sk = "g2sk", project = keys))]
struct Mail;

/// The letters of a thread stand between the rows of threads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, DynamoEntity)]
#[dynamo(table = Mail, key(pk = "BOX#{owner}", sk = "T#{thread}"), unique(by_title, title))]
#[dynamo(gsi(threads_of, on = gsi1, pk = "S#{state}", sk = "{thread}"))]
#[dynamo(gsi(thread_keys, on = gsi2, pk = "S#{state}", sk = "{thread}"))]
struct Thread {
    owner: String,
    thread: String,
    state: String,
    title: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, DynamoEntity)]
#[dynamo(table = Mail, key(pk = "BOX#{owner}", sk = "T#{thread}#L#{number:03}"))]
#[dynamo(gsi(letters_of, on = gsi1, pk = "S#{state}", sk = "{number:03}"))]
#[dynamo(gsi(letter_keys, on = gsi2, pk = "S#{state}", sk = "{number:03}"))]
struct Letter {
    owner: String,
    thread: String,
    number: u16,
    state: String,
    reads: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, DynamoEntity)]
#[dynamo(table = Mail, key(pk = "BOX#{owner}", sk = "LABEL#{name}"))]
struct Label {
    owner: String,
    name: String,
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Mail, partition(owner))]
enum Inbox {
    Thread(Thread),
    Letter(Letter),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Mail)]
enum Everything {
    Letter(Letter),
    Label(Label),
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, DynamoProjection)]
#[dynamo(entity = Letter)]
struct Number {
    number: u16,
}

const OWNERS: [&str; 3] = ["a", "b", "c"];

/// Stores the entity as this library does, or without its type like another program.
async fn plant<E: DynamoEntity>(db: &Db, entity: &E, is_typed: bool) -> Outcome {
    let mut item: Raw = entity.to_item()?.into();
    if !is_typed {
        item.remove("_type");
    }
    db.plant::<E>(item).await;
    Ok(())
}

/// Stores threads, letters and labels, some of them without a type, and rows of no entity.
async fn fill(
    db: &Db,
    letters: u16,
) -> Result<(Vec<Thread>, Vec<Letter>), Box<dyn std::error::Error>> {
    db.create_tables([Mail::schema()]).await?;
    let mut random = fastrand::Rng::with_seed(5);
    let (mut threads, mut all) = (Vec::new(), Vec::new());
    for owner in OWNERS {
        for thread in ["1", "2"] {
            let row = Thread {
                owner: owner.into(),
                thread: thread.into(),
                state: "open".into(),
                title: format!("{owner}{thread}"),
            };
            plant(db, &row, random.bool()).await?;
            threads.push(row);
            for number in 0..letters {
                let row = Letter {
                    owner: owner.into(),
                    thread: thread.into(),
                    number,
                    state: "open".into(),
                    reads: 0,
                };
                plant(db, &row, random.bool()).await?;
                all.push(row);
            }
        }
        let label = Label {
            owner: owner.into(),
            name: "x".into(),
        };
        plant(db, &label, owner == "a").await?;
    }
    for (pk, sk) in [
        ("BOX#a", "X#T#1"),
        ("OTHER", "T#1"),
        ("BOX#b", "ZZ"),
        ("BOX#b", "_unique#T#1#L#001"),
    ] {
        let item = raw([
            ("pk", s(pk)),
            ("sk", s(sk)),
            ("g1pk", s("S#open")),
            ("g1sk", s("0")),
        ]);
        db.plant::<Label>(item).await;
    }
    threads.sort();
    all.sort();
    Ok((threads, all))
}

fn sorted<T: Ord>(rows: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut rows: Vec<T> = rows.into_iter().collect();
    rows.sort();
    rows
}

async fn streamed<R: Send + 'static>(db: &Db, q: Query<R>) -> Result<Vec<R>> {
    let mut rows = q.page_size(3).stream(db);
    let mut all = Vec::new();
    while let Some(row) = rows.next().await {
        all.push(row?);
    }
    Ok(all)
}

/// Compares everything that a query can do with the rows that it should return.
async fn reads<R>(db: &Db, q: Query<R>, wanted: &[R]) -> Outcome
where
    R: std::fmt::Debug + Ord + Clone + Send + 'static,
{
    assert_eq!(q.clone().explain(db)?.filters, [Filter::Type]);
    reads_with(db, q, wanted).await
}

async fn reads_with<R>(db: &Db, q: Query<R>, wanted: &[R]) -> Outcome
where
    R: std::fmt::Debug + Ord + Clone + Send + 'static,
{
    assert_eq!(sorted(q.clone().all(db).await?), wanted);
    assert_eq!(sorted(streamed(db, q.clone()).await?), wanted);
    assert_eq!(q.clone().count(db).await?, wanted.len() as u64);
    assert_eq!(q.clone().page_size(2).count(db).await?, wanted.len() as u64);
    assert_eq!(
        q.clone().limit(3).count(db).await?,
        wanted.len().min(3) as u64
    );
    assert_eq!(q.clone().exists(db).await?, !wanted.is_empty());
    for limit in [1, 4] {
        let (mut seen, mut next) = (Vec::new(), None);
        loop {
            let page = q.clone().limit(limit).resume(next).page(db).await?;
            assert!(page.rows.len() == limit || page.next.is_none());
            assert!(!page.rows.is_empty() || wanted.is_empty(), "a false next");
            seen.extend(page.rows);
            next = page.next;
            if next.is_none() {
                break;
            }
        }
        assert_eq!(sorted(seen), wanted);
    }
    Ok(())
}

async fn every_read_tells_rows_by_their_keys(db: Db) -> Outcome {
    let (threads, letters) = fill(&db, 7).await?;
    for thread in &threads {
        assert_eq!(thread.key().get().send(&db).await?.as_ref(), Some(thread));
    }
    reads(&db, Thread::scan().into(), &threads).await?;
    reads(&db, Letter::scan().into(), &letters).await?;
    let segments: Query<Letter> = Letter::scan().segments(3).into();
    reads(&db, segments, &letters).await?;
    reads(&db, Thread::in_partition(any_of(OWNERS)).into(), &threads).await?;
    let of_a: Vec<Thread> = sorted(threads.iter().filter(|row| row.owner == "a").cloned());
    reads(&db, Thread::in_partition("a").into(), &of_a).await?;
    reads(&db, Letter::in_partition(any_of(OWNERS)).into(), &letters).await?;
    // Threads and letters share this index.
    reads(&db, Thread::threads_of("open").into(), &threads).await?;
    reads(&db, Letter::letters_of("open").into(), &letters).await?;
    reads(&db, Letter::letter_keys("open").hydrate().into(), &letters).await?;
    let numbers = sorted(letters.iter().map(|row| Number { number: row.number }));
    let selected = Letter::scan().select::<Number>().all(&db).await?;
    assert_eq!(sorted(selected), numbers);
    let keys = Thread::thread_keys("open").all(&db).await?;
    assert_eq!(keys.len(), threads.len());
    Ok(())
}

/// A row that has no type has to fit the filter of the caller as well.
async fn filters_hold_for_rows_without_a_type(db: Db) -> Outcome {
    let (_, mut letters) = fill(&db, 7).await?;
    let mut random = fastrand::Rng::with_seed(11);
    for letter in &mut letters {
        letter.reads = random.u32(0..4);
        plant(&db, letter, random.bool()).await?;
    }
    let all = [
        Letter::scan().into(),
        Query::<Letter>::from(Letter::scan().segments(3)),
        Letter::in_partition(any_of(OWNERS)).into(),
        Letter::letters_of("open").into(),
    ];
    for q in all {
        for least in 0..5 {
            let wanted = letters.iter().filter(|row| row.reads >= least).cloned();
            let asked = q.clone().filter(|l| l.reads().ge(least));
            let explained = asked.clone().explain(&db)?;
            assert_eq!(explained.filters, [Filter::Type, Filter::Condition]);
            reads_with(&db, asked, &sorted(wanted)).await?;
        }
        let wanted = letters.iter().filter(|row| [0, 3].contains(&row.reads));
        let asked = q.filter(|l| l.reads().eq(0) | l.reads().eq(3));
        reads_with(&db, asked, &sorted(wanted.cloned())).await?;
    }
    Ok(())
}

/// One answer brings hundreds of rows, and most of them belong to other entities.
async fn limits_count_only_rows_of_the_entity(db: Db) -> Outcome {
    let (threads, letters) = fill(&db, 150).await?;
    reads(&db, Thread::in_partition(any_of(OWNERS)).into(), &threads).await?;
    assert_eq!(
        Letter::letters_of("open").count(&db).await?,
        letters.len() as u64
    );
    let found = Letter::in_partition(any_of(OWNERS)).all(&db).await?;
    assert_eq!(found.len(), letters.len());
    let first = Thread::scan().limit(5).all(&db).await?;
    assert_eq!(first.len(), 5);
    Ok(())
}

async fn collections_tell_rows_by_their_keys(db: Db) -> Outcome {
    let (threads, letters) = fill(&db, 3).await?;
    let of = |owner: &str| {
        let threads = threads.iter().filter(|row| row.owner == owner).count();
        threads + letters.iter().filter(|row| row.owner == owner).count()
    };
    // Labels are not in this collection and are left out, with a type or without.
    let rows = Inbox::in_partition("c").all(&db).await?;
    assert_eq!(rows.len(), of("c"));
    assert_eq!(Inbox::in_partition("c").count(&db).await?, of("c") as u64);
    // Rows that belong to no entity are errors in their place.
    let rows = Inbox::in_partition("b").lenient().all(&db).await?;
    let errors = rows.iter().filter(|row| row.is_err()).count();
    assert_eq!((rows.len() - errors, errors), (of("b"), 2));
    let rows = Everything::scan().lenient().all(&db).await?;
    let errors = rows.iter().filter(|row| row.is_err()).count();
    assert_eq!((rows.len() - errors, errors), (letters.len() + 3, 4));
    Ok(())
}

async fn jobs_reach_rows_without_a_type(db: Db) -> Outcome {
    let (threads, letters) = fill(&db, 5).await?;
    let job = Letter::scan().update_each(|row| row.update().apply(|l| l.reads().add(1)));
    let report = job.send(&db).await?.complete()?;
    assert_eq!(report.written, letters.len() as u64);
    let reads: u32 = Letter::scan()
        .all(&db)
        .await?
        .iter()
        .map(|row| row.reads)
        .sum();
    assert_eq!(reads as usize, letters.len());
    let report = Letter::letters_of("open").delete_each().send(&db).await?;
    assert_eq!(report.complete()?.written, letters.len() as u64);
    assert_eq!(Letter::scan().count(&db).await?, 0);
    assert_eq!(Thread::scan().count(&db).await?, threads.len() as u64);
    Ok(())
}

async fn items_of_unique_values_stay_out(db: Db) -> Outcome {
    let thread = Thread {
        owner: "a".into(),
        thread: "1".into(),
        state: "open".into(),
        title: "first".into(),
    };
    thread.create().send(&db).await?;
    assert_eq!(db.count::<Mail>().await, 2);
    assert_eq!(Thread::scan().all(&db).await?, [thread]);
    assert_eq!(Thread::scan().count(&db).await?, 1);
    assert_eq!(Everything::scan().all(&db).await?, []);
    Ok(())
}

/// A row that has the type of the entity but does not decode is never dropped silently.
async fn broken_rows_stay_errors(db: Db) -> Outcome {
    let broken = [("BOX#a", "T#1#L#001"), ("ELSE", "WHERE")];
    for (pk, sk) in broken {
        let item = raw([("pk", s(pk)), ("sk", s(sk)), ("_type", s("Letter"))]);
        db.plant::<Letter>(item).await;
    }
    // Two rows without a type. By its key, the first one is a letter, and so an error. The other one is not.
    db.plant::<Letter>(raw([("pk", s("BOX#b")), ("sk", s("T#1#L#001"))]))
        .await;
    db.plant::<Letter>(raw([("pk", s("ELSE")), ("sk", s("HERE"))]))
        .await;
    let rows = Letter::scan().lenient().all(&db).await?;
    assert_eq!(rows.iter().filter(|row| row.is_err()).count(), 3);
    assert_eq!(Letter::scan().count(&db).await?, 3);
    // A type attribute that is not a text counts as no type.
    let odd: [(&str, Value); 3] = [
        ("pk", Value::S("BOX#c".into())),
        ("sk", Value::S("T#1#L#001".into())),
        ("_type", Value::Null),
    ];
    db.plant::<Letter>(odd.into_iter().collect::<Item>()).await;
    let all: BTreeSet<u64> = [
        Letter::scan().count(&db).await?,
        Letter::scan().lenient().all(&db).await?.len() as u64,
    ]
    .into();
    assert_eq!(all, [3].into());
    Ok(())
}

#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Letter)]
struct Reads {
    reads: u32,
}

/// Rows of programs that pad no numbers, write keys in lower case, or escape nothing.
async fn strangers(db: &Db) -> Outcome {
    db.create_tables([Mail::schema()]).await?;
    let letter = Letter {
        owner: "a".into(),
        thread: "1".into(),
        number: 7,
        state: "open".into(),
        reads: 3,
    };
    plant(db, &letter, false).await?;
    for (pk, sk) in [("BOX#a", "T#1#L#8"), ("box#a", "t#1#l#009")] {
        let mut item: Raw = letter.to_item()?.into();
        item.remove("_type");
        item.insert("pk".into(), s(pk));
        item.insert("sk".into(), s(sk));
        db.plant::<Letter>(item).await;
    }
    let thread = Thread {
        owner: "a".into(),
        thread: "2".into(),
        state: "open".into(),
        title: "second".into(),
    };
    let mut item: Raw = thread.to_item()?.into();
    item.remove("_type");
    item.insert("sk".into(), s("T#1#X"));
    db.plant::<Thread>(item).await;
    // By their keys, these rows clearly belong to something else.
    for sk in ["_unique#Letter#number", "X#T#1#L#001", "LABELS"] {
        db.plant::<Letter>(raw([("pk", s("BOX#a")), ("sk", s(sk))]))
            .await;
    }
    Ok(())
}

/// The rows that were refused: their sort keys and errors, sorted.
fn refused<R: std::fmt::Debug>(rows: Vec<Result<R>>) -> Vec<(String, Error)> {
    let errors = rows.into_iter().filter_map(Result::err);
    let mut errors: Vec<_> = errors
        .map(|error| {
            assert_eq!(error.kind(), ErrorKind::KeyMismatch, "{error}");
            let key = error.item_key().expect("the key of the row");
            let sk = key.get("sk").and_then(Value::as_text).expect("its text");
            (sk.to_owned(), error)
        })
        .collect();
    errors.sort_by(|left, right| left.0.cmp(&right.0));
    errors
}

fn names<E>(errors: &[(String, E)]) -> Vec<&str> {
    errors.iter().map(|(sk, _)| &**sk).collect()
}

async fn rows_in_another_spelling_are_refused(db: Db) -> Outcome {
    strangers(&db).await?;
    let letters = Letter::scan().lenient().all(&db).await?;
    assert_eq!(letters.len(), 3);
    let errors = refused(letters);
    assert_eq!(names(&errors), ["T#1#L#8", "t#1#l#009"]);
    let said = |at: usize| {
        let error = &errors[at].1;
        (error.entity(), error.key_attribute(), error.attribute())
    };
    assert_eq!(said(0), (Some("Letter"), Some("sk"), Some("number")));
    assert_eq!(said(1), (Some("Letter"), Some("pk"), None));
    assert_eq!(Letter::scan().count(&db).await?, 3);
    let error = Letter::scan().all(&db).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyMismatch);
    let mut rows = Letter::scan().page_size(1).stream(&db);
    let mut streamed = Vec::new();
    while let Some(row) = rows.next().await {
        streamed.push(row);
    }
    assert_eq!(names(&refused(streamed)), ["T#1#L#8", "t#1#l#009"]);

    // A row is reported to the entity whose keys it resembles most, and to none if it resembles none.
    let threads = Thread::scan().lenient().all(&db).await?;
    assert_eq!(
        (threads.len(), names(&refused(threads))),
        (1, vec!["T#1#X"])
    );
    assert_eq!(Label::scan().lenient().all(&db).await?.len(), 0);

    // All reads that ask for the type do the same, whatever they read of a row.
    let letters = Letter::in_partition("a").lenient().all(&db).await?;
    assert_eq!(names(&refused(letters)), ["T#1#L#8"]);
    let letters = Letter::letters_of("open").lenient().all(&db).await?;
    assert_eq!(names(&refused(letters)), ["T#1#L#8", "t#1#l#009"]);
    let reads = Letter::scan().select::<Reads>().lenient().all(&db).await?;
    assert_eq!(reads.len(), 3);
    assert_eq!(names(&refused(reads)), ["T#1#L#8", "t#1#l#009"]);
    let hydrated = Letter::letter_keys("open").hydrate().lenient().all(&db);
    assert_eq!(names(&refused(hydrated.await?)), ["T#1#L#8", "t#1#l#009"]);
    let selected = Letter::letter_keys("open").hydrate().select::<Reads>();
    let selected = selected.lenient().all(&db).await?;
    assert_eq!(names(&refused(selected)), ["T#1#L#8", "t#1#l#009"]);
    let keys = Letter::letter_keys("open").lenient().all(&db).await?;
    assert_eq!(names(&refused(keys)), ["T#1#L#8", "t#1#l#009"]);
    Ok(())
}

/// Nobody knows what these rows are, so no job deletes them.
async fn jobs_leave_rows_in_another_spelling(db: Db) -> Outcome {
    strangers(&db).await?;
    let all = db.count::<Mail>().await;
    let job = Letter::scan().update_each(|row| row.update().apply(|l| l.reads().add(1)));
    let report = job.send(&db).await?;
    assert_eq!((report.written, report.failed), (1, 2));
    let jobs = [
        (1, Letter::scan().delete_each()),
        (0, Letter::letters_of("open").delete_each()),
        (0, Letter::letter_keys("open").hydrate().delete_each()),
        (0, Letter::scan().delete_each()),
    ];
    for (written, job) in jobs {
        let report = job.send(&db).await?;
        assert_eq!((report.written, report.failed), (written, 2));
        let kinds = report.errors().iter().map(|failed| failed.error().kind());
        assert!(kinds.into_iter().all(|kind| kind == ErrorKind::KeyMismatch));
    }
    assert_eq!(db.count::<Mail>().await, all - 1);
    Ok(())
}

/// Plants a row of an unknown type under a key of a letter, a row of another program, and a letter without a
/// type in another spelling.
async fn plant_strangers(db: &Db) -> Outcome {
    let strangers = [
        ("T#1#L#900", Some("Martian")),
        ("CART#1", None),
        ("T#1#L#7", None),
    ];
    for (sk, kind) in strangers {
        let mut row = raw([("pk", s("BOX#a")), ("sk", s(sk)), ("state", s("open"))]);
        row.extend(kind.map(|kind| ("_type".to_owned(), s(kind))));
        db.plant::<Letter>(row).await;
    }
    Ok(())
}

/// A row that a lenient read returns as an error is never deleted, by entity or collection, by partition or
/// scan. The error names the row.
async fn deletes_leave_what_no_read_returns(db: Db) -> Outcome {
    let (threads, letters) = fill(&db, 12).await?;
    let all = db.count::<Mail>().await;
    plant_strangers(&db).await?;
    let is_a = |owner: &str| owner == "a";
    let own = threads.iter().filter(|row| is_a(&row.owner)).count()
        + letters.iter().filter(|row| is_a(&row.owner)).count();

    let rows = Inbox::in_partition("a").lenient().all(&db).await?;
    let errors: Vec<_> = rows.iter().filter_map(|row| row.as_ref().err()).collect();
    assert_eq!((rows.len() - errors.len(), errors.len()), (own, 4));
    let mut keys: Vec<_> = errors
        .iter()
        .map(|error| error.item_key().and_then(|key| key.get("sk").cloned()))
        .collect();
    keys.sort_by_key(|key| format!("{key:?}"));
    let wanted = ["CART#1", "T#1#L#7", "T#1#L#900", "X#T#1"].map(|sk| Some(Value::from(sk)));
    assert_eq!(keys, wanted);

    let letters_of_a = letters.iter().filter(|row| is_a(&row.owner)).count() as u64;
    let report = Letter::in_partition("a").delete_each().send(&db).await?;
    assert_eq!(report.written, letters_of_a);
    let report = Inbox::in_partition("a").delete_each().send(&db).await?;
    assert_eq!(
        (report.written, report.failed),
        (own as u64 - letters_of_a, 4)
    );
    assert_eq!(
        Letter::in_partition("a")
            .delete_each()
            .send(&db)
            .await?
            .written,
        0
    );
    let report = Letter::scan().delete_each().send(&db).await?;
    assert_eq!(report.written, letters.len() as u64 - letters_of_a);
    let left = db.count::<Mail>().await;
    assert!(left >= 4 && left < all);
    let rows = Inbox::in_partition("a").lenient().all(&db).await?;
    assert_eq!(rows.iter().filter(|row| row.is_err()).count(), 4);
    Ok(())
}

/// No other entity of the table has keys like labels, so the service is not asked for the type. A foreign row
/// there is therefore an error in its place, and is counted.
async fn foreign_rows_are_errors_where_no_other_entity_is_stored(db: Db) -> Outcome {
    let label = Label {
        owner: "a".into(),
        name: "x".into(),
    };
    label.put().send(&db).await?;
    for (sk, kind) in [
        ("LABEL#y", Some("Martian")),
        ("LABEL#z", Some("Letter")),
        ("LABEL#a b", None),
        ("LABEL#b b", Some("Label")),
    ] {
        let mut row = raw([("pk", s("BOX#a")), ("sk", s(sk))]);
        row.extend(kind.map(|kind| ("_type".to_owned(), s(kind))));
        db.plant::<Label>(row).await;
    }
    let of_a = || Label::in_partition("a");
    assert!(!of_a().explain(&db)?.is_filtering());
    let rows = of_a().lenient().all(&db).await?;
    let kinds: Vec<_> = rows
        .iter()
        .map(|row| row.as_ref().map_err(Error::kind))
        .collect();
    assert_eq!(
        kinds,
        [
            Err(ErrorKind::KeyMismatch),
            Err(ErrorKind::KeyMismatch),
            Ok(&label),
            Err(ErrorKind::Decode),
            Err(ErrorKind::Decode)
        ]
    );
    assert_eq!(of_a().count(&db).await?, 5);
    // A scan asks for the type: it leaves out rows of other types, and reports those that may be labels.
    let rows = Label::scan().lenient().all(&db).await?;
    assert_eq!(rows.iter().filter(|row| row.is_err()).count(), 2);
    assert_eq!((rows.len(), Label::scan().count(&db).await?), (3, 3));
    // No job deletes rows that are not labels. A label in another spelling is one if its type says so.
    let report = of_a().delete_each().send(&db).await?;
    assert_eq!((report.written, report.failed), (2, 3));
    assert_eq!(db.count::<Mail>().await, 3);
    Ok(())
}
