use dynamo_entity::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};

#[derive(PartialEq, Eq, Hash, PartialOrd, Ord, DynamoValue)]
pub struct Point {
    pub x: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
    pub weights: HashSet<f64>,
    pub points: BTreeSet<Point>,
    pub names: HashMap<Point, String>,
}

fn main() {}
