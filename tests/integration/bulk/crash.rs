//! Jobs run in a process that is killed again and again, and still handle each row once.
//!
//! On the embedded engine the data are in a file, so the kill hits the engine too.

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use dynamo_entity::Bulk;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::bulk::{FileCheckpoint, SingleWrite};
use dynamo_entity::prelude::*;

use super::transactions::{Tally, tallies, tally};
use super::uniques::{Clubs, Person, in_step, person, stored};
use super::{Row, State, row};
use crate::support::db::Db;
use crate::support::engine::Engine;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_killed_update_changes_each_row_once,
    a_killed_put_writes_each_item_once,
    a_killed_delete_skips_no_row,
    a_killed_touch_reaches_each_row_in_one_run,
    a_killed_transaction_takes_effect_once_for_each_row,
    a_killed_update_keeps_values_in_step,
    a_killed_put_keeps_values_in_step,
    a_killed_delete_keeps_values_in_step,
    a_killed_batch_loses_no_acknowledged_write,
];

/// This variable is set in the process to be killed, and names the verb. The other two tell where the data
/// are.
pub const CHILD: &str = "DYNAMO_ENTITY_BULK_CHILD";
const PREFIX: &str = "DYNAMO_ENTITY_BULK_PREFIX";
const FILE: &str = "DYNAMO_ENTITY_BULK_FILE";

const ROWS: u32 = 600;
const KILLS: u32 = 20;
const PEOPLE: u32 = 300;

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
    let people: Vec<Person> = (0..PEOPLE + 60).map(renamed).collect();
    if variable(CHILD) == "batches" {
        return batches(&db).await;
    }
    let job = match &*variable(CHILD) {
        verb if verb.starts_with("people") => people_job(verb, &people),
        verb => job(verb, &new),
    };
    let report = job
        .checkpoint("crash", FileCheckpoint::new(variable(FILE)))
        .save_every(Duration::from_millis(25))
        .concurrency(4)
        .rate(900)
        // A row that moves ahead in the index is found again, so `already_done` may count it twice.
        .on_progress(|so_far| println!("{}", so_far.written))
        .send(&db)
        .await?;
    report.complete().map(|_| ())
}

/// How many rows each batch puts. It deletes as many.
const BATCH: u32 = 20;

/// A row of a batch, which belongs to one run of the process.
fn row_of_batch(run: &str, batch: u32, at: u32) -> Row {
    Row {
        group: run.into(),
        ..row(batch * BATCH + at)
    }
}

/// Sends batches until it is killed. Each puts its rows and deletes those of the batch two before it.
async fn batches(db: &Dynamo) -> Result<()> {
    let run = std::process::id().to_string();
    for batch in 2..4_000 {
        let puts = (0..BATCH).map(|at| row_of_batch(&run, batch, at));
        let puts: Vec<Row> = puts.collect();
        let deletes = (0..BATCH).map(|at| row_of_batch(&run, batch - 2, at).key().delete());
        let batch_send = Batch::new()
            .with_all(puts.iter().map(Row::put))
            .with_all(deletes)
            .send(db);
        batch_send.await?.complete()?;
        println!("{batch} {run}");
    }
    Ok(())
}

fn job<'j>(verb: &str, new: &'j [Row]) -> Bulk<'j> {
    match verb {
        // The update moves the row ahead in the index that the job reads.
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
        "transact" => Row::by_state(State::Open)
            .page_size(40)
            .transact_each(|row| {
                let own = Transaction::new()
                    .with(tally(&own_counter(row.number)))
                    .with(tally(&shared_counter(row.number)));
                let Some(changed) = transacted(row) else {
                    return own.with(row.delete());
                };
                own.with(
                    row.update()
                        .apply(move |r| (r.count().add(1), r.rank().set(changed.rank))),
                )
            }),
        "touch" => Row::by_state(State::Open).page_size(40).touch_each(),
        _ => Row::by_state(State::Open).page_size(40).delete_each(),
    }
}

fn own_counter(number: u32) -> String {
    format!("row {number}")
}

fn shared_counter(number: u32) -> String {
    format!("shared {}", number % 10)
}

/// What the transaction of a row leaves of it: some are deleted, and the others move ahead in the index. They do not
/// move without end, so that a job which changes them again and again comes to its end and fails.
fn transacted(row: &Row) -> Option<Row> {
    (!row.number.is_multiple_of(3)).then(|| Row {
        count: row.count + 1,
        rank: (row.rank + 50).min(ROWS + 50),
        ..row.clone()
    })
}

/// The same person with a new email and a count that is one higher.
fn renamed(number: u32) -> Person {
    let old = person(number);
    Person {
        email: format!("new-{}", old.email),
        count: old.count + 1,
        ..old
    }
}

