//! What the meter counts by pattern is what an observer is told, and what is done.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use dynamo_entity::observe::{CapacityByPattern, PatternUsage};
use dynamo_entity::prelude::*;

use crate::support::db::{Db, Mode};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    each_pattern_has_its_counts,
    the_counts_are_those_that_an_observer_is_told,
    what_fails_is_counted_by_its_kind,
    what_is_taken_begins_anew,
    the_table_has_columns,
];

crate::declare! {
    entity Book(table = "metered", key(pk = shelf, sk = number), gsi(by_author, pk = author, sk = number))
        { shelf: u32, number: u32, author: String }
}

/// Requests, units, and rows looked at.
type Sums = (u64, f64, u64);

fn book(number: u32) -> Book {
    Book {
        shelf: 1,
        number,
        author: format!("a{}", number % 2),
    }
}

async fn open(db: &Db) -> Result<(Dynamo, CapacityByPattern)> {
    db.create_tables([Book::schema()]).await?;
    let meter = CapacityByPattern::default();
    let db: &Dynamo = db;
    let db = db.clone().with_observer(meter.observer());
    Ok((db, meter))
}

fn named(rows: Vec<PatternUsage>) -> BTreeMap<String, PatternUsage> {
    let rows = rows.into_iter();
    rows.map(|row| (row.pattern.to_string(), row)).collect()
}

async fn each_pattern_has_its_counts(db: Db) -> Outcome {
    let (db, meter) = open(&db).await?;
    for number in 0..10 {
        book(number).put().send(&db).await?;
    }
    Book::by_author("a0")
        .filter(|b| b.shelf().eq(2))
        .all(&db)
        .await?;
    Book::by_author("a1").all(&db).await?;
    Book::key(1, 3).get().send(&db).await?;
    let rows = named(meter.rows());
    let names: Vec<&str> = rows.keys().map(|name| &**name).collect();
    assert_eq!(names, ["Book.by_author", "Book.get", "Book.put"]);
    let (put, query, get) = (
        &rows["Book.put"],
        &rows["Book.by_author"],
        &rows["Book.get"],
    );
    assert_eq!((put.requests, put.units, put.rows), (10, 20.0, 0));
    assert_eq!((query.requests, query.rows, query.looked_at), (2, 5, 10));
    assert_eq!(query.pattern.index, Some("by_author"));
    assert_eq!((get.requests, get.units, get.rows), (1, 0.5, 1));
    for row in rows.values() {
        assert!(row.p50 <= row.p99 && row.p99 <= row.longest, "{row:?}");
        assert!(!row.longest.is_zero());
        assert_eq!((row.throttles, row.errors, row.conflicts), (0, 0, 0));
    }
    Ok(())
}

async fn the_counts_are_those_that_an_observer_is_told(db: Db) -> Outcome {
    let (db, meter) = open(&db).await?;
    let told: Arc<Mutex<BTreeMap<String, Sums>>> = Arc::default();
    let kept = told.clone();
    let db = db.with_observer(move |seen| {
        let mut kept = kept.lock().unwrap();
        let one = kept.entry(seen.pattern.to_string()).or_default();
        *one = (one.0 + 1, one.1 + seen.units(), one.2 + seen.looked_at);
    });
    let books: Vec<Book> = (0..60).map(book).collect();
    let batch = Batch::new().with_all(books.iter().map(|book| book.put()));
    batch.send(&db).await?.complete()?;
    Book::scan().segments(3).all(&db).await?;
    Book::scan()
        .filter(|b| b.author().eq("nobody"))
        .all(&db)
        .await?;
    Book::by_author("a1")
        .update_each(|book| book.update().apply(|b| b.author().set("a2")))
        .send(&db)
        .await?
        .complete()?;
    Book::get_many(books.iter().map(|book| book.key()))
        .send(&db)
        .await?;
    let rows = named(meter.rows()).into_iter();
    let rows = rows.map(|(name, row)| (name, (row.requests, row.units, row.looked_at)));
    assert_eq!(rows.collect::<BTreeMap<_, _>>(), *told.lock().unwrap());
    Ok(())
}

async fn what_fails_is_counted_by_its_kind(db: Db) -> Outcome {
    let (watched, meter) = open(&db).await?;
    book(1).create().send(&watched).await?;
    book(1).create().send(&watched).await.unwrap_err();
    let elsewhere = watched.clone().with_prefix("nowhere");
    book(1).create().send(&elsewhere).await.unwrap_err();
    let row = &meter.take()[0];
    assert_eq!((row.requests, row.conflicts, row.errors), (3, 1, 1));
    if db.mode() == Mode::Direct {
        return Ok(()); // nothing is throttled or sent again there
    }
    let (faulty, _http) = db.faulty(std::iter::repeat_n(Fault::throttle(), 3));
    let faulty = faulty.with_observer(meter.observer());
    let refused = book(2).create().send(&faulty).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Throttled);
    let row = &meter.take()[0];
    assert_eq!((row.requests, row.resent, row.throttles), (1, 2, 1));
    assert_eq!((row.errors, row.conflicts, row.units), (0, 0, 0.0));
    Ok(())
}

async fn what_is_taken_begins_anew(db: Db) -> Outcome {
    let (db, meter) = open(&db).await?;
    book(1).put().send(&db).await?;
    assert_eq!(meter.take()[0].requests, 1);
    assert_eq!(meter.rows(), []);
    book(2).put().send(&db).await?;
    book(3).put().send(&db).await?;
    assert_eq!(meter.rows()[0].requests, 2);
    assert_eq!(meter.rows()[0].units, 4.0);
    Ok(())
}

async fn the_table_has_columns(db: Db) -> Outcome {
    let (db, meter) = open(&db).await?;
    let only_heads = meter.to_string();
    assert_eq!(only_heads.lines().count(), 1);
    for number in 0..12 {
        book(number).put().send(&db).await?;
    }
    Book::by_author("a1").all(&db).await?;
    let table = meter.to_string();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(
        lines.iter().all(|line| line.len() == lines[0].len()),
        "{table}"
    );
    let cells =
        |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    assert!(lines[0].starts_with("pattern         index"), "{table}");
    let query = cells(lines[1]);
    assert_eq!(
        query[..7],
        ["Book.by_author", "by_author", "1", "0", "0.5", "6", "6"]
    );
    let put = cells(lines[2]);
    assert_eq!(put[..7], ["Book.put", "-", "12", "0", "24.0", "0", "0"]);
    assert!(
        put[10].ends_with("ms") && put[11].ends_with("ms"),
        "{table}"
    );
    Ok(())
}
