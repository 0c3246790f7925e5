//! Pages are those of the engine without a limit, and take no longer where more rows follow.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::wire::embedded::dispatch::dispatch;

/// A table `tab` with a global index `g` and a local one `l`, which hold all rows.
fn store() -> EngineStore {
    let mut store = EngineStore::memory().unwrap();
    let attribute = |name: &str, kind: &str| json!({"AttributeName": name, "AttributeType": kind});
    let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let index = |name: &str, keys: Value| json!({"IndexName": name, "KeySchema": keys, "Projection": {"ProjectionType": "ALL"}});
    let table = json!({
        "TableName": "tab",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            attribute("pk", "S"), attribute("sk", "N"), attribute("group", "S"), attribute("rank", "N"),
        ],
        "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
        "GlobalSecondaryIndexes": [index("g", json!([key("group", "HASH")]))],
        "LocalSecondaryIndexes": [index("l", json!([key("pk", "HASH"), key("rank", "RANGE")]))],
    });
    ask(&mut store, "CreateTable", &table);
    store
}

fn ask(store: &mut EngineStore, operation: &str, request: &Value) -> Value {
    let (status, body) = dispatch(store, operation, request.to_string().as_bytes());
    assert_eq!(
        status,
        200,
        "{operation}: {}",
        String::from_utf8_lossy(&body)
    );
    serde_json::from_slice(&body).unwrap()
}

fn row(partition: usize, number: usize, bytes: usize) -> Value {
    json!({
        "pk": {"S": format!("p{partition}")},
        "sk": {"N": number.to_string()},
        "group": {"S": "all"},
        "rank": {"N": (number * 7 % 100).to_string()},
        "even": {"BOOL": number.is_multiple_of(2)},
        "text": {"S": "x".repeat(bytes)},
    })
}

fn fill(store: &mut EngineStore, rows: impl Iterator<Item = Value>) {
    let rows: Vec<Value> = rows.collect();
    for chunk in rows.chunks(25) {
        let puts = chunk
            .iter()
            .map(|item| json!({"PutRequest": {"Item": item}}));
        let puts: Vec<Value> = puts.collect();
        ask(
            store,
            "BatchWriteItem",
            &json!({"RequestItems": {"tab": puts}}),
        );
    }
}

/// Requests of each kind that reads many rows.
fn requests() -> Vec<(&'static str, Value)> {
    let query = |index: Option<&str>, condition: &str, value: &str| {
        let mut query = json!({
            "TableName": "tab",
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": {":v": {"S": value}},
        });
        if index == Some("g") {
            query["ExpressionAttributeNames"] = json!({"#g": "group"});
        }
        if let Some(index) = index {
            query["IndexName"] = json!(index);
        }
        query
    };
    vec![
        ("Scan", json!({"TableName": "tab"})),
        ("Scan", json!({"TableName": "tab", "IndexName": "g"})),
        ("Scan", json!({"TableName": "tab", "IndexName": "l"})),
        (
            "Scan",
            json!({"TableName": "tab", "Segment": 1, "TotalSegments": 3}),
        ),
        ("Query", query(None, "pk = :v", "p0")),
        ("Query", query(Some("g"), "#g = :v", "all")),
        ("Query", query(Some("l"), "pk = :v", "p0")),
    ]
}

/// The same answer from the engine, which is given no limit but the caller's.
fn unlimited(store: &EngineStore, operation: &str, request: &Value) -> Value {
    let body = request.to_string();
    let (_, body) = match operation {
        "Scan" => write(
            &finish(scan::execute(
                &store.storage,
                read(body.as_bytes()).unwrap(),
            ))
            .unwrap(),
        ),
        _ => write(
            &finish(query::execute(
                &store.storage,
                read(body.as_bytes()).unwrap(),
            ))
            .unwrap(),
        ),
    };
    serde_json::from_slice(&body).unwrap()
}

/// What a caller may add to a request.
#[derive(Debug, Clone)]
struct Extras {
    limit: Option<usize>,
    filter: bool,
    count: bool,
    descending: bool,
}

impl Extras {
    fn add_to(&self, operation: &str, request: &mut Value) {
        request["ReturnConsumedCapacity"] = json!("INDEXES");
        if let Some(limit) = self.limit {
            request["Limit"] = json!(limit);
        }
        if self.filter {
            request["FilterExpression"] = json!("even = :even");
            request["ExpressionAttributeValues"][":even"] = json!({"BOOL": true});
        }
        if self.count {
            request["Select"] = json!("COUNT");
        }
        if self.descending && operation == "Query" {
            request["ScanIndexForward"] = json!(false);
        }
    }
}

fn extras() -> impl Strategy<Value = Extras> {
    let limit = prop_oneof![
        3 => Just(None),
        1 => (1..20_usize).prop_map(Some),
        1 => (100..2_000_usize).prop_map(Some),
    ];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (limit, flags).prop_map(|(limit, (filter, count, descending))| Extras {
        limit,
        filter,
        count,
        descending,
    })
}

