use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = id, sk = at))]
#[dynamo(gsi(by_status, on = gsi1, pk = status, project = keys, rename = "g"))]
pub struct Order {
    pub id: String,
    pub at: u64,
    pub status: String,
    pub total: u64,
}

fn main() {}
