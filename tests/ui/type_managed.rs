use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    #[dynamo(created_at)]
    pub created_at: String,
    #[dynamo(updated_at)]
    pub updated_at: u64,
    #[dynamo(ttl)]
    pub ttl: String,
    #[dynamo(created_by)]
    pub created_by: Vec<String>,
    #[dynamo(updated_by)]
    pub updated_by: Option<f64>,
    #[dynamo(version)]
    pub version: u32,
    #[dynamo(rest)]
    pub rest: std::collections::HashMap<String, String>,
}

fn main() {}
