use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub on: bool,
    pub lines: Vec<u32>,
}

fn main() {
    let _ = Order::key("a").update().when(|o| o.on().lt(true));
    let _ = Order::key("a").update().when(|o| o.lines().ge(vec![1]));
    let _ = Order::key("a").update().when(|o| o.on().between(false..true));
}
