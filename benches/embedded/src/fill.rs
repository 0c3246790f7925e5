//! A backfill of many rows in a file, whose process is killed several times. The stream of the table shows how often each
//! row was written.
//!
//!     cargo run --release --manifest-path benches/embedded/Cargo.toml -- fill 1000000 5

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;
use dynoxide::Database;
use serde_json::{Value, json};

/// The program before the change.
mod old {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "parcels", key(pk = "PARCEL#{id}"), stream = keys_only)]
    pub struct Parcel {
        pub id: u32,
        pub place: u32,
    }
}

/// The program whose index is filled.
#[derive(DynamoEntity)]
#[dynamo(
    table = "parcels",
    key(pk = "PARCEL#{id}"),
    stream = keys_only,
    gsi(by_place, pk = "PLACE#{place}", sk = "{id}", filling)
)]
struct Parcel {
    id: u32,
    place: u32,
}

const NAME: &str = "fill-in-a-process";

pub async fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    if let [name, url, checkpoint] = &arguments[..]
        && name == NAME
    {
        return fill(url, checkpoint).await;
    }
    let number = |at: usize, default: u32| {
        arguments
            .get(at)
            .map_or(default, |text| text.parse().expect("a number"))
    };
    measure(number(0, 100_000), number(1, 5)).await
}

/// Two of three rows are of the old program.
async fn measure(rows: u32, kills: u32) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("dynamo-entity-fill-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("parcels.db");
    let url = format!("embedded:{}", path.display());
    {
        let db = Dynamo::connect(&url).await?;
        db.create_tables([Parcel::schema()]).await?;
        for first in (0..rows).step_by(10_000) {
            let ids = first..rows.min(first + 10_000);
            let own: Vec<Parcel> = ids
                .clone()
                .filter(|id| id % 3 == 0)
                .map(|id| Parcel { id, place: id % 97 })
                .collect();
            let others = ids.filter(|id| id % 3 != 0);
            let others: Vec<old::Parcel> = others
                .map(|id| old::Parcel { id, place: id % 97 })
                .collect();
            let batch = Batch::new()
                .with_all(own.iter().map(Parcel::put))
                .with_all(others.iter().map(old::Parcel::put));
            batch.send(&db).await?.complete()?;
        }
    }
    let differ = (0..rows).filter(|id| id % 3 != 0).count();
    let checkpoint = folder.join("checkpoint");
    let child = || {
        let mut command = Command::new(std::env::current_exe().expect("a program"));
        command.args(["fill", NAME, &url]).arg(&checkpoint);
        command.stdout(Stdio::piped()).spawn().expect("a process")
    };
    let (mut killed, began) = (0, Instant::now());
    let pause = Duration::from_millis(u64::from(rows) / 10);
    let last = loop {
        let mut process = child();
        let (began, mut is_over) = (Instant::now(), false);
        while killed < kills && began.elapsed() < pause && !is_over {
            std::thread::sleep(Duration::from_millis(20));
            is_over = process.try_wait().expect("a process").is_some();
        }
        if killed < kills && !is_over {
            process.kill().expect("a process");
            process.wait().expect("a process");
            killed += 1;
            continue;
        }
        let output = process.wait_with_output().expect("a process");
        assert!(output.status.success(), "the last fill failed");
        break String::from_utf8(output.stdout).expect("text");
    };
    let seconds = began.elapsed().as_secs_f64();
    let (writes, written) = changes(&path);
    let unfilled = {
        let db = Dynamo::connect(&url).await?;
        Parcel::scan().unfilled(&db).await?
    };
    println!(
        "| rows | of them differ | kills | writes | rows written | unfilled afterwards | seconds | the last run |\n\
         |---|---|---|---|---|---|---|---|\n\
         | {rows} | {differ} | {killed} | {writes} | {written} | {unfilled} | {seconds:.0} | {} |",
        last.trim()
    );
    std::fs::remove_dir_all(&folder).expect("the folder");
    Ok(())
}

/// The backfill, in a process of its own.
async fn fill(url: &str, checkpoint: &str) -> Result<()> {
    let db = Dynamo::connect(url).await?;
    let fill = Parcel::scan().refill().concurrency(8);
    let fill = fill.checkpoint("fill", FileCheckpoint::new(Path::new(checkpoint)));
    let report = fill.send(&db).await?.complete()?;
    println!("{} written, {} unchanged", report.written, report.unchanged);
    Ok(())
}

/// The number of changes of existing rows, and of the rows that were changed.
fn changes(path: &Path) -> (usize, usize) {
    let database = Database::new(path.to_str().expect("a path")).expect("the database");
    let streams = database
        .list_streams(from(json!({"TableName": "parcels"})))
        .expect("streams");
    let streams = to(&streams);
    let arn = &streams["Streams"][0]["StreamArn"];
    let described = database
        .describe_stream(from(json!({"StreamArn": arn})))
        .expect("a stream");
    let described = to(&described);
    let shard = &described["StreamDescription"]["Shards"][0]["ShardId"];
    let start = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let iterator = database
        .get_shard_iterator(from(start))
        .expect("an iterator");
    let mut iterator = to(&iterator)["ShardIterator"].clone();
    let (mut writes, mut rows) = (0, HashSet::new());
    loop {
        let page = to(&database
            .get_records(from(json!({"ShardIterator": iterator})))
            .expect("records"));
        let records = page["Records"].as_array().expect("a list");
        for record in records
            .iter()
            .filter(|record| record["eventName"] == "MODIFY")
        {
            writes += 1;
            rows.insert(record["dynamodb"]["Keys"].to_string());
        }
        if records.is_empty() {
            return (writes, rows.len());
        }
        iterator = page["NextShardIterator"].clone();
    }
}

fn from<T: serde::de::DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("a request")
}

fn to(answer: &impl serde::Serialize) -> Value {
    serde_json::to_value(answer).expect("an answer")
}
