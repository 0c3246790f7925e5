//! Orders of a shop: seven questions, and how many requests each of them takes.
//!
//!     cargo run --example orders

use std::error::Error;
use std::ops::Range;

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::prelude::*;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "order", key(pk = number))]
#[dynamo(gsi(of_customer, pk = customer, sk = placed_at))]
// A joined text, as in tables made before DynamoDB had keys of several attributes; `shop_directory` indexes the fields.
#[dynamo(gsi(
    of_customer_by_status,
    pk = "{customer}",
    sk = "{status}#{placed_at}",
    allow(joined_key)
))]
#[dynamo(gsi(by_status, pk = status, sk = placed_at, project = keys))]
// This index holds only pending orders, so it stays small: an order that is done leaves it.
#[dynamo(gsi(pending, pk = "PENDING", sk = "{placed_at}", when(status = Status::Pending), allow(constant_partition)))]
pub struct Order {
    pub number: u32,
    pub customer: String,
    pub placed_at: DateTime<Utc>,
    pub status: Status,
    pub total: u32,
    pub address: String,
}

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub enum Status {
    Pending,
    Paid,
    Done,
}

/// What a list of orders shows. The service sends only these attributes.
#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Order)]
pub struct OrderLine {
    pub number: u32,
    pub total: u32,
}

/// A question, the numbers of the orders that answer it, and the requests that it takes.
#[derive(Debug)]
pub struct Answer {
    pub question: &'static str,
    pub orders: Vec<u32>,
    pub requests: usize,
}

pub async fn run(db: &Dynamo) -> Result<Vec<Answer>, Box<dyn Error>> {
    db.create_tables([Order::schema()]).await?;
    let now: DateTime<Utc> = "2026-03-31T12:00:00Z".parse()?;
    fill(db, now).await?;
    seven_questions(db, now).await
}

/// Stores fourteen orders, one for every third day.
async fn fill(db: &Dynamo, now: DateTime<Utc>) -> Result<()> {
    for number in 1..=14 {
        let order = Order {
            number,
            customer: if number % 2 == 0 { "ann" } else { "bob" }.to_owned(),
            placed_at: now - TimeDelta::days(3) * (14 - number as i32),
            status: match number % 7 {
                1..4 => Status::Done,
                4..6 => Status::Paid,
                _ => Status::Pending,
            },
            total: 10 * number,
            address: "1 Long Street".to_owned(),
        };
        order.put().send(db).await?;
    }
    // Order 13 was pending and is done now. Its keys in all indexes follow, and it leaves the index `pending`.
    let done = Order::key(13).modify(|order| order.status = Status::Done);
    done.send(db).await?;
    Ok(())
}

pub async fn seven_questions(
    db: &Dynamo,
    now: DateTime<Utc>,
) -> Result<Vec<Answer>, Box<dyn Error>> {
    let march: Range<DateTime<Utc>> =
        "2026-03-01T00:00:00Z".parse()?.."2026-04-01T00:00:00Z".parse()?;
    let of_ann = || Order::of_customer("ann").placed_at();
    let number = |order: &Order| order.number;

    let latest = Order::of_customer("ann").descending();
    let in_march = of_ann().between(march.clone());
    let pending = Order::of_customer_by_status("ann")
        .status()
        .eq(Status::Pending);
    let forgotten = Order::pending().placed_at().lt(now - TimeDelta::days(5));
    let short = of_ann().ge(march.start).select::<OrderLine>();
    let paid = Order::of_customer_by_status("ann")
        .status()
        .eq(Status::Paid);
    let paid_in_march = paid.placed_at().between(march);
    let done = Order::by_status(Status::Done).hydrate();

    let answers = vec![
        ask(db, "ann's orders, latest first", latest, number).await?,
        ask(db, "ann's orders in March", in_march, number).await?,
        ask(db, "ann's pending orders", pending, number).await?,
        ask(db, "pending for 5 days, anyone's", forgotten, number).await?,
        ask(db, "ann's since March, short", short, |line| line.number).await?,
        ask(db, "paid by ann in March", paid_in_march, number).await?,
        ask(db, "all done, by keys, fetched", done, number).await?,
    ];
    println!("{:<30}{:>8}   orders", "question", "requests");
    for Answer {
        question,
        orders,
        requests,
    } in &answers
    {
        println!("{question:<30}{requests:>8}   {orders:?}");
    }
    Ok(answers)
}

async fn ask<Q: QueryExt>(
    db: &Dynamo,
    question: &'static str,
    query: Q,
    number: impl Fn(&Q::Row) -> u32,
) -> Result<Answer> {
    let query = query.query();
    // One request asks the index, and one fetches the items of its keys. An answer of more than 1 MB, or more
    // than 100 items, takes more requests.
    let plan = query.clone().explain(db)?;
    let requests = plan.requests.len() + usize::from(plan.items.is_some());
    let orders = query.all(db).await?.iter().map(number).collect();
    Ok(Answer {
        question,
        orders,
        requests,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let db = Dynamo::from_env_or("embedded:memory").await?;
    run(&db.with_prefix("example")).await?;
    Ok(())
}
