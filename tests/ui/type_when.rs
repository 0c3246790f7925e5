use dynamo_entity::prelude::*;

#[derive(DynamoValue, Clone)]
pub enum Status {
    Open,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(by_status, pk = "S#{status}", when(number = "seven")))]
pub struct Order {
    pub id: String,
    pub status: Status,
    pub number: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(by_status, pk = "S#{status}", when(status = Status::Open)))]
pub struct Other {
    pub id: String,
    pub status: Status,
}

fn main() {}
