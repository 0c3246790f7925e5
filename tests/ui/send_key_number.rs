//! A number has ranges and no beginnings, and a None is in no index.

use dynamo_entity::prelude::*;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "scores", key(pk = id))]
#[dynamo(gsi(top, pk = "GAME", sk = number(score)))]
struct Score {
    id: String,
    score: Option<u32>,
}

fn main() {
    let _ = Score::top().score().starts_with("1");
    let _ = Score::top().score().missing();
    let _ = Score::top().score().gt("1");
    let _ = Score::top().score().gt(1_i64);
}
