//! Storms: every operation under faults, on several tasks, compared with a model (laws W5, W6, W9, B1 to B3).
//!
//! ```text
//! cargo test --test upkeep -- storm
//! FAULTS_OPERATIONS=100000 FAULTS_SEED=1000 cargo test --test upkeep -- storm
//! ```
//!
//! Each task writes to its own rows, so that the model knows them exactly, and to values and sums that all
//! tasks share. After each operation the rows of the task are read without the library: a success took effect
//! once, an unknown outcome once or not at all, and any other error not at all. Requests that were given up arrive late,
//! within an operation or after its end, and before the rows are read. At the end the whole store
//! equals what the models say.

mod entities;
mod judge;
mod many;
mod member_jobs;
mod members;
mod plain;
mod weather;
mod worker;

use std::env;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::support::db::{Db, Mode};
use crate::support::engine::Kind;
use crate::support::suite::Outcome;
use crate::tests;
use entities::{Member, Plain, Shared, Tally};
use judge::Step;
use worker::Worker;

use dynamo_entity::prelude::*;

tests![errors_tell_the_true_outcome_of_every_write];

/// How many operations a short run has, unless `FAULTS_OPERATIONS` sets another number.
const OPERATIONS: u64 = 4_000;
/// DynamoDB Local is slower, so it gets fewer operations.
const OPERATIONS_ON_A_SERVER: u64 = 1_200;
/// How many tasks one storm has.
const TASKS: u32 = 8;
/// How many operations each task runs.
const STEPS: u32 = 50;
/// How many storms run at the same time.
const AT_ONCE: usize = 8;

/// The seeds of storms that failed once, one per line.
const FAILED_ONCE: &str = include_str!("storms.txt");

async fn errors_tell_the_true_outcome_of_every_write(db: Db) -> Outcome {
    let default = if Kind::here().is_server() {
        OPERATIONS_ON_A_SERVER
    } else {
        OPERATIONS
    };
    let operations = number("FAULTS_OPERATIONS").unwrap_or(default);
    let first = number("FAULTS_SEED").unwrap_or(0);
    let count = operations.div_ceil(u64::from(TASKS * STEPS));
    let failed_once = FAILED_ONCE
        .lines()
        .filter_map(|line| line.trim().parse().ok());
    let mut seen = judge::Seen::default();
    let mut seeds = failed_once.chain(first..first + count);
    let mut storms = JoinSet::new();
    loop {
        // Many storms can run at once, because they wait more than they compute.
        while storms.len() < AT_ONCE
            && let Some(seed) = seeds.next()
        {
            storms.spawn(storm(db.mode(), seed));
        }
        let Some(done) = storms.join_next().await else {
            break;
        };
        seen.add(&done??);
    }
    println!(
        "{operations} operations, seeds {first}..{}: {seen}",
        first + count
    );
    seen.is_wide_enough()?;
    seen.went_past_the_sdk()?;
    Ok(())
}

fn again(seed: u64, failure: &str) -> String {
    eprintln!("seed {seed}: {failure}");
    format!(
        "again: FAULTS_OPERATIONS=1 FAULTS_SEED={seed} cargo test --test upkeep -- storm\n\
         to keep: echo {seed} >> tests/upkeep/storms.txt"
    )
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

/// Runs one storm in its own tables.
async fn storm(mode: Mode, seed: u64) -> Result<judge::Seen, String> {
    let db = Db::open(mode).await.map_err(|error| error.to_string())?;
    let done = tasks(&db, seed).await;
    let closed = db.close().await.map_err(|error| error.to_string());
    let seen = done.map_err(|failure| again(seed, &failure))?;
    closed.map(|()| seen)
}

async fn tasks(db: &Db, seed: u64) -> Result<judge::Seen, String> {
    let tables = [Plain::schema(), Member::schema(), Tally::schema()];
    let said = |error: Error| error.to_string();
    db.create_tables(tables).await.map_err(said)?;
    let tally = Tally { id: 0, count: 0 };
    tally.create().send(db).await.map_err(said)?;
    let shared = Arc::new(Shared::default());
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let worker = Worker::new(db, task, seed, shared.clone());
        tasks.spawn(worker.run(STEPS));
    }
    let mut workers = Vec::new();
    while let Some(done) = tasks.join_next().await {
        workers.push(done.map_err(|error| error.to_string())??);
    }
    is_as_the_models_say(db, &workers, &shared).await?;
    let mut seen = judge::Seen::default();
    for worker in &workers {
        seen.add(&worker.seen);
        seen.count(worker.weather.ways());
    }
    Ok(seen)
}

/// Compares the whole store, which is read without the library, with the models.
async fn is_as_the_models_say(db: &Db, workers: &[Worker], shared: &Shared) -> Step {
    let plain = workers.iter().flat_map(Worker::plain_rows).collect();
    let members = workers.iter().flat_map(Worker::member_rows).collect();
    entities::are_stored::<Plain>(db, &plain, &Default::default()).await?;
    let owners = entities::owners(&members);
    entities::are_stored::<Member>(db, &members, &owners).await?;
    let sum = entities::tally(db).await?;
    let bounds = shared.bounds();
    if !bounds.contains(&sum) {
        return Err(format!(
            "{sum} was counted, and should be one of {bounds:?}"
        ));
    }
    Ok(())
}
