//! Writes and reads back many items in batches while the service throttles, and compares the time with a
//! plain loop over the SDK that does the same.
//!
//! ```text
//! cargo run --release --example load -- 100000
//! ```

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use dynamo_entity::RetryBudget;
use dynamo_entity::aws_sdk_dynamodb::Client;
use dynamo_entity::aws_sdk_dynamodb::types::{
    AttributeValue, KeysAndAttributes, PutRequest, WriteRequest,
};
use dynamo_entity::prelude::*;
use dynamo_entity::testing::{Fault, Faults};

/// The share of requests that are throttled: half of them as a whole, the other half in part.
const THROTTLED: f64 = 0.1;
/// How many items are built, written and dropped at a time, so that memory does not grow with their number.
const SLICE: u64 = 10_000;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "readings", key(pk = "METER#{meter}", sk = "{number:010}"))]
pub struct Reading {
    meter: u64,
    number: u64,
    watts: u32,
    note: String,
}

fn reading(number: u64) -> Reading {
    Reading {
        meter: number % 97,
        number,
        watts: (number % 5000) as u32,
        note: format!("reading {number}, {}", "x".repeat(150)),
    }
}

/// How long each side took to write and to read, and how many items were lost.
#[derive(Debug, Default)]
pub struct Facts {
    pub lost: u64,
    pub library: [Duration; 2],
    pub sdk: [Duration; 2],
    pub requests: usize,
}

type Answer<T> = Result<T, Box<dyn std::error::Error>>;

/// Counts the requests and plans the faults of the next ones.
struct Weather {
    faults: Faults,
    random: fastrand::Rng,
    requests: usize,
}

impl Weather {
    fn new() -> Self {
        Weather {
            faults: Faults::default(),
            random: fastrand::Rng::with_seed(7),
            requests: 0,
        }
    }

    fn change(&mut self) {
        self.requests += self.faults.calls().len();
        let mut fault = || match self.random.f64() {
            chance if chance < THROTTLED / 2.0 => Fault::throttle(),
            chance if chance < THROTTLED => Fault::Unprocessed(self.random.usize(0..25)),
            _ => Fault::Pass,
        };
        let plan: Vec<Fault> = (0..2000).map(|_| fault()).collect();
        self.faults.plan(plan);
    }
}

pub async fn run(db: &Dynamo, count: u64) -> Answer<Facts> {
    db.create_tables([Reading::schema()]).await?;
    let mut weather = Weather::new();
    let busy = db.with_faults(&weather.faults)?;
    let slices = |count: u64| {
        (0..count)
            .step_by(SLICE as usize)
            .map(move |from| from..count.min(from + SLICE))
    };

    let plain = db.clone().with_prefix("plain");
    plain.create_tables([Reading::schema()]).await?;

    // Both sides work slice by slice, so that a slow moment of the machine affects both.
    let mut facts = Facts::default();
    for slice in slices(count) {
        weather.change();
        let began = Instant::now();
        write_by_library(&busy, slice.clone()).await?;
        facts.library[0] += began.elapsed();

        weather.change();
        let began = Instant::now();
        write_by_hand(busy.client(), slice.map(reading).collect()).await?;
        facts.sdk[0] += began.elapsed();
    }
    for slice in slices(count) {
        weather.change();
        let began = Instant::now();
        facts.lost += read_by_library(&busy, slice.clone()).await?;
        facts.library[1] += began.elapsed();

        weather.change();
        let began = Instant::now();
        let found = read_by_hand(busy.client(), slice.clone().collect()).await?;
        facts.sdk[1] += began.elapsed();
        facts.lost += slice.end - slice.start - found.len() as u64;
    }
    weather.change();
    facts.requests = weather.requests;
    Ok(facts)
}

async fn write_by_library(db: &Dynamo, slice: Range<u64>) -> Answer<()> {
    let readings: Vec<Reading> = slice.map(reading).collect();
    let batch = Batch::new().with_all(readings.iter().map(|reading| reading.put()));
    batch
        .budget(RetryBudget::rounds(20))
        .send(db)
        .await?
        .complete()?;
    Ok(())
}

