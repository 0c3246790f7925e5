//! `page` returns as many rows as were asked for, and a cursor to go on from.

use dynamo_entity::prelude::*;

use super::{Token, counts, day, days, token_numbers, tokens};
use crate::model::RequestCount;
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    pages_hold_what_was_asked_for,
    pages_go_back_and_forth,
    limit_counts_rows_under_a_filter,
    max_scanned_bounds_what_is_read,
    deletion_between_pages_loses_nothing,
    large_rows_take_several_answers(Large),
];

async fn pages_hold_what_was_asked_for(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=10).await?;
    for size in [1, 2, 3, 5, 10, 11] {
        for page_size in [1, 3, 100] {
            for descending in [false, true] {
                let q = RequestCount::in_partition("a")
                    .limit(size)
                    .page_size(page_size);
                let q = if descending { q.descending() } else { q };
                let mut seen = Vec::new();
                let mut cursor = None;
                loop {
                    let page = q.clone().resume(cursor).page(&db).await?;
                    seen.extend(days(&page.rows));
                    let Some(next) = page.next else { break };
                    assert_eq!(page.rows.len(), size, "a page is full while there is more");
                    cursor = Some(next.to_string().parse()?);
                }
                let mut wanted: Vec<u64> = (1..=10).collect();
                if descending {
                    wanted.reverse();
                }
                assert_eq!(seen, wanted, "pages of {size}, answers of {page_size}");
            }
        }
    }
    // A page that ends exactly at the end has no next page.
    let page = RequestCount::in_partition("a").limit(10).page(&db).await?;
    assert_eq!((page.rows.len(), page.next), (10, None));
    let page = RequestCount::in_partition("a")
        .page_size(10)
        .page(&db)
        .await?;
    assert_eq!((page.rows.len(), page.next), (10, None));
    let page = RequestCount::in_partition("a")
        .page_size(4)
        .page(&db)
        .await?;
    assert_eq!(page.rows.len(), 4);
    assert_eq!(
        RequestCount::in_partition("a")
            .resume(page.next)
            .count(&db)
            .await?,
        6
    );
    Ok(())
}

async fn pages_go_back_and_forth(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=7).await?;
    for descending in [false, true] {
        let q = RequestCount::in_partition("a").limit(3);
        let q = if descending { q.descending() } else { q };
        let first = q.clone().page(&db).await?;
        assert!(first.previous.is_none());
        let second = q.clone().resume(first.next.clone()).page(&db).await?;
        let third = q.clone().resume(second.next.clone()).page(&db).await?;
        assert_eq!((third.rows.len(), &third.next), (1, &None));
        let back = q.clone().resume(third.previous).page(&db).await?;
        assert_eq!(back.rows, second.rows);
        let forth = q.clone().resume(back.next).page(&db).await?;
        assert_eq!(forth.rows, third.rows);
        let back = q.clone().resume(back.previous).page(&db).await?;
        assert_eq!((&back.rows, &back.previous), (&first.rows, &None));
        let forth = q.clone().resume(back.next).page(&db).await?;
        assert_eq!(forth.rows, second.rows);
        let refused = q
            .clone()
            .resume(second.previous)
            .all(&db)
            .await
            .unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    }
    Ok(())
}

async fn limit_counts_rows_under_a_filter(db: Db) -> Outcome {
    let (db, _) = tokens(&db, 40).await?;
    let live: Vec<u16> = (0..40).filter(|number| number % 2 == 0).collect();
    for size in [1, 3, 7, 20] {
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let page = Token::in_partition()
                .limit(size)
                .resume(cursor)
                .page(&db)
                .await?;
            seen.extend(token_numbers(&page.rows));
            let Some(next) = page.next else { break };
            assert_eq!(page.rows.len(), size);
            cursor = Some(next);
        }
        assert_eq!(seen, live);
    }
    assert_eq!(Token::in_partition().limit(5).all(&db).await?.len(), 5);
    assert_eq!(Token::in_partition().limit(5).count(&db).await?, 5);
    Ok(())
}

async fn max_scanned_bounds_what_is_read(db: Db) -> Outcome {
    let (db, _) = tokens(&db, 40).await?;
    let q = Token::in_partition();
    let page = q.clone().limit(10).max_scanned(8).page(&db).await?;
    assert_eq!(token_numbers(&page.rows), [0, 2, 4, 6]);
    let rest = q.clone().resume(page.next).all(&db).await?;
    assert_eq!(rest.len(), 16);
    assert_eq!(q.clone().max_scanned(8).all(&db).await?.len(), 4);
    assert_eq!(q.clone().max_scanned(8).count(&db).await?, 4);
    let mut rows = q.clone().max_scanned(8).stream(&db);
    let mut seen = 0;
    while let Some(row) = rows.next().await {
        row?;
        seen += 1;
    }
    assert_eq!(seen, 4);
    // A page may have no rows and still be followed by another one.
    let first = q.clone().limit(1).max_scanned(1).page(&db).await?;
    let second = q
        .clone()
        .limit(1)
        .max_scanned(1)
        .resume(first.next)
        .page(&db)
        .await?;
    assert!(second.rows.is_empty() && second.next.is_some());
    let third = q
        .limit(1)
        .max_scanned(1)
        .resume(second.next)
        .page(&db)
        .await?;
    assert_eq!(token_numbers(&third.rows), [2]);
    Ok(())
}

async fn deletion_between_pages_loses_nothing(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=9).await?;
    let q = RequestCount::in_partition("a").limit(3);
    let page = q.clone().page(&db).await?;
    for gone in [3, 4] {
        RequestCount::key("a", day(gone)).delete().send(&db).await?;
    }
    let page = q.clone().resume(page.next).page(&db).await?;
    assert_eq!(days(&page.rows), [5, 6, 7]);
    let back = q.resume(page.previous).page(&db).await?;
    assert_eq!(days(&back.rows), [1, 2]);
    Ok(())
}

crate::declare! { entity Large(table = "large", key(pk = "L", sk = number)) { number: u32, text: String } }

async fn large_rows_take_several_answers(db: Db) -> Outcome {
    for number in 0..8 {
        Large {
            number,
            text: "x".repeat(300_000),
        }
        .put()
        .send(&db)
        .await?;
    }
    let (faulty, http) = db.faulty([]);
    let q = Large::in_partition();
    assert_eq!(q.clone().all(&faulty).await?.len(), 8);
    assert!(http.calls().len() > 1, "an answer holds 1 MB");
    assert_eq!(q.clone().count(&db).await?, 8);
    let page = q.clone().limit(6).page(&db).await?;
    assert_eq!((page.rows.len(), page.next.is_some()), (6, true));
    let page = q.clone().limit(8).page(&db).await?;
    assert_eq!((page.rows.len(), page.next.is_some()), (8, false));
    let mut rows = q.stream(&db);
    let mut next = 0;
    while let Some(row) = rows.next().await {
        assert_eq!(row?.number, next);
        next += 1;
    }
    assert_eq!(next, 8);
    Ok(())
}
