use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(unique(by_email, email), repository)]
#[dynamo(gsi(by_email, pk = "E#{email}", shards = 4))]
pub struct Order {
    pub id: String,
    pub email: String,
}

fn main() {}
