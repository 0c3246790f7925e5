use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order<'a, T> {
    pub id: String,
    pub note: &'a str,
    pub body: T,
}

fn main() {}
