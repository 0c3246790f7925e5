use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub text: String,
}

fn main() {
    let _ = Order::key("a").update().apply(|o| o.text().add("x"));
}
