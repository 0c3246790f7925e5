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
                entity Order(table = "orders", key(pk = number), gsi(of_customer, pk = customer, sk = day), gsi(of_customer_by_day, pk = "CUSTOMER#{customer}", sk = "{day}#{total}"))
                    { number: u32, customer: String, day: u32, total: u32 }
            } Order;
            {
                // The second has other rows first, and the third only some.
                entity Order(table = "orders", key(pk = number), gsi(of_customer, pk = customer, sk = day), gsi(of_customer_by_total, pk = "CUSTOMER#{customer}", sk = "{total}#{day}"), gsi(open_of_customer, pk = "OPEN#{customer}", sk = "{day}#{total}", when(open = true)), gsi(days_of_customer, pk = "DAYS#{customer}", sk = "{day}#{total}", project = keys))
                    { number: u32, customer: String, day: u32, total: u32, open: bool }
            } Order
        },
        case! { SameQuestion at "Order.by_status_plain";
            {
                entity Order(table = "orders", key(pk = number), gsi(by_status, pk = "STATUS#{status}", sk = "{placed_at}", shards = 10), gsi(by_status_plain, pk = status, sk = placed_at))
                    { number: u32, status: String, placed_at: DateTime<Utc> }
            } Order;
            {
                entity Order(table = "orders", key(pk = number), gsi(by_status, on = gsi1, pk = "{status}", sk = "{placed_at}"), gsi(by_shop, on = gsi2, pk = "{shop}", sk = "{placed_at}"), gsi(by_day, on = gsi3, pk = "{shop}#{placed_at:date}", sk = "{placed_at}"))
                    { number: u32, status: String, shop: String, placed_at: DateTime<Utc> }
            } Order
        },
        case! { RepeatsTable at "Order.of_customer";
            {
                entity Order(table = "orders", key(pk = "CUSTOMER#{customer}", sk = "{day}#{number}"), gsi(of_customer, pk = customer, sk = day))
                    { customer: String, day: u32, number: u32 }
            } Order;
            {
                entity Order(table = "orders", key(pk = "CUSTOMER#{customer}", sk = "{day}#{number}"), gsi(of_customer, pk = customer, sk = number), gsi(keys_of_customer, pk = "KEYS#{customer}", sk = "{day}", project = keys))
                    { customer: String, day: u32, number: u32 }
            } Order
        },
        case! { IndexOfUnique at "User.by_email";
            {
                entity User(table = "users", key(pk = "ID#{id}"), gsi(by_email, pk = email), unique(of_email, email))
                    { id: u32, email: String }
            } User;
            {
                entity User(table = "users", key(pk = "ID#{id}"), gsi(by_email, pk = "{email:lower}"), unique(of_email, email))
                    { id: u32, email: String }
            } User
        },
        case! { IndexOfUnique at "Member.by_email";
            {
                entity Member(table = "members", key(pk = "ID#{id}"), gsi(by_email, pk = [email, team]), unique(of_email, team, email))
                    { id: u32, team: String, email: String }
            } Member;
            {
                // The index also compares the team, regardless of case.
                entity Member(table = "members", key(pk = "ID#{id}"), gsi(by_email, pk = "{email}#{team:lower}"), unique(of_email, email))
                    { id: u32, team: String, email: String }
            } Member
        },
    ]
}

