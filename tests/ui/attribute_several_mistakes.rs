use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(rename_all = "camelcase", sream = new_image)]
pub struct Order {
    pub id: String,
    #[dynamo(rename = "")]
    pub note: String,
    #[dynamo(skip, ttl)]
    pub at: u64,
}

fn main() {}
