//! Evolution: random histories of the programs that a change of a declaration needs, with jobs, lost responses and
//! crashes, compared with a model that knows no declaration.
//!
//! ```text
//! cargo test --test upkeep -- evolution
//! EVOLUTION_HISTORIES=100000 EVOLUTION_SEED=1000 cargo test --test upkeep -- evolution
//! ```
//!
//! Each history has a few processes of two or three programs on one table. The test chooses the request that is
//! executed next, so a job and the programs interleave at every request. After each write, some program must read what
//! all programs together have written. The result of each operation must agree with its effects.

mod declared;
mod forbidden;
mod gate;
mod history;
mod program;
mod truth;

use std::env;
use std::thread;

use dynamo_entity::aws_sdk_dynamodb::config::SharedHttpClient;

use tokio::runtime::Builder;

use crate::support::db::Db;
use crate::support::engine::Kind;
use crate::support::suite::Outcome;
use crate::tests;
use declared::Stage;
use declared::{Change, changes};
use gate::Fate;
use gate::Gate;
use history::{Line, Seen, Step, World};
use program::{Op, Row};

tests![
    allowed_programs_lose_nothing,
    each_forbidden_pair_has_a_history_that_breaks,
    random_histories_of_forbidden_pairs_break,
    an_upgrade_notices_attributes_that_come_meanwhile,
    a_fill_leaves_rows_that_were_upgraded_meanwhile,
    old_programs_pass_over_new_sentinels,
    a_fill_notices_values_that_come_back,
];

/// The number of histories of all changes together, unless `EVOLUTION_HISTORIES` sets another number.
const HISTORIES: u64 = 480;
const HISTORIES_ON_A_SERVER: u64 = 24;
/// The number of processes of a history.
const PROCESSES: usize = 3;

/// Histories that failed once. Each line names a change and a seed.
const FAILED_ONCE: &str = include_str!("histories.txt");

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

/// Connections whose requests wait. Each has already learned the path to the server.
async fn lines(db: &Db, change: &Change) -> Step<Vec<Line>> {
    let mut lines = Vec::new();
    for _ in 0..PROCESSES {
        let gate = Gate::default();
        let (config, _) = db.faulty_config([]);
        let http: SharedHttpClient = gate.around(db.engine().http_client());
        let dynamo = db.through(config.http_client(http));
        let learned = (change.programs[0].read)(dynamo.clone(), 0).await;
        learned.map_err(|error| error.to_string())?;
        gate.close();
        lines.push(Line { gate, db: dynamo });
    }
    Ok(lines)
}

/// A database with the table of a change.
async fn open(db: &Db, change: &Change) -> Step<Db> {
    let said = |error: dynamo_entity::Error| error.to_string();
    let db = Db::open(db.mode()).await.map_err(said)?;
    db.create_tables([(change.schema)()]).await.map_err(said)?;
    Ok(db)
}

fn failed_once(name: &str) -> impl Iterator<Item = u64> {
    FAILED_ONCE.lines().filter_map(move |line| {
        let seed = line.strip_prefix(name)?.strip_prefix(' ')?;
        seed.trim().parse().ok()
    })
}

/// Runs the histories of one change.
async fn histories(db: &Db, change: &Change, count: u64) -> Step<Seen> {
    let db = open(db, change).await?;
    let lines = lines(&db, change).await?;
    let first = number("EVOLUTION_SEED").unwrap_or(0);
    let mut seen = Seen::default();
    for seed in failed_once(change.name).chain(first..first + count) {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut world = World::new(&db, &lines, change, seed, folder.path());
        if let Err(failure) = world.run().await {
            let name = change.name;
            return Err(format!(
                "seed {seed}\n{}\n{failure}\n\nagain: EVOLUTION_HISTORIES=1 EVOLUTION_SEED={seed} \
                 EVOLUTION_CHANGE={name} cargo test --test upkeep -- evolution\n\
                 to keep: echo '{name} {seed}' >> tests/upkeep/histories.txt",
                world.log.join("\n")
            ));
        }
        world.wipe().await;
        seen.add(world.seen);
    }
    db.close().await.map_err(|error| error.to_string())?;
    Ok(seen)
}

