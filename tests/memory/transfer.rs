//! The memory and the rate of exports and imports in each format, beside a plain loop of the SDK.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use dynamo_entity::aws_sdk_dynamodb::Client;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::{Csv, ExportFolder};

use super::{Canned, Event, MEMORY, rows};

/// The result of some work, the bytes that it allocated at most, and its time.
async fn counted<T>(work: impl Future<Output = T>) -> (T, usize, Duration) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let began = Instant::now();
    let result = work.await;
    (result, MEMORY.peak_usage() - before, began.elapsed())
}

fn opened(path: &Path) -> File {
    File::open(path).expect("a file")
}

/// Exports and imports hold a portion, however many items there are.
pub async fn transfers_hold_few_items() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    let mut small = HashMap::new();
    for rows in [4_000, rows()] {
        let (db, _) = Canned::new(rows, 1_000).connect();
        let query = || Event::in_partition("s");
        let client = Canned::new(rows, 1_000).client();
        let plain = counted(export_by_sdk(&client, &path)).await.2;
        let plain_import = counted(import_by_sdk(&client, &path, rows)).await.2;
        let create = || File::create(&path).expect("a file");
        let csv = Csv::of::<Event>();
        for format in ["json", "csv", "folder"] {
            let prefix = folder.path().join(format!("{rows}"));
            let export = match format {
                "json" => query().export(create()),
                "csv" => query().export(create()).csv(&csv),
                _ => query().export_to(ExportFolder::create(&prefix).expect("a folder")),
            };
            let (report, held, time) = counted(export.send(&db)).await;
            let report = report.expect("a report").complete().expect("all rows");
            assert_eq!(report.rows, rows);
            check(
                &mut small,
                (format, "export"),
                held,
                rate(rows, time),
                rate(rows, plain),
            );
            let import = match format {
                "json" => Event::import(opened(&path)),
                "csv" => Event::import(opened(&path)).csv(&csv),
                _ => Event::import_from(ExportFolder::open(&prefix).expect("a folder")),
            };
            let (report, held, time) = counted(import.send(&db)).await;
            let report = report.expect("a report").complete().expect("all lines");
            assert_eq!(report.written, rows);
            check(
                &mut small,
                (format, "import"),
                held,
                rate(rows, time),
                rate(rows, plain_import),
            );
        }
    }
}

fn rate(rows: u64, time: Duration) -> f64 {
    rows as f64 / time.as_secs_f64()
}

type Held = HashMap<(&'static str, &'static str), usize>;

/// Compares the memory with that of few rows.
fn check(small: &mut Held, work: (&'static str, &'static str), held: usize, rate: f64, plain: f64) {
    println!(
        "{} of {}: {held} bytes at most, {rate:.0} items a second, {:.2} times a plain loop of the SDK",
        work.1,
        work.0,
        rate / plain
    );
    let least = *small.entry(work).or_insert(held);
    assert!(
        held < least * 3 / 2 + 500_000,
        "{work:?}: {held} bytes, {least} for few"
    );
}

/// Writes a line of JSON for each item, one answer after the other.
async fn export_by_sdk(client: &Client, path: &Path) {
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    let mut start = None;
    loop {
        let query = client
            .query()
            .table_name("events")
            .key_condition_expression("pk = :v0");
        let query = query.expression_attribute_values(":v0", AttributeValue::S("E#s".into()));
        let answer = query
            .set_exclusive_start_key(start)
            .send()
            .await
            .expect("an answer");
        for item in answer.items.unwrap_or_default() {
            let line: serde_json::Value = serde_dynamo::from_item(item).expect("a value");
            serde_json::to_writer(&mut file, &line).expect("a line");
            file.write_all(b"\n").expect("a line");
        }
        start = answer.last_evaluated_key;
        if start.is_none() {
            break;
        }
    }
    file.flush().expect("a file");
}

/// Puts the item of each line, one after the other.
async fn import_by_sdk(client: &Client, path: &Path, rows: u64) {
    let mut count = 0;
    for line in BufReader::new(opened(path)).lines() {
        let value: serde_json::Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let item: HashMap<String, AttributeValue> = serde_dynamo::to_item(value).expect("an item");
        let put = client.put_item().table_name("events").set_item(Some(item));
        put.send().await.expect("an answer");
        count += 1;
    }
    assert_eq!(count, rows);
}
