use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub lines: Vec<String>,
}

fn main() {
    let _ = Order::key("a").update().apply(|o| o.lines().insert("x"));
}