/// Returns how many items differ from what was written.
async fn read_by_library(db: &Dynamo, slice: Range<u64>) -> Answer<u64> {
    let keys = slice.clone();
    let keys = keys.map(|number| Reading::key(number % 97, number));
    let found = Reading::get_many(keys).send(db).await?;
    let wanted = slice.map(|number| Some(reading(number)));
    Ok(wanted
        .zip(found)
        .filter(|(wanted, found)| wanted != found)
        .count() as u64)
}

const PLAIN: &str = "plain-readings";

fn key(number: u64) -> HashMap<String, AttributeValue> {
    HashMap::from([
        (
            "pk".into(),
            AttributeValue::S(format!("METER#{:020}", number % 97)),
        ),
        ("sk".into(), AttributeValue::S(format!("{number:010}"))),
    ])
}

async fn write_by_hand(client: &Client, readings: Vec<Reading>) -> Answer<()> {
    for chunk in readings.chunks(25) {
        let writes = chunk.iter().map(|reading| {
            let mut item = key(reading.number);
            item.insert("meter".into(), AttributeValue::N(reading.meter.to_string()));
            item.insert(
                "number".into(),
                AttributeValue::N(reading.number.to_string()),
            );
            item.insert("watts".into(), AttributeValue::N(reading.watts.to_string()));
            item.insert("note".into(), AttributeValue::S(reading.note.clone()));
            let put = PutRequest::builder().set_item(Some(item)).build()?;
            Ok(WriteRequest::builder().put_request(put).build())
        });
        let mut left = HashMap::from([(PLAIN.to_owned(), writes.collect::<Answer<Vec<_>>>()?)]);
        while !left.is_empty() {
            let batch = client
                .batch_write_item()
                .set_request_items(Some(left.clone()));
            match batch.send().await {
                Ok(answer) => left = answer.unprocessed_items.unwrap_or_default(),
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    }
    Ok(())
}

async fn read_by_hand(client: &Client, numbers: Vec<u64>) -> Answer<Vec<Reading>> {
    let mut found = Vec::new();
    for chunk in numbers.chunks(100) {
        let keys = chunk.iter().map(|number| key(*number)).collect();
        let keys = KeysAndAttributes::builder().set_keys(Some(keys)).build()?;
        let mut left = HashMap::from([(PLAIN.to_owned(), keys)]);
        while !left.is_empty() {
            let batch = client
                .batch_get_item()
                .set_request_items(Some(left.clone()));
            let Ok(answer) = batch.send().await else {
                tokio::time::sleep(Duration::from_millis(5)).await;
                continue;
            };
            for item in answer
                .responses
                .into_iter()
                .flatten()
                .flat_map(|(_, items)| items)
            {
                found.push(by_hand(&item)?);
            }
            left = answer.unprocessed_keys.unwrap_or_default();
        }
    }
    Ok(found)
}

fn by_hand(item: &HashMap<String, AttributeValue>) -> Answer<Reading> {
    let number = |name: &str| -> Answer<u64> {
        let value = item.get(name).ok_or("no number")?;
        Ok(value.as_n().map_err(|_| "no number")?.parse()?)
    };
    let note = item.get("note").and_then(|note| note.as_s().ok());
    Ok(Reading {
        meter: number("meter")?,
        number: number("number")?,
        watts: u32::try_from(number("watts")?)?,
        note: note.ok_or("no note")?.clone(),
    })
}

/// The most memory that this process has used, if the system tells it.
fn peak() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(
        line.split_whitespace()
            .skip(1)
            .collect::<Vec<_>>()
            .join(" "),
    )
}

#[tokio::main]
async fn main() -> Answer<()> {
    let count = std::env::args()
        .nth(1)
        .map_or(Ok(2_000), |count| count.parse())?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("load.db");
    let db = Dynamo::connect(&format!("embedded:{}", file.display())).await?;
    let facts = run(&db, count).await?;
    println!(
        "{count} items, {} requests, one of ten throttled; lost: {}",
        facts.requests, facts.lost
    );
    for (side, [writing, reading]) in [("library", facts.library), ("plain SDK loop", facts.sdk)] {
        let rate = |time: Duration| (count as f64 / time.as_secs_f64()).round();
        println!(
            "{side:>14}: {:>7} items/s written, {:>7} items/s read",
            rate(writing),
            rate(reading)
        );
    }
    println!(
        "most memory: {}",
        peak().unwrap_or_else(|| "unknown".into())
    );
    if facts.lost > 0 {
        return Err("items were lost".into());
    }
    Ok(())
}
