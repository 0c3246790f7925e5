use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "{number:08}", sk = "{day:date}"))]
#[dynamo(lsi(by_done, sk = "{done:month}"))]
#[dynamo(lsi(by_year, sk = "{done:year}"))]
#[dynamo(gsi(by_paid, pk = "{paid:epoch}", sk = "{seen:epoch_ms}"))]
pub struct Order {
    pub number: String,
    pub day: String,
    pub done: Option<bool>,
    pub paid: u64,
    pub seen: Option<String>,
}

fn main() {}
