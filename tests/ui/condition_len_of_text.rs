use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub text: String,
}

fn main() {
    let _ = Order::key("a").update().when(|o| o.text().len().gt(1));
}
