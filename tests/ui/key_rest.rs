use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = "{rest}"))]
pub struct Order {
    pub id: String,
    #[dynamo(rest)]
    pub rest: Item,
}

fn main() {}
