//! Models with something about their partition keys.

use chrono::{DateTime, NaiveDate, Utc};
use dynamo_entity::prelude::*;

use crate::case::{Case, case};

pub fn cases() -> Vec<Case> {
    let mut cases = writes();
    cases.extend(times());
    cases.extend(reads());
    cases
}

fn writes() -> Vec<Case> {
    vec![
        case! { ConstantPartition at "Post";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "posts", key(pk = "POSTS", sk = "{author}#{id}"))]
                struct Post { author: String, id: u32 }
            } Post;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "posts", key(pk = "POSTS", sk = "{author}#{id}", shards = 10))]
                struct Post { author: String, id: u32 }
            } Post
        },
        case! { ConstantPartition at "Order.latest";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(latest, pk = "ORDERS", sk = "{placed_at}", shards = 1))]
                struct Order { number: u32, placed_at: DateTime<Utc> }
            } Order;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "settings", key(pk = "SETTINGS"))]
                #[dynamo(gsi(any, pk = "ANY"))]
                struct Settings { theme: String }
            } Settings
        },
        case! { FewPartitions at "Task.by_done";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = id))]
                #[dynamo(gsi(by_done, pk = "DONE#{done}", sk = "{id}"))]
                struct Task { id: u32, done: bool }
            } Task;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = id))]
                #[dynamo(gsi(by_done, pk = "{list}#{done}", sk = "{id}"))]
                struct Task { id: u32, list: String, done: bool }
            } Task
        },
        case! { FewPartitions at "Task.open";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = id))]
                #[dynamo(gsi(open, pk = "{state}", sk = "{id}", when(state = ["new", "open"])))]
                struct Task { id: u32, state: String }
            } Task;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = id))]
                #[dynamo(gsi(open, pk = "{list}", sk = "{id}", when(state = ["new", "open"])))]
                struct Task { id: u32, list: String, state: String }
            } Task
        },
        case! { OneCounter at "Totals";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "totals", key(pk = "TOTALS"))]
                struct Totals { orders: u64 }
            } Totals;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "totals", key(pk = "TOTALS#{slice}"))]
                struct Totals { slice: u8, orders: u64 }
            } Totals
        },
    ]
}

fn times() -> Vec<Case> {
    vec![
        case! { TimePartition at "Visit";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "visits", key(pk = day, sk = id))]
                struct Visit { day: NaiveDate, id: u32 }
            } Visit;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "visits", key(pk = "{house}#{day}", sk = id))]
                struct Visit { house: u32, day: NaiveDate, id: u32 }
            } Visit
        },
        case! { TimePartition at "Visit.of_month";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "visits", key(pk = id))]
                #[dynamo(gsi(of_month, pk = "{paid}#{at:month}", sk = "{at}"))]
                struct Visit { id: u32, paid: bool, at: DateTime<Utc> }
            } Visit;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "visits", key(pk = id))]
                #[dynamo(gsi(of_month, pk = "{at:month}", sk = "{at}", shards = 10))]
                struct Visit { id: u32, at: DateTime<Utc> }
            } Visit
        },
        case! { MomentPartition at "Visit.then";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "visits", key(pk = id))]
                #[dynamo(gsi(then, pk = "AT#{at:s}"))]
                struct Visit { id: u32, at: DateTime<Utc> }
            } Visit;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "visits", key(pk = id))]
                #[dynamo(gsi(then, pk = house, sk = at))]
                struct Visit { id: u32, house: u32, at: DateTime<Utc> }
            } Visit
        },
        case! { MomentPartition at "Visit.since";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "visits", key(pk = id))]
                #[dynamo(gsi(since, pk = created_at))]
                struct Visit { id: u32, #[dynamo(created_at)] created_at: Option<DateTime<Utc>> }
            } Visit;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "visits", key(pk = id))]
                #[dynamo(gsi(since, pk = house, sk = created_at))]
                struct Visit { id: u32, house: u32, #[dynamo(created_at)] created_at: Option<DateTime<Utc>> }
            } Visit
        },
    ]
}

fn reads() -> Vec<Case> {
    vec![
        case! { ManyShards at "Order.latest";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(latest, pk = "ORDERS", sk = "{placed_at}", shards = 101))]
                struct Order { number: u32, placed_at: DateTime<Utc> }
            } Order;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(latest, pk = "ORDERS", sk = "{placed_at}", shards = 100))]
                struct Order { number: u32, placed_at: DateTime<Utc> }
            } Order
        },
        case! { ExtraReadShards at "Order.latest";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(latest, pk = "ORDERS", sk = "{placed_at}", shards = 10, read_shards = 20))]
                struct Order { number: u32, placed_at: DateTime<Utc> }
            } Order;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(latest, pk = "ORDERS", sk = "{placed_at}", shards = 10, read_shards = 10))]
                struct Order { number: u32, placed_at: DateTime<Utc> }
            } Order
        },
    ]
}
