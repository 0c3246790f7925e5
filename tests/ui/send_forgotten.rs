#![deny(unused_must_use)]
use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
}

async fn forgotten(order: Order, db: Dynamo) {
    order.create();
    order.put();
    order.key().get();
    order.put().send(&db);
    order.delete().returning_old();
}

fn main() {}
