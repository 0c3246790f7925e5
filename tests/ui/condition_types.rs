use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub total: u32,
    pub text: String,
    pub on: bool,
}

fn main() {
    let _ = Order::key("a").update().when(|o| o.total().eq("x"));
    let _ = Order::key("a").update().when(|o| o.total().gt(o.text()));
    let _ = Order::key("a").update().when(|o| o.text().is_in([1]));
    let _ = Order::key("a").update().when(|o| o.on().eq(1));
}
