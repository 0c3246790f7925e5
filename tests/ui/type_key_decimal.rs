use dynamo_entity::prelude::*;
use rust_decimal::Decimal;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = "P#{price}"))]
pub struct Order {
    pub id: String,
    pub price: Decimal,
}

fn main() {}
