//! DynamoDB cannot compare compressed values, nor compute with them.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "manuals", key(pk = id))]
struct Manual {
    id: u32,
    title: String,
    #[dynamo(compress)]
    text: String,
    #[dynamo(decompress)]
    lines: Vec<String>,
}

fn main() {
    let _ = Manual::scan().filter(|m| m.text().eq("a"));
    let _ = Manual::scan().filter(|m| m.text().lt("a"));
    let _ = Manual::scan().filter(|m| m.text().contains("a"));
    let _ = Manual::scan().filter(|m| m.title().eq(m.text()));
    let _ = Manual::scan().filter(|m| m.lines().len().gt(2));
    let _ = Manual::key(1).update().apply(|m| m.lines().push("a"));
}
