use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub lines: Vec<u32>,
}

fn main() {
    let _ = Order::key("a").update().when(|o| o.lines().size().gt(1));
}
