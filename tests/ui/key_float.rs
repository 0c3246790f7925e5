use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = "P#{price}"))]
#[dynamo(lsi(by_weight, sk = "W#{weight}"))]
pub struct Order {
    pub id: String,
    pub price: f64,
    pub weight: Option<f32>,
}

fn main() {}
