use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order, Line, Log))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "INFO", shards = 4))]
pub struct Order {
    pub id: String,
}

/// Its number could be a shard of an order.
#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}#{line}", sk = "INFO"))]
pub struct Line {
    pub id: String,
    pub line: u8,
}

/// Its text could not.
#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}#JOURNAL", sk = "INFO"))]
pub struct Log {
    pub id: String,
}

fn main() {}
