use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(by_status, pk = "S#{status}", sk = "{rank}"))]
pub struct Order {
    pub id: String,
    pub status: String,
    pub rank: u32,
    pub notes: Option<String>,
}

fn main() {
    let _ = Order::key("a").update().apply(|o| o.rank().add(1));
    let _ = Order::key("a").update().apply(|o| o.rank().sub(1));
    let _ = Order::key("a").update().apply(|o| o.status().set_if_absent("x"));
}
