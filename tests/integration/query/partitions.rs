//! Reads of many partitions at once: `any_of`, shards and scans.

use dynamo_entity::prelude::*;

use super::{Book, Chapter, Loan, Token, counts, day, days, isbns, library, tokens};
use crate::model::RequestCount;
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    partitions_are_merged,
    pages_go_through_merged_partitions,
    partitions_come_one_after_the_other,
    few_requests_are_under_way_at_once,
    shards_read_as_one(Job),
    scans_read_the_table,
];

async fn partitions_are_merged(db: Db) -> Outcome {
    counts(&db, &["a", "b", "c"], 1..=5).await?;
    counts(&db, &["d"], 2..=2).await?;
    let names = [
        "a".to_owned(),
        "d".into(),
        "c".into(),
        "none".into(),
        "a".into(),
    ];
    let q = || RequestCount::in_partition(any_of(&names));
    let named = |rows: Vec<RequestCount>| -> Vec<String> {
        rows.iter()
            .map(|row| format!("{}{}", row.request_name, row.count))
            .collect()
    };
    let all = [
        "a1", "c1", "a2", "d2", "c2", "a3", "c3", "a4", "c4", "a5", "c5",
    ];
    assert_eq!(named(q().all(&db).await?), all);
    let mut down = all;
    down.reverse();
    assert_eq!(named(q().descending().all(&db).await?), down);
    assert_eq!(named(q().page_size(2).all(&db).await?), all);
    let some = q().day().between(day(2)..day(4));
    assert_eq!(named(some.clone().all(&db).await?), all[2..7]);
    assert_eq!(some.clone().count(&db).await?, 5);
    assert_eq!(some.clone().limit(3).count(&db).await?, 3);
    assert_eq!(some.clone().first(&db).await?.map(|row| row.count), Some(2));
    assert!(some.exists(&db).await?);
    let mut rows = q().page_size(1).limit(7).stream(&db);
    let mut seen = Vec::new();
    while let Some(row) = rows.next().await {
        seen.push(row?);
    }
    assert_eq!(named(seen), all[..7]);
    let none: [&str; 0] = [];
    assert_eq!(RequestCount::in_partition(any_of(none)).all(&db).await?, []);
    // With a bound on the scanned items, the rows found are the first ones, and none between them is left
    // out.
    let some = named(q().max_scanned(5).all(&db).await?);
    assert!(all.starts_with(&some.iter().map(|row| &**row).collect::<Vec<_>>()));
    assert!((1..=5).contains(&some.len()), "{some:?}");
    assert_eq!(q().explain(&db)?.requests.len(), 4);
    Ok(())
}

