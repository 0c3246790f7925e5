use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
enum Channel {
    Web,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
struct Order {
    id: String,
    #[dynamo(default = "web")]
    channel: Channel,
    #[dynamo(default = "3")]
    count: u32,
    #[dynamo(default = "none")]
    note: Option<String>,
}

fn main() {}
