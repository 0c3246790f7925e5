//! A table of several entities says which attributes its keys and indexes use, and none of these is renamed.

use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk", project = ["total"]))]
struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "ORDER"))]
struct Order {
    id: u32,
    #[dynamo(was = "sum")]
    total: u32,
    #[dynamo(was = "gsi1pk")]
    state: String,
    #[dynamo(was = "_type")]
    kind: String,
}

fn main() {}
