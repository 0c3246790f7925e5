//! Reads of growing tables: time for each row, and memory. Without limits of this library, the engine's own pages take
//! time in proportion to the rows that remain, which the column `raw` shows.
//!
//!     cargo run --release --manifest-path benches/embedded/Cargo.toml -- scale

use std::time::Instant;

use dynamo_entity::prelude::*;
use dynoxide::Database;
use futures_util::StreamExt;

use crate::{Note, note};

/// The raw dispatch is left out of larger tables, where it takes minutes.
const RAW_ROWS: u64 = 100_000;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "visits", key(pk = page, sk = second))]
#[dynamo(gsi(by_day, pk = "D#{day}", sk = "{second:010}"))]
struct Visited {
    page: String,
    second: u64,
    day: u32,
    referrer: String,
}

fn visited(number: u64) -> Visited {
    Visited {
        page: format!("page-{}", number % 10_007),
        second: number,
        day: 1,
        referrer: "a text that is somewhat longer than the others".into(),
    }
}

pub async fn run() -> Result<()> {
    println!(
        "| microseconds a row | scan | raw scan | 8 segments | query | index | count | index in 8 segments | truncate | peak of a scan, MB over the table |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for rows in [10_000, 100_000, 1_000_000] {
        measure(rows).await?;
    }
    Ok(())
}

async fn measure(rows: u64) -> Result<()> {
    let db = Dynamo::connect("embedded:memory").await?;
    db.create_tables([Note::schema(), Visited::schema()])
        .await?;
    for first in (0..rows).step_by(10_000) {
        let last = rows.min(first + 10_000);
        let notes: Vec<Note> = (first..last).map(note).collect();
        Batch::new()
            .with_all(notes.iter().map(Note::put))
            .send(&db)
            .await?
            .complete()?;
        let visits: Vec<Visited> = (first..last).map(visited).collect();
        Batch::new()
            .with_all(visits.iter().map(Visited::put))
            .send(&db)
            .await?
            .complete()?;
    }
    let begun = resident();
    let scan = each(rows, count(Visited::scan().stream(&db))).await?;
    let peak = peak_since(begun);
    let raw = if rows <= RAW_ROWS {
        format!("{:.1}", raw(rows))
    } else {
        "".into()
    };
    let segments = each(rows, count(Visited::scan().segments(8).stream(&db))).await?;
    let query = each(rows, count(Note::in_partition("ann").stream(&db))).await?;
    let index = each(rows, count(Visited::by_day(1u32).stream(&db))).await?;
    let counted = each(rows, async { Note::in_partition("ann").count(&db).await }).await?;
    let of_index = each(rows, indexed(&db)).await?;
    let truncate = each(rows, async { db.truncate([Visited::schema()]).await }).await?;
    println!(
        "| {rows} | {scan:.1} | {raw} | {segments:.1} | {query:.1} | {index:.1} | {counted:.1} | {of_index:.1} | {truncate:.1} | {peak:.0} |"
    );
    Ok(())
}

/// All rows of the index, in eight segments, by the raw SDK.
async fn indexed(db: &Dynamo) -> Result<u64> {
    let mut rows = 0;
    for segment in 0..8 {
        let scan = db.client().scan().table_name("visits").index_name("by_day");
        let mut pages = scan
            .segment(segment)
            .total_segments(8)
            .into_paginator()
            .send();
        while let Some(page) = pages.next().await {
            rows += page.expect("a page").count() as u64;
        }
    }
    Ok(rows)
}

async fn count<T>(rows: impl futures_util::Stream<Item = Result<T>>) -> Result<u64> {
    let mut rows = std::pin::pin!(rows);
    let mut count = 0;
    while let Some(row) = rows.next().await {
        row?;
        count += 1;
    }
    Ok(count)
}

/// Microseconds for each row.
async fn each(rows: u64, work: impl Future<Output = Result<u64>>) -> Result<f64> {
    let began = Instant::now();
    assert_eq!(work.await?, rows);
    Ok(began.elapsed().as_secs_f64() * 1e6 / rows as f64)
}

/// The engine without this library: a scan of as many rows, a page after the other.
fn raw(rows: u64) -> f64 {
    let database = Database::memory().expect("a database");
    let json = |text: String| serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
    let table = json(
        r#"{"TableName":"visits","BillingMode":"PAY_PER_REQUEST",
            "KeySchema":[{"AttributeName":"page","KeyType":"HASH"},{"AttributeName":"second","KeyType":"RANGE"}],
            "AttributeDefinitions":[{"AttributeName":"page","AttributeType":"S"},{"AttributeName":"second","AttributeType":"N"}]}"#
            .into(),
    );
    database
        .create_table(serde_json::from_value(table).expect("a request"))
        .expect("a table");
    let items = (0..rows).map(|number| {
        let visit = visited(number);
        let item = format!(
            r#"{{"page":{{"S":"{}"}},"second":{{"N":"{number}"}},"day":{{"N":"1"}},"referrer":{{"S":"{}"}}}}"#,
            visit.page, visit.referrer
        );
        serde_json::from_value(json(item)).expect("an item")
    });
    let imported = database.import_items(
        "visits",
        items.collect(),
        dynoxide::ImportOptions::default(),
    );
    imported.expect("an import");
    let began = Instant::now();
    let mut read = 0;
    let mut next = serde_json::Value::Null;
    loop {
        let mut request = serde_json::json!({"TableName": "visits"});
        if !next.is_null() {
            request["ExclusiveStartKey"] = next;
        }
        let page = database
            .scan(serde_json::from_value(request).expect("a request"))
            .expect("a page");
        let page = serde_json::to_value(&page).expect("JSON");
        read += page["Count"].as_u64().expect("a count");
        next = page["LastEvaluatedKey"].clone();
        if next.is_null() {
            break;
        }
    }
    assert_eq!(read, rows);
    began.elapsed().as_secs_f64() * 1e6 / rows as f64
}

/// The memory of the process in megabytes; its peak is counted from here on. Linux only; elsewhere 0.
fn resident() -> f64 {
    drop(std::fs::write("/proc/self/clear_refs", "5"));
    status("VmRSS")
}

fn peak_since(begun: f64) -> f64 {
    (status("VmHWM") - begun).max(0.0)
}

fn status(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}
