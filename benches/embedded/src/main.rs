//! Compares typed puts and gets of an embedded connection with the engine alone, which takes the same
//! requests on one thread: JSON in, its typed call, JSON out. Both are measured in one run, so that their
//! ratio means something. Behind that: calls one after the other, with many tables on the engine too, and how long
//! a fresh database takes.
//!
//!     cargo run --release --manifest-path benches/embedded/Cargo.toml
//!     cargo run --manifest-path benches/embedded/Cargo.toml             # as in tests
//!     cargo run --release --manifest-path benches/embedded/Cargo.toml -- files
//!     cargo run --release --manifest-path benches/embedded/Cargo.toml -- scale
//!     cargo run --release --manifest-path benches/embedded/Cargo.toml -- jobs
//!     cargo run --release --manifest-path benches/embedded/Cargo.toml -- fill 1000000 5

mod files;
mod fill;
mod jobs;
mod scale;

use std::time::{Duration, Instant};

use dynamo_entity::embedded::EmbeddedEngine;
use dynamo_entity::prelude::*;
use dynoxide::Database;

const OPERATIONS: u64 = 20_000;
const AT_ONCE: u64 = 64;
const ROUNDS: usize = 5;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "notes", key(pk = owner, sk = number))]
struct Note {
    owner: String,
    number: u64,
    title: String,
    text: String,
    stars: u32,
    done: bool,
}

#[derive(DynamoEntity)]
#[dynamo(
    table = "labels",
    key(pk = "LABEL#{label}", sk = "{number:08}"),
    gsi(by_note, pk = "NOTE#{number}", sk = "{label}")
)]
struct Label {
    label: String,
    number: u64,
}

#[derive(DynamoEntity)]
#[dynamo(table = "visits", key(pk = page, sk = second))]
struct Visit {
    page: String,
    second: u64,
    #[dynamo(ttl)]
    expires_at: Option<i64>,
}

fn note(number: u64) -> Note {
    Note {
        owner: "ann".into(),
        number,
        title: "a title of some words".into(),
        text: "a text that is somewhat longer than the title, and says as much".into(),
        stars: 4,
        done: false,
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("files") => files::run().await,
        Some("fill") => fill::run().await,
        Some("jobs") => jobs::run().await,
        Some("scale") => scale::run().await,
        _ => dispatch().await,
    }
}

async fn dispatch() -> Result<()> {
    let engine = EmbeddedEngine::memory().await?;
    let direct = engine.connect();
    let sdk = Dynamo::new(engine.client());
    direct.create_tables([Note::schema()]).await?;
    let raw = Raw::new(&direct)?;
    // The sides take turns, and the best round of each counts, because other programs use the machine too.
    let mut best = [[Duration::MAX; 2]; 3];
    for _ in 0..ROUNDS {
        let rounds = [
            [timed(|| raw.puts()), timed(|| raw.gets())],
            [puts(&direct).await?, gets(&direct).await?],
            [puts(&sdk).await?, gets(&sdk).await?],
        ];
        for (best, round) in best.iter_mut().zip(rounds) {
            best[0] = best[0].min(round[0]);
            best[1] = best[1].min(round[1]);
        }
    }
    println!("| {AT_ONCE} at a time, operations a second (ratio) | put | get |\n|---|---|---|");
    let names = [
        "the engine's own dispatch",
        "typed, direct",
        "typed, through the SDK",
    ];
    for (name, times) in names.iter().zip(best) {
        let cell = |verb: usize| {
            let rate = |time: Duration| OPERATIONS as f64 / time.as_secs_f64();
            let ratio = rate(times[verb]) / rate(best[0][verb]);
            format!("{:.0} ({ratio:.2})", rate(times[verb]))
        };
        println!("| {name} | {} | {} |", cell(0), cell(1));
    }
    one_after_the_other(&raw).await?;
    fresh().await
}

/// The middle of some rounds.
fn median(mut rounds: Vec<Duration>) -> Duration {
    rounds.sort();
    rounds[rounds.len() / 2]
}

