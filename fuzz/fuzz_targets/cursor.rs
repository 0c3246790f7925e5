//! Parses arbitrary text as a cursor, and gives every cursor to a query.
//!
//! Nothing may panic. A cursor that was read is written as an equal one, and a query accepts or refuses it
//! before anything is sent.
#![no_main]

use std::sync::OnceLock;

use dynamo_entity::aws_sdk_dynamodb::{Client, Config, config::BehaviorVersion};
use dynamo_entity::prelude::*;
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "rows", key(pk = "P#{id}", sk = "{at:04}#{text}"))]
#[dynamo(gsi(by_size, pk = "S", sk = size))]
struct Row {
    id: u8,
    at: u16,
    text: String,
    size: Option<i64>,
}

/// A client that reaches no server, which is enough because `explain` sends nothing.
fn db() -> &'static Dynamo {
    static DB: OnceLock<Dynamo> = OnceLock::new();
    DB.get_or_init(|| {
        let config = Config::builder().behavior_version(BehaviorVersion::latest());
        Dynamo::new(Client::from_conf(config.build()))
    })
}

fuzz_target!(|text: &str| {
    let Ok(cursor) = text.parse::<Cursor>() else {
        return;
    };
    let again: Cursor = cursor.to_string().parse().expect("what was written is read");
    assert_eq!(again, cursor);
    let db = db();
    let queries: [Query<Row>; 8] = [
        Row::in_partition(1).query().into(),
        Row::in_partition(1).at().ge(5).into(),
        Row::in_partition(any_of([1, 2])).query().into(),
        Row::in_partition(any_of([1, 2])).at().eq(any_of([5, 6])).text().starts_with("t").into(),
        Row::by_size().size().lt(5).into(),
        Row::scan().into(),
        Row::scan().segments(1).into(),
        Row::scan().segments(3).into(),
    ];
    for query in queries {
        let _ = query.clone().resume(cursor.clone()).explain(db);
        let _ = query.resume(cursor.clone().backwards()).explain(db);
    }
});
