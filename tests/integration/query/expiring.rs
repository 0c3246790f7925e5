//! While a read goes on, time goes on, too: a row that has expired is not returned.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;

use crate::support::clock::HandClock;
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_stream_looks_at_the_clock_for_each_row,
    a_limit_is_filled_behind_rows_that_expire,
    no_read_returns_what_is_over,
    cursors_go_on_behind_rows_that_expired,
    collections_hide_what_expires,
    jobs_leave_what_expires_alone,
];

const BEGIN: &str = "2094-01-01T00:00:00Z";

crate::declare! {
    table Locks(name = "locks", pk = "pk", sk = "sk", entities(Holder, Lease),
        gsi(gsi1, pk = "g1pk", sk = "g1sk", project = keys));
    /// The first row of its collection. It never expires.
    entity Holder(table = Locks, key(pk = "H#{holder}", sk = "A")) { holder: String }
    entity Lease(table = Locks, key(pk = "H#{holder}", sk = "L#{number:04}"),
        gsi(by_kind, on = gsi1, pk = "K#{kind}", sk = "{number:04}", shards = 3))
        { holder: String, number: u16, kind: String, uses: u32, #[dynamo(ttl)] expires_at: Option<DateTime<Utc>> }
    projection Number(entity = Lease) { number: u16 }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Locks, partition(holder))]
enum Held {
    Holder(Holder),
    Lease(Lease),
}

/// Stores leases. Every other one never expires, the others expire second by second.
async fn leases(db: &Db, clock: &HandClock, count: u16) -> Outcome {
    let at = db.at(clock);
    at.create_tables([Locks::schema()]).await?;
    for holder in ["a", "b"] {
        let row = Holder {
            holder: holder.into(),
        };
        row.put().send(&at).await?;
    }
    for number in 0..count {
        let after = chrono::TimeDelta::seconds(i64::from(number) + 1);
        let lease = Lease {
            holder: if number % 4 < 2 { "a" } else { "b" }.into(),
            number,
            kind: "k".into(),
            uses: 0,
            expires_at: (number % 2 == 0).then(|| clock.time() + after),
        };
        lease.put().send(&at).await?;
    }
    Ok(())
}

/// A connection on which each answer takes so many seconds.
fn slow(db: &Db, clock: &HandClock, seconds: i64) -> Dynamo {
    let clock = clock.clone();
    db.at(&clock)
        .with_observer(move |_| clock.advance(1000 * seconds))
}

fn lives(clock: &HandClock, number: u16) -> bool {
    let begin: DateTime<Utc> = BEGIN.parse().expect("a time");
    number % 2 == 1 || begin.timestamp() + i64::from(number) + 1 > clock.seconds()
}

fn numbers(rows: &[Lease]) -> Vec<u16> {
    rows.iter().map(|row| row.number).collect()
}

async fn a_stream_looks_at_the_clock_for_each_row(db: Db) -> Outcome {
    let clock = HandClock::at(BEGIN);
    leases(&db, &clock, 40).await?;
    let at = db.at(&clock);
    let both = || Lease::in_partition(any_of(["a", "b"]));
    let streams: [(Query<Lease>, bool); 5] = [
        (both().into(), true),
        (both().page_size(3).into(), true),
        (Lease::scan().into(), false),
        (Lease::scan().segments(3).page_size(4).into(), false),
        (Lease::by_kind("k").hydrate().into(), true),
    ];
    for (q, is_sorted) in streams {
        let clock = HandClock::at(BEGIN);
        let at = at.clone().with_clock(clock.clone());
        let mut rows = q.stream(&at);
        let mut seen = Vec::new();
        while let Some(row) = rows.next().await.transpose()? {
            assert!(
                lives(&clock, row.number),
                "{} at {}",
                row.number,
                clock.time()
            );
            seen.push(row.number);
            clock.advance(1500);
        }
        assert!(seen.iter().filter(|number| *number % 2 == 1).count() == 20);
        assert!(seen.len() < 40);
        assert!(!is_sorted || seen.is_sorted());
    }
    Ok(())
}

async fn a_limit_is_filled_behind_rows_that_expire(db: Db) -> Outcome {
    let clock = HandClock::at(BEGIN);
    leases(&db, &clock, 40).await?;
    let queries: [Query<Lease>; 3] = [
        Lease::in_partition(any_of(["a", "b"])).into(),
        Lease::scan().into(),
        Lease::by_kind("k").hydrate().into(),
    ];
    for q in queries {
        let clock = HandClock::at(BEGIN);
        let mut rows = q.limit(12).stream(&db.at(&clock));
        let mut count = 0;
        while let Some(row) = rows.next().await.transpose()? {
            assert!(lives(&clock, row.number));
            count += 1;
            clock.advance(10_000);
        }
        assert_eq!(count, 12);
    }
    Ok(())
}

