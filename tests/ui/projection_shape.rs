use dynamo_entity::prelude::*;

#[derive(DynamoProjection)]
struct WithoutEntity {
    total: u32,
}

#[derive(DynamoProjection)]
#[dynamo(entity = Order)]
struct Tuple(u32);

#[derive(DynamoProjection)]
#[dynamo(entity = Order)]
struct Generic<T> {
    total: T,
}

#[derive(DynamoProjection)]
#[dynamo(entity = Order, table = "orders")]
struct WithOptions {
    #[dynamo(rename = "t")]
    total: u32,
}

#[derive(DynamoProjection)]
#[dynamo(entity = "Order")]
struct Quoted {
    total: u32,
}

fn main() {}
