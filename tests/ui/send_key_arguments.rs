use dynamo_entity::prelude::*;

#[derive(Clone, DynamoValue)]
pub struct OrderId(pub String);

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "ORDER#{id}", sk = number))]
pub struct Order {
    pub id: OrderId,
    pub number: u32,
}

fn keys() {
    let _ = Order::key("a", 1);
    let _ = Order::key(OrderId("a".into()), "one");
    let _ = Order::key(OrderId("a".into()));
}

fn main() {}
