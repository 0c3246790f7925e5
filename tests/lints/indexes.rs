//! Models with something about their indexes.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;

use crate::case::{Case, case};

pub fn cases() -> Vec<Case> {
    let mut cases = answers();
    cases.extend(rows());
    cases.extend(tables());
    cases.extend(projections());
    cases
}

fn answers() -> Vec<Case> {
    vec![
        case! { SameQuestion at "Order.of_customer";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(of_customer, pk = customer, sk = day))]
                #[dynamo(gsi(of_customer_by_day, pk = "CUSTOMER#{customer}", sk = "{day}#{total}"))]
                struct Order { number: u32, customer: String, day: u32, total: u32 }
            } Order;
            {
                // The second has other rows first, and the third only some.
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(of_customer, pk = customer, sk = day))]
                #[dynamo(gsi(of_customer_by_total, pk = "CUSTOMER#{customer}", sk = "{total}#{day}"))]
                #[dynamo(gsi(open_of_customer, pk = "OPEN#{customer}", sk = "{day}#{total}", when(open = true)))]
                #[dynamo(gsi(days_of_customer, pk = "DAYS#{customer}", sk = "{day}#{total}", project = keys))]
                struct Order { number: u32, customer: String, day: u32, total: u32, open: bool }
            } Order
        },
        case! { SameQuestion at "Order.by_status_plain";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(by_status, pk = "STATUS#{status}", sk = "{placed_at}", shards = 10))]
                #[dynamo(gsi(by_status_plain, pk = status, sk = placed_at))]
                struct Order { number: u32, status: String, placed_at: DateTime<Utc> }
            } Order;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(by_status, on = gsi1, pk = "{status}", sk = "{placed_at}"))]
                #[dynamo(gsi(by_shop, on = gsi2, pk = "{shop}", sk = "{placed_at}"))]
                #[dynamo(gsi(by_day, on = gsi3, pk = "{shop}#{placed_at:date}", sk = "{placed_at}"))]
                struct Order { number: u32, status: String, shop: String, placed_at: DateTime<Utc> }
            } Order
        },
        case! { RepeatsTable at "Order.of_customer";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = "CUSTOMER#{customer}", sk = "{day}#{number}"))]
                #[dynamo(gsi(of_customer, pk = customer, sk = day))]
                struct Order { customer: String, day: u32, number: u32 }
            } Order;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = "CUSTOMER#{customer}", sk = "{day}#{number}"))]
                #[dynamo(gsi(of_customer, pk = customer, sk = number))]
                #[dynamo(gsi(keys_of_customer, pk = "KEYS#{customer}", sk = "{day}", project = keys))]
                struct Order { customer: String, day: u32, number: u32 }
            } Order
        },
        case! { IndexOfUnique at "User.by_email";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "users", key(pk = "ID#{id}"))]
                #[dynamo(gsi(by_email, pk = email), unique(of_email, email))]
                struct User { id: u32, email: String }
            } User;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "users", key(pk = "ID#{id}"))]
                #[dynamo(gsi(by_email, pk = "{email:lower}"), unique(of_email, email))]
                struct User { id: u32, email: String }
            } User
        },
    ]
}