/// Runs the histories of each change in a separate thread, because futures cannot move between threads.
async fn allowed_programs_lose_nothing(db: Db) -> Outcome {
    let default = match Kind::here().is_server() {
        true => HISTORIES_ON_A_SERVER,
        false => HISTORIES,
    };
    let chosen = env::var("EVOLUTION_CHANGE").ok();
    let names = changes().into_iter().map(|change| change.name);
    let names = names.filter(|name| chosen.as_deref().is_none_or(|chosen| chosen == *name));
    let names: Vec<&str> = names.collect();
    let count = number("EVOLUTION_HISTORIES").unwrap_or(default);
    let share = count.div_ceil(names.len() as u64);
    let threads = names.into_iter().map(|name| {
        let db = db.clone();
        thread::spawn(move || -> Step {
            let runtime = Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            let changes = changes();
            let mut changes = changes.iter();
            let change = changes
                .find(|change| change.name == name)
                .ok_or("a change")?;
            let seen = runtime.block_on(histories(&db, change, share))?;
            println!("{name} {share} histories: {:?}", seen.0);
            // A short run may miss some kinds of faults.
            let wanted = ["Late", "Lose", "Vanish", "Crash", &format!("{name} filled")];
            match wanted.iter().find(|what| !seen.0.contains_key(**what)) {
                Some(what) if share >= 40 => Err(format!("{name} had no {what}")),
                _ => Ok(()),
            }
        })
    });
    let threads: Vec<_> = threads.collect();
    for thread in threads {
        let done = thread.join().map_err(|_| "a thread panicked")?;
        done.inspect_err(|failure| eprintln!("{failure}"))?;
    }
    Ok(())
}

async fn each_forbidden_pair_has_a_history_that_breaks(db: Db) -> Outcome {
    let mut shown: Vec<(&str, [usize; 2])> = Vec::new();
    for broken in forbidden::broken_histories() {
        let changes = changes();
        let change = changes.iter().find(|change| change.name == broken.change);
        let change = change.ok_or("a change")?;
        for (steps, breaks) in [(&broken.steps, true), (&broken.instead, false)] {
            if steps.is_empty() {
                continue;
            }
            let db = open(&db, change).await?;
            let lines = lines(&db, change).await?;
            let folder = tempfile::tempdir()?;
            let mut world = World::new(&db, &lines, change, 0, folder.path());
            let stage = match breaks {
                true => broken.stage.clone(),
                false => broken.allowed.clone(),
            };
            let done = world.run_fixed(stage, steps).await;
            let said = format!("{} {}: {done:?}", broken.change, broken.why);
            println!("{said}");
            assert_eq!(done.is_err(), breaks, "{said}\n{}", world.log.join("\n"));
            assert!(done.is_ok() || is_loss(&done), "{said}");
            world.wipe().await;
            db.close().await?;
        }
        if let [first, second] = broken.stage.programs[..] {
            shown.push((broken.change, [first, second]));
        }
    }
    for change in changes() {
        for pair in change.forbidden {
            assert!(
                shown.contains(&(change.name, *pair)),
                "{} {pair:?}",
                change.name
            );
        }
    }
    Ok(())
}

/// Whether a program reads something other than what was written.
fn is_loss(done: &Step) -> bool {
    let says = |text: &str| done.as_ref().is_err_and(|error| error.contains(text));
    says(" reads ") || says(" finds ") || says(" would not put ")
}

async fn random_histories_of_forbidden_pairs_break(db: Db) -> Outcome {
    for change in changes() {
        let db = open(&db, &change).await?;
        let lines = lines(&db, &change).await?;
        for pair in change.forbidden {
            let mut is_broken = false;
            for seed in 0..100 {
                let folder = tempfile::tempdir()?;
                let mut world = World::new(&db, &lines, &change, seed, folder.path());
                is_broken |= is_loss(&world.run_forbidden(pair).await);
                world.wipe().await;
                if is_broken {
                    break;
                }
            }
            assert!(is_broken, "{} {pair:?}", change.name);
        }
        db.close().await?;
    }
    Ok(())
}