fn rows() -> Vec<Case> {
    vec![
        case! { OneRowPartitions at "Order.one";
            {
                entity Order(table = "orders", key(pk = shop, sk = number), gsi(one, pk = "ORDER#{number}#{shop}"))
                    { shop: u32, number: u32 }
            } Order;
            {
                // The ticket stands with its comments.
                table Desk(name = "desk", pk = "pk", entities(Ticket, Comment), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
                entity Ticket(table = Desk, key(pk = "TICKET#{ticket}"), gsi(with_all, on = gsi1, pk = "OF#{ticket}", sk = "INFO"))
                    { ticket: u32 }
                entity Comment(table = Desk, key(pk = "COMMENT#{id}"), gsi(of_ticket, on = gsi1, pk = "OF#{ticket}", sk = "COMMENT#{id}"))
                    { id: u32, ticket: u32 }
            } Desk
        },
        case! { EmptyIndex at "Task.free";
            {
                entity Task(table = "tasks", key(pk = id), gsi(free, pk = "{list}", sk = "{owner}#{id}", when(owner = None)))
                    { id: u32, list: String, owner: Option<String> }
            } Task;
            {
                entity Task(table = "tasks", key(pk = id), gsi(free, pk = "{list}", sk = "{id}", when(owner = None)))
                    { id: u32, list: String, owner: Option<String> }
            } Task
        },
        case! { JoinedKey at "Shop.by_place";
            {
                entity Shop(table = "shops", key(pk = id), gsi(by_place, pk = kind, sk = "{country}#{city}#{opened}"))
                    { id: u32, kind: String, country: String, city: String, opened: u32 }
            } Shop;
            {
                // Fields as they are; then a constant, a format, a shard, one field alone, a field that is no key type,
                // more fields than a key takes, a sparse index, and two patterns of one index.
                entity Shop(table = "shops", key(pk = id), gsi(by_place, pk = kind, sk = [country, city, opened]), gsi(by_country, pk = "KIND#{kind}", sk = "{city}#{name}"), gsi(by_name, pk = kind, sk = "{name:lower}#{city}"), gsi(spread, pk = "{city}#{country}", sk = opened, shards = 4), gsi(by_city, pk = "{city}", sk = opened), gsi(closed, pk = "{kind}#{name}", sk = "{open}#{country}"), gsi(lines, pk = name, sk = "{city}#{opened}#{country}#{kind}#{id}"), gsi(sparse, pk = "{name}#{country}", sk = "{opened}", when(open = true)))
                    { id: u32, kind: String, country: String, city: String, opened: u32, name: String, open: bool }
            } Shop
        },
        case! { IndexOfSentinels at "theatre.inverted";
            {
                table Theatre(name = "theatre", pk = "pk", sk = "sk", entities(Show), gsi(inverted, pk = "sk", sk = "pk"));
                entity Show(table = Theatre, key(pk = "SHOW#{id}", sk = "DAY#{day}"), gsi(by_day, on = inverted, pk = "DAY#{day}", sk = "SHOW#{id}"), chunked(seats: u32))
                    { id: u32, day: u32 }
            } Theatre;
            {
                table Theatre(name = "theatre", pk = "pk", sk = "sk", entities(Show), gsi(inverted, pk = "sk", sk = "pk"));
                entity Show(table = Theatre, key(pk = "SHOW#{id}", sk = "DAY#{day}"), gsi(by_day, on = inverted, pk = "DAY#{day}", sk = "SHOW#{id}"))
                    { id: u32, day: u32 }
            } Theatre
        },
        case! { IndexOfSentinels at "User.by_expiry";
            {
                entity User(table = "users", key(pk = "ID#{id}"), gsi(by_expiry, pk = expires_at, allow(moment_partition)), unique(by_email, email))
                    { id: u32, email: String, #[dynamo(ttl)] expires_at: DateTime<Utc> }
            } User;
            {
                entity User(table = "users", key(pk = "ID#{id}"), gsi(by_expiry, pk = group, sk = expires_at), unique(by_email, email))
                    { id: u32, email: String, group: String, #[dynamo(ttl)] expires_at: DateTime<Utc> }
            } User
        },
    ]
}

fn tables() -> Vec<Case> {
    vec![
        case! { UnaskedIndex at "shop.gsi2";
            {
                table Shop(name = "shop", pk = "pk", entities(Order), gsi(gsi1, pk = "gsi1pk"), gsi(gsi2, pk = "gsi2pk"));
                entity Order(table = Shop, key(pk = "ORDER#{number}"), gsi(by_day, on = gsi1, pk = "{shop}#{day}"))
                    { number: u32, shop: u32, day: u32 }
            } Shop;
            {
                table Shop(name = "shop", pk = "pk", entities(Order), gsi(gsi1, pk = "gsi1pk"));
                entity Order(table = Shop, key(pk = "ORDER#{number}"), gsi(by_day, on = gsi1, pk = "{shop}#{day}"))
                    { number: u32, shop: u32, day: u32 }
            } Shop
        },
        case! { ManyIndexes at "shop";
            {
                table Shop(name = "shop", pk = "pk", entities(Order), allow(unasked_index), gsi(i01, pk = "a"), gsi(i02, pk = "b"), gsi(i03, pk = "c"), gsi(i04, pk = "d"), gsi(i05, pk = "e"), gsi(i06, pk = "f"), gsi(i07, pk = "g"), gsi(i08, pk = "h"), gsi(i09, pk = "i"), gsi(i10, pk = "j"), gsi(i11, pk = "k"), gsi(i12, pk = "l"), gsi(i13, pk = "m"), gsi(i14, pk = "n"), gsi(i15, pk = "o"), gsi(i16, pk = "p"));
                entity Order(table = Shop, key(pk = "ORDER#{number}")) { number: u32 }
            } Shop;
            {
                table Shop(name = "shop", pk = "pk", entities(Order), allow(unasked_index), gsi(i01, pk = "a"), gsi(i02, pk = "b"), gsi(i03, pk = "c"), gsi(i04, pk = "d"), gsi(i05, pk = "e"), gsi(i06, pk = "f"), gsi(i07, pk = "g"), gsi(i08, pk = "h"), gsi(i09, pk = "i"), gsi(i10, pk = "j"), gsi(i11, pk = "k"), gsi(i12, pk = "l"), gsi(i13, pk = "m"), gsi(i14, pk = "n"), gsi(i15, pk = "o"));
                entity Order(table = Shop, key(pk = "ORDER#{number}")) { number: u32 }
            } Shop
        },
        case! { LocalIndex at "Person.by_hobby";
            {
                entity Person(table = "people", key(pk = company, sk = number), lsi(by_hobby, sk = hobby))
                    { company: String, number: u32, hobby: String }
            } Person;
            {
                entity Person(table = "people", key(pk = "{company}", sk = number, shards = 4), lsi(by_hobby, sk = hobby))
                    { company: String, number: u32, hobby: String }
            } Person
        },
    ]
}

fn projections() -> Vec<Case> {
    vec![
        case! { ListedEverything at "Order.of_customer";
            {
                entity Order(table = "orders", key(pk = number), gsi(of_customer, pk = customer, sk = day, project = [total, note]))
                    { number: u32, customer: String, day: u32, total: u32, note: String }
            } Order;
            {
                entity Order(table = "orders", key(pk = number), gsi(of_customer, pk = customer, sk = day, project = [total]))
                    { number: u32, customer: String, day: u32, total: u32, note: String }
            } Order
        },
        case! { ManyCopies at "Order.lines";
            {
                entity Order(table = "orders", key(pk = number), gsi(of_customer, pk = customer), gsi(of_shop, pk = shop), gsi(of_courier, pk = courier))
                    { number: u32, customer: String, shop: String, courier: String, lines: Option<BTreeMap<String, u32>> }
            } Order;
            {
                entity Order(table = "orders", key(pk = number), gsi(of_customer, pk = customer), gsi(of_shop, pk = shop), gsi(of_courier, pk = courier, project = keys))
                    { number: u32, customer: String, shop: String, courier: String, lines: Option<BTreeMap<String, u32>> }
            } Order
        },
    ]
}
