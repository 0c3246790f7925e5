use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order, Line, Log))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "INFO", shards = 4))]
pub struct Order {
    pub id: String,
}

/// The number of a line could be the shard of an order.
#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}#{line}", sk = "INFO"))]
pub struct Line {
    pub id: String,
    pub line: u8,
}

/// The text `JOURNAL` could not be a shard.
#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}#JOURNAL", sk = "INFO"))]
pub struct Log {
    pub id: String,
}

fn main() {}
