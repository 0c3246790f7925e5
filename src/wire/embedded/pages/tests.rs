//! Pages are those of the engine without a limit, and cost no more where more rows follow.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::wire::embedded::dispatch::dispatch_operation;

/// A table `rows` with a global index and a local one, which hold all rows.
fn store() -> EngineStore {
    let mut store = EngineStore::in_memory().unwrap();
    let attribute = |name: &str, kind: &str| json!({"AttributeName": name, "AttributeType": kind});
    let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let index = |name: &str, keys: Value| json!({"IndexName": name, "KeySchema": keys, "Projection": {"ProjectionType": "ALL"}});
    let table = json!({
        "TableName": "rows",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            attribute("pk", "S"), attribute("sk", "N"), attribute("group", "S"), attribute("rank", "N"),
        ],
        "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
        "GlobalSecondaryIndexes": [index("by-group", json!([key("group", "HASH")]))],
        "LocalSecondaryIndexes": [index("by-rank", json!([key("pk", "HASH"), key("rank", "RANGE")]))],
    });
    ask(&mut store, "CreateTable", &table);
    store
}

fn ask(store: &mut EngineStore, operation: &str, request: &Value) -> Value {
    let (status, body) = dispatch_operation(store, operation, request.to_string().as_bytes());
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
            &json!({"RequestItems": {"rows": puts}}),
        );
    }
}

/// Requests of each kind that reads many rows.
fn requests() -> Vec<(&'static str, Value)> {
    let query = |index: Option<&str>, condition: &str, value: &str| {
        let mut query = json!({
            "TableName": "rows",
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": {":v": {"S": value}},
        });
        if index == Some("by-group") {
            query["ExpressionAttributeNames"] = json!({"#g": "group"});
        }
        if let Some(index) = index {
            query["IndexName"] = json!(index);
        }
        query
    };
    vec![
        ("Scan", json!({"TableName": "rows"})),
        (
            "Scan",
            json!({"TableName": "rows", "IndexName": "by-group"}),
        ),
        ("Scan", json!({"TableName": "rows", "IndexName": "by-rank"})),
        (
            "Scan",
            json!({"TableName": "rows", "Segment": 1, "TotalSegments": 3}),
        ),
        ("Query", query(None, "pk = :v", "p0")),
        ("Query", query(Some("by-group"), "#g = :v", "all")),
        ("Query", query(Some("by-rank"), "pk = :v", "p0")),
    ]
}

/// The same answer from the engine, which is given no limit but the caller's.
fn unlimited(store: &EngineStore, operation: &str, request: &Value) -> Value {
    let body = request.to_string();
    let (_, body) = match operation {
        "Scan" => write_reply(
            &finish_action(scan::execute(
                &store.storage,
                parse_body(body.as_bytes()).unwrap(),
            ))
            .unwrap(),
        ),
        _ => write_reply(
            &finish_action(query::execute(
                &store.storage,
                parse_body(body.as_bytes()).unwrap(),
            ))
            .unwrap(),
        ),
    };
    serde_json::from_slice(&body).unwrap()
}

/// The additions that a caller may make to a request.
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
        let mut wanted = unlimited(store, operation, &request);
        let page = ask(store, operation, &request);
        let counted = wanted["ScannedCount"].as_u64().unwrap();
        let limit = request["Limit"].as_u64().unwrap_or(u64::MAX);
        if wanted.get("LastEvaluatedKey").is_some() && counted < limit {
            wanted["ScannedCount"] = json!(counted - 1);
        }
        assert_eq!(page, wanted, "{operation} {request}");
        pages += 1;
        match page.get("LastEvaluatedKey") {
            Some(key) if pages < 60 => request["ExclusiveStartKey"] = key.clone(),
            _ => return pages,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn pages_are_those_without_a_limit(
        sizes in prop::collection::vec(prop_oneof![4 => 0..400_usize, 1 => 0..30_000_usize], 0..400),
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
        for rows in [10, 995, 1_000, 1_005] {
            store
                .pages
                .rows
                .values_mut()
                .for_each(|known| *known = rows);
            compare(&mut store, operation, request.clone());
        }
    }
}

