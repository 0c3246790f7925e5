//! Runs many sequences and reports the one that fails.

use std::env;
use std::fmt;

use dynamo_entity::DynamoTable as _;
use tokio::task::JoinSet;

use crate::sequence::{self, KEYS, check};
use crate::subject::Subject;
use crate::support::db::Db;
use crate::support::engine::Kind;
use crate::support::suite::Outcome;

/// How many sequences all entities run together if `LAWS=full` is set, otherwise a quarter of them, unless `UPKEEP_SEQUENCES` sets
/// another number.
const SEQUENCES: u64 = 5_600;
/// DynamoDB Local is slower, and its requests are the same, so it gets fewer sequences.
const SEQUENCES_ON_A_SERVER: u64 = SEQUENCES / 10;
/// How many entities share the sequences.
const SUBJECTS: u64 = 7;
/// How many tasks run the sequences of an entity, each with its own tables.
const TASKS: u64 = 2;
/// How many sequences run, each with its own keys, before the indexes are checked.
const TOGETHER: usize = 20;

/// Seeds that failed once. Each line names an entity and a seed.
const FAILED_ONCE: &str = include_str!("seeds.txt");

/// Runs one entity's share of the sequences. The first seed is `UPKEEP_SEED`, or 0.
pub async fn sequences<E: Subject>(db: Db) -> Outcome {
    let name = std::any::type_name::<E>().rsplit("::").next().unwrap_or("");
    let first = number("UPKEEP_SEED").unwrap_or(0);
    let is_full = env::var_os("LAWS").is_some_and(|laws| laws == "full");
    let default = match (Kind::here().is_server(), is_full) {
        (true, _) => SEQUENCES_ON_A_SERVER,
        (false, true) => SEQUENCES,
        (false, false) => SEQUENCES / 4,
    };
    let count = number("UPKEEP_SEQUENCES")
        .unwrap_or(default)
        .div_ceil(SUBJECTS);
    let seeds: Vec<u64> = failed_once(name).chain(first..first + count).collect();
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let mine: Vec<u64> = seeds
            .iter()
            .copied()
            .skip(task as usize)
            .step_by(TASKS as usize)
            .collect();
        let db = Db::open(db.mode()).await?;
        tasks.spawn(async move {
            let done = share::<E>(&db, name, mine).await;
            let closed = db.close().await.map_err(|error| error.to_string());
            done.and(closed)
        });
    }
    while let Some(done) = tasks.join_next().await {
        done?.map_err(Failure)?;
    }
    Ok(())
}

/// An error whose `Debug` output keeps its line breaks.
#[derive(thiserror::Error)]
#[error("{0}")]
struct Failure(String);

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

async fn share<E: Subject>(db: &Db, name: &str, seeds: Vec<u64>) -> Result<(), String> {
    let tables = [E::Table::schema()];
    db.create_tables(tables)
        .await
        .map_err(|error| error.to_string())?;
    for seeds in seeds.chunks(TOGETHER) {
        let mut rows = Vec::new();
        for (at, seed) in seeds.iter().enumerate() {
            let first = at as u32 * KEYS;
            let done = sequence::run::<E>(db, *seed, first).await;
            rows.extend(done.map_err(|failure| again(name, *seed, &failure))?);
        }
        // Running each of these seeds alone shows which one failed.
        let checked = check::indexes(db, &rows).await;
        checked.map_err(|failure| format!("one of the seeds {seeds:?}: {failure}"))?;
        check::wipe(db, &rows).await?;
    }
    Ok(())
}

fn again(name: &str, seed: u64, failure: &str) -> String {
    let filter = name.to_lowercase();
    format!(
        "{failure}\n\nagain: UPKEEP_SEQUENCES=1 UPKEEP_SEED={seed} cargo test --test upkeep -- {filter}\n\
         to keep: echo '{name} {seed}' >> tests/upkeep/seeds.txt"
    )
}

fn failed_once(name: &str) -> impl Iterator<Item = u64> {
    FAILED_ONCE.lines().filter_map(move |line| {
        let seed = line.strip_prefix(name)?.strip_prefix(' ')?;
        seed.trim().parse().ok()
    })
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}