async fn no_read_returns_what_is_over(db: Db) -> Outcome {
    let clock = HandClock::at(BEGIN);
    leases(&db, &clock, 40).await?;
    let queries: [Query<Lease>; 6] = [
        Lease::in_partition("a").into(),
        Lease::in_partition(any_of(["a", "b"])).into(),
        Lease::in_partition(any_of(["b", "a"]))
            .by_partition()
            .descending()
            .into(),
        Lease::scan().into(),
        Lease::scan().segments(2).into(),
        Lease::by_kind("k").hydrate().into(),
    ];
    for q in queries {
        let q = q.page_size(2);
        let slowly = || {
            let clock = HandClock::at(BEGIN);
            (slow(&db, &clock, 1), clock)
        };
        let (at, clock) = slowly();
        let all = q.clone().all(&at).await?;
        assert!(
            all.iter().all(|row| lives(&clock, row.number)),
            "{:?}",
            numbers(&all)
        );
        let odd = all.iter().filter(|row| row.number % 2 == 1).count();
        assert_eq!(
            odd,
            q.clone().include_expired().all(&db.at(&clock)).await?.len() / 2
        );

        let (at, clock) = slowly();
        let page = q.clone().limit(7).page(&at).await?;
        assert_eq!(page.rows.len(), 7);
        assert!(page.rows.iter().all(|row| lives(&clock, row.number)));
        let few = q.clone().limit(7).all(&at).await?;
        assert_eq!(few.len(), 7);
        assert!(few.iter().all(|row| lives(&clock, row.number)));
        let (at, clock) = slowly();
        let first = q.clone().first(&at).await?.expect("a row");
        assert!(lives(&clock, first.number));
    }
    // Reads that bring less than whole rows.
    let clock = HandClock::at(BEGIN);
    let at = slow(&db, &clock, 1);
    let rows = Lease::in_partition("a")
        .select::<Number>()
        .page_size(2)
        .all(&at)
        .await?;
    assert!(rows.iter().all(|row| lives(&clock, row.number)));
    let clock = HandClock::at(BEGIN);
    let at = slow(&db, &clock, 1);
    let keys = Lease::by_kind("k").page_size(2).all(&at).await?;
    assert!(keys.iter().all(|key| lives(&clock, key.number)));
    assert!(keys.len() >= 20);
    let clock = HandClock::at(BEGIN);
    let at = slow(&db, &clock, 3);
    let wanted = (0..40).map(|number| Lease::key(if number % 4 < 2 { "a" } else { "b" }, number));
    let found = Lease::get_many(wanted).send(&at).await?;
    assert!(found.iter().flatten().all(|row| lives(&clock, row.number)));
    Ok(())
}

async fn cursors_go_on_behind_rows_that_expired(db: Db) -> Outcome {
    let clock = HandClock::at(BEGIN);
    leases(&db, &clock, 40).await?;
    let queries: [Query<Lease>; 4] = [
        Lease::in_partition(any_of(["a", "b"])).into(),
        Lease::scan().into(),
        Lease::scan().segments(3).into(),
        Lease::by_kind("k").hydrate().into(),
    ];
    for q in queries {
        // Reads page by page, while time goes on during each page.
        let clock = HandClock::at(BEGIN);
        let at = slow(&db, &clock, 1);
        let (mut seen, mut next) = (Vec::new(), None);
        loop {
            let page = q
                .clone()
                .page_size(2)
                .limit(5)
                .resume(next)
                .page(&at)
                .await?;
            assert!(page.rows.iter().all(|row| lives(&clock, row.number)));
            let last = page.rows.len().checked_sub(1);
            if let (Some(last), Some(next)) = (last, &page.next) {
                assert_eq!(page.cursor_at(last).as_ref(), Some(next));
            }
            seen.extend(numbers(&page.rows));
            next = page.next;
            if next.is_none() {
                break;
            }
        }
        let mut odd: Vec<u16> = seen.into_iter().filter(|number| number % 2 == 1).collect();
        odd.sort_unstable();
        assert_eq!(odd, (1..40).step_by(2).collect::<Vec<u16>>());
        // Reads by streams, with a new stream after every row.
        let clock = HandClock::at(BEGIN);
        let at = db.at(&clock);
        let (mut odd, mut place) = (0, None);
        loop {
            let mut rows = q.clone().resume(place.clone()).stream(&at);
            let Some(row) = rows.next().await.transpose()? else {
                break;
            };
            odd += u16::from(row.number % 2 == 1);
            clock.advance(700);
            place = rows.cursor()?;
        }
        assert_eq!(odd, 20);
    }
    Ok(())
}

async fn collections_hide_what_expires(db: Db) -> Outcome {
    let clock = HandClock::at(BEGIN);
    leases(&db, &clock, 12).await?;
    let clock = HandClock::at(BEGIN);
    let at = db.at(&clock);
    let mut rows = Held::in_partition("a").stream(&at);
    assert!(matches!(rows.next().await, Some(Ok(Held::Holder(_)))));
    clock.advance(20_000);
    let mut left = Vec::new();
    while let Some(row) = rows.next().await.transpose()? {
        if let Held::Lease(lease) = row {
            left.push(lease.number);
        }
    }
    assert_eq!(left, [1, 5, 9]);
    // Each delete checks that the row still belongs to the query.
    let clock = HandClock::at(BEGIN);
    let slowly = slow(&db, &clock, 30);
    let report = Held::in_partition("a").delete_each().send(&slowly).await?;
    assert_eq!(report.complete()?.written, 4);
    assert_eq!(
        Held::in_partition("a").include_expired().count(&at).await?,
        3
    );
    Ok(())
}

async fn jobs_leave_what_expires_alone(db: Db) -> Outcome {
    let clock = HandClock::at(BEGIN);
    leases(&db, &clock, 24).await?;
    let clock = HandClock::at(BEGIN);
    let at = slow(&db, &clock, 2);
    let seen = Arc::new(AtomicI64::new(0));
    let (now, count) = (clock.clone(), seen.clone());
    let rows = Lease::in_partition(any_of(["a", "b"])).limit(12);
    let job = rows.update_each(move |row| {
        assert!(lives(&now, row.number));
        count.fetch_add(1, Ordering::Relaxed);
        row.update().apply(|l| l.uses().add(1))
    });
    let report = job.concurrency(1).send(&at).await?.complete()?;
    assert_eq!(report.written, seen.load(Ordering::Relaxed).unsigned_abs());
    // A row may expire after it is read and before it is written.
    assert_eq!(report.written + report.vanished, 12, "{report:?}");
    assert!(report.written >= 10);
    Ok(())
}