/// The engine also counts the row that does not fit into a page.
#[test]
fn each_row_is_counted_in_one_page() {
    let mut store = store();
    fill(&mut store, (0..2_500).map(|number| row(0, number, 1_000)));
    for (operation, mut request) in requests() {
        request["Select"] = json!("COUNT");
        let (mut rows, mut scanned) = (0, 0);
        loop {
            let page = ask(&mut store, operation, &request);
            rows += page["Count"].as_u64().unwrap();
            scanned += page["ScannedCount"].as_u64().unwrap();
            match page.get("LastEvaluatedKey") {
                Some(key) => request["ExclusiveStartKey"] = key.clone(),
                None => break,
            }
        }
        assert_eq!(scanned, rows, "{operation} {request}");
    }
}

/// A page of the engine: of so many rows, at most.
struct FakePage {
    scanned: usize,
    has_more: bool,
}

impl EnginePage for FakePage {
    fn scanned_rows(&self) -> usize {
        self.scanned
    }

    fn has_more(&self) -> bool {
        self.has_more
    }

    fn uncount_row(&mut self) {
        self.scanned -= 1;
    }
}

/// Reads a table of which each page has as many rows as this says. Returns how many rows the engine read for it, which
/// is what its pages cost.
fn rows_read(rows: usize, page: impl Fn(usize) -> usize) -> usize {
    rows_read_again(&mut PageSizes::default(), rows, None, page)
}

/// The same with known sizes, and with a limit of the caller.
fn rows_read_again(
    sizes: &mut PageSizes,
    rows: usize,
    wanted: Option<usize>,
    page: impl Fn(usize) -> usize,
) -> usize {
    let (mut at, mut read) = (0, 0);
    while at < rows {
        let source = ("rows".to_owned(), None);
        let answer = read_page(sizes, source, wanted, |_, limit| {
            read += limit.min(rows - at);
            // The engine counts the row that did not fit any more.
            let most = (page(at) + 1).min(limit).min(rows - at);
            let is_cut = most > page(at) || most == limit;
            Ok(FakePage {
                scanned: most,
                has_more: is_cut,
            })
        });
        let answer = answer.unwrap();
        at += answer.scanned;
    }
    read
}

#[test]
fn a_table_costs_little_more_than_its_rows() {
    for rows in [1_000, 100_000, 1_000_000] {
        for page in [3, 250, 10_000] {
            let read = rows_read(rows, |_| page);
            // The first page may be read several times.
            let most = rows * 5 / 4 + rows.div_ceil(page) * 20 + page * 6;
            assert!(read <= most, "{rows} rows, {page} in a page: {read}");
        }
        let read = rows_read(rows, |at| if at / 20_000 % 2 == 0 { 500 } else { 8_000 });
        assert!(read < rows * 3 + 1_000, "{rows} rows of two sizes: {read}");
    }
}

/// Tables that fit into one page, and pages that a caller limits, are read once, except for the first time.
#[test]
fn pages_that_are_not_full_are_read_once() {
    for (rows, wanted) in [
        (600, None),
        (2_100, None),
        (9_000, None),
        (9_000, Some(1_001)),
    ] {
        let mut sizes = PageSizes::default();
        let first = rows_read_again(&mut sizes, rows, wanted, |_| 10_000);
        assert!(first < rows * 5 / 2, "{rows} rows: {first}");
        // A page of few rows does not change what is known.
        rows_read_again(&mut sizes, 3, None, |_| 10_000);
        let again = rows_read_again(&mut sizes, rows, wanted, |_| 10_000);
        assert_eq!(again, rows, "{wanted:?}");
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
        let (sql, values) = dynoxide::storage_backend::sql_builders::scan_items("rows", &params);
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
    let segment = json!({"TableName": "rows", "Segment": 0, "TotalSegments": 1});
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
            plan.contains("rows::segments") && !plan.contains("TEMP B-TREE"),
            "{plan}"
        );
    }
    // A table of the same name begins without it.
    ask(&mut store, "DeleteTable", &json!({"TableName": "rows"}));
    let names = "SELECT count(*) FROM sqlite_master WHERE name = 'rows::segments'";
    let left: i64 = store
        .storage
        .conn()
        .query_row(names, [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
}

/// Rows that no one touches are in one segment each, whatever is written meanwhile.
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
        let mut request = json!({"TableName": "rows", "Segment": segment, "TotalSegments": 4});
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
