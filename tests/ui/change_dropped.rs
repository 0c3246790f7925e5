#![deny(unused_must_use)]

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub total: u32,
    pub text: String,
}

fn main() {
    let _ = Order::key("a").update().apply(|o| {
        o.total().set(1);
        o.text().set("x")
    });
}
