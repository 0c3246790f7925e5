use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = country, shards = 4))]
#[dynamo(gsi(by_status, pk = status, sk = id, shards = 4))]
#[dynamo(gsi(by_place, pk = [country, city], shards = 4))]
#[dynamo(gsi(by_all, pk = "ALL", shards = 0))]
#[dynamo(gsi(by_one, pk = "ONE", read_shards = 4))]
#[dynamo(gsi(by_two, pk = "TWO", shards = 10, read_shards = 4))]
#[dynamo(lsi(by_city, sk = city, shards = 4))]
pub struct Order {
    pub id: String,
    pub status: String,
    pub country: String,
    pub city: String,
}

fn main() {}
