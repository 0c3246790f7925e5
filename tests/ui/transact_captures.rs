//! The closure of a unit of work may run again, so it cannot change or use up what it captures.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "counters", key(pk = name))]
struct Counter {
    name: String,
    last: u64,
}

async fn counts(db: &Dynamo) -> Result<()> {
    let mut runs = 0;
    transact(db, async |tx| {
        runs += 1;
        tx.put(&Counter { name: "a".into(), last: runs })
    })
    .await
}

fn main() {}
