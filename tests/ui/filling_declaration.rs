use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
#[dynamo(gsi(by_region, pk = "REGION#{region}", sk = "{id}", filling = true))]
struct Order {
    id: u32,
    region: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "tasks", key(pk = id))]
#[dynamo(gsi(by_owner, pk = "OWNER#{owner}", sk = "{id}", filling))]
#[dynamo(gsi(of_owner, on = by_owner, pk = "OWNER#{owner}", sk = "{id}"))]
struct Task {
    id: u32,
    owner: String,
}

fn main() {}
