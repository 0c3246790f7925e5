use dynamo_entity::prelude::*;

type Name = String;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "{number}-{id}", sk = "{name}:{number}"))]
#[dynamo(gsi(by_name, pk = "{name}/{id}"))]
pub struct Order {
    pub id: String,
    pub number: i64,
    pub name: Name,
}

fn main() {}
