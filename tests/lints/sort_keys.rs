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
            { entity Meter(table = "meters", key(pk = id, sk = "CURRENT")) { id: u32 } } Meter;
            { entity Meter(table = "meters", key(pk = id, sk = "AT#{minute}")) { id: u32, minute: u32 } } Meter
        },
        case! { ConstantSortKey at "Meter.of_site";
            {
                entity Meter(table = "meters", key(pk = id), gsi(of_site, pk = "SITE#{site}", sk = "METER"))
                    { id: u32, site: String }
            } Meter;
            {
                // Of two entities in one index one may have a constant: it stands before the others.
                table Meters(name = "meters", pk = "pk", entities(Site, Meter), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
                entity Site(table = Meters, key(pk = "SITE#{site}"), gsi(around, on = gsi1, pk = "SITE#{site}", sk = "INFO"))
                    { site: String }
                entity Meter(table = Meters, key(pk = "METER#{id}"), gsi(of_site, on = gsi1, pk = "SITE#{site}", sk = "METER#{id}"))
                    { id: u32, site: String }
            } Meters
        },
        case! { RepeatedPart at "Order.by_status";
            {
                entity Order(table = "orders", key(pk = number), gsi(by_status, pk = "STATUS#{status}", sk = "{status}#{number}"))
                    { number: u32, status: String }
            } Order;
            {
                entity Order(table = "orders", key(pk = number), gsi(by_initial, pk = "{shop}#{placed_at:date}", sk = "{placed_at}"))
                    { number: u32, shop: String, placed_at: DateTime<Utc> }
            } Order
        },
        case! { PinnedPart at "Order.open";
            {
                entity Order(table = "orders", key(pk = number), gsi(open, pk = "SHOP#{shop}", sk = "{status}#{number}", when(status = "open")))
                    { number: u32, shop: String, status: String }
            } Order;
            {
                entity Order(table = "orders", key(pk = number), gsi(open, pk = "SHOP#{shop}", sk = "{status}#{number}", when(status = ["new", "open"])))
                    { number: u32, shop: String, status: String }
            } Order
        },
        case! { FlagSortKey at "Task.of_list";
            {
                entity Task(table = "tasks", key(pk = id), gsi(of_list, pk = "{list}", sk = "{done}"))
                    { id: u32, list: String, done: bool }
            } Task;
            {
                entity Task(table = "tasks", key(pk = id), gsi(of_list, pk = "{list}", sk = "{done}#{due}"))
                    { id: u32, list: String, done: bool, due: DateTime<Utc> }
            } Task
        },
    ]
}

fn rows() -> Vec<Case> {
    vec![
        case! { VanishingRows at "Task.of_list";
            {
                entity Task(table = "tasks", key(pk = id), gsi(of_list, pk = "LIST#{list}", sk = "{due}#{id}"))
                    { id: u32, list: String, due: Option<DateTime<Utc>> }
            } Task;
            {
                entity Task(table = "tasks", key(pk = id), gsi(of_list, pk = "LIST#{list}", sk = "{due:last}#{id}"))
                    { id: u32, list: String, due: Option<DateTime<Utc>> }
            } Task
        },
        case! { VanishingRows at "Task.by_due";
            {
                entity Task(table = "tasks", key(pk = list, sk = id), lsi(by_due, sk = "{due:date}#{id}", allow(local_index)))
                    { id: u32, list: String, due: Option<DateTime<Utc>> }
            } Task;
            {
                // An index of those that have an owner, and one that says which it holds.
                entity Task(table = "tasks", key(pk = id), gsi(of_owner, pk = "OWNER#{owner}", sk = "{due}#{id}"), gsi(open, pk = "{list}", sk = "{due}#{id}", when(done = false)))
                    { id: u32, list: String, done: bool, owner: Option<String>, due: Option<DateTime<Utc>> }
            } Task
        },
        case! { MovingRows at "Note.of_owner";
            {
                entity Note(table = "notes", key(pk = id), gsi(of_owner, pk = owner, sk = updated_at))
                    { id: u32, owner: String, #[dynamo(version)] version: Version, #[dynamo(updated_at)] updated_at: Option<DateTime<Utc>> }
            } Note;
            {
                entity Note(table = "notes", key(pk = id), gsi(of_owner, pk = "{owner}", sk = "{updated_at:date}"))
                    { id: u32, owner: String, #[dynamo(version)] version: Version, #[dynamo(updated_at)] updated_at: Option<DateTime<Utc>> }
            } Note
        },
    ]
}

fn values() -> Vec<Case> {
    vec![
        case! { LongKey at "File";
            {
                entity File(table = "files", key(pk = owner, sk = "{a}#{b}#{c}#{d}#{e}"))
                    { owner: u32, a: String, b: String, c: Box<str>, d: String, e: String }
            } File;
            {
                entity File(table = "files", key(pk = owner, sk = "{a}#{b}#{c}#{d}"))
                    { owner: u32, a: String, b: String, c: String, d: String }
            } File
        },
        case! { FloatKey at "Price.of_price";
            { entity Price(table = "prices", key(pk = id), gsi(of_price, pk = price)) { id: u32, price: f64 } } Price;
            {
                entity Price(table = "prices", key(pk = id), gsi(of_shop, pk = shop, sk = price))
                    { id: u32, shop: String, price: f64 }
            } Price
        },
        case! { FloatKey at "Price";
            { entity Price(table = "prices", key(pk = "P#{price}", sk = "{id}")) { id: u32, price: f64 } } Price;
            { entity Price(table = "prices", key(pk = "P#{price:09.2}", sk = "{id}")) { id: u32, price: f64 } } Price
        },
    ]
}