async fn pages_go_through_merged_partitions(db: Db) -> Outcome {
    counts(&db, &["a", "b", "c"], 1..=5).await?;
    for descending in [false, true] {
        for size in [1, 2, 4, 15] {
            let q = RequestCount::in_partition(any_of(["a", "b", "c"])).limit(size);
            let q = if descending { q.descending() } else { q };
            let all = q.clone().limit(100).all(&db).await?;
            assert_eq!(all.len(), 15);
            let mut seen = Vec::new();
            let mut cursor = None;
            let mut last = loop {
                let page = q.clone().resume(cursor.clone()).page(&db).await?;
                seen.extend(page.rows.clone());
                match page.next.clone() {
                    Some(next) => cursor = Some(next.to_string().parse()?),
                    None => break page,
                }
            };
            assert_eq!(seen, all, "pages of {size}");
            let mut back = last.rows.clone();
            while let Some(previous) = last.previous {
                last = q.clone().resume(previous).page(&db).await?;
                back.splice(0..0, last.rows.clone());
            }
            assert_eq!(back, all, "back by pages of {size}");
        }
    }
    let q = RequestCount::in_partition(any_of(["a", "b", "c"]))
        .day()
        .between(day(2)..=day(3));
    let page = q.clone().limit(2).page(&db).await?;
    let rest = q.clone().resume(page.next.clone()).all(&db).await?;
    assert_eq!(rest, q.all(&db).await?[2..]);
    let refused = RequestCount::in_partition(any_of(["a", "b"]))
        .day()
        .between(day(2)..=day(3));
    let refused = refused.resume(page.next).all(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    Ok(())
}

async fn partitions_come_one_after_the_other(db: Db) -> Outcome {
    counts(&db, &["a", "b"], 1..=3).await?;
    let q = RequestCount::in_partition(any_of(["b", "a"])).by_partition();
    let names = |rows: &[RequestCount]| -> String {
        rows.iter().map(|row| row.request_name.as_str()).collect()
    };
    let all = q.clone().all(&db).await?;
    assert_eq!(names(&all), "bbbaaa");
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = q.clone().limit(2).resume(cursor).page(&db).await?;
        seen.extend(page.rows);
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(seen, all);
    // Partitions come in the given order, the rows of each in descending order.
    let down = q.descending();
    let all = down.clone().all(&db).await?;
    assert_eq!(names(&all), "bbbaaa");
    assert_eq!(days(&all), [3, 2, 1, 3, 2, 1]);
    for (left, right) in all.iter().zip(&all[1..]) {
        assert!(down.order(left, right)?.is_lt());
    }
    let back = down.clone().limit(100).page(&db).await?.cursor_at(4);
    let back = back.expect("a row").backwards();
    let page = down.resume(back).limit(3).page(&db).await?;
    assert_eq!(page.rows, all[1..4]);
    Ok(())
}

crate::declare! {
    entity Job(table = "jobs", key(pk = "J#{queue}", sk = "{id:04}", shards = 3),
        gsi(by_state, pk = "S#{state}", sk = "{at:04}", shards = 4, read_shards = 6),
        gsi(by_state_plain, pk = "P#{state}", sk = "{at:05}")) { queue: String, id: u16, state: String, at: u16 }
}

async fn shards_read_as_one(db: Db) -> Outcome {
    for id in 0..40 {
        let state = if id % 5 == 0 { "done" } else { "new" };
        let at = (id * 7) % 11;
        Job {
            queue: "q".into(),
            id,
            state: state.into(),
            at,
        }
        .put()
        .send(&db)
        .await?;
    }
    let ids = |rows: Vec<Job>| -> Vec<u16> { rows.iter().map(|row| row.id).collect() };
    assert_eq!(
        ids(Job::in_partition("q").all(&db).await?),
        (0..40).collect::<Vec<_>>()
    );
    assert_eq!(
        Job::in_partition("q")
            .id()
            .ge(35)
            .consistent()
            .count(&db)
            .await?,
        5
    );
    let times = |rows: &[Job]| -> Vec<u16> { rows.iter().map(|row| row.at).collect() };
    let twin = Job::by_state_plain("new").all(&db).await?;
    let sharded = Job::by_state("new").all(&db).await?;
    assert_eq!(times(&sharded), times(&twin));
    let mut down = sharded.clone();
    down.reverse();
    assert_eq!(Job::by_state("new").descending().all(&db).await?, down);
    for at in [0, 5, 10] {
        let twin = Job::by_state_plain("new").at().lt(at).count(&db).await?;
        assert_eq!(Job::by_state("new").at().lt(at).count(&db).await?, twin);
        let twin = times(&Job::by_state_plain("new").at().ge(at).all(&db).await?);
        assert_eq!(
            times(&Job::by_state("new").at().ge(at).all(&db).await?),
            twin
        );
    }
    for size in [1, 5, 32] {
        let mut seen = Vec::new();
        let mut cursor = None;
        let mut last = loop {
            let page = Job::by_state("new")
                .limit(size)
                .resume(cursor)
                .page(&db)
                .await?;
            seen.extend(page.rows.clone());
            match page.next.clone() {
                Some(next) => cursor = Some(next),
                None => break page,
            }
        };
        assert_eq!(seen, sharded, "ties are cut by pages and lose nothing");
        let mut back = last.rows.clone();
        while let Some(previous) = last.previous {
            last = Job::by_state("new")
                .limit(size)
                .resume(previous)
                .page(&db)
                .await?;
            back.splice(0..0, last.rows.clone());
        }
        assert_eq!(back, sharded);
    }
    Ok(())
}

async fn scans_read_the_table(db: Db) -> Outcome {
    library(&db).await?;
    let mut books = Book::scan().all(&db).await?;
    books.sort_by(|left, right| left.isbn.cmp(&right.isbn));
    assert_eq!(isbns(&books), ["1", "1#C", "10", "2"]);
    assert_eq!(Book::scan().explain(&db)?.operation, Some("Scan"));
    assert_eq!(Chapter::scan().consistent().count(&db).await?, 12);
    assert_eq!(Loan::scan().segments(3).all(&db).await?.len(), 4);
    assert_eq!(
        Chapter::scan().segments(4).page_size(2).count(&db).await?,
        12
    );
    assert_eq!(
        Chapter::scan()
            .filter(|c| c.number().eq(2))
            .count(&db)
            .await?,
        4
    );
    assert_eq!(Chapter::scan().limit(5).all(&db).await?.len(), 5);
    let mut rows = Chapter::scan().segments(2).stream(&db);
    let mut seen = 0;
    while let Some(row) = rows.next().await {
        row?;
        seen += 1;
    }
    assert_eq!(seen, 12);
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = Chapter::scan().limit(5).resume(cursor).page(&db).await?;
        seen.extend(page.rows);
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(seen.len(), 12);
    let (db, _) = tokens(&db, 8).await?;
    assert_eq!(Token::scan().count(&db).await?, 4);
    assert_eq!(Token::scan().include_expired().count(&db).await?, 8);
    Ok(())
}

async fn few_requests_are_under_way_at_once(db: Db) -> Outcome {
    use crate::support::faulty::Fault;
    use std::time::Duration;
    counts(&db, &["n1", "n7"], 1..=1).await?;
    let names: Vec<String> = (0..20).map(|name| format!("n{name}")).collect();
    let all = RequestCount::in_partition(any_of(names));
    // At most eight requests are under way, however long it takes: no ninth goes before one is answered.
    let (silent, http) = db.faulty(vec![Fault::Hang; 20]);
    let asking = tokio::spawn(all.clone().all(&silent));
    for _ in 0..2_000 {
        if http.calls().len() >= 8 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(http.calls().len(), 8);
    asking.abort();
    let (counted, http) = db.faulty([]);
    assert_eq!(all.all(&counted).await?.len(), 2);
    assert_eq!(http.calls().len(), 20);
    Ok(())
}
