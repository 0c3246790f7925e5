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
            { entity Post(table = "posts", key(pk = "POSTS", sk = "{author}#{id}")) { author: String, id: u32 } } Post;
            {
                entity Post(table = "posts", key(pk = "POSTS", sk = "{author}#{id}", shards = 10))
                    { author: String, id: u32 }
            } Post
        },
        case! { ConstantPartition at "Order.latest";
            {
                entity Order(table = "orders", key(pk = number), gsi(latest, pk = "ORDERS", sk = "{placed_at}", shards = 1))
                    { number: u32, placed_at: DateTime<Utc> }
            } Order;
            {
                entity Settings(table = "settings", key(pk = "SETTINGS"), gsi(any, pk = "ANY")) { theme: String }
            } Settings
        },
        case! { FewPartitions at "Task.by_done";
            {
                entity Task(table = "tasks", key(pk = id), gsi(by_done, pk = "DONE#{done}", sk = "{id}"))
                    { id: u32, done: bool }
            } Task;
            {
                entity Task(table = "tasks", key(pk = id), gsi(by_done, pk = "{list}#{done}", sk = "{id}"))
                    { id: u32, list: String, done: bool }
            } Task
        },
        case! { FewPartitions at "Task.open";
            {
                entity Task(table = "tasks", key(pk = id), gsi(open, pk = "{state}", sk = "{id}", when(state = ["new", "open"])))
                    { id: u32, state: String }
            } Task;
            {
                entity Task(table = "tasks", key(pk = id), gsi(open, pk = "{list}", sk = "{id}", when(state = ["new", "open"])))
                    { id: u32, list: String, state: String }
            } Task
        },
        case! { OneCounter at "Totals";
            { entity Totals(table = "totals", key(pk = "TOTALS")) { orders: u64 } } Totals;
            { entity Totals(table = "totals", key(pk = "TOTALS#{slice}")) { slice: u8, orders: u64 } } Totals
        },
        case! { UnneededTypeChecks at "animals";
            {
                table Animals(name = "animals", pk = "pk", identify_by = type, entities(Cat, Dog));
                entity Cat(table = Animals, key(pk = "CAT#{id}")) { id: String }
                entity Dog(table = Animals, key(pk = "DOG#{id}")) { id: String }
            } Animals;
            {
                table Animals(name = "animals", pk = "pk", identify_by = type, entities(Cat, Dog));
                entity Cat(table = Animals, key(pk = "ANIMAL#{id}")) { id: String }
                entity Dog(table = Animals, key(pk = "ANIMAL#{id}")) { id: String }
            } Animals
        },
    ]
}

fn times() -> Vec<Case> {
    vec![
        case! { TimePartition at "Visit";
            { entity Visit(table = "visits", key(pk = day, sk = id)) { day: NaiveDate, id: u32 } } Visit;
            {
                entity Visit(table = "visits", key(pk = "{house}#{day}", sk = id))
                    { house: u32, day: NaiveDate, id: u32 }
            } Visit
        },
        case! { TimePartition at "Visit.of_month";
            {
                entity Visit(table = "visits", key(pk = id), gsi(of_month, pk = "{paid}#{at:month}", sk = "{at}"))
                    { id: u32, paid: bool, at: DateTime<Utc> }
            } Visit;
            {
                entity Visit(table = "visits", key(pk = id), gsi(of_month, pk = "{at:month}", sk = "{at}", shards = 10))
                    { id: u32, at: DateTime<Utc> }
            } Visit
        },
        case! { MomentPartition at "Visit.then";
            {
                entity Visit(table = "visits", key(pk = id), gsi(then, pk = "AT#{at:s}")) { id: u32, at: DateTime<Utc> }
            } Visit;
            {
                entity Visit(table = "visits", key(pk = id), gsi(then, pk = house, sk = at))
                    { id: u32, house: u32, at: DateTime<Utc> }
            } Visit
        },
        case! { MomentPartition at "Visit.since";
            {
                entity Visit(table = "visits", key(pk = id), gsi(since, pk = created_at))
                    { id: u32, #[dynamo(created_at)] created_at: Option<DateTime<Utc>> }
            } Visit;
            {
                entity Visit(table = "visits", key(pk = id), gsi(since, pk = house, sk = created_at))
                    { id: u32, house: u32, #[dynamo(created_at)] created_at: Option<DateTime<Utc>> }
            } Visit
        },
    ]
}

fn reads() -> Vec<Case> {
    vec![
        case! { ManyShards at "Order.latest";
            {
                entity Order(table = "orders", key(pk = number), gsi(latest, pk = "ORDERS", sk = "{placed_at}", shards = 101))
                    { number: u32, placed_at: DateTime<Utc> }
            } Order;
            {
                entity Order(table = "orders", key(pk = number), gsi(latest, pk = "ORDERS", sk = "{placed_at}", shards = 100))
                    { number: u32, placed_at: DateTime<Utc> }
            } Order
        },
        case! { ExtraReadShards at "Order.latest";
            {
                entity Order(table = "orders", key(pk = number), gsi(latest, pk = "ORDERS", sk = "{placed_at}", shards = 10, read_shards = 20))
                    { number: u32, placed_at: DateTime<Utc> }
            } Order;
            {
                entity Order(table = "orders", key(pk = number), gsi(latest, pk = "ORDERS", sk = "{placed_at}", shards = 10, read_shards = 10))
                    { number: u32, placed_at: DateTime<Utc> }
            } Order
        },
    ]
}
