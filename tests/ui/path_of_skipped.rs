use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    #[dynamo(skip)]
    pub cache: u32,
}

fn main() {
    let _ = Order::key("a").update().when(|o| o.cache().eq(1));
}
