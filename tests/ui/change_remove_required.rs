use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub total: u32,
    pub lines: Vec<u32>,
}

fn main() {
    let _ = Order::key("a").update().apply(|o| o.total().remove());
    let _ = Order::key("a").update().apply(|o| o.lines().at(0).remove());
    let _ = Order::key("a").update().apply(|o| o.total().set_or_remove(Some(1)));
}