/// Reads all pages both ways.
fn compare(store: &mut EngineStore, operation: &str, mut request: Value) -> usize {
    let mut pages = 0;
    loop {
        let wanted = unlimited(store, operation, &request);
        let page = ask(store, operation, &request);
        assert_eq!(page, wanted, "{operation} {request}");
        pages += 1;
        match page.get("LastEvaluatedKey") {
            Some(key) if pages < 60 => request["ExclusiveStartKey"] = key.clone(),
            _ => return pages,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn pages_are_those_without_a_limit(
        sizes in prop::collection::vec(prop_oneof![4 => 0..400_usize, 1 => 0..60_000_usize], 0..600),
        extras in extras(),
    ) {
        let mut store = store();
        let rows = sizes.iter().enumerate();
        fill(&mut store, rows.map(|(number, bytes)| row(number % 3 % 2, number, *bytes)));
        // Again, with sizes of pages that are known.
        for _ in 0..2 {
            for (operation, mut request) in requests() {
                extras.add_to(operation, &mut request);
                compare(&mut store, operation, request);
            }
        }
    }
}

#[test]
fn pages_that_end_at_the_limit_are_read_again() {
    let mut store = store();
    // 1,049 bytes for each row, so a page has just below 1,000 of them.
    fill(&mut store, (0..2_500).map(|number| row(0, number, 1_000)));
    for (operation, request) in requests() {
        let pages = compare(&mut store, operation, request.clone());
        assert!((1..=3).contains(&pages), "{operation} {request} {pages}");
        // The sizes are known now, whatever they are.
        for rows in [1, 10, 100, 995, 1_000, 1_005, 100_000] {
            store
                .pages
                .rows
                .values_mut()
                .for_each(|known| *known = rows);
            compare(&mut store, operation, request.clone());
        }
    }
}

/// The shortest time of a first page.
fn first_page(store: &mut EngineStore, operation: &str, request: &Value) -> Duration {
    // The first time, the size of pages is learned.
    ask(store, operation, request);
    let times = (0..5).map(|_| {
        let began = Instant::now();
        ask(store, operation, request);
        began.elapsed()
    });
    times.min().unwrap_or_default()
}

/// Without limits of our own, the page of the large table takes eight to forty times as long.
#[test]
fn a_page_takes_no_longer_if_more_rows_follow() {
    let (mut small, mut large) = (store(), store());
    fill(&mut small, (0..500).map(|number| row(0, number, 4_000)));
    fill(&mut large, (0..16_000).map(|number| row(0, number, 4_000)));
    for (operation, request) in requests() {
        if request.get("Segment").is_some() {
            continue; // All rows are in one partition, which is one segment.
        }
        let small = first_page(&mut small, operation, &request);
        let large = first_page(&mut large, operation, &request);
        assert!(
            large < small * 4,
            "{operation} {request}: {small:?}, then {large:?}"
        );
    }
}

/// The engine sorts all rows of a segment for each page, unless an index has them in order.
#[test]
fn segments_of_several_pages_get_an_index() {
    let plan = |store: &EngineStore, after: Option<(&str, &str)>| {
        let params = dynoxide::storage::ScanParams {
            limit: Some(100),
            segment: Some(1),
            total_segments: Some(3),
            exclusive_start_pk: after.map(|(pk, _)| pk),
            exclusive_start_sk: after.map(|(_, sk)| sk),
            ..Default::default()
        };
        let (sql, values) = dynoxide::storage_backend::sql_builders::scan_items("tab", &params);
        let mut sql = format!("EXPLAIN QUERY PLAN {sql}");
        for at in (1..=values.len()).rev() {
            sql = sql.replace(&format!("?{at}"), "'fff'");
        }
        let mut plan = store.storage.conn().prepare(&sql).unwrap();
        let mut steps = plan.query([]).unwrap();
        let mut text = String::new();
        while let Some(step) = steps.next().unwrap() {
            text += &step.get::<_, String>(3).unwrap();
            text += "; ";
        }
        text
    };
    let segment = json!({"TableName": "tab", "Segment": 0, "TotalSegments": 1});
    let mut store = store();
    fill(&mut store, (0..100).map(|number| row(number, number, 100)));
    ask(&mut store, "Scan", &segment);
    assert!(
        plan(&store, None).contains("TEMP B-TREE"),
        "{}",
        plan(&store, None)
    );
    fill(
        &mut store,
        (0..2_000).map(|number| row(number, number, 1_000)),
    );
    ask(&mut store, "Scan", &segment);
    for after in [None, Some(("a", "b"))] {
        let plan = plan(&store, after);
        assert!(
            plan.contains("tab::segments") && !plan.contains("TEMP B-TREE"),
            "{plan}"
        );
    }
    // A table of the same name begins without it.
    ask(&mut store, "DeleteTable", &json!({"TableName": "tab"}));
    let names = "SELECT count(*) FROM sqlite_master WHERE name = 'tab::segments'";
    let left: i64 = store
        .storage
        .conn()
        .query_row(names, [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
}

/// Rows that nobody touches are in one segment each, whatever is written meanwhile.
#[test]
fn segments_are_a_partition_while_others_write() {
    let mut store = store();
    fill(
        &mut store,
        (0..6_000).map(|number| row(number, number, 1_000)),
    );
    let mut found: Vec<String> = Vec::new();
    let mut written = 10_000;
    for segment in 0..4 {
        let mut request = json!({"TableName": "tab", "Segment": segment, "TotalSegments": 4});
        loop {
            let page = ask(&mut store, "Scan", &request);
            let items = page["Items"].as_array().unwrap();
            found.extend(
                items
                    .iter()
                    .map(|item| item["pk"]["S"].as_str().unwrap().to_owned()),
            );
            fill(
                &mut store,
                (written..written + 50).map(|number| row(number, number, 1_000)),
            );
            written += 50;
            match page.get("LastEvaluatedKey") {
                Some(key) => request["ExclusiveStartKey"] = key.clone(),
                None => break,
            }
        }
    }
    found.retain(|pk| pk[1..].parse::<usize>().unwrap() < 10_000);
    let all = found.len();
    found.sort();
    found.dedup();
    assert_eq!((all, found.len()), (6_000, 6_000));
}
