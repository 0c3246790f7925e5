//! Counts how often each request is served per day. Many processes add to the counters, and one query reads
//! many names.
//!
//!     cargo run --example request_counts

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::RangeInclusive;

use chrono::{Datelike, Days, NaiveDate};
use dynamo_entity::prelude::*;
use tokio::task::JoinSet;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "request-count", key(pk = request_name, sk = day))]
pub struct RequestCount {
    pub request_name: String,
    pub day: NaiveDate,
    pub count: u64,
}

/// One item takes about 1000 writes a second. A counter that gets more is cut into slices: each request adds
/// to one of them, and a reader sums them up.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "busy-request-count", key(pk = "{request_name}#{slice}", sk = day))]
pub struct BusyRequestCount {
    pub request_name: String,
    pub slice: u8,
    pub day: NaiveDate,
    pub count: u64,
}

const SLICES: u8 = 10;

/// Counts one request. DynamoDB does the addition, so no count is lost.
pub async fn count(db: &Dynamo, name: &str, day: NaiveDate) -> Result<()> {
    let key = RequestCount::key(name, day);
    let add = key.upsert().apply(|c| c.count().add(1));
    add.returning_nothing().send(db).await
}

pub async fn count_busy(db: &Dynamo, name: &str, day: NaiveDate) -> Result<()> {
    let key = BusyRequestCount::key(name, fastrand::u8(..SLICES), day);
    let add = key.upsert().apply(|c| c.count().add(1));
    add.returning_nothing().send(db).await
}

/// The counts of these names between two days. The partitions are read concurrently, and the rows are in the order of
/// the days.
pub async fn counts(
    db: &Dynamo,
    names: &[&str],
    days: RangeInclusive<NaiveDate>,
) -> Result<Vec<RequestCount>> {
    let rows = RequestCount::in_partition(any_of(names))
        .day()
        .between(days);
    rows.all(db).await
}

pub async fn busy_count(db: &Dynamo, name: &str, day: NaiveDate) -> Result<u64> {
    let slices = BusyRequestCount::in_partition(name, any_of(0..SLICES)).day();
    let slices = slices.eq(day).all(db).await?;
    Ok(slices.iter().map(|slice| slice.count).sum())
}

/// What a run found.
#[derive(Debug)]
pub struct Facts {
    pub counts: Vec<RequestCount>,
    pub busy: u64,
}

const NAMES: [&str; 3] = ["GET /items", "GET /users", "POST /orders"];

/// Counts requests from this many tasks at once.
pub async fn run(db: &Dynamo, tasks: u32) -> Result<Facts, Box<dyn Error>> {
    db.create_tables([RequestCount::schema(), BusyRequestCount::schema()])
        .await?;
    let first: NaiveDate = "2026-03-01".parse()?;
    let day = |number| first + Days::new(number);

    let mut served = JoinSet::new();
    for _ in 0..tasks {
        served.spawn(serve(db.clone(), first));
    }
    while let Some(outcome) = served.join_next().await {
        outcome??;
    }

    let (from, to) = (day(2), day(11));
    let counts = counts(db, &NAMES, from..=to).await?;
    println!("requests from {from} to {to}\n");
    print!("{}", chart(&counts, from, to));
    let busy = busy_count(db, "GET /", day(0)).await?;
    println!("\nGET / on {}: {busy}, summed over {SLICES} slices", day(0));
    Ok(Facts { counts, busy })
}

/// Counts two weeks of requests, fewer of them on weekends.
async fn serve(db: Dynamo, first: NaiveDate) -> Result<()> {
    for day in first.iter_days().take(14) {
        let requests = if day.weekday().number_from_monday() > 5 {
            1
        } else {
            3
        };
        for (number, name) in (0..).zip(NAMES) {
            for _ in number..requests {
                count(&db, name, day).await?;
            }
        }
        count_busy(&db, "GET /", first).await?;
    }
    Ok(())
}

/// A chart with a line for each name: its sum, and a bar for each day. A day without requests has no row.
fn chart(rows: &[RequestCount], from: NaiveDate, to: NaiveDate) -> String {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let highest = rows.iter().map(|row| row.count).max().unwrap_or(1);
    let mut of_name: BTreeMap<&str, BTreeMap<NaiveDate, u64>> = BTreeMap::new();
    for row in rows {
        let days = of_name.entry(&row.request_name).or_default();
        days.insert(row.day, row.count);
    }
    let mut lines = String::new();
    for (name, days) in of_name {
        let sum: u64 = days.values().sum();
        let count = |day| days.get(&day).copied().unwrap_or(0);
        let each_day = from.iter_days().take_while(|day| *day <= to);
        let bars: String = each_day
            .map(|day| BARS[(count(day) * 8 / highest) as usize])
            .collect();
        lines += &format!("{name:<14}{sum:>6}  {bars}\n");
    }
    lines
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let db = Dynamo::from_env_or("embedded:memory").await?;
    run(&db.with_prefix("example"), 50).await?;
    Ok(())
}
