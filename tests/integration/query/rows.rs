//! Rows: how they are hidden, counted, filtered, streamed and explained.

use dynamo_entity::plan::Filter;
use dynamo_entity::prelude::*;
use dynamo_entity::query::StrongReads;

use super::{Book, Numbered, Token, counts, day, days, isbns, library, token_numbers, tokens};
use crate::model::{Order, RequestCount, Shop, Status, UserId, order};
use crate::support::clock::{HandClock, moment};
use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    expired_rows_are_hidden,
    one_finds_one,
    counts_send_no_rows,
    a_row_that_does_not_decode_is_an_error,
    a_stream_fetches_ahead,
    a_dropped_stream_stops,
    ten_thousand_rows_go_by(Numbered),
    faults_on_the_way_are_retried_or_told,
    filters_leave_rows_out,
    filters_name_no_queried_key,
    keys_are_compared_with_any_value(File),
    entities_can_be_compared_with_a_query,
    the_request_can_be_seen,
];

async fn expired_rows_are_hidden(db: Db) -> Outcome {
    let (db, clock) = tokens(&db, 8).await?;
    let q = Token::in_partition();
    assert_eq!(q.clone().explain(&db)?.filters, [Filter::Expired]);
    assert_eq!(token_numbers(&q.clone().all(&db).await?), [0, 2, 4, 6]);
    assert_eq!(q.clone().count(&db).await?, 4);
    assert_eq!(q.clone().include_expired().count(&db).await?, 8);
    assert!(!q.clone().include_expired().explain(&db)?.is_filtering());
    clock.advance(1000);
    assert_eq!(token_numbers(&q.all(&db).await?), [0, 4]);
    clock.advance(-1000);
    // The time is the sort key here, so a bound replaces the filter.
    let by_owner = Token::by_owner("o");
    // Both rows have the same sort key, so their order is up to the engine.
    let mut live = token_numbers(&by_owner.clone().all(&db).await?);
    live.sort_unstable();
    assert_eq!(live, [2, 6]);
    assert_eq!(by_owner.clone().include_expired().count(&db).await?, 6);
    let late = by_owner
        .clone()
        .expires_at()
        .le(moment("2094-01-01T00:00:00Z"));
    assert_eq!(late.clone().count(&db).await?, 0);
    assert_eq!(late.include_expired().count(&db).await?, 4);
    let half = by_owner.expires_at().ge(moment("2094-01-01T00:00:00.5Z"));
    assert_eq!(half.include_expired().count(&db).await?, 2);
    Ok(())
}

async fn one_finds_one(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=3).await?;
    let q = || RequestCount::in_partition("a").day();
    assert_eq!(q().eq(day(2)).one(&db).await?.map(|row| row.count), Some(2));
    assert_eq!(q().eq(day(9)).one(&db).await?, None);
    let two = q().ge(day(2)).one(&db).await.unwrap_err();
    assert_eq!(
        (two.kind(), two.entity()),
        (ErrorKind::MultipleItems, Some("RequestCount"))
    );
    assert_eq!(
        q().ge(day(2)).first(&db).await?.map(|row| row.count),
        Some(2)
    );
    assert_eq!(
        q().ge(day(2))
            .descending()
            .first(&db)
            .await?
            .map(|row| row.count),
        Some(3)
    );
    assert!(q().ge(day(3)).exists(&db).await?);
    assert!(!q().gt(day(3)).exists(&db).await?);
    Ok(())
}

async fn counts_send_no_rows(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=9).await?;
    let (faulty, http) = db.faulty([]);
    let q = RequestCount::in_partition("a");
    assert_eq!(q.clone().count(&faulty).await?, 9);
    assert_eq!(q.clone().page_size(2).count(&faulty).await?, 9);
    assert_eq!(q.clone().limit(4).count(&faulty).await?, 4);
    for seen in http.seen() {
        let body = String::from_utf8(seen.body)?;
        assert!(body.contains("\"COUNT\""), "{body}");
    }
    Ok(())
}

async fn a_row_that_does_not_decode_is_an_error(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=9).await?;
    let broken = raw([
        ("request_name", s("a")),
        ("day", s("2024-01-05")),
        ("count", s("five")),
    ]);
    db.plant::<RequestCount>(broken).await;
    let q = RequestCount::in_partition("a");
    let error = q.clone().all(&db).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.attribute()),
        (ErrorKind::Decode, Some("count"))
    );
    let lenient = q.clone().lenient().all(&db).await?;
    assert_eq!(lenient.iter().filter(|row| row.is_ok()).count(), 8);
    assert!(lenient[4].is_err());
    assert_eq!(q.clone().count(&db).await?, 9);
    let mut rows = q.clone().stream(&db);
    let mut seen = Vec::new();
    while let Some(row) = rows.next().await {
        seen.push(row.map(|row| row.count).map_err(|error| error.kind()));
    }
    assert_eq!(seen.len(), 9);
    assert_eq!((seen[4], seen[8]), (Err(ErrorKind::Decode), Ok(9)));
    let page = q.lenient().limit(6).page(&db).await?;
    assert_eq!((page.rows.len(), page.next.is_some()), (6, true));
    Ok(())
}

