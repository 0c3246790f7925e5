use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    #[dynamo(version)]
    pub version: Version,
    #[dynamo(updated_at)]
    pub changed: Option<std::time::SystemTime>,
}

fn main() {
    let _ = Order::key("a").update().apply(|o| o.version().set(2));
    let _ = Order::key("a").update().apply(|o| o.changed().remove());
}
