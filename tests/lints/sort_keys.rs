//! Models with something about their sort keys.

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;

use crate::case::{Case, case};

pub fn cases() -> Vec<Case> {
    let mut cases = parts();
    cases.extend(rows());
    cases.extend(values());
    cases
}

fn parts() -> Vec<Case> {
    vec![
        case! { ConstantSortKey at "Meter";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "meters", key(pk = id, sk = "CURRENT"))]
                struct Meter { id: u32 }
            } Meter;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "meters", key(pk = id, sk = "AT#{minute}"))]
                struct Meter { id: u32, minute: u32 }
            } Meter
        },
        case! { ConstantSortKey at "Meter.of_site";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "meters", key(pk = id))]
                #[dynamo(gsi(of_site, pk = "SITE#{site}", sk = "METER"))]
                struct Meter { id: u32, site: String }
            } Meter;
            {
                // Of two entities in one index one may have a constant: it stands before the others.
                #[derive(DynamoTable)]
                #[dynamo(name = "meters", pk = "pk", entities(Site, Meter))]
                #[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
                struct Meters;
                #[derive(DynamoEntity)]
                #[dynamo(table = Meters, key(pk = "SITE#{site}"))]
                #[dynamo(gsi(around, on = gsi1, pk = "SITE#{site}", sk = "INFO"))]
                struct Site { site: String }
                #[derive(DynamoEntity)]
                #[dynamo(table = Meters, key(pk = "METER#{id}"))]
                #[dynamo(gsi(of_site, on = gsi1, pk = "SITE#{site}", sk = "METER#{id}"))]
                struct Meter { id: u32, site: String }
            } Meters
        },
        case! { RepeatedPart at "Order.by_status";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(by_status, pk = "STATUS#{status}", sk = "{status}#{number}"))]
                struct Order { number: u32, status: String }
            } Order;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(by_initial, pk = "{shop}#{placed_at:date}", sk = "{placed_at}"))]
                struct Order { number: u32, shop: String, placed_at: DateTime<Utc> }
            } Order
        },
        case! { PinnedPart at "Order.open";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(open, pk = "SHOP#{shop}", sk = "{status}#{number}", when(status = "open")))]
                struct Order { number: u32, shop: String, status: String }
            } Order;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(open, pk = "SHOP#{shop}", sk = "{status}#{number}", when(status = ["new", "open"])))]
                struct Order { number: u32, shop: String, status: String }
            } Order
        },
        case! { FlagSortKey at "Task.of_list";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = id))]
                #[dynamo(gsi(of_list, pk = "{list}", sk = "{done}"))]
                struct Task { id: u32, list: String, done: bool }
            } Task;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = id))]
                #[dynamo(gsi(of_list, pk = "{list}", sk = "{done}#{due}"))]
                struct Task { id: u32, list: String, done: bool, due: DateTime<Utc> }
            } Task
        },
    ]
}

fn rows() -> Vec<Case> {
    vec![
        case! { VanishingRows at "Task.of_list";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = id))]
                #[dynamo(gsi(of_list, pk = "LIST#{list}", sk = "{due}#{id}"))]
                struct Task { id: u32, list: String, due: Option<DateTime<Utc>> }
            } Task;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = id))]
                #[dynamo(gsi(of_list, pk = "LIST#{list}", sk = "{due:last}#{id}"))]
                struct Task { id: u32, list: String, due: Option<DateTime<Utc>> }
            } Task
        },
        case! { VanishingRows at "Task.by_due";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = list, sk = id))]
                #[dynamo(lsi(by_due, sk = "{due:date}#{id}", allow(local_index)))]
                struct Task { id: u32, list: String, due: Option<DateTime<Utc>> }
            } Task;
            {
                // An index of those that have an owner, and one that says which it holds.
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = id))]
                #[dynamo(gsi(of_owner, pk = "OWNER#{owner}", sk = "{due}#{id}"))]
                #[dynamo(gsi(open, pk = "{list}", sk = "{due}#{id}", when(done = false)))]
                struct Task {
                    id: u32,
                    list: String,
                    done: bool,
                    owner: Option<String>,
                    due: Option<DateTime<Utc>>,
                }
            } Task
        },
        case! { MovingRows at "Note.of_owner";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "notes", key(pk = id))]
                #[dynamo(gsi(of_owner, pk = owner, sk = updated_at))]
                struct Note {
                    id: u32,
                    owner: String,
                    #[dynamo(version)]
                    version: Version,
                    #[dynamo(updated_at)]
                    updated_at: Option<DateTime<Utc>>,
                }
            } Note;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "notes", key(pk = id))]
                #[dynamo(gsi(of_owner, pk = "{owner}", sk = "{updated_at:date}"))]
                struct Note {
                    id: u32,
                    owner: String,
                    #[dynamo(version)]
                    version: Version,
                    #[dynamo(updated_at)]
                    updated_at: Option<DateTime<Utc>>,
                }
            } Note
        },
    ]
}

fn values() -> Vec<Case> {
    vec![
        case! { LongKey at "File";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "files", key(pk = owner, sk = "{a}#{b}#{c}#{d}#{e}"))]
                struct File { owner: u32, a: String, b: String, c: Box<str>, d: String, e: String }
            } File;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "files", key(pk = owner, sk = "{a}#{b}#{c}#{d}"))]
                struct File { owner: u32, a: String, b: String, c: String, d: String }
            } File
        },
        case! { FloatKey at "Price.of_price";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "prices", key(pk = id))]
                #[dynamo(gsi(of_price, pk = price))]
                struct Price { id: u32, price: f64 }
            } Price;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "prices", key(pk = id))]
                #[dynamo(gsi(of_shop, pk = shop, sk = price))]
                struct Price { id: u32, shop: String, price: f64 }
            } Price
        },
    ]
}