fn people_job<'j>(verb: &str, new: &'j [Person]) -> Bulk<'j> {
    match verb {
        "people, update" => Person::by_level(1u32)
            .hydrate()
            .page_size(40)
            .update_each(|p| {
                let email = format!("new-{}", p.email);
                p.update()
                    .apply(|p| (p.email().set(email), p.count().add(1)))
            }),
        "people, put" => {
            let renames = new[..PEOPLE as usize].iter().map(|p| {
                let rename = Person::key("a", p.number).update();
                let rename = rename.when(|old| old.email().eq(p.email.trim_start_matches("new-")));
                let rename = rename.apply(|old| (old.email().set(&*p.email), old.count().add(1)));
                Box::new(rename) as Box<dyn SingleWrite>
            });
            let puts = new[PEOPLE as usize..].iter();
            let puts = puts.map(|p| Box::new(p.put()) as Box<dyn SingleWrite>);
            put_each(renames.chain(puts))
        }
        _ => Person::by_level(1u32).page_size(40).delete_each(),
    }
}

/// A job in another process, and where its data are.
struct Victim<'v> {
    verb: &'v str,
    url: String,
    prefix: &'v str,
    file: &'v Path,
}

impl Victim<'_> {
    /// Runs the job to its end, or kills it some time after its first row. Returns the last line it printed.
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

/// The rows that a victim works on.
trait Seen: Sized {
    async fn fill(db: &Dynamo) -> Result<()>;
    async fn look(db: &Dynamo, prefix: &str) -> Result<Vec<Self>>;
}

impl Seen for Row {
    async fn fill(db: &Dynamo) -> Result<()> {
        db.create_tables([Row::schema()]).await?;
        let all: Vec<Row> = (0..ROWS).map(row).collect();
        let puts = put_each(all.iter().map(Row::put)).concurrency(16);
        puts.send(db).await?.complete()?;
        let other = Row {
            state: State::Done,
            ..row(9999)
        };
        other.put().send(db).await.map(drop)
    }

    async fn look(db: &Dynamo, _: &str) -> Result<Vec<Row>> {
        Row::scan().consistent().all(db).await
    }
}

/// A row, if it is there, and what its two counters say.
#[derive(Debug, PartialEq)]
struct Counted {
    row: Option<Row>,
    own: u64,
    shared: u64,
}

impl Seen for Counted {
    async fn fill(db: &Dynamo) -> Result<()> {
        db.create_tables([Tally::schema()]).await?;
        Row::fill(db).await
    }

    async fn look(db: &Dynamo, prefix: &str) -> Result<Vec<Counted>> {
        let rows = Row::look(db, prefix).await?.into_iter();
        let mut rows: BTreeMap<u32, Row> = rows.map(|row| (row.number, row)).collect();
        let tallies = tallies(db).await?;
        let tally = |name| tallies.get(&name).copied().unwrap_or_default();
        let counted = (0..ROWS).map(|number| Counted {
            row: rows.remove(&number),
            own: tally(own_counter(number)),
            shared: tally(shared_counter(number)),
        });
        Ok(counted.collect())
    }
}

impl Seen for Person {
    async fn fill(db: &Dynamo) -> Result<()> {
        db.create_tables([Clubs::schema()]).await?;
        let all: Vec<Person> = (0..PEOPLE).map(person).collect();
        let creates = put_each(all.iter().map(Person::create)).concurrency(16);
        creates.send(db).await?.complete()?;
        let other = Person {
            level: 2,
            ..person(9999)
        };
        other.create().send(db).await.map(drop)
    }

    async fn look(db: &Dynamo, prefix: &str) -> Result<Vec<Person>> {
        let table = format!("{prefix}-{}", Clubs::schema().name);
        Ok(in_step(&stored(db.client(), table).await))
    }
}

/// A row with the mark of the last touch.
#[derive(Debug)]
struct Touched {
    row: Row,
    mark: Option<AttributeValue>,
}

impl Seen for Touched {
    async fn fill(db: &Dynamo) -> Result<()> {
        Row::fill(db).await
    }

    async fn look(db: &Dynamo, prefix: &str) -> Result<Vec<Touched>> {
        let table = format!("{prefix}-{}", Row::schema().name);
        let items = stored(db.client(), table).await.into_iter();
        let touched = items.map(|mut item| {
            let mark = item.remove("_job.+touch");
            Ok(Touched {
                row: Row::from_item(item)?,
                mark,
            })
        });
        touched.collect()
    }
}

