//! A group whose workers are processes that are killed again and again.
//!
//! On the embedded engine, the data is in a file that only one process can open at a time, so the test uses one worker. On
//! a server, it uses three.

use std::env;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use dynamo_entity::prelude::*;
use dynamo_entity::streams::LeaseTable;
use tokio::time::{sleep, timeout};

use super::{Parcel, Total, add_up, put, total};
use crate::support::db::Db;
use crate::support::engine::Engine;
use crate::support::suite::Outcome;

crate::declare! {
    entity Mark(table = "group-marks", key(pk = number)) { number: u32, count: u64 }
}

/// This variable is set in a process that will be killed.
pub const CHILD: &str = "DYNAMO_ENTITY_GROUP_CHILD";
const PREFIX: &str = "DYNAMO_ENTITY_GROUP_PREFIX";

const KILLS: u32 = 8;
/// The number of changes before each kill.
const CHANGES: u32 = 120;

pub fn child() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let worked = runtime.expect("a runtime").block_on(async {
        let prefix = env::var(PREFIX).expect("a setting");
        let db = Dynamo::from_env().await?.with_prefix(prefix);
        work(&db, std::future::pending()).await
    });
    panic!("a worker ended: {worked:?}");
}

/// Runs a worker with each kind of handler.
async fn work(db: &Dynamo, shutdown: impl Future<Output = ()>) -> Result<()> {
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let is_stopped = || {
        let mut stopped = stopped.clone();
        async move { drop(stopped.wait_for(|is_stopped| *is_stopped).await) }
    };
    let marks = Parcel::consumer("marker")
        .lease_time(super::LEASE)
        .longest_pause(Duration::from_millis(200))
        .each(async |change| -> Result<()> {
            let number = change.event.after().expect("no removals").number;
            let mark = Mark::key(number).upsert().apply(|mark| mark.count().add(1));
            mark.send(db).await.map(drop)
        });
    let stopping = async {
        shutdown.await;
        stop.send_replace(true);
    };
    let (marked, added, ()) = tokio::join!(
        marks.run(db, is_stopped()),
        add_up(db, is_stopped()),
        stopping
    );
    marked.and(added)
}

fn spawn(url: &str, prefix: &str) -> std::io::Result<Child> {
    Command::new(env::current_exe()?)
        .env(CHILD, "work")
        .env("DYNAMO_URL", url)
        .env(PREFIX, prefix)
        .stdout(Stdio::null())
        .spawn()
}

/// Each change is handled, and the total is the sum of all rows.
pub async fn killed_workers_lose_no_change(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let (url, count) = match db.engine() {
        Engine::Embedded(_) => (
            format!("embedded:{}", folder.path().join("data").display()),
            1,
        ),
        Engine::Server(url) => (url.clone(), 3),
    };
    let open = async || Ok::<_, Error>(Dynamo::connect(&url).await?.with_prefix(db.prefix()));
    let is_file = count == 1;
    let opened = open().await?;
    opened
        .create_tables([
            Parcel::schema(),
            Total::schema(),
            Mark::schema(),
            LeaseTable::schema(),
        ])
        .await?;
    let mut opened = Some(opened);
    let mut workers: Vec<Child> = Vec::new();
    for kill in 0..KILLS {
        let filled = match opened.take() {
            Some(opened) => opened,
            None => open().await?,
        };
        put(&filled, kill * CHANGES..(kill + 1) * CHANGES).await?;
        drop(filled);
        while workers.len() < count {
            workers.push(spawn(&url, db.prefix())?);
        }
        // This is longer than the lease time, so that a worker has begun to handle changes.
        sleep(Duration::from_millis(fastrand::u64(1_500..3_500))).await;
        let mut killed = workers.remove(fastrand::usize(..workers.len()));
        assert!(killed.try_wait()?.is_none(), "a worker ended by itself");
        killed.kill()?;
        killed.wait()?;
    }
    for mut worker in workers {
        worker.kill()?;
        worker.wait()?;
    }
    let last = open().await?;
    let all = KILLS * CHANGES;
    let sum = u64::from(all) * u64::from(all - 1) / 2;
    let marks = async || Mark::scan().consistent().all(&last).await.expect("read");
    let before = marks().await.len();
    assert!(before > 0, "no worker has done anything before its end");
    let is_done = async {
        while total(&last).await.expect("read") < sum || marks().await.len() < all as usize {
            sleep(Duration::from_millis(100)).await;
        }
        // A change that is handled twice would be handled again now.
        sleep(Duration::from_millis(500)).await;
    };
    timeout(Duration::from_secs(120), work(&last, is_done)).await??;
    assert_eq!(total(&last).await?, sum, "file: {is_file}");
    assert_eq!(marks().await.len(), all as usize);
    Ok(())
}
