//! Jobs in a process of their own, which is killed again and again: each row is done once.
//!
//! On the embedded engine the data are in a file, which the kill hits too.

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use dynamo_entity::prelude::*;
use dynamo_entity::{Bulk, FileCheckpoint, SingleWrite};

use super::{Row, State, row};
use crate::support::db::Db;
use crate::support::engine::Engine;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_killed_update_changes_each_row_once,
    a_killed_put_writes_each_item_once,
    a_killed_delete_skips_no_row,
];

/// Set in the process that is killed: the verb. The others tell it where.
pub const CHILD: &str = "DYNAMO_ENTITY_BULK_CHILD";
const PREFIX: &str = "DYNAMO_ENTITY_BULK_PREFIX";
const FILE: &str = "DYNAMO_ENTITY_BULK_FILE";

const ROWS: u32 = 600;
const KILLS: u32 = 20;

pub fn child() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let done = runtime.expect("a runtime").block_on(work());
    println!(
        "{}",
        done.map_or_else(|error| format!("error {error}"), |()| "done".into())
    );
}

async fn work() -> Result<()> {
    let variable = |name| env::var(name).expect("a setting");
    let db = Dynamo::from_env().await?.with_prefix(variable(PREFIX));
    let new: Vec<Row> = (ROWS..ROWS + 200).map(row).collect();
    let job = job(&variable(CHILD), &new);
    let report = job
        .checkpoint("crash", FileCheckpoint::new(variable(FILE)))
        .save_every(Duration::from_millis(25))
        .concurrency(4)
        .rate(900)
        .on_progress(|so_far| println!("{}", so_far.written + so_far.already_done))
        .send(&db)
        .await?;
    report.complete().map(|_| ())
}

fn job<'j>(verb: &str, new: &'j [Row]) -> Bulk<'j> {
    match verb {
        // The row moves ahead in the index that is read.
        "update" => Row::by_state(State::Open).page_size(40).update_each(|row| {
            let ahead = row.rank + 50;
            row.update()
                .apply(move |r| (r.count().add(1), r.rank().set(ahead)))
        }),
        "put" => {
            let adds = (0..ROWS).map(|number| {
                let add = Row::key("a", number).update().apply(|r| r.count().add(1));
                Box::new(add) as Box<dyn SingleWrite>
            });
            put_each(
                adds.chain(
                    new.iter()
                        .map(|row| Box::new(row.create()) as Box<dyn SingleWrite>),
                ),
            )
        }
        _ => Row::by_state(State::Open).page_size(40).delete_each(),
    }
}

/// A job, and where its data are.
struct Victim<'v> {
    verb: &'v str,
    url: String,
    prefix: &'v str,
    file: &'v Path,
}

impl Victim<'_> {
    /// Runs it for so long after its first row, or to its end. Returns what it said last.
    fn run(&self, life: Option<Duration>) -> Result<String, Box<dyn std::error::Error>> {
        let mut child = Command::new(env::current_exe()?)
            .env(CHILD, self.verb)
            .env("DYNAMO_URL", &self.url)
            .env(PREFIX, self.prefix)
            .env(FILE, self.file)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        let first = lines.next().transpose()?;
        let rest = thread::spawn(move || lines.map_while(Result::ok).last());
        if let Some(life) = life {
            thread::sleep(life);
            child.kill()?;
        }
        child.wait()?;
        let last = rest.join().map_err(|_| "the reader failed")?;
        Ok(last.or(first).unwrap_or_default())
    }

    async fn open(&self) -> Result<Dynamo> {
        Ok(Dynamo::connect(&self.url).await?.with_prefix(self.prefix))
    }
}

/// Fills a table, has the job killed, and looks at what it said each time; then lets it finish. `done` counts
/// what it has done.
async fn kill(
    db: &Db,
    verb: &str,
    done: impl Fn(&[Row]) -> usize,
) -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let victim = Victim {
        verb,
        url: match db.engine() {
            Engine::Embedded(_) => format!("embedded:{}", folder.path().join("data").display()),
            Engine::Server(url) => url.clone(),
        },
        prefix: db.prefix(),
        file: &folder.path().join("checkpoint"),
    };
    let begun = victim.open().await?;
    begun.create_tables([Row::schema()]).await?;
    let all: Vec<Row> = (0..ROWS).map(row).collect();
    put_each(all.iter().map(Row::put))
        .concurrency(16)
        .send(&begun)
        .await?
        .complete()?;
    let other = Row {
        state: State::Done,
        ..row(9999)
    };
    other.put().send(&begun).await?;
    drop(begun);
    let mut kills = 0;
    loop {
        let life = (kills < KILLS).then(|| Duration::from_millis(fastrand::u64(1..40)));
        let said = victim.run(life)?;
        let seen = victim.open().await?;
        let rows = Row::scan().consistent().all(&seen).await?;
        drop(seen);
        if said == "done" {
            assert!(kills == KILLS, "it was done after {kills} kills");
            return Ok(rows);
        }
        kills += 1;
        // What was acknowledged is there.
        let acknowledged: usize = said.parse().map_err(|_| said)?;
        assert!(
            done(&rows) >= acknowledged,
            "{} < {acknowledged}",
            done(&rows)
        );
    }
}

fn counts(rows: &[Row]) -> BTreeMap<u64, usize> {
    let mut counts = BTreeMap::new();
    for row in rows.iter().filter(|row| row.state == State::Open) {
        *counts.entry(row.count).or_default() += 1;
    }
    counts
}

async fn a_killed_update_changes_each_row_once(db: Db) -> Outcome {
    let rows = kill(&db, "update", |rows| {
        counts(rows).get(&1).copied().unwrap_or_default()
    })
    .await?;
    assert_eq!(counts(&rows), BTreeMap::from([(1, ROWS as usize)]));
    assert!(
        rows.iter()
            .all(|row| row.number == 9999 || row.rank == row.number + 50)
    );
    Ok(())
}

async fn a_killed_put_writes_each_item_once(db: Db) -> Outcome {
    let done = |rows: &[Row]| {
        let is_done = |row: &&Row| row.count == 1 || (ROWS..9999).contains(&row.number);
        rows.iter().filter(is_done).count()
    };
    let rows = kill(&db, "put", done).await?;
    assert_eq!(
        counts(&rows),
        BTreeMap::from([(0, 200), (1, ROWS as usize)])
    );
    Ok(())
}

async fn a_killed_delete_skips_no_row(db: Db) -> Outcome {
    let rows = kill(&db, "delete", |rows| ROWS as usize + 1 - rows.len()).await?;
    assert_eq!(
        rows.iter().map(|row| row.number).collect::<Vec<_>>(),
        [9999]
    );
    Ok(())
}
