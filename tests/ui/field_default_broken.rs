use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    #[dynamo(default = 1 +)]
    pub n: u64,
    #[dynamo(default(1))]
    pub m: u64,
}

fn main() {}
