#![deny(unused_must_use)]

use dynamo_entity::prelude::*;

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "orders", key(pk = "USER#{user}", sk = "{year:04}#{text}"))]
pub struct Order {
    pub user: String,
    pub year: u16,
    pub text: String,
}

fn ask(db: &Dynamo) {
    Order::in_partition("ann");
    Order::in_partition("ann").year();
    Order::in_partition("ann").year().lt(2024);
    Order::in_partition("ann").all(db);
    Order::in_partition("ann").stream(db);
    Order::scan();
}

fn main() {}