async fn one_after_the_other(raw: &Raw) -> Result<()> {
    println!("\n| one after the other, microseconds | get |\n|---|---|");
    let row = |what: &str, rounds: Vec<Duration>, calls: u32| {
        println!(
            "| {what} | {:.1} |",
            median(rounds).as_secs_f64() * 1e6 / f64::from(calls)
        );
    };
    let alone = (0..9).map(|_| timed(|| raw.gets())).collect();
    row("the engine's own dispatch", alone, OPERATIONS as u32);
    let db = Dynamo::connect("embedded:memory").await?;
    db.create_tables([Note::schema()]).await?;
    note(1).put().send(&db).await?;
    row("typed", gets_of(std::slice::from_ref(&db)).await?, CALLS);
    let prefixed = (0..60).map(|number| db.clone().with_prefix(format!("t{number}")));
    let prefixed: Vec<Dynamo> = prefixed.collect();
    for db in &prefixed {
        db.create_tables([Note::schema()]).await?;
        note(1).put().send(db).await?;
    }
    row(
        "typed, beside 60 prefixes",
        gets_of(std::slice::from_ref(&db)).await?,
        CALLS,
    );
    row(
        "typed, over 60 prefixes in turn",
        gets_of(&prefixed).await?,
        CALLS,
    );
    Ok(())
}

const CALLS: u32 = 1_200;

async fn gets_of(all: &[Dynamo]) -> Result<Vec<Duration>> {
    let mut rounds = Vec::new();
    for _ in 0..9 {
        let began = Instant::now();
        for db in all.iter().cycle().take(CALLS as usize) {
            assert!(Note::key("ann", 1).get().send(db).await?.is_some());
        }
        rounds.push(began.elapsed());
    }
    Ok(rounds)
}

/// How long tests wait before they begin.
async fn fresh() -> Result<()> {
    let mut rounds = Vec::new();
    for _ in 0..25 {
        let began = Instant::now();
        let db = Dynamo::connect("embedded:memory").await?;
        db.create_tables([Note::schema(), Label::schema(), Visit::schema()])
            .await?;
        rounds.push(began.elapsed());
    }
    println!(
        "\na fresh database with three tables: {:.2} ms",
        median(rounds).as_secs_f64() * 1e3
    );
    Ok(())
}

/// The engine alone, with the same requests as JSON and its own database.
struct Raw {
    database: Database,
    puts: Vec<String>,
    gets: Vec<String>,
}

impl Raw {
    fn new(db: &Dynamo) -> Result<Self> {
        let database = Database::memory().expect("a database");
        let table = r#"{"TableName":"notes","BillingMode":"PAY_PER_REQUEST",
            "KeySchema":[{"AttributeName":"owner","KeyType":"HASH"},{"AttributeName":"number","KeyType":"RANGE"}],
            "AttributeDefinitions":[{"AttributeName":"owner","AttributeType":"S"},{"AttributeName":"number","AttributeType":"N"}]}"#;
        let created = database.create_table(serde_json::from_str(table).expect("a request"));
        created.expect("a table");
        let (mut puts, mut gets) = (Vec::new(), Vec::new());
        for number in 0..OPERATIONS {
            puts.push(note(number).put().explain(db)?.requests[0].to_string());
            gets.push(Note::key("ann", number).get().explain(db)?.requests[0].to_string());
        }
        Ok(Raw {
            database,
            puts,
            gets,
        })
    }

    fn puts(&self) {
        for request in &self.puts {
            let request = serde_json::from_str(request).expect("a request");
            let answer = self.database.put_item(request).expect("an answer");
            std::hint::black_box(serde_json::to_vec(&answer).expect("JSON"));
        }
    }

    fn gets(&self) {
        for request in &self.gets {
            let request = serde_json::from_str(request).expect("a request");
            let answer = self.database.get_item(request).expect("an answer");
            std::hint::black_box(serde_json::to_vec(&answer).expect("JSON"));
        }
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

async fn puts(db: &Dynamo) -> Result<Duration> {
    let began = Instant::now();
    let tasks = (0..AT_ONCE).map(|task| {
        let db = db.clone();
        tokio::spawn(async move {
            for number in (task..OPERATIONS).step_by(AT_ONCE as usize) {
                note(number).put().send(&db).await?;
            }
            Ok::<_, dynamo_entity::Error>(())
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.expect("no panic")?;
    }
    Ok(began.elapsed())
}

async fn gets(db: &Dynamo) -> Result<Duration> {
    let began = Instant::now();
    let tasks = (0..AT_ONCE).map(|task| {
        let db = db.clone();
        tokio::spawn(async move {
            for number in (task..OPERATIONS).step_by(AT_ONCE as usize) {
                let found = Note::key("ann", number).get().send(&db).await?;
                assert!(found.is_some());
            }
            Ok::<_, dynamo_entity::Error>(())
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.expect("no panic")?;
    }
    Ok(began.elapsed())
}
