//! The number of requests of each kind of read, compared with the least possible.

use dynamo_entity::prelude::*;

use super::{Chapter, counts, day, library};
use crate::model::RequestCount;
use crate::support::db::Db;
use crate::support::faulty::Faults;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    one_partition_is_one_request,
    partitions_are_asked_once_each,
    values_of_a_part_are_asked_as_far_as_needed,
    segments_are_asked_once_each,
];

/// The limits of the requests since the last call, sorted.
pub(super) fn limits(http: &Faults) -> Vec<Option<u64>> {
    let limit = |seen: dynamo_entity::testing::RecordedRequest| -> Option<u64> {
        let body: serde_json::Value = serde_json::from_slice(&seen.body).expect("JSON");
        body["Limit"].as_u64()
    };
    let mut limits: Vec<_> = http.seen().into_iter().map(limit).collect();
    limits.sort();
    http.plan([]);
    limits
}

async fn drained<Row: Send + 'static>(
    mut rows: dynamo_entity::query::RowStream<Row>,
) -> Result<usize> {
    let mut count = 0;
    while let Some(row) = rows.next().await {
        row?;
        count += 1;
    }
    Ok(count)
}

async fn one_partition_is_one_request(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=10).await?;
    let (faulty, http) = db.faulty([]);
    let q = RequestCount::in_partition("a");
    q.clone().all(&faulty).await?;
    assert_eq!(limits(&http), [None]);
    q.clone().first(&faulty).await?;
    assert_eq!(limits(&http), [Some(1)]);
    q.clone().exists(&faulty).await?;
    assert_eq!(limits(&http), [Some(1)]);
    q.clone().limit(4).page(&faulty).await?;
    assert_eq!(limits(&http), [Some(5)]);
    q.clone().limit(4).all(&faulty).await?;
    assert_eq!(limits(&http), [Some(4)]);
    q.clone().count(&faulty).await?;
    assert_eq!(limits(&http), [None]);
    q.clone().limit(4).count(&faulty).await?;
    assert_eq!(limits(&http), [Some(4)]);
    q.clone().page(&faulty).await?;
    assert_eq!(limits(&http), [None]);
    assert_eq!(drained(q.clone().stream(&faulty)).await?, 10);
    assert_eq!(limits(&http), [None]);
    assert_eq!(drained(q.clone().limit(3).stream(&faulty)).await?, 3);
    assert_eq!(limits(&http), [Some(3)]);
    assert!(q.clone().day().eq(day(1)).one(&faulty).await?.is_some());
    assert_eq!(limits(&http), [Some(2)]);
    // Every page asks for one row more than its limit: the first one, the next one, and the one before that.
    let page = q.clone().limit(3).page(&faulty).await?;
    let page = q.clone().limit(3).resume(page.next).page(&faulty).await?;
    q.limit(3).resume(page.previous).page(&faulty).await?;
    assert_eq!(limits(&http), [Some(4), Some(4), Some(4)]);
    Ok(())
}

async fn partitions_are_asked_once_each(db: Db) -> Outcome {
    counts(&db, &["a", "b", "c", "d"], 1..=10).await?;
    let (faulty, http) = db.faulty([]);
    let q = || RequestCount::in_partition(any_of(["a", "b", "c", "d", "a"]));
    assert_eq!(q().all(&faulty).await?.len(), 40);
    assert_eq!(limits(&http), [None; 4]);
    assert_eq!(drained(q().stream(&faulty)).await?, 40);
    assert_eq!(limits(&http), [None; 4]);
    assert_eq!(q().count(&faulty).await?, 40);
    assert_eq!(limits(&http), [None; 4]);
    // The first row can be in any of the partitions, so all of them are asked.
    q().first(&faulty).await?;
    assert_eq!(limits(&http), [Some(1); 4]);
    // Any row will do, so partitions are asked one by one until one has a row.
    assert!(q().exists(&faulty).await?);
    assert_eq!(limits(&http), [Some(1)]);
    assert!(!q().day().gt(day(20)).exists(&faulty).await?);
    assert_eq!(limits(&http).len(), 4);
    assert_eq!(q().limit(8).page(&faulty).await?.rows.len(), 8);
    assert!(limits(&http).len() <= 5);
    // By partition, the later ones are not needed.
    let first = q().by_partition().limit(8).page(&faulty).await?;
    assert_eq!((first.rows.len(), limits(&http).len()), (8, 1));
    let none: [&str; 0] = [];
    assert!(
        !RequestCount::in_partition(any_of(none))
            .exists(&faulty)
            .await?
    );
    assert_eq!(limits(&http), []);
    Ok(())
}

async fn values_of_a_part_are_asked_as_far_as_needed(db: Db) -> Outcome {
    library(&db).await?;
    let (faulty, http) = db.faulty([]);
    let q = || {
        Chapter::in_partition()
            .isbn()
            .eq(any_of(["2", "1", "10", "1#C", "2"]))
    };
    assert_eq!(q().all(&faulty).await?.len(), 12);
    assert_eq!(limits(&http), [None; 4]);
    assert_eq!(q().count(&faulty).await?, 12);
    assert_eq!(limits(&http), [None; 4]);
    // The chapters of the book `1` come first, so the other lanes are not needed.
    let first = q().first(&faulty).await?.expect("a chapter");
    assert_eq!((&*first.isbn, limits(&http)), ("1", vec![Some(1)]));
    let last = q().descending().first(&faulty).await?.expect("a chapter");
    assert_eq!((&*last.isbn, limits(&http)), ("2", vec![Some(1)]));
    assert!(q().exists(&faulty).await?);
    assert_eq!(limits(&http), [Some(1)]);
    let page = q().limit(2).page(&faulty).await?;
    assert_eq!((page.rows.len(), limits(&http)), (2, vec![Some(3)]));
    // Lanes that were read to their end before the cursor are not read again.
    let page = q().limit(7).page(&faulty).await?;
    limits(&http);
    let rest = q().resume(page.next).all(&faulty).await?;
    assert_eq!((rest.len(), limits(&http).len()), (5, 2));
    let none: [&str; 0] = [];
    let none = Chapter::in_partition().isbn().eq(any_of(none));
    assert_eq!(none.clone().all(&faulty).await?, []);
    assert!(none.page(&faulty).await?.next.is_none());
    assert_eq!(limits(&http), []);
    Ok(())
}

async fn segments_are_asked_once_each(db: Db) -> Outcome {
    library(&db).await?;
    let (faulty, http) = db.faulty([]);
    assert_eq!(Chapter::scan().all(&faulty).await?.len(), 12);
    assert_eq!(limits(&http), [None]);
    assert_eq!(Chapter::scan().segments(4).all(&faulty).await?.len(), 12);
    assert_eq!(limits(&http), [None; 4]);
    assert_eq!(Chapter::scan().segments(4).count(&faulty).await?, 12);
    assert_eq!(limits(&http), [None; 4]);
    Ok(())
}