async fn a_stream_fetches_ahead(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=20).await?;
    let (faulty, http) = db.faulty([]);
    let mut rows = RequestCount::in_partition("a").page_size(5).stream(&faulty);
    assert_eq!(
        http.calls().len(),
        0,
        "nothing happens before a row is asked for"
    );
    assert_eq!(rows.next().await.transpose()?.map(|row| row.count), Some(1));
    for _ in 0..200 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        if http.calls().len() == 2 {
            break;
        }
    }
    assert_eq!(
        http.calls().len(),
        2,
        "the next answer comes while this one is used"
    );
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(http.calls().len(), 2, "and only that");
    let mut left = 0;
    while let Some(row) = rows.next().await {
        row?;
        left += 1;
    }
    assert_eq!(left, 19);
    assert!(rows.next().await.is_none());
    let mut few = RequestCount::in_partition("a").limit(3).stream(&db);
    let mut seen = Vec::new();
    while let Some(row) = few.next().await {
        seen.push(row?.count);
    }
    assert_eq!(seen, [1, 2, 3]);
    Ok(())
}

async fn faults_on_the_way_are_retried_or_told(db: Db) -> Outcome {
    use crate::support::faulty::Fault;
    counts(&db, &["a"], 1..=9).await?;
    let q = RequestCount::in_partition("a").page_size(4);
    let (faulty, _) = db.faulty([
        Fault::throttle(),
        Fault::Pass,
        Fault::Lose,
        Fault::internal(),
    ]);
    assert_eq!(q.clone().all(&faulty).await?.len(), 9);
    let (faulty, _) = db.faulty([Fault::Pass, Fault::refuse("AccessDeniedException")]);
    let mut rows = q.stream(&faulty);
    let mut seen = Vec::new();
    while let Some(row) = rows.next().await {
        seen.push(row.map(|row| row.count).map_err(|error| error.kind()));
    }
    assert_eq!(
        seen,
        [Ok(1), Ok(2), Ok(3), Ok(4), Err(ErrorKind::AccessDenied)]
    );
    Ok(())
}

crate::declare! {
    entity File(table = "files", key(pk = folder, sk = name), gsi(by_owner, pk = owner, sk = hash),
        gsi(by_author, pk = author), gsi(by_kind, pk = kind, sk = name))
        { folder: String, name: String, owner: Option<String>, hash: Vec<u8>, kind: String,
          #[dynamo(created_by)] author: Option<String> }
}

/// A key cannot hold empty or very long values, but a comparison may use them.
async fn keys_are_compared_with_any_value(db: Db) -> Outcome {
    let long = "x".repeat(3000);
    for number in 0..3_u8 {
        let file = File {
            folder: "f".into(),
            name: number.to_string(),
            owner: (number > 0).then(|| "o".into()),
            hash: vec![number],
            kind: "k".into(),
            author: None,
        };
        let writer = if number == 1 {
            db.with_actor("ann")
        } else {
            Dynamo::clone(&db)
        };
        file.put().send(&writer).await?;
    }
    let all = || File::in_partition("f");
    for text in ["", &long] {
        assert_eq!(all().filter(|f| f.owner().eq(text)).count(&db).await?, 0);
        assert_eq!(all().filter(|f| f.owner().ne(text)).count(&db).await?, 3);
        assert_eq!(all().filter(|f| f.kind().ne(text)).count(&db).await?, 3);
        assert_eq!(all().filter(|f| f.author().ne(text)).count(&db).await?, 3);
        assert_eq!(all().filter(|f| f.author().eq(text)).count(&db).await?, 0);
        let one_of = all().filter(|f| f.owner().is_in([text, "o"]));
        assert_eq!(one_of.count(&db).await?, 2);
        let by_index = File::by_kind("k").filter(|f| f.folder().ne(text));
        assert_eq!(by_index.count(&db).await?, 3);
    }
    assert_eq!(all().filter(|f| f.owner().gt("")).count(&db).await?, 2);
    assert_eq!(all().filter(|f| f.owner().lt("")).count(&db).await?, 0);
    assert_eq!(all().filter(|f| f.author().ge("")).count(&db).await?, 1);
    let between = |high: &str| all().filter(|f| f.owner().between(String::new()..=high.to_owned()));
    assert_eq!(between(&long).count(&db).await?, 2);
    assert_eq!(between("").count(&db).await?, 0);
    assert_eq!(all().filter(|f| f.hash().ge(vec![])).count(&db).await?, 3);
    assert_eq!(all().filter(|f| f.hash().eq(vec![])).count(&db).await?, 0);
    assert_eq!(
        all()
            .filter(|f| f.hash().le(vec![1; 2000]))
            .count(&db)
            .await?,
        2
    );
    assert_eq!(
        File::scan()
            .filter(|f| f.folder().gt(""))
            .count(&db)
            .await?,
        3
    );
    assert_eq!(
        File::scan().filter(|f| f.name().eq("")).count(&db).await?,
        0
    );
    assert_eq!(
        all()
            .filter(|f| f.owner().starts_with(""))
            .count(&db)
            .await?,
        2
    );
    // The same values in conditions of writes.
    let key = || File::key("f", "1");
    let update = key().update().apply(|f| f.kind().set("l"));
    let refused = update
        .when(|f| f.owner().eq(""))
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    let update = key().update().apply(|f| f.kind().set("l"));
    let updated = update
        .when(|f| f.owner().ne("") & f.folder().ne(&*long))
        .send(&db)
        .await?;
    assert_eq!(updated.kind, "l");
    let update = key().update().apply(|f| f.kind().set(""));
    assert_eq!(
        update.send(&db).await.unwrap_err().kind(),
        ErrorKind::InvalidKey
    );
    key()
        .delete()
        .when(|f| f.hash().gt(vec![]))
        .send(&db)
        .await?;
    Ok(())
}

async fn entities_can_be_compared_with_a_query(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=2).await?;
    let q: Query<RequestCount> = RequestCount::in_partition("a").day().lt(day(2)).into();
    let row = |name: &str, at| RequestCount {
        request_name: name.into(),
        day: day(at),
        count: 0,
    };
    assert!(q.matches(&row("a", 1))?);
    assert!(!q.matches(&row("a", 2))?);
    assert!(!q.matches(&row("b", 1))?);
    assert!(q.order(&row("a", 1), &row("a", 2))?.is_lt());
    assert!(q.descending().order(&row("a", 1), &row("a", 2))?.is_gt());
    let noted = Order::by_note(UserId("u".into()));
    let noted: Query<Order> = noted.into();
    let mut order = order("u", 1);
    assert!(noted.matches(&order)?);
    order.note = None;
    assert!(!noted.matches(&order)?);
    Ok(())
}

