use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub total: u32,
    pub lines: Vec<u32>,
    pub text: String,
    pub tags: Vec<String>,
}

fn main() {
    let _ = Order::key("a").update().when(|o| o.total().contains(1));
    let _ = Order::key("a").update().when(|o| o.lines().contains("x"));
    // Of another type.
    let _ = Order::key("a").update().when(|o| o.lines().contains(o.text()));
    let _ = Order::key("a").update().when(|o| o.tags().len().eq(o.text()));
    // These compile.
    let _ = Order::key("a").update().when(|o| o.tags().contains(o.text()) & o.tags().len().lt(o.total()));
}
