use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = at))]
#[dynamo(gsi(by_status, pk = "S#{status}", when(status)))]
#[dynamo(gsi(by_total, pk = "T#{total}", when = status))]
pub struct Order {
    pub id: String,
    pub at: u64,
    pub status: String,
    pub total: u64,
}

fn main() {}