async fn the_request_can_be_seen(db: Db) -> Outcome {
    let plain = db.clone();
    let q = Order::by_status(Status::Paid)
        .placed_at()
        .lt(moment("2024-02-01T00:00:00Z"));
    let seen = q.clone().descending().limit(20).explain(&plain)?;
    assert_eq!(seen.index.as_deref(), Some("gsi1"));
    assert_eq!(seen.operation, Some("Query"));
    let clock = HandClock::at("1970-01-01T00:01:39Z");
    let request = q.explain(&db.at(&clock))?.requests.remove(0);
    let table = db.table::<Shop>();
    assert_eq!(
        request,
        format!(
            r##"{{"TableName":"{table}","IndexName":"gsi1","KeyConditionExpression":"#n0 = :v0 AND #n1 < :v1","FilterExpression":"NOT #n2 < :v2","ExpressionAttributeNames":{{"#n0":"gsi1pk","#n1":"gsi1sk","#n2":"expires_at"}},"ExpressionAttributeValues":{{":v0":{{"S":"STATUS#Paid"}},":v1":{{"S":"2024-02-01T00:00:00.000000000Z"}},":v2":{{"N":"100"}}}}}}"##
        )
    );
    let range = Order::in_partition(UserId("ann".into()))
        .placed_at()
        .between(moment("2024-01-01T00:00:00Z")..moment("2024-02-01T00:00:00Z"));
    let request = range.include_expired().explain(&db)?.requests.remove(0);
    assert!(
        request.contains(r##""KeyConditionExpression":"#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2""##),
        "{request}"
    );
    assert!(!format!("{:?}", Order::in_partition(UserId("ann".into()))).contains("ann"));
    Ok(())
}

async fn filters_leave_rows_out(db: Db) -> Outcome {
    counts(&db, &["a", "b"], 1..=20).await?;
    let q = || RequestCount::in_partition("a").filter(|r| r.count().gt(4) & !r.count().eq(7));
    let wanted: Vec<u64> = (5..=20).filter(|count| *count != 7).collect();
    assert_eq!(days(&q().all(&db).await?), wanted);
    assert_eq!(q().explain(&db)?.filters, [Filter::Condition]);
    assert_eq!(q().count(&db).await?, 15);
    assert_eq!(
        days(&q().filter(|r| r.count().lt(9)).all(&db).await?),
        [5, 6, 8]
    );
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = q().limit(4).resume(cursor).page(&db).await?;
        seen.extend(days(&page.rows));
        match page.next {
            Some(next) => {
                assert_eq!(page.rows.len(), 4);
                cursor = Some(next);
            }
            None => break,
        }
    }
    assert_eq!(seen, wanted);
    let next = q().limit(4).page(&db).await?.next;
    let other = RequestCount::in_partition("a").filter(|r| r.count().gt(5));
    let refused = other.resume(next).page(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    let both = RequestCount::in_partition(any_of(["a", "b"])).filter(|r| r.count().le(2));
    assert_eq!(days(&both.all(&db).await?), [1, 1, 2, 2]);
    let (faulty, http) = db.faulty([]);
    let never = q().filter(|_| dynamo_entity::any([]));
    assert_eq!(never.all(&faulty).await?, []);
    assert_eq!(http.calls().len(), 0);
    let always = RequestCount::in_partition("a").filter(|_| dynamo_entity::all([]));
    assert!(!always.explain(&db)?.is_filtering());
    // The condition is joined with the library's own filter on the type.
    library(&db).await?;
    let books = Book::in_partition().filter(|b| b.isbn().eq("1") | b.year().lt(0));
    assert_eq!(
        books.clone().explain(&db)?.filters,
        [Filter::Type, Filter::Condition]
    );
    assert_eq!(isbns(&books.all(&db).await?), ["1"]);
    Ok(())
}

async fn filters_name_no_queried_key(db: Db) -> Outcome {
    counts(&db, &["a"], 1..=2).await?;
    let refused = RequestCount::in_partition("a").filter(|r| r.day().gt(day(1)));
    let refused = refused.all(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.attribute()),
        (ErrorKind::Rejected, Some("day"))
    );
    let scanned = RequestCount::scan().filter(|r| r.day().gt(day(1)));
    assert_eq!(days(&scanned.all(&db).await?), [2]);
    library(&db).await?;
    let refused = Book::books_by_year(1980).filter(|b| b.author().eq("eco"));
    let refused = refused.all(&db).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.attribute()),
        (ErrorKind::Rejected, Some("author"))
    );
    Ok(())
}

