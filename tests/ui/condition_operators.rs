//! Conditions are made by methods: Rust's operators compare here and now.

use dynamo_entity::prelude::*;

#[derive(Clone, Copy, PartialEq, DynamoValue)]
pub enum Status {
    Open,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub status: Status,
    pub count: u32,
}

fn main() {
    let _ = Order::key("a").update().when(|o| o.status() == Status::Open);
    let _ = Order::key("a").update().when(|o| o.count() < 5);
    let _ = Order::key("a").update().when(|o| o.count() != o.count());
    // These are the compiler's words: no type of ours can say more about `&&` and `||`.
    let _ = Order::key("a").update().when(|o| o.count().lt(5) && o.status().eq(Status::Open));
    let _ = Order::key("a").update().when(|o| o.count().lt(5) || o.status().eq(Status::Open));
}
