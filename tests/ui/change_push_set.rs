use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub tags: std::collections::HashSet<String>,
}

fn main() {
    let _ = Order::key("a").update().apply(|o| o.tags().push("x"));
}
