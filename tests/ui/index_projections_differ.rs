use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = at))]
#[dynamo(gsi(by_status, on = gsi1, pk = status, project = keys))]
#[dynamo(gsi(of_status, on = gsi1, pk = status, project = [total], rename = "other"))]
pub struct Order {
    pub id: String,
    pub at: u64,
    pub status: String,
    pub total: u64,
}

fn main() {}