/// Fills a table and kills the job again and again, checking after each kill that the rows which it reported
/// are done. Then lets it finish. `done` counts the rows that are done.
async fn kill<T: Seen>(
    db: &Db,
    verb: &str,
    done: impl Fn(&[T]) -> usize,
) -> Result<Vec<T>, Box<dyn std::error::Error>> {
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
    T::fill(&begun).await?;
    drop(begun);
    let mut kills = 0;
    loop {
        let life = (kills < KILLS).then(|| Duration::from_millis(fastrand::u64(1..40)));
        let said = victim.run(life)?;
        let seen = victim.open().await?;
        let rows = T::look(&seen, db.prefix()).await?;
        drop(seen);
        if said == "done" {
            // On a fast machine the job may end before the last kill.
            assert!(kills >= KILLS / 2, "it was done after {kills} kills");
            return Ok(rows);
        }
        kills += 1;
        // Every row that the job reported must be done.
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
    let rows = kill(&db, "update", |rows: &[Row]| {
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
    let rows = kill(&db, "delete", |rows: &[Row]| ROWS as usize + 1 - rows.len()).await?;
    assert_eq!(
        rows.iter().map(|row| row.number).collect::<Vec<_>>(),
        [9999]
    );
    Ok(())
}

async fn a_killed_touch_reaches_each_row_in_one_run(db: Db) -> Outcome {
    let done = |all: &[Touched]| all.iter().filter(|row| row.mark.is_some()).count();
    let mut all = kill(&db, "touch", done).await?;
    all.sort_by_key(|touched| touched.row.number);
    let other = all.pop().ok_or("no row is left")?;
    assert_eq!((other.row.number, other.mark), (9999, None));
    let mark = all[0].mark.clone();
    assert!(mark.is_some() && all.iter().all(|touched| touched.mark == mark));
    let rows: Vec<Row> = all.into_iter().map(|touched| touched.row).collect();
    assert_eq!(rows, (0..ROWS).map(row).collect::<Vec<_>>());
    Ok(())
}

async fn a_killed_transaction_takes_effect_once_for_each_row(db: Db) -> Outcome {
    let done = |all: &[Counted]| all.iter().filter(|counted| counted.own > 0).count();
    let all = kill(&db, "transact", done).await?;
    let once = (0..ROWS).map(|number| Counted {
        row: transacted(&row(number)),
        own: 1,
        shared: u64::from(ROWS) / 10,
    });
    assert_eq!(all, once.collect::<Vec<_>>());
    Ok(())
}

fn renames(people: &[Person]) -> usize {
    people.iter().filter(|p| p.count == 1).count()
}

async fn a_killed_update_keeps_values_in_step(db: Db) -> Outcome {
    let people = kill(&db, "people, update", renames).await?;
    let (last, people) = people.split_last().ok_or("nobody is left")?;
    assert_eq!(
        *last,
        Person {
            level: 2,
            ..person(9999)
        }
    );
    assert_eq!(people, (0..PEOPLE).map(renamed).collect::<Vec<_>>());
    Ok(())
}

async fn a_killed_put_keeps_values_in_step(db: Db) -> Outcome {
    let people = kill(&db, "people, put", renames).await?;
    let people = &people[..people.len() - 1];
    assert_eq!(people, (0..PEOPLE + 60).map(renamed).collect::<Vec<_>>());
    Ok(())
}

async fn a_killed_delete_keeps_values_in_step(db: Db) -> Outcome {
    let done = |people: &[Person]| PEOPLE as usize + 1 - people.len();
    let people = kill(&db, "people, delete", done).await?;
    assert_eq!(
        people,
        [Person {
            level: 2,
            ..person(9999)
        }]
    );
    Ok(())
}

/// A kill ends batches at any place. All that they reported is there, and the index agrees with the table.
async fn a_killed_batch_loses_no_acknowledged_write(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let victim = Victim {
        verb: "batches",
        url: match db.engine() {
            Engine::Embedded(_) => format!("embedded:{}", folder.path().join("data").display()),
            Engine::Server(url) => url.clone(),
        },
        prefix: db.prefix(),
        file: &folder.path().join("none"),
    };
    victim.open().await?.create_tables([Row::schema()]).await?;
    for _ in 0..KILLS {
        let life = Duration::from_millis(fastrand::u64(1..120));
        let said = victim.run(Some(life))?;
        let (batch, run) = said.split_once(' ').ok_or("no batch was done")?;
        let batch: u32 = batch.parse()?;
        let seen = victim.open().await?;
        let rows = Row::scan().consistent().all(&seen).await?;
        let of_run: Vec<&Row> = rows.iter().filter(|row| row.group == run).collect();
        let of_batch = |batch| move |row: &&&Row| row.number / BATCH == batch;
        assert_eq!(
            of_run.iter().filter(of_batch(batch)).count(),
            BATCH as usize
        );
        let is_deleted = |row: &&&Row| row.number / BATCH + 2 <= batch;
        assert_eq!(of_run.iter().filter(is_deleted).count(), 0);
        if matches!(db.engine(), Engine::Server(_)) {
            continue; // A request of the killed process may still change rows.
        }
        let key = |row: &Row| (row.group.clone(), row.number);
        let mut in_table: Vec<_> = rows.iter().map(key).collect();
        let in_index = Row::by_state(State::Open).all(&seen).await?;
        let mut in_index: Vec<_> = in_index.iter().map(key).collect();
        in_table.sort();
        in_index.sort();
        assert_eq!(in_table, in_index);
    }
    Ok(())
}
