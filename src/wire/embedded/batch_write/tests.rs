//! A batch is answered as the engine answers it, by one commit.

use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::wire::embedded::dispatch::dispatch_operation;

fn ask(store: &mut EngineStore, operation: &str, request: &Value) -> (u16, Value) {
    let (status, body) = dispatch_operation(store, operation, request.to_string().as_bytes());
    (status, serde_json::from_slice(&body).unwrap())
}

fn with_table(mut store: EngineStore) -> EngineStore {
    let table = json!({
        "TableName": "rows",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "by", "AttributeType": "S"},
        ],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "by-name",
            "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    });
    assert_eq!(ask(&mut store, "CreateTable", &table).0, 200);
    store
}

fn put(item: Value) -> Value {
    json!({"PutRequest": {"Item": item}})
}

fn delete(pk: &str) -> Value {
    json!({"DeleteRequest": {"Key": {"pk": {"S": pk}}}})
}

fn batch(writes: &[Value]) -> Value {
    json!({"RequestItems": {"rows": writes}})
}

/// The response of the engine to a batch, and the stored items after it.
fn by_engine(store: &mut EngineStore, request: &Value) -> (u16, Value) {
    let body = request.to_string();
    let answer = parse_body(body.as_bytes()).and_then(|request| {
        finish_action(batch_write_item::execute(&store.storage, request))
            .map(|reply| write_reply(&reply))
    });
    let (status, body) =
        answer.unwrap_or_else(|error| (error.status_code(), error.to_json().into_bytes()));
    (status, serde_json::from_slice(&body).unwrap())
}

fn stored(store: &mut EngineStore) -> [Value; 2] {
    ["rows", "by-name"].map(|of| {
        let mut scan = json!({"TableName": "rows"});
        if of != "rows" {
            scan["IndexName"] = json!(of);
        }
        ask(store, "Scan", &scan).1
    })
}

#[test]
fn a_batch_is_answered_as_the_engine_does() {
    let text = |text: &str| json!({"S": text});
    let many: Vec<Value> = (0..26)
        .map(|n| put(json!({"pk": text(&n.to_string())})))
        .collect();
    let item = |pk: &str, by: &str| put(json!({"pk": text(pk), "by": text(by)}));
    let large = |pk: &str| put(json!({"pk": text(pk), "text": text(&"x".repeat(390 * 1024))}));
    let metered = |mut request: Value| {
        request["ReturnConsumedCapacity"] = json!("INDEXES");
        request
    };
    let requests = [
        batch(&[item("a", "x"), item("b", "x"), delete("c")]),
        batch(&[
            item("a", "y"),
            delete("b"),
            put(json!({"pk": text("d"), "set": {"SS": ["a", "a"]}})),
        ]),
        metered(batch(&[item("a", "z"), delete("d")])),
        batch(&many),
        batch(&many[..25]),
        batch(&(0..20).map(|n| large(&format!("l{n}"))).collect::<Vec<_>>()),
        batch(&[]),
        json!({"RequestItems": {}}),
        json!({"RequestItems": {"missing": [delete("a")]}}),
        json!({"RequestItems": {"rows": [delete("e")], "missing": [delete("a")]}}),
        json!({"RequestItems": {"t": [delete("a")]}}),
        batch(&[item("e", "x"), item("e", "y")]),
        batch(&[item("e", "x"), delete("e")]),
        batch(&[item("e", "x"), put(json!({"pk": {"N": "1"}}))]),
        batch(&[item("e", "x"), put(json!({"pk": text("")}))]),
        batch(&[item("e", "x"), put(json!({"by": text("x")}))]),
        batch(&[
            item("e", "x"),
            put(json!({"pk": text("f"), "by": {"N": "1"}})),
        ]),
        batch(&[
            item("e", "x"),
            put(json!({"pk": text("f"), "by": text("")})),
        ]),
        batch(&[
            item("e", "x"),
            put(json!({"pk": text("f"), "n": {"N": "x"}})),
        ]),
        batch(&[
            item("e", "x"),
            put(json!({"pk": text("f"), "n": {"SS": []}})),
        ]),
        batch(&[item("e", "x"), put(json!({"pk": text("f"), "": text("x")}))]),
        batch(&[item("e", "x"), json!({})]),
        batch(&[
            json!({"PutRequest": {"Item": {"pk": text("h")}}, "DeleteRequest": {"Key": {"pk": text("i")}}}),
        ]),
        batch(&[put(
            json!({"pk": text("k"), "t": text(&"x".repeat(410 * 1024))}),
        )]),
        batch(&[put(json!({"pk": text(&"k".repeat(2_049))}))]),
    ];
    let mut one = with_table(EngineStore::in_memory().unwrap());
    let mut other = with_table(EngineStore::in_memory().unwrap());
    for request in requests {
        let (answer, wanted) = (
            ask(&mut one, "BatchWriteItem", &request),
            by_engine(&mut other, &request),
        );
        let shown: String = request.to_string().chars().take(200).collect();
        assert_eq!(answer, wanted, "{shown}");
        assert_eq!(stored(&mut one), stored(&mut other), "{shown}");
    }
}

/// Commits in a log of SQLite: frames that tell how large the database is behind them.
fn commits(log: &Path) -> usize {
    let log = std::fs::read(log).unwrap();
    let page = u32::from_be_bytes(log[8..12].try_into().unwrap()) as usize;
    let salt = &log[16..24];
    let frames = log[32..].chunks_exact(24 + page);
    let current = frames.take_while(|frame| &frame[8..16] == salt);
    current.filter(|frame| frame[4..8] != [0; 4]).count()
}

#[test]
fn a_batch_is_one_commit_which_waits_for_no_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let mut store = with_table(EngineStore::open_file(path.to_str().unwrap()).unwrap());
    let log = folder.path().join("shop.db-wal");
    let before = commits(&log);
    let puts: Vec<Value> = (0..25)
        .map(|n| put(json!({"pk": {"S": n.to_string()}, "by": {"S": "x"}})))
        .collect();
    assert_eq!(ask(&mut store, "BatchWriteItem", &batch(&puts)).0, 200);
    assert_eq!(commits(&log) - before, 1);
    let conn = store.storage.conn();
    let normal = 1_i64;
    let level = conn.query_row("PRAGMA synchronous", [], |row| row.get::<_, i64>(0));
    assert_eq!(level.unwrap(), normal);
    let mode = conn.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
    assert_eq!(mode.unwrap(), "wal");
}