/// Turns a query of any kind into a consistent one.
#[expect(dead_code, reason = "compiled, not run")]
fn strong<Q: QueryExt>(query: Q) -> Query<Q::Row>
where
    Q::Reach: StrongReads,
    Query<Q::Row>: From<Query<Q::Row, Q::Reach>>,
{
    query.consistent().into()
}

async fn a_dropped_stream_stops(db: Db) -> Outcome {
    use crate::support::faulty::Fault;
    counts(&db, &["a"], 1..=20).await?;
    let slow = Fault::Delay(std::time::Duration::from_millis(60));
    let (faulty, http) = db.faulty([Fault::Pass, slow]);
    let mut rows = RequestCount::in_partition("a").page_size(2).stream(&faulty);
    assert!(rows.next().await.transpose()?.is_some());
    drop(rows);
    tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    assert!(http.calls().len() <= 2, "nothing is asked for any more");
    Ok(())
}

async fn ten_thousand_rows_go_by(db: Db) -> Outcome {
    plant_numbers(&db, 10_000).await?;
    let (faulty, http) = db.faulty([]);
    let q = Numbered::in_partition(1);
    let mut rows = q.clone().stream(&faulty);
    let mut next = 0u32;
    while let Some(row) = rows.next().await {
        assert_eq!(row?.number, next.into());
        next += 1;
    }
    assert_eq!(next, 10_000);
    // The rows have about 20 bytes each, so one answer holds all of them.
    assert_eq!(http.calls().len(), 1);
    assert_eq!(q.clone().page_size(3_000).all(&db).await?.len(), 10_000);
    assert_eq!(q.clone().count(&db).await?, 10_000);
    let last = q.clone().descending().limit(3).all(&db).await?;
    let last: Vec<String> = last.iter().map(|row| row.number.to_string()).collect();
    assert_eq!(last, ["9999", "9998", "9997"]);
    let middle = q
        .number()
        .between(4_000u32.into()..dynamo_entity::Number::from(4_010u32));
    assert_eq!(middle.count(&db).await?, 10);
    Ok(())
}

/// Stores many rows without the library.
async fn plant_numbers(db: &Db, count: u32) -> Outcome {
    use dynamo_entity::aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
    let table = db.table::<Numbered>();
    let numbers: Vec<u32> = (0..count).collect();
    for chunk in numbers.chunks(25) {
        let write = |number: &u32| {
            let put = PutRequest::builder()
                .item("id", n(1))
                .item("number", n(number));
            let put = put.build().expect("a put");
            WriteRequest::builder().put_request(put).build()
        };
        let writes = chunk.iter().map(write).collect();
        let batch = db.client().batch_write_item();
        batch.request_items(&table, writes).send().await?;
    }
    Ok(())
}
