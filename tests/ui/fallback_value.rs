use dynamo_entity::prelude::*;
use std::collections::{HashMap, HashSet};

#[derive(Clone, PartialEq, Eq, Hash, DynamoValue)]
#[dynamo(renam_all = "camelCase")]
pub enum Status {
    Open,
}

#[derive(Clone, PartialEq, Eq, Hash, DynamoValue)]
#[dynamo(tag = "x")]
pub struct OrderId(pub String);

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "ORDER#{id}"))]
#[dynamo(gsi(by_status, pk = "S#{status}", sk = id))]
pub struct Order {
    pub id: OrderId,
    pub status: Status,
    pub all: HashSet<Status>,
    pub ids: HashMap<OrderId, String>,
}

fn keys() {
    let _ = Order::key(OrderId("a".into()));
}

fn main() {}
