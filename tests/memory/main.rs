//! How much memory a stream holds and how long a merge takes, with canned answers. Every allocation is counted.
//!
//! ```text
//! MEMORY_ROWS=1000000 cargo test --release --test memory -- --nocapture
//! ```
//!
//! This measures a million rows. The tests run one after the other, because they all count the same memory.

mod transfer;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use dynamo_entity::aws_sdk_dynamodb::Client;
use dynamo_entity::aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
use dynamo_entity::prelude::*;
use peak_alloc::PeakAlloc;

/// Counts the bytes that are allocated and not freed yet.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "events", key(pk = "E#{source}", sk = "{number:010}"))]
#[dynamo(gsi(by_level, pk = "L#{level}", sk = "{number:010}", shards = 64))]
#[dynamo(gsi(by_level_whole, pk = "W#{level}", sk = "{number}"))]
struct Event {
    source: String,
    number: u64,
    level: u8,
    text: String,
}

/// A service that has `rows` rows in each partition and sends `page` rows per answer. The rows of 64 shards
/// alternate in the order of the sort key.
#[derive(Debug, Clone)]
struct Canned {
    rows: u64,
    page: u64,
    /// Whether the rows of the partition `E#n` are those of page `n`, so that partitions follow each other.
    in_turns: bool,
    requests: Arc<AtomicUsize>,
    /// Finished answers, for tests that must not measure how long it takes to build them.
    made: Option<Arc<Made>>,
}

/// Answers by the body of their request.
type Made = Mutex<HashMap<Vec<u8>, Bytes>>;

impl HttpClient for Canned {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Canned {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let body = request.body().bytes().unwrap_or_default();
        let make = || {
            let body: serde_json::Value = serde_json::from_slice(body).expect("JSON");
            let answer = match request.headers().get("x-amz-target") {
                Some(target) if target.ends_with("BatchGetItem") => self.found(&body),
                Some(target)
                    if target.ends_with("BatchWriteItem") || target.ends_with("PutItem") =>
                {
                    "{}".to_owned()
                }
                _ => self.answer(&body),
            };
            // A boxed slice has no spare capacity that would be counted too.
            Bytes::from(answer.into_bytes().into_boxed_slice())
        };
        let answer = match &self.made {
            Some(made) => {
                let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
                made.entry(body.to_vec()).or_insert_with(make).clone()
            }
            None => make(),
        };
        HttpConnectorFuture::ready(Ok(HttpResponse::new(
            200.try_into().expect("a status"),
            SdkBody::from(answer),
        )))
    }
}

