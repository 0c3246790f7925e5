use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub total: u32,
    pub text: Option<String>,
}

fn main() {
    let _ = Order::key("a").update().apply(|o| o.total().set("x"));
    let _ = Order::key("a").update().apply(|o| o.text().set(None));
    let _ = Order::key("a").update().apply(|o| o.text().set(o.total()));
}
