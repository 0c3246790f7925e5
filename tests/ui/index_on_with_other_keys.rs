use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = at))]
#[dynamo(gsi(by_status, on = gsi1, pk = status))]
#[dynamo(gsi(by_total, on = gsi1, pk = total))]
pub struct Order {
    pub id: String,
    pub at: u64,
    pub status: String,
    pub total: u64,
}

fn main() {}
