use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub total: u32,
}

fn main() {
    let _ = Order::key("a").update().when(|o| o.total().starts_with("1"));
}