fn rows() -> Vec<Case> {
    vec![
        case! { OneRowPartitions at "Order.one";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = shop, sk = number))]
                #[dynamo(gsi(one, pk = "ORDER#{number}#{shop}"))]
                struct Order { shop: u32, number: u32 }
            } Order;
            {
                // The ticket stands with its comments.
                #[derive(DynamoTable)]
                #[dynamo(name = "desk", pk = "pk", entities(Ticket, Comment))]
                #[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
                struct Desk;
                #[derive(DynamoEntity)]
                #[dynamo(table = Desk, key(pk = "TICKET#{ticket}"))]
                #[dynamo(gsi(with_all, on = gsi1, pk = "OF#{ticket}", sk = "INFO"))]
                struct Ticket { ticket: u32 }
                #[derive(DynamoEntity)]
                #[dynamo(table = Desk, key(pk = "COMMENT#{id}"))]
                #[dynamo(gsi(of_ticket, on = gsi1, pk = "OF#{ticket}", sk = "COMMENT#{id}"))]
                struct Comment { id: u32, ticket: u32 }
            } Desk
        },
        case! { EmptyIndex at "Task.free";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = id))]
                #[dynamo(gsi(free, pk = "{list}", sk = "{owner}#{id}", when(owner = None)))]
                struct Task { id: u32, list: String, owner: Option<String> }
            } Task;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = id))]
                #[dynamo(gsi(free, pk = "{list}", sk = "{id}", when(owner = None)))]
                struct Task { id: u32, list: String, owner: Option<String> }
            } Task
        },
        case! { JoinedKey at "Shop.by_place";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "shops", key(pk = id))]
                #[dynamo(gsi(by_place, pk = kind, sk = "{country}#{city}#{opened}"))]
                struct Shop { id: u32, kind: String, country: String, city: String, opened: u32 }
            } Shop;
            {
                // Fields as they are; then a constant, a format, a shard, one field alone, a field that is no key type,
                // more fields than a key takes, a sparse index, and two patterns of one index.
                #[derive(DynamoEntity)]
                #[dynamo(table = "shops", key(pk = id))]
                #[dynamo(gsi(by_place, pk = kind, sk = [country, city, opened]))]
                #[dynamo(gsi(by_country, pk = "KIND#{kind}", sk = "{city}#{name}"))]
                #[dynamo(gsi(by_name, pk = kind, sk = "{name:lower}#{city}"))]
                #[dynamo(gsi(spread, pk = "{city}#{country}", sk = opened, shards = 4))]
                #[dynamo(gsi(by_city, pk = "{city}", sk = opened))]
                #[dynamo(gsi(closed, pk = "{kind}#{name}", sk = "{open}#{country}"))]
                #[dynamo(gsi(lines, pk = name, sk = "{city}#{opened}#{country}#{kind}#{id}"))]
                #[dynamo(gsi(sparse, pk = "{name}#{country}", sk = "{opened}", when(open = true)))]
                struct Shop {
                    id: u32,
                    kind: String,
                    country: String,
                    city: String,
                    opened: u32,
                    name: String,
                    open: bool,
                }
            } Shop
        },
        case! { IndexOfSentinels at "User.by_expiry";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "users", key(pk = "ID#{id}"))]
                #[dynamo(gsi(by_expiry, pk = expires_at, allow(moment_partition)), unique(by_email, email))]
                struct User { id: u32, email: String, #[dynamo(ttl)] expires_at: DateTime<Utc> }
            } User;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "users", key(pk = "ID#{id}"))]
                #[dynamo(gsi(by_expiry, pk = group, sk = expires_at), unique(by_email, email))]
                struct User { id: u32, email: String, group: String, #[dynamo(ttl)] expires_at: DateTime<Utc> }
            } User
        },
    ]
}

