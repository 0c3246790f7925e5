use std::time::SystemTime;

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    #[dynamo(format = "rfc3339")]
    pub at: SystemTime,
    #[dynamo(format = "rfc3339")]
    pub until: Option<SystemTime>,
    #[dynamo(created_at, format = "rfc3339")]
    pub created: SystemTime,
    #[dynamo(serde)]
    pub theirs: String,
    #[dynamo(format = "epoch_ms")]
    pub sorted: SystemTime,
    pub parts: Vec<Part>,
    pub part: Part,
}

#[derive(DynamoValue)]
pub struct Part {
    #[dynamo(format = "rfc3339")]
    pub at: SystemTime,
}

fn main() {
    let now = SystemTime::now();
    let _ = Order::key("a").update().when(|o| o.at().lt(now));
    let _ = Order::key("a").update().when(|o| o.until().ge(now));
    let _ = Order::key("a").update().when(|o| o.created().between(now..now));
    let _ = Order::key("a").update().when(|o| o.theirs().gt("x"));
    let _ = Order::key("a").update().when(|o| o.part().at().le(now));
    // These compile.
    let _ = Order::key("a").update().when(|o| o.at().eq(now) & o.theirs().ne("x"));
    let _ = Order::key("a").update().when(|o| o.sorted().lt(now));
    let _ = Order::key("a").update().apply(|o| (o.at().set(now), o.until().remove()));
}
