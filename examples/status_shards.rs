//! Few statuses and many orders: each partition of an index is spread over ten, and they are read as one.
//!
//!     cargo run --example status_shards

use std::error::Error;

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::prelude::*;

/// All orders of a status are more than one partition of an index can take. With `shards = 10` the library
/// writes them to `STATUS#Paid#0` up to `STATUS#Paid#9`, by a hash of the order's key. The other index is
/// there for comparison.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "sharded-order", key(pk = number))]
#[dynamo(gsi(by_status, pk = "STATUS#{status}", sk = "{placed_at}", shards = 10))]
#[dynamo(gsi(by_status_plain, pk = status, sk = placed_at, allow(same_question)))] // for comparison
pub struct Order {
    pub number: u32,
    pub status: Status,
    pub placed_at: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub enum Status {
    Paid,
    Shipped,
}

/// The order numbers of each page of an index.
pub type Pages = Vec<Vec<u32>>;

/// The answers of both indexes to the same questions.
#[derive(Debug)]
pub struct Facts {
    pub sharded: Pages,
    pub plain: Pages,
    pub sharded_backwards: Pages,
    pub plain_backwards: Pages,
    pub requests: usize,
}

pub async fn run(db: &Dynamo) -> Result<Facts, Box<dyn Error>> {
    db.create_tables([Order::schema()]).await?;
    let start: DateTime<Utc> = "2026-03-01T00:00:00Z".parse()?;
    let order = |number| Order {
        number,
        status: if number % 4 == 0 {
            Status::Shipped
        } else {
            Status::Paid
        },
        placed_at: start + TimeDelta::hours(number.into()),
    };
    let orders: Vec<Order> = (0..200).map(order).collect();
    let stored = Batch::new().with_all(orders.iter().map(Order::put));
    stored.send(db).await?.complete()?;

    let (from, to) = (start + TimeDelta::days(1), start + TimeDelta::days(5));
    let sharded = Order::by_status(Status::Paid).placed_at().between(from..to);
    let plain = Order::by_status_plain(Status::Paid)
        .placed_at()
        .between(from..to);
    let requests = sharded.clone().explain(db)?.requests.len();
    println!("one page asks {requests} partitions at once, and merges their rows\n");
    let facts = Facts {
        sharded: pages(db, "10 shards", sharded.clone()).await?,
        plain: pages(db, "no shards", plain.clone()).await?,
        sharded_backwards: pages(db, "10 shards, latest first", sharded.descending()).await?,
        plain_backwards: pages(db, "no shards, latest first", plain.descending()).await?,
        requests,
    };
    Ok(facts)
}

/// Reads page by page. Each page starts from the cursor of the one before, held as text as a client would do.
async fn pages(db: &Dynamo, what: &str, orders: impl QueryExt<Row = Order>) -> Result<Pages> {
    let orders = orders.limit(25);
    let (mut pages, mut cursor) = (Pages::new(), None);
    loop {
        let page = orders.clone().resume(cursor).page(db).await?;
        pages.push(page.rows.iter().map(|order| order.number).collect());
        let Some(next) = page.next else { break };
        cursor = Some(next.to_string().parse()?);
    }
    for page in &pages {
        println!("{what:<26}{}", line(page));
    }
    Ok(pages)
}

fn line(page: &[u32]) -> String {
    match page {
        [first, .., last] => format!("{first} to {last}, {} orders", page.len()),
        few => format!("{few:?}"),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let db = Dynamo::from_env_or("embedded:memory").await?;
    run(&db.with_prefix("example")).await?;
    Ok(())
}