impl Canned {
    fn answer(&self, request: &serde_json::Value) -> String {
        let index = request["IndexName"].as_str().unwrap_or_default();
        let partition = request["ExpressionAttributeValues"][":v0"]["S"].as_str();
        let partition = partition.expect("a partition");
        let shard: u64 = partition
            .split('#')
            .nth(2)
            .map_or(0, |shard| shard.parse().expect("a shard"));
        let (first, step) = match index {
            "by_level" => (shard, 64),
            _ => (0, 1),
        };
        let start = request["ExclusiveStartKey"]["sk"]["S"].as_str();
        let begin = start.map_or(first, |start| {
            start.parse::<u64>().expect("a number") + step
        });
        let (begin, end) = match partition.strip_prefix("E#") {
            Some(turn) if self.in_turns => {
                let turn: u64 = turn.parse().expect("a number");
                (turn * self.page, (turn + 1) * self.page)
            }
            _ => (begin, self.rows),
        };
        let numbers = (begin..end).step_by(step as usize);
        let keys = |number: u64| match index {
            "" => format!(r#""pk":{{"S":"{partition}"}},"sk":{{"S":"{number:010}"}}"#),
            index => format!(
                r#""pk":{{"S":"E#s"}},"sk":{{"S":"{number:010}"}},"{index}_pk":{{"S":"{partition}"}},"{index}_sk":{{"S":"{number:010}"}}"#
            ),
        };
        // The row's field has to hold the same value as its key.
        let source = match (index, partition.strip_prefix("E#")) {
            ("", Some(source)) => source,
            _ => "s",
        };
        let (mut items, mut last, mut count) = (String::new(), begin, 0);
        for number in numbers.take(self.page as usize) {
            if !items.is_empty() {
                items.push(',');
            }
            let text = "x".repeat(200);
            items += &format!(
                r#"{{{},"source":{{"S":"{source}"}},"number":{{"N":"{number}"}},"level":{{"N":"1"}},"text":{{"S":"{text}"}}}}"#,
                keys(number)
            );
            last = number;
            count += 1;
        }
        let more = match last + step < end {
            true => format!(r#","LastEvaluatedKey":{{{}}}"#, keys(last)),
            false => String::new(),
        };
        format!(r#"{{"Items":[{items}],"Count":{count},"ScannedCount":{count}{more}}}"#)
    }

    /// The items of all keys, which are of the source `s`.
    fn found(&self, request: &serde_json::Value) -> String {
        let keys = request["RequestItems"]["events"]["Keys"].as_array();
        let items = keys.expect("keys").iter().map(|key| {
            let sk = key["sk"]["S"].as_str().expect("a sort key");
            let number: u64 = sk.parse().expect("a number");
            let text = "x".repeat(200);
            format!(
                r#"{{"pk":{{"S":"E#s"}},"sk":{{"S":"{sk}"}},"source":{{"S":"s"}},"number":{{"N":"{number}"}},"level":{{"N":"1"}},"text":{{"S":"{text}"}}}}"#
            )
        });
        let items: Vec<String> = items.collect();
        format!(r#"{{"Responses":{{"events":[{}]}}}}"#, items.join(","))
    }

    fn new(rows: u64, page: u64) -> Self {
        Canned {
            rows,
            page,
            in_turns: false,
            requests: Arc::default(),
            made: None,
        }
    }

    fn connect(self) -> (Dynamo, Arc<AtomicUsize>) {
        let requests = self.requests.clone();
        (Dynamo::new(self.client()), requests)
    }

    fn client(self) -> Client {
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("a", "b", None, None, "test"))
            .http_client(self);
        Client::from_conf(config.build())
    }
}

fn rows() -> u64 {
    let asked = std::env::var("MEMORY_ROWS").ok();
    asked.map_or(20_000, |rows| {
        rows.parse().expect("MEMORY_ROWS is a number")
    })
}

/// The most bytes that were allocated at the same time while the stream was read, and how long that took.
async fn measured(
    mut rows: dynamo_entity::query::RowStream<Event>,
    wanted: u64,
) -> (usize, Duration) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let began = Instant::now();
    let mut seen = 0;
    while let Some(row) = rows.next().await {
        assert_eq!(row.expect("a row").number, seen);
        seen += 1;
    }
    assert_eq!(seen, wanted);
    (MEMORY.peak_usage() - before, began.elapsed())
}

/// Runs all tests one after the other, because they count the same memory.
#[tokio::test]
async fn a_stream_holds_two_answers() {
    let rows = rows();
    let page = 1_000;
    let (db, _) = Canned::new(page, page).connect();
    let one = Event::in_partition("s").stream(&db);
    let (one, _) = measured(one, page).await;
    let (db, requests) = Canned::new(rows, page).connect();
    let (all, time) = measured(Event::in_partition("s").stream(&db), rows).await;
    println!(
        "{rows} rows in {} answers: {all} bytes at most, {one} for a single answer; {time:?}",
        requests.load(Ordering::Relaxed)
    );
    assert_eq!(requests.load(Ordering::Relaxed) as u64, rows.div_ceil(page));
    // While one answer is used, the next one is fetched and built by the canned service.
    assert!(all < 3 * one, "{all} bytes, {one} for one answer");

    // Each of 64 shards holds one answer, however many rows there are.
    let page = 100;
    let (db, _) = Canned::new(rows, page).connect();
    let (whole, _) = measured(Event::by_level_whole(1).stream(&db), rows).await;
    let (shards, _) = measured(Event::by_level(1).stream(&db), rows).await;
    println!("64 shards, answers of {page}: {shards} bytes at most; one partition: {whole}");
    assert!(shards < 64 * 2 * whole, "{shards} bytes, {whole} for one");
    all_lets_answers_go().await;
    large_answers_wait_as_bytes().await;
    finished_lanes_free_their_memory().await;
    merging_costs_little().await;
    many_keys_cost_their_rows().await;
    a_streamed_batch_holds_few_writes().await;
    // Each item is written three times, so this takes long without optimisation.
    if std::env::var_os("MEMORY_ROWS").is_some() {
        transfer::transfers_hold_few_items().await;
    }
}

#[derive(DynamoProjection)]
#[dynamo(entity = Event)]
struct Number {
    number: u64,
}

/// `all` keeps what it decoded from many answers and at most a few of the answers themselves.
async fn all_lets_answers_go() {
    let (rows, page) = (20_000, 1_000);
    let (db, _) = Canned::new(rows, page).connect();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let numbers = Event::in_partition("s").select::<Number>().all(&db).await;
    let peak = MEMORY.peak_usage() - before;
    let numbers = numbers.expect("all rows");
    assert!((0..rows).eq(numbers.iter().map(|row| row.number)));
    println!("{rows} numbers of all rows: {peak} bytes at most");
    // A row takes 340 bytes in an answer, and its number takes eight.
    assert!(peak < 3_000_000, "{peak} bytes");
}

/// Each of 64 shards answers with all of its rows. They wait as bytes, and only a few of them are decoded.
async fn large_answers_wait_as_bytes() {
    let rows = 64 * 600;
    let (db, _) = Canned::new(rows, 1_000).connect();
    let (merged, _) = measured(Event::by_level(1).stream(&db), rows).await;
    let each = merged as u64 / rows;
    println!("answers of 600 rows, merged from 64 shards: {each} bytes a row at most");
    // A row takes 386 bytes in an answer, and its decoded value takes 300.
    assert!(each < 550, "{each} bytes a row");
}

/// Partitions whose rows follow each other all have to be asked before the first row is known. A partition
/// that has been read to its end holds no memory.
async fn finished_lanes_free_their_memory() {
    let (page, lanes) = (1_000, 50);
    let (db, _) = Canned::new(page, page).connect();
    let (one, _) = measured(Event::in_partition("s").stream(&db), page).await;
    let canned = Canned {
        in_turns: true,
        ..Canned::new(lanes * page, page)
    };
    let (db, _) = canned.connect();
    let before = MEMORY.current_usage();
    let sources = (0..lanes).map(|lane| lane.to_string());
    let mut rows = Event::in_partition(any_of(sources)).stream(&db);
    let mut left = usize::MAX;
    for number in 0..lanes * page {
        let row = rows.next().await.expect("a row").expect("a row");
        assert_eq!(row.number, number);
        if number == (lanes - 1) * page {
            left = MEMORY.current_usage() - before;
        }
    }
    println!(
        "{lanes} partitions of an answer each, in turns: {left} bytes for the last, {one} for one"
    );
    assert!(left < 3 * one, "{left} bytes, {one} for one");
}

/// Reads the same rows from one partition and from 64, by turns. The best time of each counts.
async fn merging_costs_little() {
    let rows = rows().min(100_000);
    let made = Some(Arc::default());
    let (db, _) = Canned {
        made,
        ..Canned::new(rows, 250)
    }
    .connect();
    let (mut plain, mut merged) = (Duration::MAX, Duration::MAX);
    for _ in 0..5 {
        plain = plain.min(measured(Event::by_level_whole(1).stream(&db), rows).await.1);
        merged = merged.min(measured(Event::by_level(1).stream(&db), rows).await.1);
    }
    let ratio = merged.as_secs_f64() / plain.as_secs_f64();
    println!("{rows} rows of 64 shards take {ratio:.2} of the time of one partition");
    // The limit is generous because the machine may be busy. Measured values stand in benches/README.md.
    assert!(ratio < 3.0, "{ratio}");
}

/// While rows come, keys and answers go, so that reading takes little more memory than the rows.
async fn many_keys_cost_their_rows() {
    let rows = rows();
    let (db, _) = Canned::new(rows, 1).connect();
    let key = |number| Event::key("s", number);
    // Connections and what is kept for all calls is there before.
    let first = Event::get_many((0..1_000).map(key)).send(&db).await;
    drop(first.expect("the first rows"));
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let found = Event::get_many((0..rows).map(key)).send(&db).await;
    let peak = MEMORY.peak_usage() - before;
    let found = found.expect("all rows");
    let held = MEMORY.current_usage() - before;
    let numbers = found.iter().flatten().map(|row| row.number);
    assert!((0..rows).eq(numbers));
    println!("{rows} keys: {peak} bytes at most, {held} of them the rows");
    // Eight requests are under way, and the canned service takes several times what it answers.
    assert!(
        peak < held * 6 / 5 + 1_500_000,
        "{peak} bytes, {held} of the rows"
    );
}

fn event(number: u64) -> Event {
    Event {
        source: "s".into(),
        number,
        level: 1,
        text: "x".repeat(200),
    }
}

/// A batch of an iterator takes as much memory for a thousand writes as for any number of them.
async fn a_streamed_batch_holds_few_writes() {
    let (db, requests) = Canned::new(1, 1).connect();
    let mut peaks = Vec::new();
    for rows in [2_000, rows()] {
        let before = MEMORY.current_usage();
        let sent = requests.load(Ordering::Relaxed);
        MEMORY.reset_peak_usage();
        let batch = Batch::streamed((0..rows).map(event).map(Event::into_put));
        let report = batch.send(&db).await.expect("a report");
        report.complete().expect("all are written");
        assert_eq!(report.done, rows);
        assert_eq!(
            (requests.load(Ordering::Relaxed) - sent) as u64,
            rows.div_ceil(25)
        );
        peaks.push(MEMORY.peak_usage() - before);
    }
    println!("{} writes of an iterator: {peaks:?} bytes at most", rows());
    assert!(peaks[1] < peaks[0] * 3 / 2, "{peaks:?}");
}
