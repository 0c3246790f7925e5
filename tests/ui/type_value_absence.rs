use dynamo_entity::prelude::*;
use std::collections::{HashMap, HashSet};

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub notes: Vec<Option<String>>,
    pub twice: Option<Option<String>>,
    pub sets: Vec<HashSet<String>>,
    pub set: Option<HashSet<String>>,
    pub map: HashMap<String, Option<u32>>,
}

fn main() {}