fn tables() -> Vec<Case> {
    vec![
        case! { UnaskedIndex at "shop.gsi2";
            {
                #[derive(DynamoTable)]
                #[dynamo(name = "shop", pk = "pk", entities(Order))]
                #[dynamo(gsi(gsi1, pk = "gsi1pk"), gsi(gsi2, pk = "gsi2pk"))]
                struct Shop;
                #[derive(DynamoEntity)]
                #[dynamo(table = Shop, key(pk = "ORDER#{number}"), gsi(by_day, on = gsi1, pk = "{shop}#{day}"))]
                struct Order { number: u32, shop: u32, day: u32 }
            } Shop;
            {
                #[derive(DynamoTable)]
                #[dynamo(name = "shop", pk = "pk", entities(Order))]
                #[dynamo(gsi(gsi1, pk = "gsi1pk"))]
                struct Shop;
                #[derive(DynamoEntity)]
                #[dynamo(table = Shop, key(pk = "ORDER#{number}"), gsi(by_day, on = gsi1, pk = "{shop}#{day}"))]
                struct Order { number: u32, shop: u32, day: u32 }
            } Shop
        },
        case! { ManyIndexes at "shop";
            {
                #[derive(DynamoTable)]
                #[dynamo(name = "shop", pk = "pk", entities(Order), allow(unasked_index))]
                #[dynamo(gsi(i01, pk = "a"), gsi(i02, pk = "b"), gsi(i03, pk = "c"), gsi(i04, pk = "d"))]
                #[dynamo(gsi(i05, pk = "e"), gsi(i06, pk = "f"), gsi(i07, pk = "g"), gsi(i08, pk = "h"))]
                #[dynamo(gsi(i09, pk = "i"), gsi(i10, pk = "j"), gsi(i11, pk = "k"), gsi(i12, pk = "l"))]
                #[dynamo(gsi(i13, pk = "m"), gsi(i14, pk = "n"), gsi(i15, pk = "o"), gsi(i16, pk = "p"))]
                struct Shop;
                #[derive(DynamoEntity)]
                #[dynamo(table = Shop, key(pk = "ORDER#{number}"))]
                struct Order { number: u32 }
            } Shop;
            {
                #[derive(DynamoTable)]
                #[dynamo(name = "shop", pk = "pk", entities(Order), allow(unasked_index))]
                #[dynamo(gsi(i01, pk = "a"), gsi(i02, pk = "b"), gsi(i03, pk = "c"), gsi(i04, pk = "d"))]
                #[dynamo(gsi(i05, pk = "e"), gsi(i06, pk = "f"), gsi(i07, pk = "g"), gsi(i08, pk = "h"))]
                #[dynamo(gsi(i09, pk = "i"), gsi(i10, pk = "j"), gsi(i11, pk = "k"), gsi(i12, pk = "l"))]
                #[dynamo(gsi(i13, pk = "m"), gsi(i14, pk = "n"), gsi(i15, pk = "o"))]
                struct Shop;
                #[derive(DynamoEntity)]
                #[dynamo(table = Shop, key(pk = "ORDER#{number}"))]
                struct Order { number: u32 }
            } Shop
        },
        case! { LocalIndex at "Person.by_hobby";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "people", key(pk = company, sk = number))]
                #[dynamo(lsi(by_hobby, sk = hobby))]
                struct Person { company: String, number: u32, hobby: String }
            } Person;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "people", key(pk = "{company}", sk = number, shards = 4))]
                #[dynamo(lsi(by_hobby, sk = hobby))]
                struct Person { company: String, number: u32, hobby: String }
            } Person
        },
    ]
}

fn projections() -> Vec<Case> {
    vec![
        case! { ListedEverything at "Order.of_customer";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(of_customer, pk = customer, sk = day, project = [total, note]))]
                struct Order { number: u32, customer: String, day: u32, total: u32, note: String }
            } Order;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(of_customer, pk = customer, sk = day, project = [total]))]
                struct Order { number: u32, customer: String, day: u32, total: u32, note: String }
            } Order
        },
        case! { ManyCopies at "Order.lines";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(of_customer, pk = customer), gsi(of_shop, pk = shop), gsi(of_courier, pk = courier))]
                struct Order {
                    number: u32,
                    customer: String,
                    shop: String,
                    courier: String,
                    lines: Option<BTreeMap<String, u32>>,
                }
            } Order;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(of_customer, pk = customer), gsi(of_shop, pk = shop))]
                #[dynamo(gsi(of_courier, pk = courier, project = keys))]
                struct Order {
                    number: u32,
                    customer: String,
                    shop: String,
                    courier: String,
                    lines: Option<BTreeMap<String, u32>>,
                }
            } Order
        },
    ]
}