fn row(count: Option<i64>) -> Row {
    let name = "a".to_owned();
    Row {
        name,
        count,
        total: 1,
    }
}

fn named(name: &str) -> Change {
    let mut changes = changes().into_iter();
    changes
        .find(|change| change.name == name)
        .expect("a change")
}

async fn an_upgrade_notices_attributes_that_come_meanwhile(db: Db) -> Outcome {
    let change = named("unversioned");
    let db = open(&db, &change).await?;
    let lines = lines(&db, &change).await?;
    let folder = tempfile::tempdir()?;
    let mut world = World::new(&db, &lines, &change, 0, folder.path());
    // Both a job and a `modify` of the program that writes the second shape.
    for op in [Op::Fill(None), Op::Modify(2, 1)] {
        let stage = Stage::of([1, 2, 3]);
        world
            .run_fixed(stage, &[(1, Op::Delete), (1, Op::Create(row(None)))])
            .await?;
        world.start_as(1, 3, 0, op).await?;
        world.release(1, Fate::Pass).await?;
        world.start_as(0, 1, 0, Op::AddCount(1)).await?;
        world.finish(0).await?;
        world.finish(1).await?;
        world.check_all().await?;
    }
    db.close().await
}

async fn old_programs_pass_over_new_sentinels(db: Db) -> Outcome {
    let change = named("unique");
    let db = open(&db, &change).await?;
    let lines = lines(&db, &change).await?;
    let folder = tempfile::tempdir()?;
    let mut world = World::new(&db, &lines, &change, 0, folder.path());
    let steps = [
        (1, Op::Create(row(None))),
        (0, Op::SetTotal(2)),
        (0, Op::Fill(None)),
    ];
    world.run_fixed(Stage::of([0, 1]), &steps).await?;
    db.close().await
}

async fn a_fill_leaves_rows_that_were_upgraded_meanwhile(db: Db) -> Outcome {
    for name in ["versioned", "unversioned"] {
        let change = named(name);
        let db = open(&db, &change).await?;
        let lines = lines(&db, &change).await?;
        let folder = tempfile::tempdir()?;
        let mut world = World::new(&db, &lines, &change, 0, folder.path());
        world
            .run_fixed(Stage::of([0]), &[(0, Op::Create(row(None)))])
            .await?;
        // The job of a program that knows the first shape has read the row before it is upgraded.
        world.start_as(1, 5, 0, Op::Fill(None)).await?;
        world.release(1, Fate::Pass).await?;
        world
            .run_fixed(Stage::of([3]).filled(), &[(3, Op::Modify(2, 1))])
            .await?;
        world.finish(1).await?;
        world.check_all().await?;
        db.close().await?;
    }
    Ok(())
}

/// After each number of requests of the job, a row takes the value of its remaining sentinel again.
async fn a_fill_notices_values_that_come_back(db: Db) -> Outcome {
    let change = named("unique");
    let db = open(&db, &change).await?;
    let lines = lines(&db, &change).await?;
    let folder = tempfile::tempdir()?;
    let name = |name: &str| Op::ModifyName(name.to_owned());
    let create = || Op::Create(row(None));
    for at in 0..20 {
        let (has_other, requests) = (at % 2 == 1, at / 2);
        let mut world = World::new(&db, &lines, &change, 0, folder.path());
        world.run_fixed(Stage::of([0, 1]), &[]).await?;
        let mut steps = vec![(1, 0, create()), (0, 0, name("b"))];
        if has_other {
            // In the meantime, another row has taken the value.
            steps.push((0, 1, create()));
        }
        for (program, id, op) in steps {
            world.start_as(0, program, id, op).await?;
            world.finish(0).await?;
        }
        world.start_as(1, 1, 0, Op::Fill(None)).await?;
        for _ in 0..requests {
            world.release(1, Fate::Pass).await?;
        }
        world.start_as(0, 1, 0, name("a")).await?;
        world.finish(0).await?;
        world.finish(1).await?;
        world.check_fill(1).await?;
        world.wipe().await;
    }
    db.close().await
}
